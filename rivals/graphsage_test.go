package rivals

import (
	"math"
	"testing"

	"coles/gnn"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// The output for all neighbours, entry by entry, and for both orders of the products.
func TestSageByTheFormula(t *testing.T) {
	const n = 30
	for _, width := range []int{6, 40} { // narrower and wider than the features
		g, x := weighted(n, 12)
		s := GraphSAGE("")
		s.Network, s.Sampler = gnn.Network{sageLayer(width), unitRowsLayer()}, gnn.Sampler{}
		first(t, g, x, s, bare, func(s *gnn.Step[float64]) {
			y := mat.NewDense(n, width, nil)
			y.Slice(0, n, 0, width/2).(*mat.Dense).Copy(testkit.Product(x, dense(s.Parameter("0.self"))))
			y.Slice(0, n, width/2, width).(*mat.Dense).Copy(testkit.Product(testkit.DenseOf(testkit.Must(sparseMeans(ctx, g))), x, dense(s.Parameter("0.neighbors"))))
			testkit.WantClose(t, "output", dense(s.Output(&gnn.View{})), unitRows(y), 1e-12)
		})
	}
}

// The loss of pairs, from the output and what was drawn: the first half of the rows with the second,
// all with the last 20.
func TestWalkLossByTheFormula(t *testing.T) {
	g, x := words(5, 40, 12)
	s := UnsupervisedGraphSAGE("")
	s.Network = gnn.Network{sageLayer(8), gnn.ReLU(), sageLayer(6), unitRowsLayer()}
	first(t, g, x, s, bare, func(s *gnn.Step[float64]) {
		h := dense(s.Output(&gnn.View{}))
		rows, _ := h.Dims()
		pairs := (rows - 20) / 2
		logistic := func(v float64) float64 { return math.Log(1 / (1 + math.Exp(-v))) }
		want := 0.0
		for u := range pairs {
			want -= logistic(mat.Dot(h.RowView(u), h.RowView(pairs+u))) / float64(pairs)
			for w := 2 * pairs; w < rows; w++ {
				want -= logistic(-mat.Dot(h.RowView(u), h.RowView(w))) / float64(pairs)
			}
		}
		if rows < 70 {
			t.Errorf("%d rows", rows)
		}
		near(t, "the loss", walkLoss(s).Scalar(), want)
	})
}
