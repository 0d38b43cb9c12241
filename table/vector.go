package table

import (
	"fmt"
	"math"

	"coles"
	filed "coles/internal/text"
)

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
