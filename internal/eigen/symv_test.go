package eigen

import (
	"context"

	"coles/internal/kernel"
)

// mul computes y = a·v strip after strip, the sums in two parts.
func (s *symv[T]) mul(ctx context.Context, y []T, a kernel.Matrix[T], v []T) error {
	s.resize(a)
	for i := range s.strips {
		s.multiply(i, v)
	}
	s.sum(0, a.Rows/2, y)
	s.sum(a.Rows/2, a.Rows, y)
	return ctx.Err()
}
