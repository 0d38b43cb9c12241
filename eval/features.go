package eval

import (
	"context"
	"fmt"
	"math"

	"coles/internal/input"
	"coles/internal/kernel"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// rowsAtOnce is how many rows are looked at between two looks at the context.
const rowsAtOnce = 512

// features is a matrix of features as the code here wants it: rows of a dense
// matrix or of a sparse one, never both, checked to be finite.
type features struct {
	rows, cols int
	dense      blas64.General
	sparse     *kernel.CSR // nil when dense
}

// newFeatures takes x without copying where it can: a *mat.Dense is used in
// place, a sparse matrix is rewritten as a checked CSR of 32-bit indices,
// anything else is copied to a dense matrix.
func newFeatures(ctx context.Context, x mat.Matrix) (*features, error) {
	m, err := input.Read(ctx, x)
	if err != nil {
		return nil, inputError(err)
	}
	if m.Rows == 0 || m.Cols == 0 {
		return nil, fmt.Errorf("%w: the matrix is %d × %d", ErrShape, m.Rows, m.Cols)
	}
	return &features{rows: m.Rows, cols: m.Cols, dense: m.Dense, sparse: m.Sparse}, nil
}

// row returns the values of row i, and their columns when sparse.
func (f *features) row(i int) (cols []int32, values []float64) {
	if f.sparse != nil {
		return f.sparse.Row(i)
	}
	return nil, f.dense.Data[i*f.dense.Stride : i*f.dense.Stride+f.cols]
}

// checkFinite reports the first entry that is not finite.
func (f *features) checkFinite(ctx context.Context) error {
	errs := make([]error, (f.rows+rowsAtOnce-1)/rowsAtOnce)
	err := parallel.Ranges(ctx, f.rows, rowsAtOnce, func(lo, hi int) {
		for i := lo; i < hi && errs[lo/rowsAtOnce] == nil; i++ {
			errs[lo/rowsAtOnce] = f.checkRow(i)
		}
	})
	if err != nil {
		return err
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *features) checkRow(i int) error {
	cols, values := f.row(i)
	for q, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			j := q
			if cols != nil {
				j = int(cols[q])
			}
			return fmt.Errorf("%w: the entry at row %d, column %d is %v", ErrNotFinite, i, j, v)
		}
	}
	return nil
}

// checkRows reports the first of rows that f does not have.
func (f *features) checkRows(rows []int, whose string) error {
	for q, i := range rows {
		if i < 0 || i >= f.rows {
			return fmt.Errorf("%w: %s row %d is %d, the matrix has %d rows", ErrRow, whose, q, i, f.rows)
		}
	}
	return nil
}
