package eval

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

func TestComparisonsEqualSciPy(t *testing.T) {
	cases := openRankings(t)
	for i, c := range cases.Comparisons {
		is := comparer{t, i}
		a, b := divided(c.A, cases.Unit), divided(c.B, cases.Unit)
		plain, err := Compare(a, b, WithLevel(c.Level))
		if err != nil {
			t.Fatal(i, err)
		}
		if c.T != nil {
			is.equal("statistic", plain.Mean/plain.Std*math.Sqrt(float64(len(a))), *c.T, 0, nil)
			is.equal("p", plain.P, *c.P, 0, nil)
		}
		is.equal("half width", (plain.High-plain.Low)/2, c.Half, math.Abs(plain.Mean), nil)
		is.equal("middle", (plain.High+plain.Low)/2, plain.Mean, c.Half, nil)
		is.equal("p of signs", plain.SignP, c.Sign, 0, nil)
		sign, err := SignTest(a, b)
		is.equal("sign test", sign, c.Sign, 0, err)
		corrected, err := Compare(a, b, WithLevel(c.Level), WithCorrection(c.Train, c.Test))
		if err != nil {
			t.Fatal(i, err)
		}
		is.equal("corrected half width", (corrected.High-corrected.Low)/2, c.Wide, math.Abs(plain.Mean), nil)
		if corrected.P < plain.P {
			t.Errorf("case %d: the correction lowers p from %v to %v", i, plain.P, corrected.P)
		}
	}
}

// Of independent normal differences the interval covers the mean as often as it
// says: of 2,000 experiments 95 %, give or take three deviations, √(0.95·0.05/2000).
func TestIntervalsCoverTheMean(t *testing.T) {
	const experiments, splits, mean = 2000, 10, 0.7
	rng := rand.New(rand.NewPCG(7, 0))
	covered, rejected := 0, 0
	for range experiments {
		a, b := make([]float64, splits), make([]float64, splits)
		for i := range a {
			b[i] = 80 + 3*rng.NormFloat64()
			a[i] = b[i] + mean + rng.NormFloat64()
		}
		c, err := Compare(a, b)
		if err != nil {
			t.Fatal(err)
		}
		if c.Low <= mean && mean <= c.High {
			covered++
		}
		if (c.P < 0.05) != (c.Low > 0 || c.High < 0) {
			t.Errorf("p is %v for the interval %v to %v", c.P, c.Low, c.High)
		}
		if c.P < 0.05 {
			rejected++
		}
	}
	if share := float64(covered) / experiments; math.Abs(share-0.95) > 3*math.Sqrt(0.95*0.05/experiments) {
		t.Errorf("%v of the intervals cover the mean", share)
	}
	if rejected == 0 || rejected == experiments {
		t.Errorf("%d of %d differences found", rejected, experiments)
	}
}

// C(n, ≤k)·2^(1−n), by hand.
func TestSignTestIsExact(t *testing.T) {
	for _, c := range []struct {
		wins, losses int
		want         float64
	}{
		{0, 0, 1}, {1, 0, 1}, {3, 3, 1}, {4, 3, 1},
		{5, 0, 0x1p-4},
		{1, 5, 2 * 7. / 64},
		{50, 0, 0x1p-49},
		{1000, 0, 0x1p-999},
		{1100, 0, 0}, // 2^−1099 is below the smallest number
		{2, 60, 2 * (1 + 62 + 62*61/2) * 0x1p-62},
	} {
		if got := signP(c.wins, c.losses); got != c.want {
			t.Errorf("%d to %d: %v, want %v", c.wins, c.losses, got, c.want)
		}
	}
}

func TestCompareOfEqualDifferences(t *testing.T) {
	c, err := Compare([]float64{3, 2, 1}, []float64{2, 1, 0})
	if want := (Comparison{Mean: 1, Low: 1, High: 1, Wins: 3, SignP: 0.25}); err != nil || *c != want {
		t.Errorf("%+v, %v, want %+v", c, err, want)
	}
	c, err = Compare([]float64{3, 2, 1}, []float64{3, 2, 1})
	if want := (Comparison{P: 1, Ties: 3, SignP: 1}); err != nil || *c != want {
		t.Errorf("%+v, %v, want %+v", c, err, want)
	}
}

func TestCompareNamesBadInput(t *testing.T) {
	two := []float64{1, 2}
	for _, c := range []struct {
		name string
		a, b []float64
		opts []CompareOption
		want error
	}{
		{"lengths", two, []float64{1}, nil, ErrShape},
		{"none", nil, nil, nil, ErrEmpty},
		{"one", []float64{1}, []float64{2}, nil, ErrEmpty},
		{"NaN", two, []float64{1, math.NaN()}, nil, ErrNotFinite},
		{"infinity", []float64{1, math.Inf(1)}, two, nil, ErrNotFinite},
		{"a difference overflows", []float64{1e308, 0}, []float64{-1e308, 0}, nil, ErrNotFinite},
		{"a square overflows", []float64{1e200, 0}, []float64{-1e200, 0}, nil, ErrNotFinite},
		{"level 0", two, two, []CompareOption{WithLevel(0)}, ErrParameter},
		{"level 1", two, two, []CompareOption{WithLevel(1)}, ErrParameter},
		{"level NaN", two, two, []CompareOption{WithLevel(math.NaN())}, ErrParameter},
		{"no training nodes", two, two, []CompareOption{WithCorrection(0, 5)}, ErrParameter},
		{"no test nodes", two, two, []CompareOption{WithCorrection(5, 0)}, ErrParameter},
	} {
		if _, err := Compare(c.a, c.b, c.opts...); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
		}
	}
	if _, err := SignTest(two, two[:1]); !errors.Is(err, ErrShape) {
		t.Errorf("lengths: error %v", err)
	}
}
