package eval

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
)

// Accuracy is the share of positions, 0 to 1, at which predicted and actual
// agree. It returns [ErrShape] if their lengths differ and [ErrEmpty] if
// there is nothing to compare.
func Accuracy(predicted, actual []int) (float64, error) {
	if len(predicted) != len(actual) {
		return 0, fmt.Errorf("%w: %d predictions for %d labels", ErrShape, len(predicted), len(actual))
	}
	if len(actual) == 0 {
		return 0, fmt.Errorf("%w: no predictions to compare", ErrEmpty)
	}
	right := 0
	for i, p := range predicted {
		if p == actual[i] {
			right++
		}
	}
	return float64(right) / float64(len(actual)), nil
}

// MeanStd returns the mean of x and its population standard deviation, the
// square root of (1/n)Σ(xᵢ − mean)², which is NumPy's std and the paper's ±.
// It returns [ErrEmpty] for an empty x and
// [ErrNotFinite] for numbers that are none, or so large that a square overflows.
func MeanStd(x []float64) (mean, std float64, err error) {
	if len(x) == 0 {
		return 0, 0, fmt.Errorf("%w: no values to average", ErrEmpty)
	}
	mean, std = stat.PopMeanStdDev(x, nil)
	if math.IsNaN(std) || math.IsInf(std, 0) { // a NaN in x is one here
		return 0, 0, fmt.Errorf("%w: the mean or deviation of %d values", ErrNotFinite, len(x))
	}
	return mean, std, nil
}
