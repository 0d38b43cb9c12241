package table

import (
	"fmt"
	"math"
	"slices"

	"coles"
	filed "coles/internal/text"

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

// A Centre makes vectors comparable with numbers: (x − Mean)/Unit, Unit being the root mean square of ‖x − Mean‖, so
// that a vector has the energy of one number. coles.PrepareAuto finds its columns and gives it what it is worth.
type Centre struct {
	Mean []float64 `json:"mean"`
	Unit float64   `json:"unit"`
}

// vectors are the vectors of a column, one after the other, of one width.
type vectors struct {
	width  int
	values []float64
}

// add adds that of a cell.
func (v *vectors) add(cell string) error {
	x, err := filed.List(cell)
	switch {
	case err != nil:
		return err
	case v.values == nil:
		v.width = len(x)
	case len(x) != v.width:
		return fmt.Errorf("a vector of %d numbers, those before have %d: %w", len(x), v.width, coles.ErrShape)
	}
	v.values = append(v.values, x...)
	return nil
}

// centre is that of the vectors, nil if all are the same.
func (v *vectors) centre() (*Centre, error) {
	if v.width == 0 {
		return nil, nil
	}
	rows := float64(len(v.values) / v.width)
	c := &Centre{Mean: make([]float64, v.width)}
	for k, x := range v.values {
		c.Mean[k%v.width] += x / rows
	}
	for k, x := range v.values {
		c.Unit = math.Hypot(c.Unit, (x-c.Mean[k%v.width])/math.Sqrt(rows))
	}
	switch {
	case math.IsInf(c.Unit, 0):
		return nil, fmt.Errorf("vectors of such numbers: %w", coles.ErrNotFinite)
	case c.Unit == 0:
		return nil, nil
	}
	return c, nil
}

// append appends the features of a vector from the first on.
func (c *Centre) append(ind []int, data []float64, first int, cell string) ([]int, []float64, error) {
	x, err := filed.List(cell)
	if err == nil && len(x) != len(c.Mean) {
		err = fmt.Errorf("a vector of %d numbers, those learned from have %d: %w", len(x), len(c.Mean), coles.ErrShape)
	}
	if err != nil {
		return ind, data, err
	}
	for k, v := range x {
		y := (v - c.Mean[k]) / c.Unit
		if y-y != 0 {
			return ind, data, fmt.Errorf("number %d of the list is far beyond those learned from, of unit %.3g: %w", k+1, c.Unit, coles.ErrNotFinite)
		}
		ind, data = append(ind, first+k), append(data, y)
	}
	return ind, data, nil
}

// asIs makes a feature of a number without changing it. No learned scale does: if the largest size is 1 and most are 0, the
// mean square is below 1.
var asIs = Scale{Unit: 1, Deviation: 1}

// AsIs returns an encoder that leaves numbers as they are, in columns of these names: it tells a model which column is which.
// A hole is 0. A reader that knows the encoder replaces it by the column's mean, or by that of its file where means is nil.
//
// Errors: coles.ErrIDs for two columns of one name, coles.ErrShape for none, or for another number of means.
func AsIs(columns []string, means []float64) (*Encoder, error) {
	if means != nil && len(means) != len(columns) {
		return nil, fmt.Errorf("table: %d means of %d columns: %w", len(means), len(columns), coles.ErrShape)
	}
	variables := make([]Variable, len(columns))
	for j, name := range columns {
		variables[j] = Variable{Name: name, Kind: Number, Number: &asIs}
		if means != nil {
			variables[j].Fill = &means[j]
		}
	}
	return newEncoder(variables)
}

// AsIs reports whether the features are numbers as they are, see [AsIs]. It is false for nil.
func (e *Encoder) AsIs() bool {
	return e != nil && len(e.variables) > 0 && e.variables[0].Number != nil && e.Features() == len(e.variables) && *e.variables[0].Number == asIs
}
