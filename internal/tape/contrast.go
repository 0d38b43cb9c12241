package tape

import (
	"context"

	"coles/internal/kernel"
)

// SymmetricOperator sets dst to S·src for a constant symmetric n×n matrix S, such
// as ΔW = W⁺ − (η′/κ)·Σ W⁻ₖ with its parts of rank one, of which only products
// are known. dst and src are n×d and share no memory.
type SymmetricOperator[T kernel.Float] func(ctx context.Context, dst, src kernel.Matrix[T]) error

// Contrast is y = S·x for a symmetric n×n S and an n×d matrix x.
//
// g_x = S·g.
func (t *Tape[T]) Contrast(s SymmetricOperator[T], x *Value[T]) *Value[T] {
	y := t.newValue(x.Rows(), x.Cols(), x)
	t.check(s(t.ctx, y.data, x.data))
	y.back = func() {
		product := t.take(x.Rows(), x.Cols())
		t.check(s(t.ctx, product, y.grad))
		t.pass(&product, x)
		t.release(&product)
	}
	return y
}
