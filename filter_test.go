package coles_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"coles"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// filterCases give every constructor with its polynomial written out from the
// definitions, independent of the library's coefficients.
var filterCases = []struct {
	filter coles.Filter
	name   string
	term   func(k int) float64
	hops   int
}{
	{coles.Identity(), "Identity", func(int) float64 { return 1 }, 0},
	{coles.SGC(0), "SGC(0)", func(int) float64 { return 1 }, 0},
	{coles.SGC(3), "SGC(3)", func(k int) float64 { return []float64{0, 0, 0, 1}[k] }, 3},
	{coles.S2GC(8, 0.05), "S2GC(8, 0.05)", func(k int) float64 {
		if k == 0 {
			return 0.05
		}
		return 0.95 / 8
	}, 8},
	{coles.S2GC(0, 0.5), "S2GC(0, 0.5)", func(int) float64 { return 0.5 }, 0},
	{coles.S2GCSum(8), "S2GCSum(8)", func(int) float64 { return 1.0 / 8 }, 8},
	{coles.APPNP(5, 0.1), "APPNP(5, 0.1)", func(k int) float64 {
		if k == 5 {
			return math.Pow(0.9, 5)
		}
		return 0.1 * math.Pow(0.9, float64(k))
	}, 5},
	{coles.APPNP(4, 1), "APPNP(4, 1)", func(k int) float64 { return []float64{1, 0, 0, 0, 0}[k] }, 4},
	{coles.APPNP(4, 0), "APPNP(4, 0)", func(k int) float64 { return []float64{0, 0, 0, 0, 1}[k] }, 4},
	{coles.Heat(10, 5), "Heat(10, 5)", func(k int) float64 {
		v := math.Exp(-5)
		for i := 1; i <= k; i++ {
			v *= 5 / float64(i)
		}
		return v
	}, 10},
	{coles.Heat(3, 0), "Heat(3, 0)", func(k int) float64 { return []float64{1, 0, 0, 0}[k] }, 3},
	{coles.Polynomial(0, -2, 0, 0.5), "Polynomial", func(k int) float64 { return []float64{0, -2, 0, 0.5}[k] }, 3},
}

func TestFiltersEqualDensePowers(t *testing.T) {
	for _, c := range filterCases {
		t.Run(c.name, func(t *testing.T) {
			if c.filter.String() != c.name || c.filter.Hops() != c.hops {
				t.Errorf("%v of %d hops, want %s of %d", c.filter, c.filter.Hops(), c.name, c.hops)
			}
			for seed := range uint64(3) {
				n := 20 + 30*int(seed)
				g := randomGraph(seed, n, 0.1)
				w := coles.Normalize(g, coles.SelfLoops)
				f := mat.NewDense(n, n, nil)
				power := eye(n)
				for k := range c.hops + 1 {
					var term mat.Dense
					term.Scale(c.term(k), power)
					f.Add(f, &term)
					power = product(power, denseOf(w))
				}
				words, dense := randomWords(random(seed), n, 33)
				got := must(c.filter.Apply(ctx, w, dense))
				wantClose(t, "FX", got, product(f, dense), 1e-12)
				wantSame(t, "FX of sparse X", bits(must(c.filter.Apply(ctx, w, words))), bits(got))

				x, y := randomDense(random(seed+10), n, 1), randomDense(random(seed+20), n, 1)
				left := mat.Dot(must(c.filter.Apply(ctx, w, x)).ColView(0), y.ColView(0))
				right := mat.Dot(x.ColView(0), must(c.filter.Apply(ctx, w, y)).ColView(0))
				if math.Abs(left-right) > 1e-12 {
					t.Errorf("⟨Fx, y⟩ = %v, ⟨x, Fy⟩ = %v", left, right)
				}
			}
		})
	}
}

func TestFilterCoefficientsAddUp(t *testing.T) {
	for _, c := range []struct {
		f    coles.Filter
		want float64
	}{
		{coles.SGC(7), 1},
		{coles.S2GC(8, 0.05), 1},
		{coles.S2GC(1, 0.9), 1},
		{coles.APPNP(10, 0.1), 1},
		{coles.APPNP(10_000, 0.001), 1},
		{coles.S2GCSum(8), 9. / 8},
		{coles.Heat(60, 5), 1},     // the terms left out are below 5⁶¹/61! = 1e-41
		{coles.Heat(3000, 900), 1}, // t^k and k! alone would overflow
	} {
		// 1e-12: the terms of a long sum of logarithms lose some digits.
		if got := floats.Sum(c.f.Coefficients()); math.Abs(got-c.want) > 1e-12*max(1, float64(c.f.Hops())) {
			t.Errorf("%v: coefficients add up to %v, want %v", c.f, got, c.want)
		}
	}
}

// e^{−t(I−W)} = Q·diag(e^{−t(1−λ)})·Qᵀ. The remainder after 60 terms is 1e-41.
func TestHeatTendsToTheMatrixExponential(t *testing.T) {
	const n = 30
	w := coles.Normalize(randomGraph(4, n, 0.2), coles.SelfLoops)
	var e mat.EigenSym
	e.Factorize(w, true)
	var q mat.Dense
	e.VectorsTo(&q)
	for _, time := range []float64{0.3, 5} {
		d := mat.NewDense(n, n, nil)
		for i, lambda := range e.Values(nil) {
			d.Set(i, i, math.Exp(-time*(1-lambda)))
		}
		wantClose(t, fmt.Sprint("t = ", time), must(coles.Heat(60, time).Apply(ctx, w, eye(n))), product(&q, d, q.T()), 1e-13)
	}
}

func TestFilterLeavesItsInputAlone(t *testing.T) {
	g := randomGraph(5, 40, 0.2)
	w := coles.Normalize(g, coles.SelfLoops)
	words, dense := randomWords(random(5), 40, 12)
	beforeW, beforeDense, beforeWords := denseOf(w), bits(dense), fmt.Sprint(words.RawMatrix())
	for _, c := range filterCases {
		must(c.filter.Apply(ctx, w, dense)).Set(0, 0, 1e9) // the result shares nothing either
		must(c.filter.Apply(ctx, w, words))
	}
	wantClose(t, "W", w, beforeW, 0)
	wantSame(t, "dense X", bits(dense), beforeDense)
	wantSame(t, "sparse X", fmt.Sprint(words.RawMatrix()), beforeWords)
	coefficients := []float64{1, 2}
	f := coles.Polynomial(coefficients...)
	coefficients[0], f.Coefficients()[1] = 7, 7
	wantSame(t, "coefficients", f.Coefficients(), []float64{1, 2})
}

func TestBadFiltersFailOnUse(t *testing.T) {
	g := randomGraph(6, 20, 0.2)
	x := randomDense(random(6), 20, 3)
	for _, f := range []coles.Filter{
		{}, coles.SGC(-1), coles.SGC(math.MaxInt), coles.S2GC(-1, 0.1), coles.S2GC(2, -0.1), coles.S2GC(2, 1.1), coles.S2GC(2, math.NaN()),
		coles.S2GCSum(0), coles.S2GCSum(-1), coles.APPNP(-1, 0.1), coles.APPNP(2, 2), coles.APPNP(2, math.NaN()),
		coles.Heat(-1, 1), coles.Heat(2, -1), coles.Heat(2, math.NaN()), coles.Heat(2, math.Inf(1)),
		coles.Polynomial(), coles.Polynomial(1, math.NaN()), coles.Polynomial(math.Inf(-1)),
	} {
		t.Run(f.String(), func(t *testing.T) {
			w := coles.Normalize(g, coles.SelfLoops)
			_, err := f.Apply(ctx, w, x)
			wantError(t, err, coles.ErrSetting)
			_, err = coles.Fit(ctx, g, x, coles.WithFilter(f))
			wantError(t, err, coles.ErrSetting)
			_, err = coles.SolveImplicit(ctx, x, w, f, must(coles.Contrast(ctx, g, coles.NoNegatives())), 2)
			wantError(t, err, coles.ErrSetting)
			_, err = json.Marshal(f)
			wantError(t, err, coles.ErrSetting)
		})
	}
}

func TestFiltersSurviveJSON(t *testing.T) {
	for _, c := range filterCases {
		var back coles.Filter
		if err := json.Unmarshal(must(json.Marshal(c.filter)), &back); err != nil {
			t.Fatal(err)
		}
		wantSame(t, "name", back.String(), c.filter.String())
		wantSame(t, "coefficients", back.Coefficients(), c.filter.Coefficients())
	}
	for _, text := range []string{`{}`, `{"name":"SGC(2)"}`, `{"coefficients":[]}`, `[1]`, `{"coefficients":["a"]}`} {
		var f coles.Filter
		if err := json.Unmarshal([]byte(text), &f); err == nil {
			t.Errorf("%s was read as %v", text, f)
		}
	}
}

func TestFilterRefusesSizesThatDoNotFit(t *testing.T) {
	w := coles.Normalize(randomGraph(7, 20, 0.2), coles.SelfLoops)
	_, err := coles.SGC(2).Apply(ctx, w, mat.NewDense(21, 2, nil))
	wantError(t, err, coles.ErrShape)
	bad := mat.NewDense(20, 2, nil)
	bad.Set(7, 1, math.NaN())
	_, err = coles.SGC(2).Apply(ctx, w, bad)
	wantError(t, err, coles.ErrNotFinite)
	_, err = coles.SGC(2).Apply(ctx, w, sparseOf(bad))
	wantError(t, err, coles.ErrNotFinite)
}

func TestFilterStopsPromptly(t *testing.T) {
	const n, d = 60_000, 32
	g := randomSparseGraph(8, n, 6*n)
	w := coles.Normalize(g, coles.SelfLoops)
	x := mat.NewDense(n, d, nil)
	wantPromptCancel(t, func(ctx context.Context) error {
		_, err := coles.SGC(400).Apply(ctx, w, x)
		return err
	})
}
