package coles_test

import (
	"math"
	"slices"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// filterCases give every constructor, by its text form, with its polynomial written out from the
// definitions, independent of the library's coefficients.
var filterCases = []struct {
	filter       coles.Filter
	text         string
	coefficients []float64
}{

	{coles.SGC(0), "sgc:0", []float64{1}},
	{coles.SGC(3), "sgc:3", []float64{0, 0, 0, 1}},
	{coles.S2GC(8, 0.05), "s2gc:8,0.05", append([]float64{0.05}, slices.Repeat([]float64{0.95 / 8}, 8)...)},
	{coles.S2GC(0, 0.5), "s2gc:0,0.5", []float64{0.5}},
	{coles.S2GCSum(8), "s2gcsum:8", slices.Repeat([]float64{1. / 8}, 9)},
	{coles.APPNP(5, 0.1), "appnp:5,0.1", []float64{0.1, 0.1 * 0.9, 0.1 * 0.81, 0.1 * 0.729, 0.1 * 0.6561, 0.59049}},
	{coles.APPNP(4, 1), "appnp:4,1", []float64{1, 0, 0, 0, 0}},
	{coles.APPNP(4, 0), "appnp:4,0", []float64{0, 0, 0, 0, 1}},
	{coles.Heat(10, 5), "heat:10,5", poisson(10, 5)},
	{coles.Heat(3, 0), "heat:3,0", []float64{1, 0, 0, 0}},
	{coles.Polynomial(0, -2, 0, 0.5), "polynomial:0,-2,0,0.5", []float64{0, -2, 0, 0.5}},
}

// poisson are the probabilities of 0 to most events, where mean are expected.
func poisson(most int, mean float64) []float64 {
	p := []float64{math.Exp(-mean)}
	for k := 1; k <= most; k++ {
		p = append(p, p[k-1]*mean/float64(k))
	}
	return p
}

func TestFiltersEqualDensePowers(t *testing.T) {
	for _, c := range filterCases {
		t.Run(c.text, func(t *testing.T) {
			testkit.WantSame(t, "hops", c.filter.Hops(), len(c.coefficients)-1)
			for seed := range uint64(3) {
				n := 20 + 30*int(seed)
				w := coles.Normalize(testkit.RandomGraph(seed, n, 0.1))
				f := testkit.Powers(w, c.filter.Hops(), func(k int) float64 { return c.coefficients[k] })
				words, dense := testkit.RandomWords(testkit.Random(seed), n, 33)
				got := testkit.Must(c.filter.Apply(ctx, w, dense))
				testkit.WantClose(t, "FX", got, testkit.Product(f, dense), 1e-12)
				testkit.WantSame(t, "FX of sparse X", testkit.Bits(testkit.Must(c.filter.Apply(ctx, w, words))), testkit.Bits(got))

				x, y := testkit.RandomDense(testkit.Random(seed+10), n, 1), testkit.RandomDense(testkit.Random(seed+20), n, 1)
				left := mat.Dot(testkit.Must(c.filter.Apply(ctx, w, x)).ColView(0), y.ColView(0))
				right := mat.Dot(x.ColView(0), testkit.Must(c.filter.Apply(ctx, w, y)).ColView(0))
				if math.Abs(left-right) > 1e-12 {
					t.Errorf("⟨Fx, y⟩ = %v, ⟨x, Fy⟩ = %v", left, right)
				}
			}
		})
	}
}

func TestFilterCoefficientsAddUp(t *testing.T) {
	for _, f := range []coles.Filter{
		coles.S2GC(8, 0.05),
		coles.APPNP(10_000, 0.001),
		coles.Heat(60, 5),     // the terms left out are below 5⁶¹/61! = 1e-41
		coles.Heat(3000, 900), // t^k and k! alone would overflow
	} {
		// 1e-12: the terms of a long sum of logarithms lose some digits.
		if got := floats.Sum(f.Coefficients()); math.Abs(got-1) > 1e-12*max(1, float64(f.Hops())) {
			t.Errorf("%v: coefficients add up to %v, want 1", f, got)
		}
	}
	coefficients := []float64{1, 2}
	f := coles.Polynomial(coefficients...)
	coefficients[0], f.Coefficients()[1] = 7, 7 // copies
	testkit.WantSame(t, "coefficients", f.Coefficients(), []float64{1, 2})
}

// badFilters are made by constructors from numbers out of their range.
var badFilters = []coles.Filter{
	coles.SGC(-1), coles.SGC(math.MaxInt), coles.S2GC(-1, 0.1), coles.S2GC(2, -0.1), coles.S2GC(2, 1.1), coles.S2GC(2, math.NaN()),
	coles.S2GCSum(0), coles.S2GCSum(-1), coles.APPNP(-1, 0.1), coles.APPNP(2, 2), coles.APPNP(2, math.NaN()),
	coles.Heat(-1, 1), coles.Heat(2, -1), coles.Heat(2, math.NaN()), coles.Heat(2, math.Inf(1)),
	coles.Polynomial(), coles.Polynomial(1, math.NaN()), coles.Polynomial(math.Inf(-1)),
}

func TestBadFiltersFailOnUse(t *testing.T) {
	g, x := testkit.RandomGraph(6, 20, 0.2), testkit.RandomDense(testkit.Random(6), 20, 3)
	w, dw := coles.Normalize(g), contrast(g, noNegatives)
	for _, f := range badFilters {
		for use, err := range map[string]error{
			"Apply":         testkit.Err(f.Apply(ctx, w, x)),
			"SolveImplicit": testkit.Err(coles.SolveImplicit(ctx, x, w, f, dw, 2)),
			"Fit":           testkit.Err(coles.Fit(ctx, g, x, coles.WithFilter(f))),
			"MarshalText":   testkit.Err(f.MarshalText()),
		} {
			t.Run(f.String()+", "+use, func(t *testing.T) { testkit.WantError(t, err, coles.ErrSetting) })
		}
	}
}

// The zero value is a choice of Fit, and of nothing else.
func TestAutoFilter(t *testing.T) {
	g, words, _ := small(191)
	for x, want := range map[mat.Matrix]coles.Filter{words: coles.S2GCSum(8), nil: coles.S2GCSum(24)} {
		kind := coles.With(func(s *coles.Settings) { s.Kind = coles.UseGraph })
		m := fitted(g, x, kind)
		testkit.WantSame(t, "filter", m.Settings().Filter.String(), want.String())
		testkit.WantSame(t, "embedding", testkit.Bits(m.Embedding()), testkit.Bits(fitted(g, x, kind, coles.WithFilter(want)).Embedding()))
	}
	alone := fitted(g, words, coles.With(func(s *coles.Settings) { s.Kind = coles.UseFeatures }))
	testkit.WantSame(t, "filter of features alone", alone.Settings().Filter.String(), "auto")
	w, dw := coles.Normalize(g), contrast(g, noNegatives)
	testkit.WantError(t, testkit.Err(coles.Filter{}.Apply(ctx, w, words)), coles.ErrSetting)
	testkit.WantError(t, testkit.Err(coles.SolveImplicit(ctx, words, w, coles.Filter{}, dw, 2)), coles.ErrSetting)
}

func TestFiltersEqualFixture(t *testing.T) {
	f := openFixture(t)
	d, g := openGraph(t, "cora")
	w := coles.Normalize(g)
	for key, filter := range map[string]coles.Filter{
		"s2gc_code_K8": coles.S2GCSum(8), "s2gc_paper_K8_a05": coles.S2GC(8, 0.05), "sgc_K2": coles.SGC(2),
	} {
		fx := testkit.Must(filter.Apply(ctx, w, d.Features))
		testkit.WantClose(t, filter.String(), fx.Slice(0, 20, 0, 1433), f.array("FX_first20_"+key), 1e-12)
		for j, s := range f.column("FX_colsum_" + key) {
			// A sum of 2,708 numbers with an absolute error of 1e-15 each.
			if diff := math.Abs(mat.Sum(fx.ColView(j)) - s); diff > 1e-10 {
				t.Fatalf("%v: column %d sums to something off by %g", filter, j, diff)
			}
		}
	}
}
