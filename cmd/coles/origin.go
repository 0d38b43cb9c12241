package main

import (
	"fmt"
	"strings"

	"coles"
	"coles/gnn"
)

// An origin is the model that made vectors. It is zero for vectors from a file, which does not name
// their model.
type origin struct {
	Kind string `json:"kind"`            // graph, features or network
	Hash string `json:"model,omitempty"` // none in files of earlier versions
}

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

// check refuses vectors of another model than what was made of vectors of o, which the file at a path
// holds. It warns where one of the two models is not known.
func (o origin) check(in *inputs, path string, vectors origin) error {
	switch {
	case o.Hash != "" && vectors.Hash != "" && o != vectors, o.Kind != "" && vectors.Kind != "" && o.Kind != vectors.Kind:
		return fmt.Errorf("%s learnt from %v, and these vectors are from %v: name its model by -with; -model keeps the model of a fit", path, o, vectors)
	case o.Hash == "" || vectors.Hash == "":
		in.text.Warn(fmt.Errorf("%s learnt from %v, and these vectors are from %v: whether one model made both cannot be checked", path, o, vectors))
	}
	return nil
}

// compareWeights warns of a graph that was read with weights for a model fitted without, or the other way.
func (in *inputs) compareWeights(g *coles.Graph, path string) {
	var fitted coles.GraphReport
	switch m := in.model.(type) {
	case *coles.Model:
		if fitted = m.Report().Graph; m.Report().Kind == coles.UseFeatures {
			return
		}
	case *gnn.Model:
		fitted = m.Report().Graph
	default:
		return
	}
	switch now := g.Report(); {
	case now.Edges == 0 || now.Weighted == fitted.Weighted:
	case now.Weighted:
		in.text.Warn(fmt.Errorf("%s has weights, and the model was fitted without: -unweighted leaves them out", nameOf(path)))
	default:
		in.text.Warn(fmt.Errorf("%s is read without weights, and the model was fitted with them", nameOf(path)))
	}
}
