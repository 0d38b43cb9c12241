package task

import (
	"context"
	"fmt"
	"io"
	"strings"

	"coles"
	"coles/dataset"
	"coles/gnn"

	"gonum.org/v1/gonum/mat"
)

// A Model embeds graphs: a [*coles.Model] or a [*gnn.Model].
type Model interface {
	Embed(ctx context.Context, g *coles.Graph, x mat.Matrix) (*mat.Dense, error)
	WriteTo(w io.Writer) (int64, error)
	Hash() string
}

// Wants is how many columns of features a model wants, 0 for none.
func Wants(m Model) int {
	if m, ok := m.(*gnn.Model); ok {
		return m.Report().Features
	}
	return m.(*coles.Model).Report().Features
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

// Narrowed is an embedding in float32 if the model's is, so that it is written like the embedding of the fit.
func Narrowed(m Model, y *mat.Dense) mat.Matrix {
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

// OtherWeights notes a graph that has weights where the model was fitted without, or the other way.
func OtherWeights(m Model, g *coles.Graph) []Note {
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
		return []Note{{"has weights, and the model was fitted without", []dataset.Advice{{Field: "Unweighted", Says: "leaves them out"}}}}
	}
	return []Note{{Text: "is read without weights, and the model was fitted with them"}}
}

// An Origin is the model that made vectors. It is zero for vectors from a file, which does not name their model.
type Origin struct {
	Kind string `json:"kind"`            // graph, features or network
	Hash string `json:"model,omitempty"` // none in files of earlier versions
}

// OriginOf is the origin of the vectors of a model, zero for none.
func OriginOf(m Model) Origin {
	switch m := m.(type) {
	case *coles.Model:
		return Origin{m.Report().Kind.String(), m.Hash()}
	case *gnn.Model:
		return Origin{"network", m.Hash()}
	}
	return Origin{}
}

// String names the model.
func (o Origin) String() string {
	if o == (Origin{}) {
		return "a file of vectors"
	}
	return strings.TrimSpace("the " + o.Name() + " " + o.Hash)
}

// Name is the kind of the model in a sentence.
func (o Origin) Name() string { return strings.TrimSuffix(o.Kind, "s") + " model" }

// Check refuses vectors of another model than the one learnt from, as far as both are known.
func (o Origin) Check(vectors Origin) error {
	if o.Hash != "" && vectors.Hash != "" && o != vectors || o.Kind != "" && vectors.Kind != "" && o.Kind != vectors.Kind {
		return fmt.Errorf("learnt from %v, and these vectors are from %v", o, vectors)
	}
	return nil
}
