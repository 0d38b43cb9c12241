package eval

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"coles"
	"coles/dataset"
	"coles/internal/given"
	"coles/learn"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Regress measures how well the rows of x (n × d) predict a number each, NaN where it is not known. For each split, a ridge
// regression learns from the rows of Train and predicts the rows of Test or, if that is nil, all others. R² is 1 − Σ(y −
// ŷ)²/Σ(y − mean of Train)², and error the mean absolute error in the unit of the values.
//
// Errors: as [learn.Fit], naming the split, [coles.ErrIndex], and [coles.ErrShape] for no splits or none to ask.
func (p Protocol) Regress(ctx context.Context, x mat.Matrix, values []float64, splits []dataset.Split) (r2, absolute *Measurements, err error) {
	return p.overSplits(ctx, "regress", splits, func(ctx context.Context, split dataset.Split) (r2, absolute float64, err error) {
		return regressSplit(ctx, x, values, split)
	})
}

func regressSplit(ctx context.Context, x mat.Matrix, values []float64, split dataset.Split) (r2, absolute float64, err error) {
	n := len(values)
	if err := cmp.Or(given.CheckRows(split.Train, n, "training"), given.CheckRows(split.Test, n, "test")); err != nil {
		return 0, 0, err
	}
	known, mean := slices.Repeat([]float64{math.NaN()}, n), []float64{}
	for _, i := range split.Train {
		if known[i] = values[i]; values[i] == values[i] {
			mean = append(mean, values[i])
		}
	}
	r, err := learn.Fit(ctx, nil, x, learn.Labels{Values: known}, learn.Options{})
	if err != nil {
		return 0, 0, err
	}
	test := slices.DeleteFunc(slices.Clone(split.TestNodes(n)), func(i int) bool { return math.IsNaN(values[i]) })
	if len(test) == 0 {
		return 0, 0, fmt.Errorf("%w: no row with a value to test on", coles.ErrShape)
	}
	found, err := r.Predict(ctx, nil, x, learn.Labels{}, test)
	if err != nil {
		return 0, 0, err
	}
	squares, all := 0.0, 0.0
	for q, i := range test {
		squares += (values[i] - found[q].Value) * (values[i] - found[q].Value)
		all += (values[i] - stat.Mean(mean, nil)) * (values[i] - stat.Mean(mean, nil))
		absolute += math.Abs(values[i]-found[q].Value) / float64(len(test))
	}
	return 1 - squares/all, absolute, nil
}
