package gnn

import (
	"context"
	"math/rand/v2"
	"slices"

	"coles"
	"coles/internal/setting"

	"gonum.org/v1/gonum/mat"
)

// A View is the graph as an objective wants the network to see it: W′·(P·X·C)·Θ where a GCN has
// W·X·Θ. The zero value is the graph with its features. In blocks there is no other, and behind a
// filter that the network begins with only Columns may be set.
type View struct {
	// Graph takes the place of the graph, with as many nodes, and so W′ of W; nil leaves it.
	Graph *coles.Graph
	// Columns are the factors of the columns of the features (C); nil stands for ones.
	Columns []float64
	// Rows are the rows of the features that the nodes get (P), −1 for zeros; nil for each its own.
	Rows []int
}

// Augmentation makes the views of a step: those here, or the program's ([NewAugmentation]). The
// objectives of this package are then the mean over the views. The zero value makes one view, the
// graph as it is. The text form, in JSON too, is
//
//	none
//	drop:0.1,0.2,0.3,0.4  Drop([2]float64{0.1, 0.2}, [2]float64{0.3, 0.4})
//	custom:NAME           NewAugmentation("NAME", …)
//
// One of NewAugmentation that was read from a text has a name only: set it anew.
type Augmentation struct {
	label
	edges, features [2]float64
	once            bool
	views           func(ctx context.Context, g *coles.Graph, x mat.Matrix, rnd *rand.Rand) ([]*View, error)
}

const dropName = "drop"

// augmentationForms are the text forms of augmentations.
var augmentationForms = []form[Augmentation]{
	formOf(noneName, func(*setting.Form) Augmentation { return Augmentation{} }),
	formOf(dropName, func(f *setting.Form) Augmentation {
		edges := [2]float64{f.Float(), f.Float()}
		return Drop(edges, [2]float64{f.Float(), f.Float()})
	}),
	formOf(customName, func(f *setting.Form) Augmentation { return NewAugmentation(f.Rest(), false, nil) }),
}

// Drop makes two views at every step, as GRACE draws them (Zhu et al. 2020): in view v an edge is
// dropped with probability edges[v], and a column of the features set to zero for all nodes with
// probability features[v].
func Drop(edges, features [2]float64) Augmentation {
	rates := []any{edges[0], edges[1], features[0], features[1]}
	return Augmentation{label: label{name: dropName, args: rates}, edges: edges, features: features,
		views: func(_ context.Context, g *coles.Graph, x mat.Matrix, rnd *rand.Rand) ([]*View, error) {
			_, d := x.Dims()
			var views []*View
			for v := range 2 {
				views = append(views, &View{Graph: withoutEdges(g, edges[v], rnd), Columns: hiddenColumns(d, features[v], rnd)})
			}
			return views, nil
		},
	}
}

// NewAugmentation makes an augmentation of a function, which is given the graph, the features as
// the network reads them, prepared and scaled, a [mat.RowNonZeroDoer], and a source of draws that
// depends on the seed and the epoch alone. It is called at every step or, if once, before the first one
// only. Checkpoints and model files keep the name, which has no comma.
func NewAugmentation(name string, once bool,
	views func(ctx context.Context, g *coles.Graph, x mat.Matrix, rnd *rand.Rand) ([]*View, error),
) Augmentation {
	return Augmentation{label: label{name: name, custom: true}, once: once, views: views}
}

func (a Augmentation) check() error {
	for _, rate := range slices.Concat(a.edges[:], a.features[:]) {
		if !(rate >= 0 && rate < 1) {
			return bad("Augmentation", a, "rates from 0 to less than 1, not %v", rate)
		}
	}
	return a.checkName()
}

// MarshalText gives the text form.
func (a Augmentation) MarshalText() ([]byte, error) { return []byte(a.String()), a.check() }

// UnmarshalText reads the text form, or fails with [coles.ErrSetting].
func (a *Augmentation) UnmarshalText(text []byte) error { return unmarshal(a, text, augmentationForms) }

// hiddenColumns are factors of d columns, each zero with probability rate, else one.
func hiddenColumns(d int, rate float64, rnd *rand.Rand) []float64 {
	if rate == 0 {
		return nil
	}
	factors := make([]float64, d)
	for j := range factors {
		if rnd.Float64() >= rate {
			factors[j] = 1
		}
	}
	return factors
}

// withoutEdges drops edges, each with probability rate; nil for none. Self loops stay.
func withoutEdges(g *coles.Graph, rate float64, rnd *rand.Rand) *coles.Graph {
	if rate == 0 {
		return nil
	}
	return g.Without(func(e coles.Edge) bool { return e.U != e.V && rnd.Float64() < rate })
}
