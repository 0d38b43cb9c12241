package measures

import (
	"math"
	"testing"

	"coles/internal/testkit"
)

// comparisonCase is one of testdata/rankings.py; its head describes the fields.
type comparisonCase struct {
	A, B        []float64
	Level       float64
	Train, Test int
	T, P        *float64
	Half, Wide  float64
}

func TestComparisonsEqualSciPy(t *testing.T) {
	cases := testkit.OpenCases[rankingCases](t, "testdata/rankings")
	testkit.WantSame(t, "cases", len(cases.Comparisons), 1000)
	for i, c := range cases.Comparisons {
		is := testkit.Comparer{T: t, Index: i}
		a, b := testkit.Divided(c.A, cases.Unit), testkit.Divided(c.B, cases.Unit)
		plain := testkit.Must(PairedTest{Level: c.Level}.Compare(a, b))
		if c.T != nil {
			is.Equal("statistic", plain.Mean/plain.Std*math.Sqrt(float64(len(a))), *c.T, 0, nil)
			is.Equal("p", plain.P, *c.P, 0, nil)
		}
		is.Equal("half width", (plain.High-plain.Low)/2, c.Half, math.Abs(plain.Mean), nil)
		is.Equal("middle", (plain.High+plain.Low)/2, plain.Mean, c.Half, nil)
		corrected := testkit.Must(PairedTest{c.Level, c.Train, c.Test}.Compare(a, b))
		is.Equal("corrected half width", (corrected.High-corrected.Low)/2, c.Wide, math.Abs(plain.Mean), nil)
		if corrected.P < plain.P {
			t.Errorf("case %d: the correction lowers p from %v to %v", i, plain.P, corrected.P)
		}
	}
}

func TestCompareOfEqualDifferences(t *testing.T) {
	for _, c := range []struct {
		b    []float64
		want Comparison
	}{
		{[]float64{2, 1, 0}, Comparison{Mean: 1, Low: 1, High: 1, Wins: 3}},
		{[]float64{3, 2, 1}, Comparison{P: 1, Ties: 3}},
		{[]float64{4, 3, 2}, Comparison{Mean: -1, Low: -1, High: -1, Losses: 3}},
	} {
		testkit.WantSame(t, "the comparison", *testkit.Must(PairedTest{}.Compare([]float64{3, 2, 1}, c.b)), c.want)
	}
}

func TestResultsPrintPercent(t *testing.T) {
	c := Comparison{Mean: 0.021, Low: -0.012, High: 0.03, P: 0.00134, Wins: 40, Losses: 8, Ties: 2}
	testkit.WantSame(t, "a comparison", c.String(), "+2.1 points (-1.2 to 3.0), p = 0.0013, 40 wins, 8 losses, 2 ties")
}
