package coles_test

import (
	"fmt"
	"math"
	"testing"

	"coles"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// Rows scaled to unit length do not depend on how long they were, be it close to the
// ends of the numbers; a power of two changes no bit of them. 2⁻¹⁰⁰⁰ and 2¹⁰⁰⁰ are that
// far out, where squares and sums are no numbers any more.
func TestUnitRowsOfAnySize(t *testing.T) {
	_, _, x := small(161)
	for _, how := range []coles.Preparation{coles.PrepareRowL2, coles.PrepareRowL1, coles.PrepareTFIDF, coles.PrepareStandardize} {
		want := denseOf(must(must(coles.FitPreparation(ctx, x, how)).Apply(ctx, x)))
		for _, exponent := range []int{-1000, -900, 900, 1000, 1021} {
			scaled := mat.DenseCopyOf(x)
			scaled.Apply(func(_, _ int, v float64) float64 { return math.Ldexp(v, exponent) }, scaled)
			got := denseOf(must(must(coles.FitPreparation(ctx, scaled, how)).Apply(ctx, scaled)))
			wantClose(t, fmt.Sprint(how, " of features times 2^", exponent), got, want, 1e-14*mat.Norm(want, math.Inf(1)))
		}
	}
}

// A column from one end of the numbers to the other has a deviation like any other.
func TestStandardizedAcrossTheRange(t *testing.T) {
	x := mat.NewDense(4, 2, []float64{-1.7e308, 1, 1.7e308, 1, -1.7e308, 1, 1.7e308, 1})
	y := must(must(coles.FitPreparation(ctx, x, coles.PrepareStandardize)).Apply(ctx, x))
	wantClose(t, "standardised", y, mat.NewDense(4, 2, []float64{-1, 0, 1, 0, -1, 0, 1, 0}), 1e-15)
}

// What leaves the range of the numbers is an error, not an infinity.
func TestOverflowIsAnError(t *testing.T) {
	g, _, dense := small(162)
	huge := mat.NewDense(120, 40, nil)
	huge.Scale(4e307, dense)
	w := coles.Normalize(g, coles.SelfLoops)
	m := must(coles.Fit(ctx, g, dense, coles.WithFeatures(coles.PrepareNone), coles.WithDim(3)))
	for door, err := range map[string]error{
		"Filter.Apply": second(coles.Polynomial(10).Apply(ctx, w, huge)),
		"DeltaW.Apply": second(must(coles.Contrast(ctx, g, coles.NoNegatives())).Shift(10).Apply(ctx, huge)),
		"Embed":        second(m.Embed(ctx, g, huge)),
		"Scaling":      second((&coles.Scaling{Factors: []float64{10}}).Apply(ctx, mat.NewDense(1, 1, []float64{1e308}))),
		"Fit":          second(coles.Fit(ctx, g, huge, coles.WithFeatures(coles.PrepareNone))),
		"prepared": second(must(coles.FitPreparation(ctx, mat.NewDense(2, 1, []float64{0, 1e-300}), coles.PrepareStandardize)).
			Apply(ctx, mat.NewDense(1, 1, []float64{1e300}))),
	} {
		t.Run(door, func(t *testing.T) { wantError(t, err, coles.ErrNotFinite) })
	}
}

// Weights at the ends of the numbers are normalised like others: an edge alone is 1, and
// √degree is shared among nodes by their degrees.
func TestNormalizedWeightsOfAnySize(t *testing.T) {
	for _, w := range []float64{5e-324, 1e-310, 1e-300, 1, 1e300, 1.7e308} {
		g := must(coles.NewGraph(4, edges(0, 1, 2, 3), coles.WithEdgeWeights([]float64{w, w})))
		wantClose(t, fmt.Sprint("W⁺ of weight ", w), coles.Normalize(g, coles.NoSelfLoops),
			mat.NewDense(4, 4, []float64{0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0}), 1e-15)
		v := must(coles.ExpectedDegreeNegatives().Sample(ctx, g, 1)).Vector
		wantClose(t, fmt.Sprint("s of weight ", w), mat.NewVecDense(4, v), mat.NewVecDense(4, []float64{0.5, 0.5, 0.5, 0.5}), 1e-15)
	}
}

// The weights of columns do not depend on the unit that an embedding is in, until there
// is no number for them.
func TestScalingInAnyUnit(t *testing.T) {
	e := randomDense(random(163), 50, 3)
	lambda := []float64{3, 2, 1}
	want := must(must(coles.SpectralScaling(ctx, e, lambda)).Apply(ctx, e))
	for _, exponent := range []int{-1000, -500, 500, 1000} {
		scaled := mat.DenseCopyOf(e)
		scaled.Apply(func(_, _ int, v float64) float64 { return math.Ldexp(v, exponent) }, scaled)
		wantClose(t, fmt.Sprint("scaled times 2^", exponent), must(must(coles.SpectralScaling(ctx, scaled, lambda)).Apply(ctx, scaled)), want, 1e-12)
	}
	tiny := mat.NewDense(2, 1, []float64{0, 5e-324})
	wantError(t, second(coles.SpectralScaling(ctx, tiny, []float64{1}, coles.WithNorm(1e10))), coles.ErrNotFinite)
}

// ρ is a ratio: it does not depend on the size of the coefficients.
func TestSmoothnessOfAnySize(t *testing.T) {
	g, _, _ := small(164)
	want := must(coles.Smoothness(ctx, g, coles.Polynomial(1, 0.5), 1))
	for _, c := range []float64{0x1p-1000, 0x1p-300, 0x1p300, 0x1p1000} {
		if got := must(coles.Smoothness(ctx, g, coles.Polynomial(c, c/2), 1)); got != want {
			t.Errorf("coefficients times %g: ρ = %v, want %v", c, got, want)
		}
	}
}

// On a machine of 32 bits a dense matrix of 50,000² has no number of its bytes.
func TestPanelsBeyondAnInt(t *testing.T) {
	if math.MaxInt > math.MaxInt32 {
		t.Skip("an int of this machine counts the bytes of whatever fits in memory")
	}
	const n = 50_000
	g := must(coles.NewGraph(n, edges(0, 1)))
	x := sparse.NewCSR(n, n, append(make([]int, n), 1), []int{n - 1}, []float64{1})
	w := coles.Normalize(g, coles.SelfLoops)
	dw := must(coles.Contrast(ctx, g, coles.NoNegatives()))
	for door, err := range map[string]error{
		"Filter.Apply": second(coles.SGC(1).Apply(ctx, w, x)),
		"DeltaW.Apply": second(dw.Apply(ctx, x)),
		"Eigenmaps":    second(coles.Eigenmaps(ctx, dw, n)),
		"KNN":          second(coles.KNN(ctx, mat.NewDense(n, 1, nil), n-1)),
		"drawn":        second(coles.Contrast(ctx, g, coles.UniformNegatives(40_000))),
	} {
		t.Run(door, func(t *testing.T) { wantError(t, err, coles.ErrTooLarge) })
	}
}
