package task

import (
	"context"
	"fmt"
	"io"
	"strings"

	"coles"
	"coles/dataset/parse"
	"coles/gnn"
	"coles/learn"

	"gonum.org/v1/gonum/mat"
)

// A Model embeds graphs: a [*coles.Model] or a [*gnn.Model].
type Model interface {
	Embed(ctx context.Context, g *coles.Graph, x mat.Matrix) (*mat.Dense, error)
	WriteTo(w io.Writer) (int64, error)
	Hash() string
}

// wants is how many columns of features a model wants, 0 for none.
func wants(m Model) int {
	if m, ok := m.(*gnn.Model); ok {
		return m.Report().Features
	}
	return m.(*coles.Model).Report().Features
}

// checkFeatures refuses no features for a model that has learnt from some.
func checkFeatures(m Model, x mat.Matrix) error {
	if wanted := wants(m); wanted > 0 && x == nil {
		return fmt.Errorf("the model wants %d features, and the graph has none: name a file of them", wanted)
	}
	return nil
}

// usesEdges reports whether a model embeds nodes by their edges.
func usesEdges(m Model) bool {
	fitted, ok := m.(*coles.Model)
	if !ok {
		return true
	}
	r := fitted.Report()
	return r.Kind == coles.UseGraph || r.StructureShare > 0
}

// narrowed is an embedding in float32 if the model's is, as a fit writes it.
func narrowed(m Model, y *mat.Dense) mat.Matrix {
	fitted, ok := m.(*coles.Model)
	if !ok || fitted.Report().Precision != coles.Float32 {
		return y
	}
	raw := y.RawMatrix()
	single := &coles.Dense32{Rows: raw.Rows, Cols: raw.Cols, Stride: raw.Stride, Data: make([]float32, len(raw.Data))}
	for k, v := range raw.Data {
		single.Data[k] = float32(v)
	}
	return single
}

// otherWeights notes weights of edges where only the model's graph or this one has them.
func otherWeights(m Model, g *coles.Graph) []Note {
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
	case now.Edges == 0 || now.Weighted == fitted.Weighted:
		return nil
	case now.Weighted:
		return []Note{{"has weights, and the model was fitted without", []parse.Advice{{Field: "Unweighted", Says: "leaves them out"}}}}
	}
	return []Note{{Text: "is read without weights, and the model was fitted with them"}}
}

// originOf is the origin of the vectors of a model, zero for those of a file.
func originOf(m Model) learn.Origin {
	switch m := m.(type) {
	case *coles.Model:
		return learn.Origin{Kind: m.Report().Kind.String(), Hash: m.Hash()}
	case *gnn.Model:
		return learn.Origin{Kind: "network", Hash: m.Hash()}
	}
	return learn.Origin{}
}

func kindOf(o learn.Origin) string { return strings.TrimSuffix(o.Kind, "s") + " model" }
