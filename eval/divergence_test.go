package eval

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
)

func TestJensenShannonHasItsBounds(t *testing.T) {
	tiny := math.SmallestNonzeroFloat64
	for _, c := range []struct {
		name string
		p, q []float64
		want float64
	}{
		{"equal", []float64{3, 1, 2}, []float64{3, 1, 2}, 0},
		{"equal but for scale", []float64{1, 2}, []float64{2, 4}, 0},
		{"disjoint", []float64{1, 0, 2}, []float64{0, 5, 0}, math.Ln2},
		{"disjoint but for subnormal tails", []float64{1, tiny}, []float64{tiny, 1}, math.Ln2},
		{"a subnormal tail", []float64{1, tiny}, []float64{1, 0}, 0},
		{"sums beyond all numbers", []float64{1e308, 1e308}, []float64{1e308, 0}, 0.75 * math.Log(4./3)},
		{"subnormal weights", []float64{tiny, 0}, []float64{0, tiny}, math.Ln2},
	} {
		got, err := JensenShannon(c.p, c.q)
		if err != nil || !(math.Abs(got-c.want) <= 1e-15) {
			t.Errorf("%s: %v, %v, want %v", c.name, got, err, c.want)
		}
	}
}

// Windows of bandwidth 1 around one number each, a and −a, are two normal
// distributions. Their divergence is log 2 − E log(1 + e^(−2a·x)), x of the first;
// the expectation is integrated here as a sum over ±12 deviations, 1e-3 apart.
func TestJensenShannonOfSamplesIsThatOfNormals(t *testing.T) {
	for _, a := range []float64{0.05, 0.5, 1, 3} {
		want := math.Ln2
		for k := -12000; k <= 12000; k++ {
			z := float64(k) / 1000
			want -= math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) / 1000 * math.Log1p(math.Exp(-2*a*(a+z)))
		}
		got, err := JensenShannonOfSamples(background, []float64{a}, []float64{-a}, 512, 1)
		if err != nil {
			t.Fatal(err)
		}
		// The grid leaves out Φ(−5) = 2.9e-7 of each at the ends.
		if math.Abs(got-want) > 3e-7 {
			t.Errorf("a = %v: %v, want %v", a, got, want)
		}
	}
}

func TestWassersteinEqualsGonum(t *testing.T) {
	rng := rand.New(rand.NewPCG(95, 0))
	for range 300 {
		x, y := make([]float64, 1+rng.IntN(40)), make([]float64, 1+rng.IntN(40))
		for i := range x {
			x[i] = math.Round(8*rng.NormFloat64()) / 4 // with ties
		}
		for i := range y {
			y[i] = math.Round(8*rng.NormFloat64())/4 + 1
		}
		before := slices.Clone(x)
		got, err := Wasserstein(x, y)
		if err != nil {
			t.Fatal(err)
		}
		if want := stat.WassersteinDistance(x, y, nil, nil); math.Abs(got-want) > 1e-13 {
			t.Errorf("%v and %v: %v, want %v", x, y, got, want)
		}
		if back, err := Wasserstein(y, x); err != nil || back != got {
			t.Errorf("%v, but %v the other way (%v)", got, back, err)
		}
		if !slices.Equal(x, before) {
			t.Error("the sample was written to")
		}
	}
}

// Each number three times is the same distribution, and a shift is its distance.
func TestWassersteinOfShiftedSamples(t *testing.T) {
	x := normal(1, 100, 1, 96).RawRowView(0)
	thrice := slices.Repeat(x, 3)
	if got, err := Wasserstein(x, thrice); got != 0 || err != nil {
		t.Errorf("the same distribution: %v, %v", got, err)
	}
	for i := range thrice {
		thrice[i] += 2.5
	}
	if got, err := Wasserstein(x, thrice); math.Abs(got-2.5) > 1e-14 || err != nil {
		t.Errorf("shifted by 2.5: %v, %v", got, err)
	}
}

func TestDivergencesNameBadInput(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name string
		p, q []float64
		want error
	}{
		{"different lengths", []float64{1}, []float64{1, 2}, ErrShape},
		{"none", nil, nil, ErrEmpty},
		{"NaN", []float64{1, nan}, []float64{1, 2}, ErrNotFinite},
		{"infinity", []float64{1, 2}, []float64{math.Inf(1), 2}, ErrNotFinite},
		{"negative", []float64{1, 2}, []float64{3, -1}, ErrDistribution},
		{"all zero", []float64{0, 0}, []float64{3, 1}, ErrDistribution},
	} {
		if _, err := JensenShannon(c.p, c.q); !errors.Is(err, c.want) {
			t.Errorf("JensenShannon, %s: error %v, want %v", c.name, err, c.want)
		}
	}
	good := []float64{0, 1, 2}
	ended, cancel := context.WithCancel(background)
	cancel()
	for _, c := range []struct {
		name   string
		ctx    context.Context
		x, y   []float64
		points int
		h      float64
		want   error
	}{
		{"no sample", background, nil, good, 100, 0, ErrEmpty},
		{"NaN", background, good, []float64{nan, 1}, 100, 0, ErrNotFinite},
		{"no spread", background, good, []float64{1, 1}, 100, 0, ErrBandwidth},
		{"coarse grid", background, good, []float64{1, 1 + 1e-9}, 100, 0, ErrBandwidth},
		{"one point", background, good, good, 1, 0, ErrParameter},
		{"cancelled", ended, good, good, 100, 0, context.Canceled},
	} {
		if _, err := JensenShannonOfSamples(c.ctx, c.x, c.y, c.points, c.h); !errors.Is(err, c.want) {
			t.Errorf("JensenShannonOfSamples, %s: error %v, want %v", c.name, err, c.want)
		}
	}
	for _, c := range []struct {
		name string
		x, y []float64
		want error
	}{
		{"none", good, nil, ErrEmpty},
		{"NaN", []float64{nan}, good, ErrNotFinite},
		{"overflow", []float64{-1e308}, []float64{1e308}, ErrNotFinite},
	} {
		if _, err := Wasserstein(c.x, c.y); !errors.Is(err, c.want) {
			t.Errorf("Wasserstein, %s: error %v, want %v", c.name, err, c.want)
		}
	}
}
