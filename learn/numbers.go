package learn

import (
	"context"
	"fmt"
	"math"
	"slices"

	"coles"
	"coles/internal/given"
	"coles/internal/kernel"
	"coles/internal/matrix"

	"gonum.org/v1/gonum/stat"
)

// numbers are a number for each row, NaN where it is unknown.
type numbers struct {
	values []float64
	scale  Ridge     // says what values are regressed as
	t      []float64 // that
	chosen bool      // the values or their logarithms, by a regression
}

// valueParts is the number of parts in which numbers are cross-validated.
const valueParts = 10

// numbersOf checks values, which say whether logarithms are regressed.
func numbersOf(values []float64) (*numbers, error) {
	t := &numbers{values: values}
	y := picked(values, t.labelled())
	for i, v := range values {
		if math.Abs(v) > given.MostSquared {
			return nil, fmt.Errorf("%w: value %v of row %d, whose square would overflow", coles.ErrNotFinite, v, i)
		}
	}
	t.regressed(len(y) > 0 && slices.Min(y) > 0 && slices.Max(y) >= decades*slices.Min(y))
	return t, nil
}

// regressed sets what is regressed: the values, or their logarithms.
func (t *numbers) regressed(log bool) {
	t.scale.Log, t.t = log, make([]float64, len(t.values))
	for i, v := range t.values {
		t.t[i] = t.scale.regressed(v)
	}
}

func (t *numbers) columns() int { return 1 }

// entries are those of dense rows, as which all are regressed.
func (t *numbers) entries(f *matrix.Matrix[float64]) int { return f.Cols() }

func (t *numbers) labelled() (rows []int) {
	for i, v := range t.values {
		if !math.IsNaN(v) {
			rows = append(rows, i)
		}
	}
	return rows
}

func (t *numbers) enough() error {
	y := picked(t.values, t.labelled())
	if len(y) < 3 || slices.Min(y) == slices.Max(y) {
		return fmt.Errorf("%w: %d rows with a value, which takes three that are not alike", coles.ErrShape, len(y))
	}
	return nil
}

func (t *numbers) without(rows []int) target {
	some := *t
	some.t = slices.Clone(t.t)
	for _, i := range rows {
		some.t[i] = math.NaN()
	}
	return &some
}

func (t *numbers) split(how Options) (parts, error) {
	return evenly(t.labelled(), valueParts, how.Seed), nil
}

// alphas are 0 alone without a graph.
func (t *numbers) alphas(g *coles.Graph) []float64 {
	if g == nil {
		return []float64{0}
	}
	return []float64{0, 0.5, 0.75, 0.9}
}

// near is the mean deviation of the values that reach a row, with one of none for all that reaches a node in the mean.
func (t *numbers) near(ctx context.Context, g *coles.Graph, rows []int) (kernel.Matrix[float64], error) {
	y := kernel.Dense[float64](len(t.t), 2)
	mean := stat.Mean(slices.DeleteFunc(slices.Clone(t.t), math.IsNaN), nil)
	for i, v := range t.t {
		if !math.IsNaN(v) {
			y.Row(i)[0], y.Row(i)[1] = v-mean, 1
		}
	}
	return surroundings(ctx, g, y, rows, func(f, to []float64, mass float64) {
		if mass > 0 {
			to[0] = f[0] / (f[1] + mass)
		}
	})
}

func (t *numbers) weigh(_ context.Context, of *trial, rows []int, o opinions, _ [3]float64) (weighed, error) {
	w, left := weighNumbers(rows, o, picked(t.t, of.rows))
	return weighed{Weights: w, loss: left}, nil
}

func (t *numbers) link([]float64) {}

// hit is less the squared error.
func (t *numbers) hit(i int, row []float64) float64 { return -(row[0] - t.t[i]) * (row[0] - t.t[i]) }

// worth makes R² of squared errors.
func (t *numbers) worth([]int) (start, total float64) {
	all := picked(t.t, t.labelled())
	return 1, stat.PopVariance(all, nil) * float64(len(all))
}

// ridge regresses the values, or their logarithms unless the error without these is smaller.
func (t *numbers) ridge(ctx context.Context, f *matrix.Matrix[float64]) (*Ridge, error) {
	if err := t.enough(); err != nil {
		return nil, err
	}
	rows := t.labelled()
	fit := func() (*Ridge, error) {
		r := &Ridge{Log: t.scale.Log}
		left, err := r.fit(ctx, f, rows, picked(t.t, rows))
		if err == nil {
			r.measure(picked(t.values, rows), picked(t.t, rows), left)
		}
		return r, err
	}
	r, err := fit()
	if err != nil || !r.Log || t.chosen {
		return r, err
	}
	t.regressed(false)
	plain, err := fit()
	if err == nil && plain.Found.Error < r.Found.Error {
		return plain, nil
	}
	t.regressed(true)
	return r, err
}

func (t *numbers) learn(ctx context.Context, f *matrix.Matrix[float64], how Options, _ parts) (r regression, err error) {
	if how.Balanced {
		return r, errBalanced
	}
	if r.Ridge, err = t.ridge(ctx, f); err != nil {
		return r, err
	}
	t.chosen = true
	r.outside = t.plain(f, 1)
	return r, nil
}

func (t *numbers) plain(f *matrix.Matrix[float64], _ float64) outsider {
	return func(ctx context.Context, g *coles.Graph, others target, _ int, from, rows []int) ([]kernel.Matrix[float64], error) {
		var part Ridge
		if _, err := part.fit(ctx, f, from, picked(t.t, from)); err != nil {
			return nil, err
		}
		return part.smoothed(ctx, g, f, others.(*numbers).t, t.alphas(g), rows)
	}
}

// measure sets margin and errors: those of the regression are of rows left out one at a time.
func (t *numbers) measure(p *Predictor, of *trial) error {
	p.Ridge.Found = RidgeErrors{}
	p.Ridge.measure(picked(t.values, of.rows), picked(t.t, of.rows), of.nested().Data)
	return nil
}
