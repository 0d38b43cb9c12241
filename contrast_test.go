package coles_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// drawing samplers work on graphs that are neither empty nor dense.
var drawing = []coles.NegativeSampler{
	coles.UniformNegatives(3),
	coles.UniformNegatives(2).ExcludeEdges(),
	coles.DegreeNegatives(3),
	coles.DegreeNegatives(2).ExcludeEdges(),
	coles.ErdosRenyiNegatives(0.1),
	coles.ErdosRenyiNegatives(0.2).ExcludeEdges(),
}

// expectations are the samplers that draw nothing, with the unit vector v of their mean v·vᵀ.
var expectations = map[coles.NegativeSampler]func(g *coles.Graph) []float64{
	coles.ExpectedUniformNegatives(): func(g *coles.Graph) []float64 {
		return slices.Repeat([]float64{1 / math.Sqrt(float64(g.Nodes()))}, g.Nodes())
	},
	coles.ExpectedDegreeNegatives(): func(g *coles.Graph) []float64 {
		v := g.Degrees()
		volume := floats.Sum(v)
		for i, d := range v {
			v[i] = math.Sqrt(d / volume)
		}
		return v
	},
}

// A contrastOracle is a ΔW and its definition, W⁺ − (η′/κ) Σ W⁻ₖ, written out.
type contrastOracle struct {
	dw    *coles.DeltaW
	dense *mat.Dense
	draws int
}

func newContrastOracle(g *coles.Graph, s coles.NegativeSampler, kappa int, eta float64) contrastOracle {
	n := g.Nodes()
	var drawn []*coles.SymCSR
	sum, asked := mat.NewDense(n, n, nil), s
	if mean, closed := expectations[s]; closed && kappa > 0 {
		v := mat.NewVecDense(n, mean(g))
		sum.Outer(-eta, v, v)
	} else {
		asked = coles.NegativeFunc("recorded", func(ctx context.Context, g *coles.Graph, seed uint64) (*coles.SymCSR, error) {
			w, err := s.Sample(ctx, g, seed)
			drawn = append(drawn, w)
			return w, err
		})
	}
	dw := testkit.Must(coles.Contrast(ctx, g, asked, kappa, eta, 5))
	for _, w := range drawn {
		var share mat.Dense
		share.Scale(-eta/float64(kappa), testkit.DenseOf(w))
		sum.Add(sum, &share)
	}
	sum.Add(sum, testkit.DenseOf(g.Positive()))
	return contrastOracle{dw, sum, len(drawn)}
}

func TestContrastEqualsDenseFormula(t *testing.T) {
	g := testkit.RandomGraph(11, 60, 0.08)
	x := testkit.RandomDense(testkit.Random(12), 60, 5)
	samplers := append([]coles.NegativeSampler{coles.ExpectedUniformNegatives(), coles.ExpectedDegreeNegatives()}, drawing...)
	for _, s := range samplers {
		t.Run(s.String(), func(t *testing.T) {
			mean, closed := expectations[s]
			for _, kappa := range []int{0, 1, 2, 3, 7, 8} { // many are added in pairs and pairs of pairs
				want := newContrastOracle(g, s, kappa, 0.8)
				dw := testkit.Must(coles.Contrast(ctx, g, s, kappa, 0.8, 5))
				// Sums of up to 60 products of numbers near 1.
				const tolerance = 1e-14
				got := testkit.Must(dw.Apply(ctx, x))
				testkit.WantClose(t, "ΔW·X", got, testkit.Product(want.dense, x), tolerance)
				testkit.WantClose(t, "ΔW", testkit.Must(dw.Apply(ctx, testkit.Eye(60))), want.dense, tolerance)
				testkit.WantClose(t, "the sparse part, transposed", dw.Sparse(), testkit.DenseOf(dw.Sparse()).T(), 0)
				testkit.WantClose(t, "ΔW of sparse X", testkit.Must(dw.Apply(ctx, testkit.SparseOf(x))), got, 0)
				testkit.WantSame(t, "ΔW·X through a function", testkit.Bits(testkit.Must(want.dw.Apply(ctx, x))), testkit.Bits(got))
				if !closed && want.draws != kappa {
					t.Errorf("%d draws for κ = %d", want.draws, kappa)
				}
				if coef, v := dw.RankOne(); closed && kappa > 0 {
					testkit.WantClose(t, "the sparse part", dw.Sparse(), g.Positive(), 0)
					testkit.WantClose(t, "the vector", mat.NewVecDense(60, v), mat.NewVecDense(60, mean(g)), 1e-15)
					testkit.WantSame(t, "its coefficient", coef, -0.8)
					v[0] = 100 // a copy
				} else if v != nil || coef != 0 {
					t.Errorf("a rank-one part %v·%v", coef, v)
				}
			}
		})
	}
}

func TestWithoutNegativesContrastIsW(t *testing.T) {
	g := testkit.RandomGraph(15, 30, 0.2)
	for name, dw := range map[string]*coles.DeltaW{
		"η′ = 0":     testkit.Must(coles.Contrast(ctx, g, coles.UniformNegatives(3), 1, 0, 1)),
		"no sampler": testkit.Must(coles.Contrast(ctx, g, noNegatives, 4, 1, 1)),
	} {
		testkit.WantClose(t, name, testkit.Must(dw.Apply(ctx, testkit.Eye(30))), g.Positive(), 0)
	}
}

// (W⁺ − s·sᵀ)·s = 0 on a connected graph: the trivial direction is gone.
func TestDegreeExpectationRemovesTrivialDirection(t *testing.T) {
	g := testkit.RandomGraph(16, 50, 0.3)
	s := mat.NewDense(50, 1, expectations[coles.ExpectedDegreeNegatives()](g))
	y := testkit.Must(contrast(g, coles.ExpectedDegreeNegatives()).Apply(ctx, s))
	testkit.WantClose(t, "ΔW·s", y, mat.NewDense(50, 1, nil), 1e-15)
}
