package eigen

import (
	"context"
)

// mul computes y = a·v strip after strip, the sums in two parts.
func (s *symv) mul(ctx context.Context, y []float64, a matrix, v []float64) error {
	s.resize(a)
	for i := range s.strips {
		s.multiply(i, v)
	}
	s.sum(0, a.Rows/2, y)
	s.sum(a.Rows/2, a.Rows, y)
	return ctx.Err()
}
