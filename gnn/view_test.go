package gnn

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"coles"
	"coles/gnn/custom"
	"coles/gnn/optim"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// W′·(P·X·C)·Θ + 1·b: another graph, rows and factors of columns, each or not, in dense matrices of
// gonum.
func TestViewsEqualTheirFormulas(t *testing.T) {
	g, a := weighted(110, 30)
	other, b := weighted(111, 30)
	words, x := testkit.RandomWords(testkit.Random(110), 30, 9)
	rnd := testkit.Random(112)
	rows, columns := rnd.Perm(30), make([]float64, 9)
	rows[3], rows[7], rows[20] = -1, rows[8], -1
	for j := range columns {
		columns[j] = rnd.Float64()
	}
	for name, features := range map[string]mat.Matrix{"sparse": words, "dense": x} {
		r := runOf(t, g, features, withNetwork(GCN(4)), With(func(s *Settings) { s.Preparation, s.FeatureScale = coles.PrepareNone, 1 }))
		s := stepOf(r, batchesOf(t, r, 0)[0])
		theta := dense(s.Parameter("0.weight").Data()) // the bias is zero
		for k := range 8 {
			v, w, px := &custom.View{}, normalized(a), mat.DenseCopyOf(x)
			if k&1 > 0 {
				v.Graph, w = other, normalized(b)
			}
			if k&2 > 0 {
				v.Rows = rows
				px.Apply(func(i, j int, _ float64) float64 {
					if rows[i] < 0 {
						return 0
					}
					return x.At(rows[i], j)
				}, px)
			}
			if k&4 > 0 {
				v.Columns = columns
				px.Apply(func(_, j int, v float64) float64 { return v * columns[j] }, px)
			}
			testkit.WantClose(t, name, dense(s.Output(v).Data()), testkit.Product(w, px, theta), 1e-13)
		}
		if !mat.Equal(dense(testkit.Must(r.data.whole.x.Panel(ctx))), x) {
			t.Errorf("%s: the features themselves have changed", name)
		}
	}
}

// One of the program's is asked once or in every epoch, with the features that were prepared and
// with other draws each time; the objective sees the views that it makes.
func TestOwnAugmentation(t *testing.T) {
	g, x := small(113)
	for _, once := range []bool{true, false} {
		var draws []uint64
		a := NewAugmentation("shuffled", once, func(_ context.Context, of *coles.Graph, features mat.Matrix, rnd *rand.Rand) ([]*custom.View, error) {
			if of != g || features.At(3, 4) != 2*x.At(3, 4) {
				t.Error("it is given another graph, or other features")
			}
			draws = append(draws, rnd.Uint64())
			return []*custom.View{{Rows: rnd.Perm(40)}, {}}, nil
		})
		opts := []Option{withAugmentation(a), With(func(s *Settings) { s.Preparation, s.FeatureScale = coles.PrepareNone, 2 }), withOptimizer(optim.SGD(1e-300, 0))}
		var losses []float64
		for _, p := range progressOf(t, g, x, opts...) {
			losses = append(losses, p.Loss)
		}
		want := 6
		if once {
			want = 1
		}
		slices.Sort(draws)
		slices.Sort(losses)
		if n, m, k := len(draws), len(slices.Compact(draws)), len(slices.Compact(losses)); n != want || m != want || k != want {
			t.Errorf("once %v: %d calls, %d draws and %d losses that differ, want %d", once, n, m, k, want)
		}
	}
}

// What an objective looks at is kept only where it comes again: views of the augmentation.
func TestViewsOfAnObjectiveAreNotKept(t *testing.T) {
	g, x := small(114)
	r := runOf(t, g, x, withObjective(infomax()), withNetwork(GCN(4)), withAugmentation(Drop([2]float64{0.2, 0.2}, [2]float64{})))
	testkit.Check(t, r.train(ctx))
	if r.seen[r.views[0]] == nil || len(r.seen) != 1 {
		t.Errorf("%d views are kept, not the one of the augmentation that the objective looks at", len(r.seen))
	}
}
