package table

import (
	"fmt"
	"math"
	"slices"

	"coles"

	"gonum.org/v1/gonum/stat"
)

// A Scale makes numbers comparable: (y − Mean)/Deviation, with y = x/Unit, or a logarithm.
type Scale struct {
	// Log is set if y = log(x/Unit), or log(1 + x/Unit) where Least is 0; x below Least counts as Least.
	Log bool `json:"log,omitempty"`
	// Unit is the largest size among the numbers or, with Log, the smallest number above 0. Least is the smallest.
	Unit  float64 `json:"unit"`
	Least float64 `json:"least"`
	// Mean is 0 where most numbers are 0, and Deviation the root of the mean square about it.
	Mean      float64 `json:"mean"`
	Deviation float64 `json:"deviation"`
}

// scaleOf is the scale of numbers, nil if they are all the same, and how many different ones there are.
func scaleOf(x []float64, mayLog bool) (values int, s *Scale) {
	x = slices.Sorted(slices.Values(x))
	if values = len(slices.Compact(slices.Clone(x))); values < 2 {
		return values, nil
	}
	least, largest := x[0], x[len(x)-1]
	s = &Scale{Unit: max(-least, largest), Least: least}
	skew := s.fit(x)
	if above := slices.IndexFunc(x, func(v float64) bool { return v > 0 }); mayLog && least >= 0 {
		log := &Scale{Log: true, Unit: x[above], Least: least}
		const decades = 100 // two of them
		if logSkew := log.fit(x); largest/log.Unit >= decades && math.Abs(logSkew) < math.Abs(skew) {
			s = log
		}
	}
	if s.Deviation == 0 { // they differ by rounding
		return values, nil
	}
	return values, s
}

// fit sets mean and deviation, and returns the skewness, of y.
func (s *Scale) fit(x []float64) (skew float64) {
	y, zeros := make([]float64, len(x)), 0
	for i, v := range x {
		if y[i] = s.y(v); v == 0 {
			zeros++
		}
	}
	s.Mean, s.Deviation = stat.PopMeanStdDev(y, nil)
	if 2*zeros > len(x) {
		s.Mean, s.Deviation = 0, math.Hypot(s.Mean, s.Deviation)
	}
	return stat.Skew(y, nil)
}

// y is a number in its unit, or its logarithm.
func (s *Scale) y(x float64) float64 {
	if !s.Log {
		return x / s.Unit
	}
	log := math.Log(max(x, s.Least)) - math.Log(s.Unit) // whose quotient may overflow
	if s.Least > 0 || log > 40 {                        // where 1 is negligible
		return log
	}
	return math.Log1p(math.Exp(log))
}

// of is a number, scaled. It may be beyond float64 for a number that was not there to learn from.
func (s *Scale) of(x float64) (float64, error) {
	y := (s.y(x) - s.Mean) / s.Deviation
	if y-y != 0 {
		return 0, fmt.Errorf("far beyond the numbers learned from, of deviation %.3g: %w", s.Deviation*s.Unit, coles.ErrNotFinite)
	}
	return y, nil
}
