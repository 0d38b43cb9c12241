package tape

// TraceQuadratic is the 1×1 matrix y = Tr(hᵀ·S·h) for a symmetric n×n S and an
// n×d matrix h.
//
// g_h = 2g·S·h; the product is that of the forward pass.
func (t *Tape[T]) TraceQuadratic(s SymmetricOperator[T], h *Value[T]) *Value[T] {
	product := t.take(h.Rows(), h.Cols())
	t.check(s(t.ctx, product, h.data))
	y := t.newScalar(t.dot(h.data, product), h)
	y.kept = product
	y.back = func() {
		if !h.wants {
			return
		}
		if c := 2 * y.grad.Data[0]; h.reached {
			t.addScaled(h.grad, c, y.kept)
		} else {
			t.scale(y.kept, c)
			t.pass(&y.kept, h)
		}
	}
	return y
}
