package eval

import (
	"math"
	"testing"
)

// sigma(s)/sigma(s') is e^(s−s′) for very negative scores, and Sep = tanh of half
// the logarithm of that ratio.
func TestSeparationHoldsForScoresOfAnySize(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct{ s, s2, want float64 }{
		{0, 0, 0},
		{3, 3, 0},
		{math.Log(3), 0, 0.2}, // σ = ¾ and ½
		{-800, -801, math.Tanh(0.5)},
		{-1e300, -1e300, 0},
		{800, -800, 1},
		{800, 801, 0},
		{30, 31, (1 - math.Exp(-1)) * math.Exp(-30) / 2}, // but for e^−60
		{-700, -700 - 1e-9, math.Tanh(0.5e-9)},
		{inf, 0, 1. / 3},
		{inf, inf, 0},
		{-inf, 0, 1},
		{-inf, -inf, 0},
		{1e308, -1e308, 1},
	} {
		for _, pair := range [][2]float64{{c.s, c.s2}, {c.s2, c.s}} {
			tol := 1e-13
			if c.s == -700 {
				tol = 1e-4 // the gap, not the formula: −700 − 1e-9 is rounded to 1e-13
			}
			if got := Separation(pair[0], pair[1]); !(math.Abs(got-c.want) <= tol*c.want) {
				t.Errorf("%v: %v, want %v", pair, got, c.want)
			}
		}
	}
	if got := Separation(math.NaN(), 1); !math.IsNaN(got) {
		t.Errorf("NaN gives %v", got)
	}
}
