package eigen

import (
	"context"

	"coles/internal/kernel"
)

// krylovDense is Krylov by way of the matrix itself, which n products with the columns of the
// identity give.
func krylovDense[T kernel.Float](ctx context.Context, n, k int, apply Operator[T], o KrylovOptions) (*Result, error) {
	a := kernel.Unset[float64](n, n)
	for lo := 0; lo < n; lo += o.Block {
		hi := min(n, lo+o.Block)
		unit := kernel.Dense[T](n, hi-lo)
		for j := lo; j < hi; j++ {
			unit.Data[j*unit.Stride+j-lo] = 1
		}
		if err := apply.times(ctx, kernel.Columns(a, lo, hi), unit); err != nil {
			return nil, err
		}
	}
	s, err := decompose(ctx, a, k)
	if err != nil {
		return nil, err
	}
	if s.norm <= o.Zero {
		return nil, errZero
	}
	if o.Progress != nil {
		o.Progress(k, k)
	}
	result, err := measured(ctx, s.values, s.vectors, s.norm, apply, o)
	if err != nil {
		return nil, err
	}
	s.residual = result.Residual
	r := s.result(result.Vectors)
	r.Applied = result.Applied + n
	return r, nil
}
