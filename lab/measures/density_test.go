package measures

import (
	"math"
	"testing"

	"coles/internal/testkit"

	"gonum.org/v1/gonum/integrate"
)

func TestDensitiesOfSamplesEqualSciPy(t *testing.T) {
	cases := testkit.OpenCases[diagnosticCases](t, "testdata/diagnostics")
	testkit.WantSame(t, "cases", len(cases.Samples), 1000)
	for i, c := range cases.Samples {
		is := testkit.Comparer{T: t, Index: i}
		x, y := testkit.Divided(c.X, cases.Unit), testkit.Divided(c.Y, cases.Unit)
		got, err := SilvermanBandwidth(x)
		is.Equal("Silverman's bandwidth", got, c.Silverman, 0, err)
		density, err := ParzenDensity(background, x, testkit.Divided(c.At, cases.Unit), c.H)
		for q, want := range c.Density {
			is.Equal("density", density[q], want, 0, err)
		}
		got, err = JensenShannonOfSamples(background, x, y, c.Points, c.H)
		is.Equal("divergence", got, c.JS, 0, err)
		got, err = Wasserstein(x, y)
		is.Equal("Wasserstein distance", got, c.W, 0, err)
		testkit.WantSame(t, "the other way", testkit.Must(Wasserstein(y, x)), got)
	}
}

func TestDensityIntegratesToOne(t *testing.T) {
	sample := testkit.Normal(1, 700, 2, 91).RawRowView(0)
	for _, h := range []float64{0, 0.05, 1, 40} {
		grid := testkit.Must(DensityGrid(4000, h, sample))
		density := testkit.Must(ParzenDensity(background, sample, grid, h))
		// What the grid leaves out is at most 2·Φ(−5) = 5.7e-7.
		testkit.WantNear(t, "the area", integrate.Trapezoidal(grid, density), 1, 6e-7)
	}
	// A number far from all points, so that their distance overflows.
	if f, err := ParzenDensity(background, []float64{-1e308}, []float64{1e308}, 1); err != nil || f[0] != 0 {
		t.Errorf("far away: %v, %v", f, err)
	}
}

// Multiples of 2⁻²⁴ that are moved by 2²⁸ are moved without rounding: measures of their distances
// alone are the same there.
func TestDensitiesFarFromZero(t *testing.T) {
	rng := testkit.Random(96)
	for _, n := range []int{2, 3, 40} {
		var x, y [2][]float64
		for range n {
			a, b := float64(rng.IntN(2000)), float64(rng.IntN(2000)-1000)
			for far, shift := range []float64{0, 1 << 28} {
				x[far] = append(x[far], shift+math.Ldexp(a, -24))
				y[far] = append(y[far], shift+math.Ldexp(b, -24))
			}
		}
		var got [2][]float64 // densities, bandwidth, distance
		for far := range got {
			got[far] = append(testkit.Must(ParzenDensity(background, x[far], y[far], 0)),
				testkit.Must(SilvermanBandwidth(x[far])), testkit.Must(Wasserstein(x[far], y[far])))
		}
		for k, want := range got[0] {
			testkit.WantNear(t, "a measure far from zero", got[1][k], want, 1e-13)
		}
	}
}

func TestDensityGridCoversAllSamples(t *testing.T) {
	grid := testkit.Must(DensityGrid(9, 0.5, []float64{1, 2}, []float64{-3}))
	testkit.WantSame(t, "five bandwidths beyond −3 and 2", grid, []float64{-5.5, -4.25, -3, -1.75, -0.5, 0.75, 2, 3.25, 4.5})
}

// Windows of bandwidth 1 around one number each, a and −a, are two normal distributions. Their
// divergence is log 2 − E log(1 + e^(−2a·x)), x of the first; the expectation is integrated here as
// a sum over ±12 deviations, 1e-3 apart.
func TestJensenShannonOfSamplesIsThatOfNormals(t *testing.T) {
	for _, a := range []float64{0.05, 0.5, 1, 3} {
		want := math.Ln2
		for k := -12000; k <= 12000; k++ {
			z := float64(k) / 1000
			want -= math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) / 1000 * math.Log1p(math.Exp(-2*a*(a+z)))
		}
		got := testkit.Must(JensenShannonOfSamples(background, []float64{a}, []float64{-a}, 512, 1))
		// The grid leaves out Φ(−5) = 2.9e-7 of each at the ends.
		if math.Abs(got-want) > 3e-7 {
			t.Errorf("a = %v: %v, want %v", a, got, want)
		}
	}
}

func TestJensenShannonOfSamplesHasItsBounds(t *testing.T) {
	same := testkit.Must(JensenShannonOfSamples(background, []float64{1, 2, 4}, []float64{1, 2, 4}, 512, 0))
	far := testkit.Must(JensenShannonOfSamples(background, []float64{0, 1}, []float64{200, 201}, 4096, 0))
	if same != 0 || math.Abs(far-math.Ln2) > 1e-15 {
		t.Errorf("%v of equal samples, %v of disjoint ones, want 0 and %v", same, far, math.Ln2)
	}
}
