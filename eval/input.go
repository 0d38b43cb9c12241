package eval

import (
	"context"
	"errors"
	"fmt"
	"math"

	"coles"
	"coles/internal/eigen"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Most errors of this package are errors of package coles. These two are its own.
var (
	// ErrSplit: training rows of a single class, or rows that are trained and tested on, or tested
	// twice.
	ErrSplit = errors.New("bad split")
	// ErrConvergence: the features of a logistic regression are too large for float64.
	ErrConvergence = errors.New("no convergence")
)

// read checks a matrix from outside, which has to have rows and columns.
func read(ctx context.Context, x mat.Matrix) (*matrix.Matrix[float64], error) {
	s, err := readSource(ctx, x)
	if err != nil {
		return nil, err
	}
	return matrix.As[float64](ctx, s)
}

func readSource(ctx context.Context, x mat.Matrix) (*matrix.Source, error) {
	s, err := matrix.Read(ctx, x)
	if err != nil {
		return nil, err
	}
	if s.Rows() == 0 || s.Cols() == 0 {
		return nil, fmt.Errorf("%w: the matrix is %d × %d", coles.ErrShape, s.Rows(), s.Cols())
	}
	return s, nil
}

// readTame is [read] for a matrix whose squares are summed: of x times a power of two, scale, if
// they would vanish or overflow.
func readTame(ctx context.Context, x mat.Matrix) (f *matrix.Matrix[float64], scale float64, err error) {
	s, err := readSource(ctx, x)
	if err != nil {
		return nil, 0, err
	}
	largest, err := s.Largest(ctx)
	if err != nil {
		return nil, 0, err
	}
	scale = 1
	if largest != 0 && (largest < 1e-100 || largest > 1e100) {
		scale = math.Ldexp(1, -max(math.Ilogb(largest), -1000))
		s = s.Changed(false, func(_ []int32, vals []float64) { matrix.Scale(vals, scale) })
	}
	f, err = matrix.As[float64](ctx, s)
	return f, scale, err
}

// meanRow returns the mean of the rows.
func meanRow(ctx context.Context, f *matrix.Matrix[float64]) ([]float64, error) {
	mean, err := parallel.Sum(ctx, f.Rows(), f.Cols(), func(sum []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			f.AddRow(sum, i, 1)
		}
	})
	matrix.Scale(mean, 1/float64(f.Rows()))
	return mean, err
}

// centred returns the rows [lo, hi) less the mean, dense. To subtract it from a product of the rows
// instead would lose the digits that a large mean takes up.
func centred(ctx context.Context, f *matrix.Matrix[float64], lo, hi int, mean []float64) (kernel.Matrix[float64], error) {
	block := kernel.Dense[float64](hi-lo, f.Cols())
	return block, parallel.Ranges(ctx, hi-lo, 64, func(first, last int) {
		for i := first; i < last; i++ {
			row := block.Row(i)
			f.AddRow(row, lo+i, 1)
			matrix.AddScaled(row, -1, mean)
		}
	})
}

// eigenError names the errors of package eigen about what.
func eigenError(what string, err error) error {
	var stopped *eigen.ConvergenceError
	switch {
	case errors.Is(err, eigen.ErrNotFinite):
		return fmt.Errorf("%w: %s overflows", coles.ErrNotFinite, what)
	case errors.As(err, &stopped):
		return fmt.Errorf("%s: %w", what, &coles.ConvergenceError{Wanted: stopped.Wanted, Converged: stopped.Converged, Residual: stopped.Residual})
	}
	return fmt.Errorf("%s: %w", what, err)
}

// count is the number of rows meant by rows, where nil means all n.
func count(rows []int, n int) int {
	if rows == nil {
		return n
	}
	return len(rows)
}

// checkRows reports the first of rows that is none of n.
func checkRows(rows []int, n int, whose string) error {
	for q, i := range rows {
		if i < 0 || i >= n {
			return fmt.Errorf("%w: %s row %d is %d, the matrix has %d rows", coles.ErrIndex, whose, q, i, n)
		}
	}
	return nil
}

// checkLabels reports the first of the rows, nil meaning all, whose label is negative.
func checkLabels(rows, labels []int) error {
	for q := range count(rows, len(labels)) {
		i := q
		if rows != nil {
			i = rows[q]
		}
		if labels[i] < 0 {
			return fmt.Errorf("%w: row %d has the label %d", coles.ErrIndex, i, labels[i])
		}
	}
	return nil
}

func dot(x, y []float64) float64 { return blas64.Dot(vector(x), vector(y)) }

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }
