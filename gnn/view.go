package gnn

import (
	"context"
	"math/rand/v2"
	"slices"

	"coles"
	"coles/gnn/custom"
	"coles/internal/setting"

	"gonum.org/v1/gonum/mat"
)

// Augmentation makes the views of a step, over which objectives take the mean. The zero value makes one
// view, the graph as it is. The text form, in JSON too, is "none" or
//
//	drop:0.1,0.2,0.3,0.4  Drop([2]float64{0.1, 0.2}, [2]float64{0.3, 0.4})
//	custom:NAME           NewAugmentation("NAME", …), of which a text has the name only
type Augmentation struct {
	label
	edges, features [2]float64
	once            bool
	views           custom.Views
}

const dropName = "drop"

// augmentationForms are the text forms of augmentations.
var augmentationForms = []setting.Way[Augmentation]{
	setting.WayOf(noneName, func(*setting.Form) Augmentation { return Augmentation{} }),
	setting.WayOf(dropName, func(f *setting.Form) Augmentation {
		edges := [2]float64{f.Float(), f.Float()}
		return Drop(edges, [2]float64{f.Float(), f.Float()})
	}),
	setting.WayOf(customName, func(f *setting.Form) Augmentation { return NewAugmentation(f.Rest(), false, nil) }),
}

// Drop makes two views at every step (GRACE, Zhu et al. 2020). In view v an edge is dropped with probability
// edges[v]; a column of the features is zero with probability features[v].
func Drop(edges, features [2]float64) Augmentation {
	rates := []any{edges[0], edges[1], features[0], features[1]}
	return Augmentation{label: label{Name: dropName, Args: rates}, edges: edges, features: features,
		views: func(_ context.Context, g *coles.Graph, x mat.Matrix, rnd *rand.Rand) ([]*custom.View, error) {
			_, d := x.Dims()
			var views []*custom.View
			for v := range 2 {
				views = append(views, &custom.View{Graph: withoutEdges(g, edges[v], rnd), Columns: hiddenColumns(d, features[v], rnd)})
			}
			return views, nil
		},
	}
}

// NewAugmentation makes an augmentation of a function, called at every step or, if once, before the first only. Files
// keep the name, without a comma.
func NewAugmentation(name string, once bool, views custom.Views) Augmentation {
	return Augmentation{label: label{Name: name, Custom: true}, once: once, views: views}
}

func (a Augmentation) check() error {
	for _, rate := range slices.Concat(a.edges[:], a.features[:]) {
		if !(rate >= 0 && rate < 1) {
			return bad("Augmentation", a, "rates from 0 to less than 1, not %v", rate)
		}
	}
	return a.CheckName()
}

// MarshalText gives the text form.
func (a Augmentation) MarshalText() ([]byte, error) { return []byte(a.String()), a.check() }

// UnmarshalText reads the text form, or fails with [coles.ErrSetting].
func (a *Augmentation) UnmarshalText(text []byte) error {
	return setting.ReadText(a, text, augmentationForms, Augmentation.check)
}

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
