package kernel

// CSR is a sparse matrix in compressed rows: the entries of row i are
// Col[Ptr[i]:Ptr[i+1]] and Val[Ptr[i]:Ptr[i+1]], columns ascending, no column
// twice. The package trusts this; the exported functions of the library check it.
type CSR[T Float] struct {
	Rows, Cols int
	Ptr        []int64
	Col        []int32
	Val        []T
}

// NNZ is the number of stored entries.
func (a *CSR[T]) NNZ() int { return int(a.Ptr[a.Rows]) }

// Row returns the columns and values of row i, not to be written to.
func (a *CSR[T]) Row(i int) ([]int32, []T) {
	lo, hi := a.Ptr[i], a.Ptr[i+1]
	return a.Col[lo:hi], a.Val[lo:hi]
}

// Transpose returns aᵀ in O(rows + cols + entries).
func (a *CSR[T]) Transpose() *CSR[T] {
	t := &CSR[T]{
		Rows: a.Cols, Cols: a.Rows,
		Ptr: make([]int64, a.Cols+1),
		Col: make([]int32, a.NNZ()),
		Val: make([]T, a.NNZ()),
	}
	for _, j := range a.Col[:a.NNZ()] {
		t.Ptr[j+1]++
	}
	for j := range a.Cols {
		t.Ptr[j+1] += t.Ptr[j]
	}
	next := append([]int64(nil), t.Ptr[:a.Cols]...)
	for i := range a.Rows {
		cols, vals := a.Row(i)
		for q, j := range cols {
			t.Col[next[j]] = int32(i)
			t.Val[next[j]] = vals[q]
			next[j]++
		}
	}
	return t
}
