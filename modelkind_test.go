package coles_test

import (
	"fmt"
	"math"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// A model of features alone is that of the top eigenvectors of XᵀX, by gonum, scaled by the rule.
func TestFeatureModelEqualsFormula(t *testing.T) {
	g, words, x := small(181)
	for how, formula := range preparationFormulas {
		for _, solver := range solvers {
			t.Run(fmt.Sprint(how, ", ", solver), func(t *testing.T) {
				const dim = 12
				rule := coles.ScalingRule{Rank: 5, Floor: 2, Norm: 3}
				ready := formula(x, x)
				values, vectors := oracle(testkit.Product(ready.T(), ready))
				p := vectors.Slice(0, dim, 0, 40)
				e := testkit.Product(ready, p.T())
				s := testkit.Must(rule.Fit(ctx, e, values[:dim]))
				want := testkit.Must(s.Apply(ctx, e))
				gram := testkit.Product(want, want.T())
				if s.Power == 0 {
					t.Fatal("γ is 0: the case shows less than it should")
				}
				for form, x := range map[string]mat.Matrix{"sparse": words, "dense": x} {
					for _, precision := range precisions {
						tolerance := map[coles.Precision]float64{coles.Float64: 1e-6, coles.Float32: 1e-4}[precision]
						if solver == coles.SolverDirect && precision == coles.Float64 {
							tolerance = 1e-11
						}
						m := fitted(g, x, coles.WithModel(coles.FeatureModel), coles.WithPreparation(how), coles.WithDim(dim), coles.WithScaling(rule), coles.WithSolver(solver), coles.WithPrecision(precision))
						for k, l := range m.Lambda() {
							if math.Abs(l-values[k]) > tolerance*values[0] {
								t.Errorf("%s, %v: λ_%d is %v, want %v", form, precision, k, l, values[k])
							}
						}
						testkit.WantClose(t, fmt.Sprint(form, ", ", precision, ": EEᵀ"), testkit.Product(m.Embedding(), m.Embedding().T()), gram, tolerance*mat.Max(gram)*10)
						testkit.WantSame(t, "directions", testkit.Bits(m.Directions()), testkit.Bits(m.P()))
						testkit.WantSame(t, "the model", m.Report().Model, coles.FeatureModel)
					}
				}
			})
		}
	}
}

// It looks at no edge: another graph changes nothing, filter and negatives neither, and Embed needs
// none.
func TestFeatureModelDoesNotSeeTheGraph(t *testing.T) {
	g, words, x := small(182)
	alone := coles.WithModel(coles.FeatureModel)
	for _, solver := range solvers {
		opts := []coles.Option{alone, coles.WithDim(10), coles.WithSolver(solver)}
		m := fitted(g, words, opts...)
		want := testkit.Bits(m.Embedding())
		for name, other := range map[string]*coles.Model{
			"another graph": fitted(testkit.RandomGraph(9, 120, 0.3), words, opts...),
			"no edges":      fitted(graphOf(120), words, opts...),
			// Both are refused in a graph model: nothing to draw, and a filter of no numbers.
			"a complete graph": fitted(completeGraph(120), words, append(opts, coles.WithContrast(coles.UniformNegatives(1).ExcludeEdges(), 1, 1))...),
			"another filter":   fitted(g, words, append(opts, coles.WithFilter(coles.Polynomial(1e-320)))...),
			"a column":         fitted(g, words, append(opts, coles.WithDegreeShare(0.9))...),
		} {
			testkit.WantSame(t, name, testkit.Bits(other.Embedding()), want)
		}
		for _, m := range []*coles.Model{m, read(m)} {
			for _, g := range []*coles.Graph{nil, g, testkit.RandomGraph(10, 120, 0.1)} {
				testkit.WantSame(t, "embedded again", testkit.Bits(testkit.Must(m.Embed(ctx, g, words))), want)
			}
			some := testkit.Must(m.Embed(ctx, nil, x.Slice(5, 9, 0, 40)))
			testkit.WantClose(t, "four rows", some, rowsOf(fitted(g, words, opts...).Embedding(), 5, 9), 1e-12*mat.Max(some))
			testkit.WantError(t, testkit.Err(m.Embed(ctx, g, x.Slice(0, 9, 0, 40))), coles.ErrShape)
			testkit.WantError(t, testkit.Err(m.Embed(ctx, nil, x.Slice(0, 9, 0, 39))), coles.ErrShape)
		}
	}
	testkit.WantError(t, testkit.Err(coles.Fit(ctx, g, nil, alone)), coles.ErrSetting)
	testkit.WantSame(t, "without features", fitted(g, nil, coles.WithDim(3)).Report().Model, coles.GraphModel)
}

func rowsOf(e *mat.Dense, lo, hi int) mat.Matrix {
	_, c := e.Dims()
	return e.Slice(lo, hi, 0, c)
}
