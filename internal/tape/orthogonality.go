package tape

// SoftOrthogonality is the 1×1 matrix y = ‖hᵀh/n − I‖²_F/d of an n×d matrix h,
// n > 0 and d > 0: how far its columns are from being orthogonal with a mean
// square of one.
//
// g_h = 4g/(n·d)·h·(hᵀh/n − I).
func (t *Tape[T]) SoftOrthogonality(h *Value[T]) *Value[T] {
	fit(h.Rows() > 0 && h.Cols() > 0, "SoftOrthogonality", h)
	return t.orthogonality(h, 1/float64(h.Rows()), 1/float64(h.Cols()))
}

// LiteralOrthogonality is the 1×1 matrix y = ‖hᵀh − I‖²_F of an n×d matrix h.
//
// g_h = 4g·h·(hᵀh − I).
func (t *Tape[T]) LiteralOrthogonality(h *Value[T]) *Value[T] { return t.orthogonality(h, 1, 1) }

// orthogonality is weight·‖c·hᵀh − I‖²_F, with the gradient 4·weight·c·h·(…).
func (t *Tape[T]) orthogonality(h *Value[T], c, weight float64) *Value[T] {
	d := h.Cols()
	residual := t.take(d, d)
	t.gram(residual, T(c), h.data)
	for i := range d {
		residual.Data[i*residual.Stride+i]--
	}
	y := t.newScalar(weight*t.dot(residual, residual), h)
	y.kept = residual
	y.back = func() {
		t.addProduct(h, false, false, T(4*weight*c)*y.grad.Data[0], h.data, y.kept)
	}
	return y
}
