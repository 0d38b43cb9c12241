package eval

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Comparison is the outcome of [Compare], in the units of what was compared.
type Comparison struct {
	Mean      float64 // of the differences a − b
	Std       float64 // sample standard deviation of the differences, n − 1 in the denominator
	Low, High float64 // confidence interval of the mean difference
	P         float64 // two-sided, of the t statistic if the mean difference were 0

	Wins, Losses, Ties int     // splits where a is larger, smaller, equal
	SignP              float64 // of [SignTest]
}

// A CompareOption changes the interval of [Compare]; a nil one changes nothing.
type CompareOption func(*compareOptions)

type compareOptions struct {
	level       float64
	corrected   bool
	train, test int
}

// WithLevel sets the confidence level, between 0 and 1. Without it, it is 0.95.
func WithLevel(level float64) CompareOption {
	return func(o *compareOptions) { o.level = level }
}

// WithCorrection widens the interval for splits that overlap: the corrected
// resampled t of Nadeau and Bengio (2003), with test/train in the variance for
// splits of so many training and test nodes.
func WithCorrection(train, test int) CompareOption {
	return func(o *compareOptions) { o.corrected, o.train, o.test = true, train, test }
}

// Compare compares two methods measured on the same n splits, a[i] and b[i] on
// split i, by their differences: of mean m and standard deviation s, with the interval
//
//	m ± t·s·√v,  v = 1/n, or 1/n + test/train with [WithCorrection],
//
// where t is the quantile of Student's distribution of n − 1 degrees of freedom.
//
// The default, Student's, holds for what tables of few labels state: the mean
// difference over all splits of this graph, from which these are drawn
// independently. It does not count that the splits share one graph, and so says
// nothing of other graphs. The correction does: it takes test/(train + test) for
// the correlation of two splits. It suits splits that train on most of the
// nodes. With 20 labels a class on Pubmed, test/train is above 300, and it tells
// hardly any two methods apart.
//
// The sign test asks no more of the differences than that they are independent.
//
// Errors: [ErrShape] for different lengths, [ErrEmpty] for fewer than two splits,
// [ErrNotFinite], and [ErrParameter] for a level outside (0, 1) or a correction
// for sizes below 1.
func Compare(a, b []float64, opts ...CompareOption) (*Comparison, error) {
	o := compareOptions{level: 0.95}
	for _, opt := range opts {
		if opt != nil {
			opt(&o)
		}
	}
	difference, err := differences(a, b)
	if err != nil {
		return nil, err
	}
	if len(difference) < 2 {
		return nil, fmt.Errorf("%w: a single split has no deviation", ErrEmpty)
	}
	variance, err := o.variance(len(difference))
	if err != nil {
		return nil, err
	}
	c := new(Comparison)
	c.Mean, c.Std = stat.MeanStdDev(difference, nil)
	if math.IsInf(c.Mean, 0) || math.IsInf(c.Std, 0) || math.IsNaN(c.Std) {
		return nil, fmt.Errorf("%w: the deviation of the differences overflows", ErrNotFinite)
	}
	student := distuv.StudentsT{Sigma: 1, Nu: float64(len(difference) - 1)}
	scale := c.Std * math.Sqrt(variance)
	// The lower tail, of which the quantile keeps all digits.
	reach := -student.Quantile((1-o.level)/2) * scale
	c.Low, c.High = c.Mean-reach, c.Mean+reach
	switch {
	case scale > 0:
		c.P = 2 * student.CDF(-math.Abs(c.Mean)/scale)
	case c.Mean == 0:
		c.P = 1
	}
	c.Wins, c.Losses, c.Ties = signs(difference)
	c.SignP = signP(c.Wins, c.Losses)
	return c, nil
}

// variance is that of the mean difference, in the variance of one.
func (o compareOptions) variance(n int) (float64, error) {
	if !(o.level > 0 && o.level < 1) {
		return 0, fmt.Errorf("%w: a confidence level of %v", ErrParameter, o.level)
	}
	v := 1 / float64(n)
	if o.corrected {
		if o.train < 1 || o.test < 1 {
			return 0, fmt.Errorf("%w: a correction for %d training and %d test nodes", ErrParameter, o.train, o.test)
		}
		v += float64(o.test) / float64(o.train)
	}
	return v, nil
}

// differences is a − b.
func differences(a, b []float64) ([]float64, error) {
	if len(a) != len(b) {
		return nil, fmt.Errorf("%w: %d and %d splits", ErrShape, len(a), len(b))
	}
	if err := checkSample(a); err != nil {
		return nil, fmt.Errorf("first method: %w", err)
	}
	if err := checkSample(b); err != nil {
		return nil, fmt.Errorf("second method: %w", err)
	}
	difference := make([]float64, len(a))
	for i := range a {
		difference[i] = a[i] - b[i]
	}
	return difference, checkSample(difference)
}
