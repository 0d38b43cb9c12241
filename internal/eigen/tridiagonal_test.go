package eigen

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// The eigenvalues of random matrices stand apart, so that twisted factors must do for all; the
// oracle gives eigenvalues to a few ε‖T‖.
func TestTwistedFactorsGiveTheVectorOfAnEigenvalue(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 21))
	for _, n := range []int{1, 2, 3, 10, 99, 300} {
		for _, coupling := range []float64{1, 1e-5, 0} {
			tri := tridiagonal{make([]float64, n), make([]float64, n-1)}
			for i := range tri.d {
				tri.d[i] = rnd.NormFloat64()
			}
			for i := range tri.e {
				tri.e[i] = coupling * rnd.NormFloat64()
			}
			a := tri.dense()
			values, _ := oracle(t, a)
			norm := tri.bound()
			w := newTwisted(tri, norm)
			z, rest := make([]float64, n), make([]float64, n)
			for c, x := range values {
				if !w.vector(tri, x, z) {
					t.Errorf("n=%d coupling %g: no vector for value %d", n, coupling, c)
					continue
				}
				for i := range rest {
					rest[i] = blas64.Dot(vector(a.Row(i)), vector(z)) - x*z[i]
				}
				if r := blas64.Nrm2(vector(rest)); !(r <= 40*epsilon*norm) {
					t.Errorf("n=%d coupling %g: residual %.2g of value %d", n, coupling, r/norm, c)
				}
				if l := blas64.Nrm2(vector(z)); !(math.Abs(l-1) < 1e-14) {
					t.Errorf("n=%d coupling %g: norm %g", n, coupling, l)
				}
			}
			if n > 1 && w.vector(tri, 2*norm, z) {
				t.Errorf("n=%d coupling %g: a vector for what is no eigenvalue", n, coupling)
			}
		}
	}
}

func (t tridiagonal) dense() panel {
	return symmetric(len(t.d), func(i, j int) float64 {
		switch j {
		case i:
			return t.d[i]
		case i + 1:
			return t.e[i]
		}
		return 0
	})
}

// A block of reflections is their product, also where one of them ends in zeros and later ones do
// not.
func TestBlockFactorIsThatOfTheProduct(t *testing.T) {
	for name, rows := range map[string][][]float64{
		"full":                  {{1, .5, .25, -1, 2}, {0, 1, .5, 3, -2}, {0, 0, 1, -.5, 3}},
		"zeros end the second":  {{1, .5, .25, -1, 2}, {0, 1, .5, 0, 0}, {0, 0, 1, -.5, 3}},
		"zeros end the first":   {{1, 0, 0, 0, 0}, {0, 1, .5, 3, 1}, {0, 0, 1, -.5, 3}},
		"one that does nothing": {{1, .5, .25, -1, 2}, {0, 1, .5, 3, 1}, {0, 0, 1, -.5, 3}, {0, 0, 0, 1, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			b, d := len(rows), len(rows[0])
			v, tau := mat.NewDense(b, d, nil), make([]float64, b)
			identity := mat.NewDiagDense(d, slices.Repeat([]float64{1}, d))
			product := mat.DenseCopyOf(identity)
			for i, row := range rows {
				v.SetRow(i, row)
				if name != "one that does nothing" || i != 1 {
					square := mat.Dot(v.RowView(i), v.RowView(i))
					tau[i] = 2 / square
				}
				var reflection mat.Dense
				reflection.Outer(-tau[i], v.RowView(i), v.RowView(i))
				reflection.Add(&reflection, identity)
				product.Mul(product, &reflection)
			}
			triangle := must(BlockFactor(background, panel(v.RawMatrix()), tau))
			var got mat.Dense
			got.Product(v.T(), mat.NewDense(b, b, triangle.Data), v)
			got.Sub(identity, &got)
			if !mat.EqualApprox(&got, product, 1e-14) {
				t.Errorf("I − VᵀTV is\n%.3g\nand the product\n%.3g", mat.Formatted(&got), mat.Formatted(product))
			}
		})
	}
}
