package tape

import (
	"fmt"

	"coles/internal/kernel"
)

// Sparse is a sparse matrix together with its transpose, which gradients take.
type Sparse[T kernel.Float] struct{ matrix, transpose *kernel.CSR[T] }

// NewSparse returns s with its transpose, which is s itself for a symmetric matrix.
func NewSparse[T kernel.Float](s, transpose *kernel.CSR[T]) *Sparse[T] {
	return &Sparse[T]{s, transpose}
}

// SpMM is y = S·x, of a constant sparse n×k and a k×d matrix.
//
// g_x = Sᵀ·g.
func (t *Tape[T]) SpMM(s *Sparse[T], x *Value[T]) *Value[T] {
	if s.matrix.Cols != x.Rows() {
		panic(fmt.Sprintf("tape: SpMM of %d×%d and %d×%d", s.matrix.Rows, s.matrix.Cols, x.Rows(), x.Cols()))
	}
	y := t.newValue(s.matrix.Rows, x.Cols(), x)
	t.check(kernel.SpMM(t.ctx, y.data, s.matrix, x.data))
	y.back = func() {
		dst, beta := t.destination(x)
		if beta == 0 {
			t.check(kernel.SpMM(t.ctx, dst, s.transpose, y.grad))
		} else {
			t.check(kernel.SpMMAdd(t.ctx, dst, s.transpose, y.grad, 1, dst))
		}
	}
	return y
}
