package eval

import (
	"context"
	"fmt"
	"math"
	"slices"

	"coles/internal/kernel"
	"coles/internal/parallel"

	"github.com/james-bowman/sparse"
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
	f, err := convert(ctx, x)
	if err != nil {
		return nil, err
	}
	return f, f.checkFinite(ctx)
}

func convert(ctx context.Context, x mat.Matrix) (*features, error) {
	switch x := x.(type) {
	case nil:
		return nil, fmt.Errorf("%w: the matrix is nil", ErrShape)
	case *mat.Dense:
		if x == nil || x.IsEmpty() {
			return nil, fmt.Errorf("%w: the matrix is empty", ErrShape)
		}
		raw := x.RawMatrix()
		return &features{rows: raw.Rows, cols: raw.Cols, dense: raw}, nil
	case *sparse.CSR:
		if x == nil {
			return nil, fmt.Errorf("%w: the matrix is nil", ErrShape)
		}
		return fromCSR(ctx, x)
	case interface{ ToCSR() *sparse.CSR }:
		return fromCSR(ctx, x.ToCSR())
	}
	if r, c := x.Dims(); r == 0 || c == 0 {
		return nil, fmt.Errorf("%w: the matrix is %d × %d", ErrShape, r, c)
	}
	raw := mat.DenseCopyOf(x).RawMatrix()
	return &features{rows: raw.Rows, cols: raw.Cols, dense: raw}, nil
}

// fromCSR sorts the entries of every row by column and adds up entries that
// name the same place, which sparse.CSR allows and its At reads wrongly.
func fromCSR(ctx context.Context, x *sparse.CSR) (*features, error) {
	raw := x.RawMatrix()
	n, d := raw.I, raw.J
	if n <= 0 || d <= 0 || d > math.MaxInt32 {
		return nil, fmt.Errorf("%w: the sparse matrix is %d × %d", ErrShape, n, d)
	}
	if len(raw.Indptr) != n+1 || raw.Indptr[0] != 0 || len(raw.Ind) != len(raw.Data) {
		return nil, fmt.Errorf("%w: %d row pointers, %d columns and %d values for %d rows",
			ErrCorrupt, len(raw.Indptr), len(raw.Ind), len(raw.Data), n)
	}
	for i := range n {
		if raw.Indptr[i+1] < raw.Indptr[i] || raw.Indptr[i+1] > len(raw.Ind) {
			return nil, fmt.Errorf("%w: row %d ends at entry %d of %d, and begins at %d",
				ErrCorrupt, i, raw.Indptr[i+1], len(raw.Ind), raw.Indptr[i])
		}
	}
	nnz := raw.Indptr[n]
	a := &kernel.CSR{Rows: n, Cols: d, Ptr: make([]int64, n+1),
		Col: make([]int32, 0, nnz), Val: make([]float64, 0, nnz)}
	var order []int
	for i := range n {
		if i%rowsAtOnce == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		lo, hi := raw.Indptr[i], raw.Indptr[i+1]
		order = order[:0]
		for q := lo; q < hi; q++ {
			if j := raw.Ind[q]; j < 0 || j >= d {
				return nil, fmt.Errorf("%w: row %d has an entry in column %d of %d", ErrCorrupt, i, j, d)
			}
			order = append(order, q)
		}
		slices.SortStableFunc(order, func(p, q int) int { return raw.Ind[p] - raw.Ind[q] })
		first := len(a.Col)
		for _, q := range order {
			j := int32(raw.Ind[q])
			if last := len(a.Col) - 1; last >= first && a.Col[last] == j {
				a.Val[last] += raw.Data[q]
				continue
			}
			a.Col, a.Val = append(a.Col, j), append(a.Val, raw.Data[q])
		}
		a.Ptr[i+1] = int64(len(a.Col))
	}
	return &features{rows: n, cols: d, sparse: a}, nil
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
