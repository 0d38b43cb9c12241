package coles

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"coles/internal/kernel"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// denseOf wraps a panel as a *mat.Dense without copying. gonum has no empty
// dense matrix with a shape, so a panel without entries becomes the empty one.
func denseOf(p blas64.General) *mat.Dense {
	if p.Rows == 0 || p.Cols == 0 {
		return &mat.Dense{}
	}
	return mat.NewDense(p.Rows, p.Cols, p.Data[:p.Rows*p.Cols])
}

// checkSparse verifies a sparse matrix from outside: sparse.NewCSR checks
// nothing, and its own kernels read out of bounds on a bad index.
func checkSparse(what string, a *sparse.CSR) error {
	if a == nil {
		return fmt.Errorf("coles: %s: %w: matrix is nil", what, ErrEmpty)
	}
	m := a.RawMatrix()
	if m.I < 0 || m.J < 0 || len(m.Indptr) != m.I+1 {
		return fmt.Errorf("coles: %s: %w: %d row pointers for %d rows", what, ErrShape, len(m.Indptr), m.I)
	}
	if m.I > math.MaxInt32 || m.J > math.MaxInt32 {
		return fmt.Errorf("coles: %s: %w: %d × %d, at most %d rows and columns", what, ErrTooLarge, m.I, m.J, math.MaxInt32)
	}
	if m.Indptr[0] != 0 || m.Indptr[m.I] > len(m.Ind) || m.Indptr[m.I] > len(m.Data) {
		return fmt.Errorf("coles: %s: %w: row pointers run from %d to %d over %d indices and %d values",
			what, ErrShape, m.Indptr[0], m.Indptr[m.I], len(m.Ind), len(m.Data))
	}
	for i := range m.I {
		if m.Indptr[i+1] < m.Indptr[i] {
			return fmt.Errorf("coles: %s: %w: row pointers descend at row %d", what, ErrShape, i)
		}
	}
	for i := range m.I {
		for q := m.Indptr[i]; q < m.Indptr[i+1]; q++ {
			if j := m.Ind[q]; j < 0 || j >= m.J {
				return fmt.Errorf("coles: %s: %w: column %d in row %d of a matrix with %d columns", what, ErrIndex, j, i, m.J)
			}
			if v := m.Data[q]; math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("coles: %s: %w: %v at row %d, column %d", what, ErrNotFinite, v, i, m.Ind[q])
			}
		}
	}
	return nil
}

// compact copies a checked sparse matrix into the int32 form that the kernels
// read: columns ascending, entries at the same place joined by merge. It
// returns how many entries were joined to another.
func compact(a *sparse.CSR, merge func(x, y float64) float64) (*kernel.CSR, int) {
	m := a.RawMatrix()
	nnz := m.Indptr[m.I]
	c := &kernel.CSR{
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
	return c, sortRows(c, merge)
}

func sum(x, y float64) float64 { return x + y }

// sortRows sorts every row by column and joins entries of the same column by
// merge, in place. It returns how many entries went into another.
func sortRows(a *kernel.CSR, merge func(x, y float64) float64) int {
	type entry struct {
		col int32
		val float64
	}
	var row []entry
	merged, out := 0, int64(0)
	for i := range a.Rows {
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
	return merged
}

// symmetricFromPairs builds the symmetric matrix with an entry at (u, v) and
// (v, u) for every pair, pairs at the same place joined by merge. A pair with
// u = v is one diagonal entry. It returns how many pairs were joined to
// another. A nil weight means 1.
func symmetricFromPairs(n int, pairs []Edge, weight []float64, merge func(x, y float64) float64) (*kernel.CSR, int) {
	a := &kernel.CSR{Rows: n, Cols: n, Ptr: make([]int64, n+1)}
	for _, e := range pairs {
		a.Ptr[e.U+1]++
		if e.U != e.V {
			a.Ptr[e.V+1]++
		}
	}
	for i := range n {
		a.Ptr[i+1] += a.Ptr[i]
	}
	a.Col, a.Val = make([]int32, a.Ptr[n]), make([]float64, a.Ptr[n])
	next := slices.Clone(a.Ptr[:n])
	put := func(u, v int, w float64) {
		a.Col[next[u]], a.Val[next[u]] = int32(v), w
		next[u]++
	}
	for q, e := range pairs {
		w := 1.0
		if weight != nil {
			w = weight[q]
		}
		put(e.U, e.V, w)
		if e.U != e.V {
			put(e.V, e.U, w)
		}
	}
	sortRows(a, merge)
	distinct := 0
	for i := range n {
		cols, _ := a.Row(i)
		at, _ := slices.BinarySearch(cols, int32(i))
		distinct += len(cols) - at
	}
	return a, len(pairs) - distinct
}

// exportCSR copies a matrix into the sparse package's form.
func exportCSR(a *kernel.CSR) *sparse.CSR {
	ptr, ind := make([]int, a.Rows+1), make([]int, a.NNZ())
	for i, p := range a.Ptr {
		ptr[i] = int(p)
	}
	for q, j := range a.Col {
		ind[q] = int(j)
	}
	return sparse.NewCSR(a.Rows, a.Cols, ptr, ind, slices.Clone(a.Val))
}

// addMatrices returns ca·a + cb·b for matrices of the same shape.
func addMatrices(ca float64, a *kernel.CSR, cb float64, b *kernel.CSR) *kernel.CSR {
	return mergeRows(a, b, func(x, y float64) float64 { return ca*x + cb*y })
}

// mergeRows returns the matrix of f(a_ij, b_ij) over the places where a or b
// has an entry, an absent one counting as zero.
func mergeRows(a, b *kernel.CSR, f func(x, y float64) float64) *kernel.CSR {
	c := &kernel.CSR{Rows: a.Rows, Cols: a.Cols, Ptr: make([]int64, a.Rows+1)}
	c.Col = make([]int32, 0, a.NNZ()+b.NNZ())
	c.Val = make([]float64, 0, a.NNZ()+b.NNZ())
	for i := range a.Rows {
		ac, av := a.Row(i)
		bc, bv := b.Row(i)
		for len(ac) > 0 || len(bc) > 0 {
			switch {
			case len(bc) == 0 || len(ac) > 0 && ac[0] < bc[0]:
				c.Col, c.Val = append(c.Col, ac[0]), append(c.Val, f(av[0], 0))
				ac, av = ac[1:], av[1:]
			case len(ac) == 0 || bc[0] < ac[0]:
				c.Col, c.Val = append(c.Col, bc[0]), append(c.Val, f(0, bv[0]))
				bc, bv = bc[1:], bv[1:]
			default:
				c.Col, c.Val = append(c.Col, ac[0]), append(c.Val, f(av[0], bv[0]))
				ac, av, bc, bv = ac[1:], av[1:], bc[1:], bv[1:]
			}
		}
		c.Ptr[i+1] = int64(len(c.Col))
	}
	return c
}

// dropEntries returns a without the entries for which drop holds, and their number.
func dropEntries(a *kernel.CSR, drop func(i, j int, v float64) bool) (*kernel.CSR, int) {
	c := &kernel.CSR{Rows: a.Rows, Cols: a.Cols, Ptr: make([]int64, a.Rows+1)}
	c.Col, c.Val = make([]int32, 0, a.NNZ()), make([]float64, 0, a.NNZ())
	for i := range a.Rows {
		cols, vals := a.Row(i)
		for q, j := range cols {
			if !drop(i, int(j), vals[q]) {
				c.Col, c.Val = append(c.Col, j), append(c.Val, vals[q])
			}
		}
		c.Ptr[i+1] = int64(len(c.Col))
	}
	return c, a.NNZ() - c.NNZ()
}
