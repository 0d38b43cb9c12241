package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"coles"
	"coles/gnn"
	"coles/learn"

	"gonum.org/v1/gonum/mat"
)

// A model embeds graphs: a *coles.Model or a *gnn.Model.
type model interface {
	Embed(ctx context.Context, g *coles.Graph, x mat.Matrix) (*mat.Dense, error)
	WriteTo(w io.Writer) (int64, error)
	Hash() string
}

// reportOf returns the report of a model, and how many features it wants, 0 for none.
func reportOf(m model) (report any, features int) {
	if m, ok := m.(*gnn.Model); ok {
		r := m.Report()
		return r, r.Features
	}
	r := m.(*coles.Model).Report()
	return r, r.Features
}

// wantsFeatures refuses a graph without features for a model that has learnt from some.
func wantsFeatures(m model, x mat.Matrix) error {
	if _, wanted := reportOf(m); wanted > 0 && x == nil {
		return fmt.Errorf("the model wants %d features, and the graph has none: name a file of them by -features", wanted)
	}
	return nil
}

// An origin is the model that made vectors. It is zero for vectors from a file, which does not name
// their model.
type origin learn.Origin

// originOf is the origin of the vectors of a model, nil for none.
func originOf(m model) origin {
	switch m := m.(type) {
	case *coles.Model:
		return origin{m.Report().Kind.String(), m.Hash()}
	case *gnn.Model:
		return origin{"network", m.Hash()}
	}
	return origin{}
}

func (o origin) String() string {
	if o == (origin{}) {
		return "a file of vectors"
	}
	return strings.TrimSpace("the " + modelName(o.Kind) + " " + o.Hash)
}

// modelName names a kind of model in a sentence.
func modelName(kind string) string { return strings.TrimSuffix(kind, "s") + " model" }

// otherWeights is a warning of a graph that was read with weights for a model fitted without, or the other
// way, nil for none.
func otherWeights(m model, g *coles.Graph, path string) error {
	var fitted coles.GraphReport
	switch m := m.(type) {
	case *coles.Model:
		if fitted = m.Report().Graph; m.Report().Kind == coles.UseFeatures {
			return nil
		}
	case *gnn.Model:
		fitted = m.Report().Graph
	}
	switch now := g.Report(); {
	case m == nil || now.Edges == 0 || now.Weighted == fitted.Weighted:
		return nil
	case now.Weighted:
		return fmt.Errorf("%s has weights, and the model was fitted without: -unweighted leaves them out", path)
	}
	return fmt.Errorf("%s is read without weights, and the model was fitted with them", path)
}
