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

	"gonum.org/v1/gonum/floats"
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

// numbersOf checks values, and decides by them whether logarithms are regressed.
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

// entries counts the entries of a dense row, as all rows are regressed as dense ones.
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
		return fmt.Errorf("%w: %d rows with a value, which takes three that are not alike", ErrSplit, len(y))
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

// near is the deviation from the mean of the values that neighbours pass on.
func (t *numbers) near(ctx context.Context, g *coles.Graph, rows []int) (kernel.Matrix[float64], error) {
	mean, known := stat.Mean(slices.DeleteFunc(slices.Clone(t.t), math.IsNaN), nil), slices.Clone(t.t)
	floats.AddConst(-mean, known)
	return passedOn(ctx, g, known, rows)
}

func (t *numbers) weigh(_ context.Context, of *trial, rows []int, _ Weights) (Weights, error) {
	return weighNumbers(rows, of.said, picked(t.t, of.rows)), nil
}

func (t *numbers) link([]float64) {}

// hit is the squared error with a minus sign.
func (t *numbers) hit(i int, row []float64) float64 { return -(row[0] - t.t[i]) * (row[0] - t.t[i]) }

// worth turns squared errors into R².
func (t *numbers) worth([]int) (start, total float64) {
	all := picked(t.t, t.labelled())
	return 1, stat.PopVariance(all, nil) * float64(len(all))
}

// ridge regresses the values, or their logarithms unless the values alone have the smaller error.
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

func (t *numbers) learn(ctx context.Context, f *matrix.Matrix[float64], how Options, _ parts) (*Predictor, error) {
	if how.Balanced {
		return nil, errBalanced
	}
	r, err := t.ridge(ctx, f)
	t.chosen = true
	return &Predictor{Ridge: r}, err
}

func (t *numbers) outside(ctx context.Context, f *matrix.Matrix[float64], _ float64, from, rows []int) (kernel.Matrix[float64], error) {
	var r Ridge
	if _, err := r.fit(ctx, f, from, picked(t.t, from)); err != nil {
		return kernel.Matrix[float64]{}, err
	}
	return r.linear().opinion(ctx, f, rows, true)
}

// measure sets margin and errors. The errors of the regression are of rows left out one at a time.
func (t *numbers) measure(p *Predictor, of *trial) error {
	p.Ridge.Found = RidgeErrors{}
	p.Ridge.measure(picked(t.values, of.rows), picked(t.t, of.rows), of.nested().Data)
	return nil
}
