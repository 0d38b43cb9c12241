package coles_test

import (
	"context"
	"math"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// recorded wraps a sampler in one of the user's kind that keeps what was drawn.
func recorded(inner coles.NegativeSampler, drawn *[]*coles.SymCSR) coles.NegativeSampler {
	return coles.NegativeFunc("recorded", func(ctx context.Context, g *coles.Graph, seed uint64) (*coles.SymCSR, error) {
		w, err := inner.Sample(ctx, g, seed)
		*drawn = append(*drawn, w)
		return w, err
	})
}

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
		v := make([]float64, g.Nodes())
		for i := range v {
			v[i] = 1 / math.Sqrt(float64(len(v)))
		}
		return v
	},
	coles.ExpectedDegreeNegatives(): func(g *coles.Graph) []float64 {
		v, volume := g.Degrees(), 0.0
		for _, d := range v {
			volume += d
		}
		for i, d := range v {
			v[i] = math.Sqrt(d / volume)
		}
		return v
	},
}

// A contrastOracle is a ΔW and its definition, W⁺ − (η′/κ) Σ W⁻ₖ + c·I, written out.
type contrastOracle struct {
	dw    *coles.DeltaW
	dense *mat.Dense
	draws int
}

func newContrastOracle(g *coles.Graph, s coles.NegativeSampler, kappa int, eta, shift float64) contrastOracle {
	n := g.Nodes()
	var drawn []*coles.SymCSR
	sum, asked := mat.NewDense(n, n, nil), s
	if mean, closed := expectations[s]; closed && kappa > 0 {
		v := mat.NewVecDense(n, mean(g))
		sum.Outer(-eta, v, v)
	} else {
		asked = recorded(s, &drawn)
	}
	dw := testkit.Must(coles.Contrast(ctx, g, asked, kappa, eta, 5))
	for _, w := range drawn {
		var share mat.Dense
		share.Scale(-eta/float64(kappa), testkit.DenseOf(w))
		sum.Add(sum, &share)
	}
	sum.Add(sum, testkit.DenseOf(g.Positive()))
	for i := range n {
		sum.Set(i, i, sum.At(i, i)+shift)
	}
	return contrastOracle{dw.Shift(shift), sum, len(drawn)}
}

func TestContrastEqualsDenseFormula(t *testing.T) {
	g := testkit.RandomGraph(11, 60, 0.08)
	x := testkit.RandomDense(testkit.Random(12), 60, 5)
	samplers := append([]coles.NegativeSampler{coles.ExpectedUniformNegatives(), coles.ExpectedDegreeNegatives()}, drawing...)
	for _, s := range samplers {
		t.Run(s.String(), func(t *testing.T) {
			mean, closed := expectations[s]
			for _, kappa := range []int{0, 1, 2, 3, 7, 8} { // many are added in pairs and pairs of pairs
				for _, shift := range []float64{0, 0.3} {
					want := newContrastOracle(g, s, kappa, 0.8, shift)
					dw := testkit.Must(coles.Contrast(ctx, g, s, kappa, 0.8, 5)).Shift(shift)
					// Sums of up to 60 products of numbers near 1.
					const tolerance = 1e-14
					got := testkit.Must(dw.Apply(ctx, x))
					testkit.WantClose(t, "ΔW·X", got, testkit.Product(want.dense, x), tolerance)
					testkit.WantClose(t, "ΔW", testkit.Must(dw.Apply(ctx, eye(60))), want.dense, tolerance)
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
		testkit.WantClose(t, name, testkit.Must(dw.Apply(ctx, eye(30))), g.Positive(), 0)
	}
}

// (W⁺ − s·sᵀ)·s = 0 on a connected graph: the trivial direction is gone.
func TestDegreeExpectationRemovesTrivialDirection(t *testing.T) {
	g := testkit.RandomGraph(16, 50, 0.3)
	s := mat.NewDense(50, 1, nil)
	for i, d := range g.Degrees() {
		s.Set(i, 0, math.Sqrt(d))
	}
	s.Scale(1/mat.Norm(s, 2), s)
	y := testkit.Must(contrast(g, coles.ExpectedDegreeNegatives()).Apply(ctx, s))
	testkit.WantClose(t, "ΔW·s", y, mat.NewDense(50, 1, nil), 1e-15)
}

func TestShiftLeavesTheOriginalAlone(t *testing.T) {
	dw := contrast(testkit.RandomGraph(17, 20, 0.3), coles.ExpectedDegreeNegatives())
	before := testkit.Must(dw.Apply(ctx, eye(20)))
	shifted := dw.Shift(0.25).Shift(0.5)
	testkit.WantClose(t, "the original", testkit.Must(dw.Apply(ctx, eye(20))), before, 0)
	var want mat.Dense
	want.Scale(0.75, eye(20))
	want.Add(&want, before)
	testkit.WantClose(t, "two shifts", testkit.Must(shifted.Apply(ctx, eye(20))), &want, 1e-15)
}

// The estimator's own standard deviation sets the bound: with random signs z, Var(zᵀBz) = 2·Σ_{i≠j}
// b_ij², and 32 probes are averaged (Hutchinson 1990).
func TestSmoothnessIsWithinItsSamplingError(t *testing.T) {
	for _, c := range []struct {
		name string
		g    *coles.Graph
		f    coles.Filter
	}{
		{"random graph", testkit.RandomGraph(21, 80, 0.05), coles.S2GCSum(8)},
		{"dense graph", testkit.RandomGraph(22, 60, 0.5), coles.SGC(2)},
		{"no filter", testkit.RandomGraph(23, 60, 0.1), coles.SGC(0)},
		{"a few edges", graphOf(40, 0, 1, 1, 2, 3, 4), coles.S2GC(4, 0.05)},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := c.g.Nodes()
			f := testkit.Must(c.f.Apply(ctx, coles.Normalize(c.g), eye(n)))
			agree, all := testkit.Product(f, testkit.DenseOf(c.g.Positive()), f), testkit.Product(f, f)
			deviation := func(b *mat.Dense) float64 {
				off := 0.0
				for i := range n {
					for j := range n {
						if i != j {
							off += b.At(i, j) * b.At(i, j)
						}
					}
				}
				return math.Sqrt(2 * off / 32)
			}
			want := mat.Trace(agree) / mat.Trace(all)
			bound := 4 * (deviation(agree) + math.Abs(want)*deviation(all)) / mat.Trace(all)
			for seed := range uint64(5) {
				got := testkit.Must(c.f.Smoothness(ctx, c.g, seed))
				if math.Abs(got-want) > bound {
					t.Errorf("seed %d: ρ = %v, exactly %v, four deviations are %v", seed, got, want, bound)
				}
				testkit.WantSame(t, "ρ, again", testkit.Must(c.f.Smoothness(ctx, c.g, seed)), got)
			}
		})
	}
}

// ρ is a ratio: it does not depend on the size of the coefficients, and is 0 where there are none.
func TestSmoothnessOfAnySize(t *testing.T) {
	g, _, _ := small(164)
	want := testkit.Must(coles.Polynomial(1, 0.5).Smoothness(ctx, g, 1))
	for _, c := range []float64{0x1p-1000, 0x1p-300, 0x1p300, 0x1p1000} {
		if got := testkit.Must(coles.Polynomial(c, c/2).Smoothness(ctx, g, 1)); got != want {
			t.Errorf("coefficients times %g: ρ = %v, want %v", c, got, want)
		}
	}
	testkit.WantSame(t, "ρ of nothing", testkit.Must(coles.Polynomial(0).Smoothness(ctx, g, 1)), 0.0)
}
