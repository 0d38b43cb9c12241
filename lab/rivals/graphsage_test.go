package rivals

import (
	"slices"
	"testing"

	"coles/gnn"
	"coles/gnn/custom"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// The output for all neighbours, entry by entry, and for both orders of the products.
func TestSageByTheFormula(t *testing.T) {
	const n = 30
	for _, width := range []int{6, 40} { // narrower and wider than the features
		g, x := weighted(n, 12)
		s := GraphSAGE("")
		s.Network, s.Sampler = gnn.Network{sageLayer(width), unitRowsLayer()}, custom.Sampler{}
		first(t, g, x, s, bare, func(s *custom.Step[float64]) {
			y := mat.NewDense(n, width, nil)
			y.Slice(0, n, 0, width/2).(*mat.Dense).Copy(testkit.Product(x, dense(s.Parameter("0.self"))))
			y.Slice(0, n, width/2, width).(*mat.Dense).Copy(testkit.Product(unitRows(g.CSR(), 1), x, dense(s.Parameter("0.neighbors"))))
			testkit.WantClose(t, "output", dense(s.Output(&custom.View{})), unitRows(y, 2), 1e-12)
		})
	}
}

// The output of the GCN aggregator for all neighbours, entry by entry; and of a sample that draws every
// neighbour, the same.
func TestSageMeanByTheFormula(t *testing.T) {
	const n = 30
	for _, width := range []int{6, 40} {
		g, x := weighted(n, 12)
		a := mat.DenseCopyOf(g.CSR())
		for i := range n {
			a.Set(i, i, a.At(i, i)+1)
		}
		want := func(theta *mat.Dense) *mat.Dense { return unitRows(testkit.Product(unitRows(a, 1), x, theta), 2) }
		s := GraphSAGEGCN("")
		s.Network, s.Sampler = gnn.Network{sageMeanLayer(width), unitRowsLayer()}, custom.Sampler{}
		first(t, g, x, s, bare, func(s *custom.Step[float64]) {
			testkit.WantClose(t, "output", dense(s.Output(&custom.View{})), want(dense(s.Parameter("0.weight"))), 1e-12)
		})
		s.Sampler = neighbourSampler(n, []int{n})
		first(t, g, x, s, bare, func(s *custom.Step[float64]) {
			ones := mat.NewDense(1, n, slices.Repeat([]float64{1}, n)) // the nodes come in another order
			y := want(dense(s.Parameter("0.weight")))
			testkit.WantClose(t, "sums of a sample of all", testkit.Product(ones, dense(s.Output(&custom.View{}))), testkit.Product(ones, y), 1e-12)
		})
	}
}
