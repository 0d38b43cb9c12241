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

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// LearnSmoothedRidge fits a [Ridge] as [LearnRidge] does, and α of several candidates as
// [LogisticRegression.LearnSmoothed] does, by squared errors in ten parts, of logarithms with Log. Where α is not 0 Found
// and Margin are of these parts, each with the α of the others. Without a graph α is 0.
//
// Errors: as LearnRidge, [coles.ErrShape] unless there is a row for each node, and [coles.ErrSetting] for candidates
// outside [0, 1) or for Balanced.
func LearnSmoothedRidge(ctx context.Context, g *coles.Graph, x mat.Matrix, values []float64, how Smoothing) (*Ridge, error) {
	r, err := LearnRidge(ctx, x, values)
	if err != nil || g == nil {
		return r, err
	}
	f, err := given.Read(ctx, x)
	if err != nil {
		return nil, err
	}
	if how.Balanced {
		return nil, errBalanced
	}
	alphas, err := how.candidates(g, f.Rows(), 1)
	if err != nil {
		return nil, err
	}
	_, labelled, _, err := ridgeOf(values)
	if err != nil {
		return nil, err
	}
	parts := splitRows(labelled, valueParts, how.Seed)
	y, t := r.targets(values, parts.rows)
	held, hits, err := r.heldOut(ctx, g, f, values, alphas, parts)
	if err != nil {
		return nil, err
	}
	if r.Alpha = alphas[convincing(hits, parts.fold, -1)]; r.Alpha > 0 {
		left := make([]float64, len(t))
		for part := range parts.count {
			a := convincing(hits, parts.fold, part)
			for _, q := range parts.of(part) {
				left[q] = held[a][q]
			}
		}
		r.Found = RidgeErrors{}
		r.measure(y, t, left)
	}
	return r, nil
}

// valueParts is the number of parts in which numbers are cross-validated.
const valueParts = 10

// targets are the values of some rows, and what they are regressed as.
func (r *Ridge) targets(values []float64, rows []int) (y, t []float64) {
	for _, i := range rows {
		y, t = append(y, values[i]), append(t, r.regressed(values[i]))
	}
	return y, t
}

// heldOut is what each α says of the rows of each part, by the others, and less the squares of its errors.
func (r *Ridge) heldOut(ctx context.Context, g *coles.Graph, f *matrix.Matrix[float64], values, alphas []float64, parts setParts) (held, hits [][]float64, err error) {
	_, t := r.targets(values, parts.rows)
	for range alphas {
		held, hits = append(held, make([]float64, len(t))), append(hits, make([]float64, len(t)))
	}
	for part := range parts.count {
		known, one := slices.Clone(values), &Ridge{Log: r.Log}
		var rows []int
		var some []float64
		for q, i := range parts.rows {
			if parts.fold[q] == part {
				known[i] = math.NaN()
			} else {
				rows, some = append(rows, i), append(some, t[q])
			}
		}
		if _, err := one.fit(ctx, f, rows, some); err != nil {
			return nil, nil, err
		}
		for a := range alphas {
			one.Alpha = alphas[a]
			all, err := one.along(ctx, g, f, known)
			if err != nil {
				return nil, nil, err
			}
			for _, q := range parts.of(part) {
				held[a][q] = all[parts.rows[q]]
				hits[a][q] = -(held[a][q] - t[q]) * (held[a][q] - t[q])
			}
		}
	}
	return held, hits, nil
}

// Smooth is [Ridge.Predict] with values smoothed along the edges as the probabilities of a [Smoothed] model are, in the
// place of which stand the values, of logarithms with Log: those that are known, not NaN, are held.
//
// Errors: as Predict, and [coles.ErrShape] unless there are a row and a value for each node.
func (r *Ridge) Smooth(ctx context.Context, g *coles.Graph, x mat.Matrix, known []float64, rows []int) (values, low, high []float64, err error) {
	if r.Alpha == 0 || g == nil {
		return r.Predict(ctx, x, rows)
	}
	f, err := r.input(ctx, x, rows)
	if err != nil {
		return nil, nil, nil, err
	}
	if len(known) != f.Rows() {
		return nil, nil, nil, fmt.Errorf("%w: %d values for %d rows", coles.ErrShape, len(known), f.Rows())
	}
	if err := checkSmoothing(g, f.Rows(), []float64{r.Alpha}); err != nil {
		return nil, nil, nil, err
	}
	all, err := r.along(ctx, g, f, known)
	if err != nil {
		return nil, nil, nil, err
	}
	for q := range given.Count(rows, len(all)) {
		i := q
		if rows != nil {
			i = rows[q]
		}
		values, low, high = append(values, r.unit(all[i])), append(low, r.unit(all[i]-r.Margin)), append(high, r.unit(all[i]+r.Margin))
	}
	return values, low, high, nil
}

// along are the smoothed values of all rows, as they are regressed. They are smoothed in units of their deviation, of
// which a thousandth is small.
func (r *Ridge) along(ctx context.Context, g *coles.Graph, f *matrix.Matrix[float64], known []float64) ([]float64, error) {
	first := kernel.Unset[float64](f.Rows(), 1)
	for i := range first.Data {
		first.Data[i] = r.raw(f, i)
	}
	if r.Alpha == 0 {
		return first.Data, nil
	}
	unit := stat.PopStdDev(first.Data, nil)
	for _, v := range known {
		if !math.IsNaN(v) {
			unit = max(unit, math.Abs(r.regressed(v)-r.Intercept))
		}
	}
	matrix.Scale(first.Data, 1/unit)
	p, err := alongEdges(ctx, g, first, r.Alpha, func(i int, row []float64) {
		if !math.IsNaN(known[i]) {
			row[0] = r.regressed(known[i]) / unit
		}
	})
	if err != nil {
		return nil, err
	}
	matrix.Scale(p.Data, unit)
	return p.Data, nil
}
