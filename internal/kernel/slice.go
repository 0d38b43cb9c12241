package kernel

// Slice is the rows lo to hi of a, sharing its memory.
func (a *CSR[T]) Slice(lo, hi int) *CSR[T] {
	return &CSR[T]{Rows: hi - lo, Cols: a.Cols, Ptr: a.Ptr[lo : hi+1], Col: a.Col, Val: a.Val}
}
