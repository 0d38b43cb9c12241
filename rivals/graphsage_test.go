package rivals

import (
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
			y.Slice(0, n, width/2, width).(*mat.Dense).Copy(testkit.Product(unitRows(g.CSR(), 1), x, dense(s.Parameter("0.neighbors"))))
			testkit.WantClose(t, "output", dense(s.Output(&gnn.View{})), unitRows(y, 2), 1e-12)
		})
	}
}
