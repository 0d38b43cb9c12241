package rivals

import (
	"math"
	"testing"

	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// A step is a polynomial in W = cos θ that is 0 at the Chebyshev nodes before it, counted from W = 1 down, and 1
// at those behind.
func TestStepsRiseAtTheNodes(t *testing.T) {
	const n = polynomialDegree + 1
	basis := risingBasis[float64]()
	got, want := mat.NewDense(polynomialDegree, n, nil), mat.NewDense(polynomialDegree, n, nil)
	for i := range polynomialDegree {
		for j := range n {
			sum := 0.0
			for k, c := range basis.Row(i) {
				sum += c * math.Cos(float64(k)*(float64(j)+0.5)*math.Pi/n)
			}
			got.Set(i, j, sum)
			if j > i {
				want.Set(i, j, 1)
			}
		}
	}
	testkit.WantClose(t, "steps", got, want, 1e-14)
}
