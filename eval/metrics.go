package eval

import (
	"fmt"

	"coles"
	"coles/internal/matrix"

	"gonum.org/v1/gonum/stat"
)

// Measurements are one measure, a share from 0 to 1, of each of several runs or splits.
type Measurements struct {
	Each []float64 // in their order
	Mean float64   // of Each
	Std  float64   // population standard deviation, as NumPy's
}

// String gives mean and deviation in percent, such as "82.9 ± 1.0 %".
func (m Measurements) String() string { return fmt.Sprintf("%.1f ± %.1f %%", 100*m.Mean, 100*m.Std) }

func measure(each []float64) (*Measurements, error) {
	if len(each) == 0 {
		return nil, fmt.Errorf("%w: no values to average", coles.ErrShape)
	}
	mean, std := stat.PopMeanStdDev(each, nil)
	if !matrix.Finite(std) { // a NaN in each is one here
		return nil, fmt.Errorf("%w: the mean or deviation of %d values", coles.ErrNotFinite, len(each))
	}
	return &Measurements{each, mean, std}, nil
}

// Accuracy is the share of positions, 0 to 1, at which predicted and actual agree.
//
// Errors: [coles.ErrShape] if their lengths differ or there is nothing to compare.
func Accuracy(predicted, actual []int) (float64, error) {
	if len(predicted) != len(actual) {
		return 0, fmt.Errorf("%w: %d predictions for %d labels", coles.ErrShape, len(predicted), len(actual))
	}
	if len(actual) == 0 {
		return 0, fmt.Errorf("%w: no predictions to compare", coles.ErrShape)
	}
	right := 0
	for i, p := range predicted {
		if p == actual[i] {
			right++
		}
	}
	return float64(right) / float64(len(actual)), nil
}
