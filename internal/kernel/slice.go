package kernel

// Slice is the rows lo to hi of a, sharing its memory, as a factor of products:
// its row pointers go on from those before.
func (a *CSR[T]) Slice(lo, hi int) *CSR[T] {
	return &CSR[T]{Rows: hi - lo, Cols: a.Cols, Ptr: a.Ptr[lo : hi+1], Col: a.Col, Val: a.Val}
}
