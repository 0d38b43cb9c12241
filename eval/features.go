package eval

import (
	"context"
	"fmt"

	"coles/internal/input"
	"coles/internal/kernel"

	"gonum.org/v1/gonum/mat"
)

// features is a matrix of features as the code here wants it: rows of a dense
// matrix or of a sparse one, never both, checked to be finite.
type features struct {
	rows, cols int
	dense      kernel.Matrix[float64]
	sparse     *kernel.CSR[float64] // nil when dense
}

// newFeatures takes x without copying where it can: a *mat.Dense is used in
// place, one of float32 is widened, a sparse matrix is rewritten as a checked CSR of 32-bit indices,
// anything else is copied to a dense matrix.
func newFeatures(ctx context.Context, x mat.Matrix) (*features, error) {
	if err := checkContext(ctx); err != nil {
		return nil, err
	}
	m, err := input.Read(ctx, x)
	if err != nil {
		return nil, inputError(err)
	}
	if m.Rows == 0 || m.Cols == 0 {
		return nil, fmt.Errorf("%w: the matrix is %d × %d", ErrShape, m.Rows, m.Cols)
	}
	f := &features{rows: m.Rows, cols: m.Cols, dense: m.Dense, sparse: m.Sparse}
	if m.Single != nil {
		f.dense = kernel.Dense[float64](m.Rows, m.Cols)
		err = kernel.Convert(ctx, f.dense, *m.Single)
	}
	return f, err
}

// row returns the values of row i, and their columns when sparse.
func (f *features) row(i int) (cols []int32, values []float64) {
	if f.sparse != nil {
		return f.sparse.Row(i)
	}
	return nil, f.dense.Data[i*f.dense.Stride : i*f.dense.Stride+f.cols]
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
