// Package given checks what public functions are given: matrices, rows and labels. It holds, too, the sums over rows that
// several packages take.
package given

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

// Read checks a matrix from outside, which has to have rows and columns.
func Read(ctx context.Context, x mat.Matrix) (*matrix.Matrix[float64], error) {
	s, err := ReadSource(ctx, x)
	if err != nil {
		return nil, err
	}
	return matrix.As[float64](ctx, s)
}

func ReadSource(ctx context.Context, x mat.Matrix) (*matrix.Source, error) {
	s, err := matrix.Read(ctx, x)
	if err != nil {
		return nil, err
	}
	if s.Rows() == 0 || s.Cols() == 0 {
		return nil, fmt.Errorf("%w: the matrix is %d × %d", coles.ErrShape, s.Rows(), s.Cols())
	}
	return s, nil
}

// MostSquared is the largest number of which more squares can be added than memory holds, and its inverse the least whose
// square has all its digits.
const MostSquared = 1e150

// ReadTame is [Read] for a matrix whose squares are summed: of x times a power of two, scale, if
// they would vanish or overflow.
func ReadTame(ctx context.Context, x mat.Matrix) (f *matrix.Matrix[float64], scale float64, err error) {
	s, err := ReadSource(ctx, x)
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

// MeanRow returns the mean of the rows.
func MeanRow(ctx context.Context, f *matrix.Matrix[float64]) ([]float64, error) {
	mean, err := parallel.Sum(ctx, f.Rows(), f.Cols(), func(sum []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			f.AddRow(sum, i, 1)
		}
	})
	matrix.Scale(mean, 1/float64(f.Rows()))
	return mean, err
}

// Centred returns the rows [lo, hi) less the mean, dense. To subtract it from a product of the rows
// instead would lose the digits that a large mean takes up.
func Centred(ctx context.Context, f *matrix.Matrix[float64], lo, hi int, mean []float64) (kernel.Matrix[float64], error) {
	block := kernel.Dense[float64](hi-lo, f.Cols())
	return block, parallel.Ranges(ctx, hi-lo, 64, func(first, last int) {
		for i := first; i < last; i++ {
			row := block.Row(i)
			f.AddRow(row, lo+i, 1)
			matrix.AddScaled(row, -1, mean)
		}
	})
}

// EigenError names the errors of package eigen about what.
func EigenError(what string, err error) error {
	var stopped *eigen.ConvergenceError
	switch {
	case errors.Is(err, eigen.ErrNotFinite):
		return fmt.Errorf("%w: %s overflows", coles.ErrNotFinite, what)
	case errors.As(err, &stopped):
		return fmt.Errorf("%s: %w", what, &coles.ConvergenceError{Wanted: stopped.Wanted, Converged: stopped.Converged, Residual: stopped.Residual})
	}
	return fmt.Errorf("%s: %w", what, err)
}

// Count is the number of rows meant by rows, where nil means all n.
func Count(rows []int, n int) int {
	if rows == nil {
		return n
	}
	return len(rows)
}

// CheckRows reports the first of rows that is none of n.
func CheckRows(rows []int, n int, whose string) error {
	for q, i := range rows {
		if i < 0 || i >= n {
			return fmt.Errorf("%w: %s row %d is %d, the matrix has %d rows", coles.ErrIndex, whose, q, i, n)
		}
	}
	return nil
}

// CheckLabels reports the first of the rows, nil meaning all, whose label is negative.
func CheckLabels(rows, labels []int) error {
	for q := range Count(rows, len(labels)) {
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

func Dot(x, y []float64) float64 { return blas64.Dot(vector(x), vector(y)) }

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }

// CheckEdges wants a graph with edges.
func CheckEdges(g *coles.Graph) error {
	if g.Report().Edges == 0 {
		return fmt.Errorf("%w: a graph of %d nodes without edges", coles.ErrShape, g.Nodes())
	}
	return nil
}
