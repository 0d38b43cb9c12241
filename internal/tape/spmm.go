package tape

import (
	"fmt"

	"coles/internal/kernel"
)

// Sparse is a sparse matrix together with its transpose, which gradients take.
type Sparse[T kernel.Float] struct {
	matrix     *kernel.CSR[T]
	transposed []slab[T]
}

// NewSparse returns s with its transpose, which is s itself if the caller knows
// it to be symmetric. The time is that of Transpose.
func NewSparse[T kernel.Float](s *kernel.CSR[T], symmetric bool) *Sparse[T] {
	if symmetric {
		return &Sparse[T]{s, []slab[T]{{s, 0}}}
	}
	return &Sparse[T]{s, slabsOf(s)}
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
		for _, part := range s.transposed {
			g := kernel.View(y.grad, part.first, 0, part.matrix.Cols, x.Cols())
			if beta == 0 {
				t.check(kernel.SpMM(t.ctx, dst, part.matrix, g))
			} else {
				t.check(kernel.SpMMAdd(t.ctx, dst, part.matrix, g, 1, dst))
			}
			beta = 1
		}
	}
	return y
}
