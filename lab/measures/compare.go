package measures

import (
	"cmp"
	"fmt"
	"math"

	"coles"
	"coles/internal/matrix"
	"coles/internal/setting"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Comparison is the outcome of [PairedTest.Compare], in the units of what was compared.
type Comparison struct {
	Mean      float64 // of the differences a − b
	Std       float64 // sample standard deviation of the differences, n − 1 in the denominator
	Low, High float64 // confidence interval of the mean difference
	P         float64 // two-sided, of the t statistic if the mean difference were 0

	Wins, Losses, Ties int // splits where a is larger, smaller, equal
}

// String gives the difference of two shares, with its interval, in percentage points, such as "+2.1
// points (1.2 to 3.0), p = 0.0013, 40 wins, 8 losses, 2 ties".
func (c Comparison) String() string {
	return fmt.Sprintf("%+.1f points (%.1f to %.1f), p = %.2g, %d wins, %d losses, %d ties",
		100*c.Mean, 100*c.Low, 100*c.High, c.P, c.Wins, c.Losses, c.Ties)
}

// PairedTest compares two methods by their differences on the same splits. The zero value is
// Student's t at the level 0.95.
type PairedTest struct {
	Level float64 // of the confidence interval, between 0 and 1; zero means 0.95

	// Train and Test, if not zero, widen the interval for splits that overlap: the corrected
	// resampled t of Nadeau and Bengio (2003) for splits of that many training and test nodes.
	Train, Test int
}

// Compare compares two methods measured on the same n splits, a[i] and b[i] on split i, by their
// differences: of mean m and standard deviation s, with the interval
//
//	m ± t·s·√v,  v = 1/n, or 1/n + Test/Train where these are given,
//
// where t is the quantile of Student's distribution of n − 1 degrees of freedom.
//
// Without Train and Test it holds for what tables of few labels state: the mean difference over all
// splits of this graph, from which these are drawn independently. It does not extend to other graphs.
// The correction does: it takes Test/(Train + Test) for the correlation of two splits. It suits
// splits that train on most of the nodes. With 20 labels a class on Pubmed, Test/Train is above
// 300, and it separates hardly any two methods.
//
// Errors: [coles.ErrShape] for different lengths or fewer than two splits, [coles.ErrNotFinite],
// and [coles.ErrSetting] for a level outside (0, 1), or for Train or Test below 1 unless both are
// 0.
func (p PairedTest) Compare(a, b []float64) (*Comparison, error) {
	p.Level = cmp.Or(p.Level, 0.95)
	difference, err := differences(a, b)
	if err != nil {
		return nil, err
	}
	variance, err := p.variance(len(difference))
	if err != nil {
		return nil, err
	}
	c := new(Comparison)
	c.Mean, c.Std = stat.MeanStdDev(difference, nil)
	if !matrix.Finite(c.Mean) || !matrix.Finite(c.Std) {
		return nil, fmt.Errorf("%w: the deviation of the differences overflows", coles.ErrNotFinite)
	}
	student := distuv.StudentsT{Sigma: 1, Nu: float64(len(difference) - 1)}
	scale := c.Std * math.Sqrt(variance)
	// The lower tail, of which the quantile keeps all digits.
	reach := -student.Quantile((1-p.Level)/2) * scale
	c.Low, c.High = c.Mean-reach, c.Mean+reach
	switch {
	case scale > 0:
		c.P = 2 * student.CDF(-math.Abs(c.Mean)/scale)
	case c.Mean == 0:
		c.P = 1
	}
	for _, d := range difference {
		switch {
		case d > 0:
			c.Wins++
		case d < 0:
			c.Losses++
		default:
			c.Ties++
		}
	}
	return c, nil
}

// variance is the variance of the mean difference, in units of one difference's.
func (p PairedTest) variance(n int) (float64, error) {
	if !(p.Level > 0 && p.Level < 1) {
		return 0, setting.Bad("Level", p.Level, "more than 0 and less than 1")
	}
	v := 1 / float64(n)
	if p.Train == 0 && p.Test == 0 {
		return v, nil
	}
	if p.Train < 1 || p.Test < 1 {
		return 0, setting.Bad("Train, Test", [2]int{p.Train, p.Test}, "at least 1 node each, or 0 for no correction")
	}
	return v + float64(p.Test)/float64(p.Train), nil
}

// differences returns a − b, of two splits at least.
func differences(a, b []float64) ([]float64, error) {
	if len(a) != len(b) || len(a) < 2 {
		return nil, fmt.Errorf("%w: %d and %d splits, not as many and two at least", coles.ErrShape, len(a), len(b))
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
