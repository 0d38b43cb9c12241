package input

import (
	"cmp"
	"context"
	"math"
	"slices"

	"coles/internal/kernel"

	"github.com/james-bowman/sparse"
)

// CheckCSR verifies a sparse matrix: sparse.NewCSR checks nothing, and its own
// kernels read out of bounds on a bad index. Errors are an [*Error] or ctx's.
func CheckCSR(ctx context.Context, a *sparse.CSR) error {
	if a == nil {
		return wrong(Empty, "matrix is nil")
	}
	m := a.RawMatrix()
	if m.I < 0 || m.J < 0 || len(m.Indptr) != m.I+1 {
		return wrong(Shape, "%d row pointers for %d rows", len(m.Indptr), m.I)
	}
	if m.I > math.MaxInt32 || m.J > math.MaxInt32 {
		return wrong(TooLarge, "%d × %d, at most %d rows and columns", m.I, m.J, math.MaxInt32)
	}
	if m.Indptr[0] != 0 || m.Indptr[m.I] > len(m.Ind) || m.Indptr[m.I] > len(m.Data) {
		return wrong(Shape, "row pointers run from %d to %d over %d indices and %d values", m.Indptr[0], m.Indptr[m.I], len(m.Ind), len(m.Data))
	}
	for i := range m.I {
		if m.Indptr[i+1] < m.Indptr[i] {
			return wrong(Shape, "row pointers descend at row %d", i)
		}
	}
	for i := range m.I {
		if i%rowsAtOnce == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for q := m.Indptr[i]; q < m.Indptr[i+1]; q++ {
			if j := m.Ind[q]; j < 0 || j >= m.J {
				return wrong(Index, "column %d in row %d of a matrix with %d columns", j, i, m.J)
			}
			if v := m.Data[q]; math.IsNaN(v) || math.IsInf(v, 0) {
				return wrong(NotFinite, "%v at row %d, column %d", v, i, m.Ind[q])
			}
		}
	}
	return nil
}

// Compact copies a checked sparse matrix into the int32 form that the kernels
// read: columns ascending, entries at the same place joined by merge. It
// returns how many entries were joined to another.
func Compact(a *sparse.CSR, merge func(x, y float64) float64) (*kernel.CSR[float64], int) {
	m := a.RawMatrix()
	nnz := m.Indptr[m.I]
	c := &kernel.CSR[float64]{
		Rows: m.I, Cols: m.J,
		Ptr: make([]int64, m.I+1),
		Col: make([]int32, nnz),
		Val: make([]float64, nnz),
	}
	for i, p := range m.Indptr {
		c.Ptr[i] = int64(p)
	}
	for q, j := range m.Ind[:nnz] {
		c.Col[q] = int32(j)
	}
	copy(c.Val, m.Data[:nnz])
	merged, _ := SortRows(context.Background(), c, merge) // which does not end
	return c, merged
}

// Sum joins entries by adding them up.
func Sum(x, y float64) float64 { return x + y }

// SortRows sorts every row by column and joins entries of the same column by
// merge, in place. It returns how many entries went into another. The only error is ctx's; the
// matrix is none then.
func SortRows(ctx context.Context, a *kernel.CSR[float64], merge func(x, y float64) float64) (int, error) {
	type entry struct {
		col int32
		val float64
	}
	var row []entry
	merged, out := 0, int64(0)
	for i := range a.Rows {
		if i%rowsAtOnce == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		lo, hi := a.Ptr[i], a.Ptr[i+1]
		cols, vals := a.Col[lo:hi], a.Val[lo:hi]
		if !slices.IsSorted(cols) {
			row = row[:0]
			for q, j := range cols {
				row = append(row, entry{j, vals[q]})
			}
			// Stable, so that a merge that rounds sees the entries in the order given.
			slices.SortStableFunc(row, func(x, y entry) int { return cmp.Compare(x.col, y.col) })
			for q, e := range row {
				cols[q], vals[q] = e.col, e.val
			}
		}
		a.Ptr[i] = out
		for q, j := range cols {
			if out > a.Ptr[i] && a.Col[out-1] == j {
				a.Val[out-1] = merge(a.Val[out-1], vals[q])
				merged++
				continue
			}
			a.Col[out], a.Val[out] = j, vals[q]
			out++
		}
	}
	a.Ptr[a.Rows] = out
	a.Col, a.Val = a.Col[:out], a.Val[:out]
	return merged, nil
}
