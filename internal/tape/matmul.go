package tape

import "coles/internal/kernel"

// MatMul is y = a·b, of an n×k and a k×m matrix.
//
// g_a = g·bᵀ, g_b = aᵀ·g.
func (t *Tape[T]) MatMul(a, b *Value[T]) *Value[T] {
	fit(a.Cols() == b.Rows(), "MatMul", a, b)
	y := t.newValue(a.Rows(), b.Cols(), a, b)
	t.gemm(false, false, 1, a.data, b.data, 0, y.data)
	y.back = func() {
		t.addProduct(a, false, true, 1, y.grad, b.data)
		t.addProduct(b, true, false, 1, a.data, y.grad)
	}
	return y
}

func (t *Tape[T]) gemm(transA, transB bool, alpha T, a, b matrix[T], beta T, c matrix[T]) {
	t.check(kernel.Gemm(t.ctx, transA, transB, alpha, a, b, beta, c))
}

// addProduct adds alpha·op(a)·op(b) to the gradient of x, if it wants one.
func (t *Tape[T]) addProduct(x *Value[T], transA, transB bool, alpha T, a, b matrix[T]) {
	if x.wants {
		dst, beta := t.destination(x)
		t.gemm(transA, transB, alpha, a, b, beta, dst)
	}
}
