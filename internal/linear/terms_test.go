package linear_test

import (
	"fmt"
	"testing"

	"coles"
	"coles/internal/inside"
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
				weight := fit.Weights()
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
