package coles_test

import (
	"context"
	"math"
	"testing"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// recorded wraps a sampler in one of the user's kind that keeps what was drawn.
func recorded(inner coles.NegativeSampler, drawn *[]coles.Negative) coles.NegativeSampler {
	return coles.NegativeFunc("recorded", func(ctx context.Context, g *coles.Graph, seed uint64) (coles.Negative, error) {
		part, err := inner.Sample(ctx, g, seed)
		*drawn = append(*drawn, part)
		return part, err
	})
}

// allSamplers works on graphs that are neither empty nor dense.
var allSamplers = []coles.NegativeSampler{
	coles.UniformNegatives(3),
	coles.UniformNegatives(2, coles.ExcludeEdges()),
	coles.DegreeNegatives(3),
	coles.DegreeNegatives(2, coles.ExcludeEdges()),
	coles.ErdosRenyiNegatives(0.1),
	coles.ErdosRenyiNegatives(0.2, coles.ExcludeEdges()),
	coles.ExpectedUniformNegatives(),
	coles.ExpectedDegreeNegatives(),
}

// ΔW by its definition: W⁺ − (η′/κ) Σ W⁻ₖ + c·I, the mean of an expectation being itself.
func contrastDense(g *coles.Graph, drawn []coles.Negative, eta, shift float64) *mat.Dense {
	n := g.Nodes()
	sum := mat.NewDense(n, n, nil)
	for _, part := range drawn {
		if part.Vector != nil {
			v := mat.NewVecDense(n, part.Vector)
			var outer mat.Dense
			outer.Outer(1, v, v)
			sum.Add(sum, &outer)
			continue
		}
		sum.Add(sum, part.Graph)
	}
	if len(drawn) > 0 {
		sum.Scale(-eta/float64(len(drawn)), sum)
	}
	sum.Add(sum, coles.Normalize(g, coles.NoSelfLoops))
	for i := range n {
		sum.Set(i, i, sum.At(i, i)+shift)
	}
	return sum
}

func TestContrastEqualsDenseFormula(t *testing.T) {
	g := randomGraph(11, 60, 0.08)
	x := randomDense(random(12), 60, 5)
	for _, sampler := range allSamplers {
		for _, kappa := range []int{0, 1, 3} {
			for _, shift := range []float64{0, 0.3} {
				var drawn []coles.Negative
				opts := []coles.Option{coles.WithKappa(kappa), coles.WithEta(0.8), coles.WithSeed(5)}
				spied := must(coles.Contrast(ctx, g, recorded(sampler, &drawn), opts...)).Shift(shift)
				dw := must(coles.Contrast(ctx, g, sampler, opts...)).Shift(shift)
				want := contrastDense(g, drawn, 0.8, shift)

				// Sums of up to 60 products of numbers near 1.
				const tolerance = 1e-14
				got := must(dw.Apply(ctx, x))
				wantClose(t, sampler.String(), got, product(want, x), tolerance)
				wantSame(t, sampler.String()+" through a function", bits(must(spied.Apply(ctx, x))), bits(got))
				wantClose(t, sampler.String()+" on sparse X", must(dw.Apply(ctx, sparseOf(x))), got, 0)
				wantClose(t, sampler.String()+", whole", must(dw.Apply(ctx, eye(60))), want, tolerance)
				rank1 := len(drawn) > 0 && drawn[0].Vector != nil
				if wantDraws := kappa; !rank1 && len(drawn) != wantDraws || rank1 && len(drawn) != 1 {
					t.Errorf("%v: %d draws for κ = %d", sampler, len(drawn), kappa)
				}
				if rank1 || kappa == 0 {
					wantClose(t, sampler.String()+", sparse part", dw.Sparse(), coles.Normalize(g, coles.NoSelfLoops), 0)
				}
			}
		}
	}
}

func TestContrastIsSymmetric(t *testing.T) {
	g := randomGraph(13, 80, 0.06)
	rng := random(14)
	for _, sampler := range allSamplers {
		dw := must(coles.Contrast(ctx, g, sampler, coles.WithKappa(2)))
		x, y := randomDense(rng, 80, 1), randomDense(rng, 80, 1)
		left := mat.Dot(must(dw.Apply(ctx, x)).ColView(0), y.ColView(0))
		right := mat.Dot(x.ColView(0), must(dw.Apply(ctx, y)).ColView(0))
		if math.Abs(left-right) > 1e-12 {
			t.Errorf("%v: ⟨ΔWx, y⟩ = %v, ⟨x, ΔWy⟩ = %v", sampler, left, right)
		}
	}
}

func TestWithoutNegativesContrastIsW(t *testing.T) {
	g := randomGraph(15, 30, 0.2)
	wPlus := coles.Normalize(g, coles.NoSelfLoops)
	for _, c := range []struct {
		name    string
		sampler coles.NegativeSampler
		opt     coles.Option
	}{
		{"κ = 0", coles.UniformNegatives(3), coles.WithKappa(0)},
		{"η′ = 0", coles.UniformNegatives(3), coles.WithEta(0)},
		{"no sampler", coles.NoNegatives(), coles.WithKappa(4)},
		{"zero sampler", coles.NegativeSampler{}, coles.WithKappa(1)},
	} {
		wantClose(t, c.name, must(must(coles.Contrast(ctx, g, c.sampler, c.opt)).Apply(ctx, eye(30))), wPlus, 0)
	}
}

// (W⁺ − s·sᵀ)·s = 0 on a connected graph: the trivial direction is gone.
func TestDegreeExpectationRemovesTrivialDirection(t *testing.T) {
	g := randomGraph(16, 50, 0.3)
	s := mat.NewDense(50, 1, nil)
	for i, d := range g.Degrees() {
		s.Set(i, 0, math.Sqrt(d))
	}
	s.Scale(1/mat.Norm(s, 2), s)
	dw := must(coles.Contrast(ctx, g, coles.ExpectedDegreeNegatives()))
	wantClose(t, "ΔW·s", must(dw.Apply(ctx, s)), mat.NewDense(50, 1, nil), 1e-15)
}

func TestShiftLeavesTheOriginalAlone(t *testing.T) {
	g := randomGraph(17, 20, 0.3)
	dw := must(coles.Contrast(ctx, g, coles.ExpectedDegreeNegatives()))
	before := must(dw.Apply(ctx, eye(20)))
	shifted := dw.Shift(0.25).Shift(0.5)
	wantClose(t, "the original", must(dw.Apply(ctx, eye(20))), before, 0)
	var want mat.Dense
	want.Scale(0.75, eye(20))
	want.Add(&want, before)
	wantClose(t, "two shifts", must(shifted.Apply(ctx, eye(20))), &want, 1e-15)
}

func TestContrastRefuses(t *testing.T) {
	g := randomGraph(18, 20, 0.3)
	calls := 0
	mixed := coles.NegativeFunc("mixed", func(ctx context.Context, g *coles.Graph, seed uint64) (coles.Negative, error) {
		if calls++; calls == 1 {
			return coles.UniformNegatives(1).Sample(ctx, g, seed)
		}
		return coles.ExpectedUniformNegatives().Sample(ctx, g, seed)
	})
	for _, c := range []struct {
		name string
		s    coles.NegativeSampler
		opts []coles.Option
		want error
	}{
		{"κ < 0", coles.UniformNegatives(1), []coles.Option{coles.WithKappa(-1)}, coles.ErrSetting},
		{"κ huge", coles.UniformNegatives(1), []coles.Option{coles.WithKappa(math.MaxInt32)}, coles.ErrSetting},
		{"η′ > 1", coles.UniformNegatives(1), []coles.Option{coles.WithEta(1.01)}, coles.ErrSetting},
		{"η′ < 0", coles.UniformNegatives(1), []coles.Option{coles.WithEta(-0.01)}, coles.ErrSetting},
		{"η′ NaN", coles.UniformNegatives(1), []coles.Option{coles.WithEta(math.NaN())}, coles.ErrSetting},
		{"no partners", coles.UniformNegatives(0), nil, coles.ErrSetting},
		{"graphs and expectations mixed", mixed, []coles.Option{coles.WithKappa(2)}, coles.ErrSetting},
		{"p > 1", coles.ErdosRenyiNegatives(1.5), nil, coles.ErrSetting},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := coles.Contrast(ctx, g, c.s, c.opts...)
			wantError(t, err, c.want)
		})
	}
	dw := must(coles.Contrast(ctx, g, coles.NoNegatives()))
	_, err := dw.Apply(ctx, mat.NewDense(19, 2, nil))
	wantError(t, err, coles.ErrShape)
	_, err = dw.Apply(ctx, mat.NewDense(20, 1, append(make([]float64, 19), math.Inf(1))))
	wantError(t, err, coles.ErrNotFinite)
}

// The estimator's own standard deviation sets the bound: with random signs z,
// Var(zᵀBz) = 2·Σ_{i≠j} b_ij², and 32 probes are averaged (Hutchinson 1990).
func TestSmoothnessIsWithinItsSamplingError(t *testing.T) {
	for _, c := range []struct {
		name string
		g    *coles.Graph
		f    coles.Filter
	}{
		{"random graph", randomGraph(21, 80, 0.05), coles.S2GCSum(8)},
		{"dense graph", randomGraph(22, 60, 0.5), coles.SGC(2)},
		{"no filter", randomGraph(23, 60, 0.1), coles.Identity()},
		{"a few edges", must(coles.NewGraph(40, edges(0, 1, 1, 2, 3, 4))), coles.S2GC(4, 0.05)},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := c.g.Nodes()
			f := must(c.f.Apply(ctx, coles.Normalize(c.g, coles.SelfLoops), eye(n)))
			agree, all := product(f, denseOf(coles.Normalize(c.g, coles.NoSelfLoops)), f), product(f, f)
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
				got := must(coles.Smoothness(ctx, c.g, c.f, seed))
				if math.Abs(got-want) > bound {
					t.Errorf("seed %d: ρ = %v, exactly %v, four deviations are %v", seed, got, want, bound)
				}
				if again := must(coles.Smoothness(ctx, c.g, c.f, seed)); again != got {
					t.Errorf("seed %d: ρ = %v, then %v", seed, got, again)
				}
			}
		})
	}
	_, err := coles.Smoothness(ctx, randomGraph(1, 10, 0.3), coles.Filter{}, 1)
	wantError(t, err, coles.ErrSetting)
}

func TestSparseAndRankOnePartsMakeTheWhole(t *testing.T) {
	g := randomGraph(17, 30, 0.2)
	x := randomDense(random(18), 30, 4)
	for _, s := range []coles.NegativeSampler{coles.ExpectedDegreeNegatives(), coles.ExpectedUniformNegatives(), coles.UniformNegatives(3), coles.NoNegatives()} {
		dw := must(coles.Contrast(ctx, g, s, coles.WithEta(0.7)))
		want := product(denseOf(dw.Sparse()), x)
		if coef, v := dw.RankOne(); v != nil {
			column := mat.NewDense(30, 1, v)
			part := product(column, column.T(), x)
			part.Scale(coef, part)
			want.Add(want, part)
			v[0] = 100 // a copy
		}
		wantClose(t, s.String(), must(dw.Apply(ctx, x)), want, 1e-13)
	}
}

// Many negatives are added in pairs and pairs of pairs: to the mean of all of them.
func TestContrastOfManyNegatives(t *testing.T) {
	g := randomGraph(36, 30, 0.1)
	for _, kappa := range []int{1, 2, 3, 7, 8, 21} {
		var drawn []coles.Negative
		dw := must(coles.Contrast(ctx, g, recorded(coles.UniformNegatives(2), &drawn), coles.WithKappa(kappa), coles.WithEta(0.6)))
		want := denseOf(coles.Normalize(g, coles.NoSelfLoops))
		for _, part := range drawn {
			var share mat.Dense
			share.Scale(-0.6/float64(kappa), denseOf(part.Graph))
			want.Add(want, &share)
		}
		if len(drawn) != kappa {
			t.Fatalf("%d negatives drawn, want %d", len(drawn), kappa)
		}
		wantClose(t, "ΔW", must(dw.Apply(ctx, eye(30))), want, 1e-14)
	}
}
