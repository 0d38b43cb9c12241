package tape

import "coles/internal/kernel"

// Gram is the d×d matrix y = aᵀ·a of an n×d matrix, for half the work of the
// product.
//
// g_a = a·(g + gᵀ).
func (t *Tape[T]) Gram(a *Value[T]) *Value[T] {
	d := a.Cols()
	y := t.newValue(d, d, a)
	t.gram(y.data, 1, a.data)
	y.back = func() {
		t.addProduct(a, false, false, 1, a.data, y.grad)
		t.addProduct(a, false, true, 1, a.data, y.grad)
	}
	return y
}

// gram sets dst to alpha·aᵀ·a.
func (t *Tape[T]) gram(dst matrix[T], alpha T, a matrix[T]) {
	t.fill(dst, 0)
	t.check(kernel.Gram(t.ctx, alpha, a, a, dst))
	kernel.MirrorUpper(dst)
}
