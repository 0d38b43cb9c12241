package eval

import (
	"context"
	"fmt"
	"math"

	"coles/internal/kernel"

	"gonum.org/v1/gonum/mat"
)

// Ridge is the classifier that fits the classes by least squares: for each
// class it minimises
//
//	Σᵢ (yᵢ − w·xᵢ − b)² + α‖w‖²,  yᵢ = 1 in the class, −1 outside,
//
// with b free, and predicts the class of the largest score w·x + b. It is
// scikit-learn's RidgeClassifier.
type Ridge struct {
	Alpha float64 // weight of the penalty; zero means 1
}

// ridgeRows is how many rows are centred at a time.
const ridgeRows = 512

// Fit learns from the given rows of x (n × d) and their labels, under the
// rules of [LogisticRegression.Fit].
//
// It solves the normal equations of the centred rows by a Cholesky factor:
// with t rows, those of t unknowns if t < d and else those of d. Cost O(t·d·min(t, d))
// and memory O(d·(t + min(t, d))), for sparse x too, as rows that are centred are not
// sparse any more.
//
// Errors: [ErrParameter] for an α that is not a positive finite number,
// [ErrShape], [ErrCorrupt], [ErrNotFinite], [ErrRow], [ErrLabel], [ErrEmpty],
// [ErrOneClass], [ErrConvergence] when α is so small beside the rows that the
// equations are singular, and ctx.Err().
func (r Ridge) Fit(ctx context.Context, x mat.Matrix, rows []int, labels []int) (*LinearModel, error) {
	alpha := r.Alpha
	if alpha == 0 {
		alpha = 1
	}
	if !(alpha > 0) || math.IsInf(alpha, 0) {
		return nil, fmt.Errorf("%w: alpha is %v, want a positive number", ErrParameter, alpha)
	}
	f, err := newFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	if err := checkTraining(f, rows, labels); err != nil {
		return nil, err
	}
	return fitRidge(ctx, f, rows, labels, alpha)
}

func fitRidge(ctx context.Context, f *features, rows, labels []int, alpha float64) (*LinearModel, error) {
	m := newModel(rows, labels, f.cols)
	x := f.gather(rows)
	centre, err := x.mean(ctx)
	if err != nil {
		return nil, err
	}
	targets, offset := m.targets(rows, labels)
	solve := ridgeOfColumns
	if x.rows < x.cols {
		solve = ridgeOfRows
	}
	weights, err := solve(ctx, x, centre, targets, alpha) // d × problems
	if err != nil {
		return nil, err
	}
	for k := range m.Intercept {
		m.Intercept[k] = offset[k]
		for j := range f.cols {
			w := weights.Data[j*weights.Stride+k]
			m.Coef.Set(k, j, w)
			m.Intercept[k] -= w * centre[j]
		}
		if math.IsNaN(m.Intercept[k]) || math.IsInf(m.Intercept[k], 0) {
			return nil, fmt.Errorf("%w: the coefficients overflow", ErrNotFinite)
		}
	}
	return m, nil
}

// ridgeOfRows is Xᵀ(XXᵀ + αI)⁻¹Y for the centred X.
func ridgeOfRows(ctx context.Context, f *features, centre []float64, y kernel.Matrix[float64], alpha float64) (kernel.Matrix[float64], error) {
	w := kernel.Dense[float64](f.cols, y.Cols)
	x, err := f.centred(ctx, 0, f.rows, centre)
	if err != nil {
		return w, err
	}
	gram := kernel.Dense[float64](x.Rows, x.Rows)
	if err := kernel.Gemm(ctx, false, true, 1, x, x, 0, gram); err != nil {
		return w, err
	}
	if err := solveRidge(ctx, gram, y, alpha); err != nil {
		return w, err
	}
	return w, kernel.Gemm(ctx, true, false, 1, x, y, 0, w)
}

// ridgeOfColumns is (XᵀX + αI)⁻¹XᵀY for the centred X.
func ridgeOfColumns(ctx context.Context, f *features, centre []float64, y kernel.Matrix[float64], alpha float64) (kernel.Matrix[float64], error) {
	w := kernel.Dense[float64](f.cols, y.Cols)
	gram := kernel.Dense[float64](f.cols, f.cols)
	for lo := 0; lo < f.rows; lo += ridgeRows {
		hi := min(lo+ridgeRows, f.rows)
		x, err := f.centred(ctx, lo, hi, centre)
		if err != nil {
			return w, err
		}
		if err := kernel.Gram(ctx, 1, x, x, gram); err != nil {
			return w, err
		}
		if err := kernel.Gemm(ctx, true, false, 1, x, kernel.Rows(y, lo, hi), 1, w); err != nil {
			return w, err
		}
	}
	return w, solveRidge(ctx, gram, w, alpha)
}

// solveRidge overwrites y by (gram + αI)⁻¹y, and gram.
func solveRidge(ctx context.Context, gram, y kernel.Matrix[float64], alpha float64) error {
	for i := range gram.Rows {
		d := &gram.Data[i*gram.Stride+i]
		*d += alpha
		if math.IsNaN(*d) || math.IsInf(*d, 0) {
			return fmt.Errorf("%w: the squares of the features overflow", ErrNotFinite)
		}
	}
	if err := cholesky(ctx, gram); err != nil {
		return err
	}
	return choleskySolve(ctx, gram, y)
}

// targets are ±1 for every row and problem, less their means, and the means.
func (m *LinearModel) targets(rows, labels []int) (y kernel.Matrix[float64], mean []float64) {
	y = kernel.Dense[float64](len(rows), len(m.Intercept))
	mean = make([]float64, y.Cols)
	for k := range mean {
		positive := 0
		for q, i := range rows {
			y.Data[q*y.Stride+k] = -1
			if labels[i] == m.positive(k) {
				y.Data[q*y.Stride+k] = 1
				positive++
			}
		}
		mean[k] = float64(2*positive-len(rows)) / float64(len(rows))
		for q := range rows {
			y.Data[q*y.Stride+k] -= mean[k]
		}
	}
	return y, mean
}
