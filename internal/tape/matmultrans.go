package tape

// MatMulTrans is y = a·bᵀ, of an n×k and an m×k matrix.
//
// g_a = g·b, g_b = gᵀ·a.
func (t *Tape[T]) MatMulTrans(a, b *Value[T]) *Value[T] {
	fit(a.Cols() == b.Cols(), "MatMulTrans", a, b)
	y := t.newValue(a.Rows(), b.Rows(), a, b)
	t.gemm(false, true, 1, a.data, b.data, 0, y.data)
	y.back = func() {
		t.addProduct(a, false, false, 1, y.grad, b.data)
		t.addProduct(b, true, false, 1, y.grad, a.data)
	}
	return y
}
