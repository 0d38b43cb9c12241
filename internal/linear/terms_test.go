package linear_test

import (
	"fmt"
	"math"
	"testing"

	"coles"
	"coles/internal/inside"
	"coles/internal/linear"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// The rank-one part of M is the same whether v is written out, as in memory, or its sums are made of
// what every node adds, as for a graph that grows or lies in blocks: Coef·(Fᵀv)(Fᵀv)ᵀ.
func TestNegativesAreTheSameInParts(t *testing.T) {
	const n, d = 9, 4
	degrees := []float64{3, 1, 0, 2.5, 7, 1e-3, 4, 0, 2}
	f := testkit.RandomDense(testkit.Random(1), n, d)
	for _, s := range []coles.NegativeSampler{{}, coles.ExpectedUniformNegatives(), coles.ExpectedDegreeNegatives(), coles.UniformNegatives(2)} {
		for _, eta := range []float64{0, 0.7} {
			for _, kind := range []coles.Kind{0, coles.UseGraph, coles.UseFeatures} {
				set := coles.DefaultSettings()
				set.Negatives, set.Eta, set.Kind = s, eta, kind
				fit := inside.Linear(set)
				what := fmt.Sprintf("%v, η′ = %v, %v", s, eta, kind)
				testkit.WantSame(t, what+": drawn", fit.Drawn, s == coles.UniformNegatives(2) && eta > 0 && kind != coles.UseFeatures)

				want, got := mat.NewDense(d, d, nil), mat.NewDense(d, d, nil)
				if v := fit.Negatives(degrees); v != nil {
					along := testkit.Product(mat.NewDense(1, n, v), f)
					want.Mul(along.T(), along)
					want.Scale(fit.Coef, want)
				}
				along, volume := make([]float64, d), 0.0
				weight, _ := fit.Weights()
				for i, degree := range degrees {
					volume += degree
					for j := range d {
						if weight != nil {
							along[j] += weight(degree) * f.At(i, j)
						}
					}
				}
				add := fit.AddNegatives(along, fit.Length(n, volume))
				for i := range d {
					add(i, got.RawRowView(i)[i:])
					for j := range i {
						want.Set(i, j, 0) // the upper triangle alone is added to
					}
				}
				testkit.WantClose(t, what, got, want, 1e-15*max(1, mat.Norm(want, 2)))
			}
		}
	}
}

// A direction that is rounding, or not wanted, is none; any other has length 1, and P a row less.
func TestDegreeDirection(t *testing.T) {
	sum := []float64{3e-9, 0, -4e-9}
	for _, c := range []struct {
		share, magnitude float64
		dim              int
		want             []float64
	}{
		{0.1, 1, 5, []float64{0.6, 0, -0.8}}, {0.1, 1e4, 5, nil}, {0, 1, 5, nil}, {0.1, 1, 1, nil},
	} {
		fit := linear.Terms{DegreeShare: c.share, Dim: c.dim}
		v := fit.DegreeDirection(sum, c.magnitude, 1e-12)
		if len(v) != len(c.want) || v != nil && !(math.Abs(v[0]-c.want[0])+math.Abs(v[2]-c.want[2]) < 1e-15) {
			t.Errorf("%+v: %v", c, v)
		}
		testkit.WantSame(t, "rows of P", fit.Vectors(v), c.dim-len(v)/3)
	}
}
