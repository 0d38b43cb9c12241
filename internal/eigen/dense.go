package eigen

import (
	"context"
	"math"

	"coles/internal/kernel"
)

// krylovDense is Krylov by way of the matrix itself, which n products with the
// columns of the identity give.
func krylovDense(ctx context.Context, n, k int, apply Operator, o KrylovOptions) (*Result, error) {
	a := kernel.Dense(n, n)
	for lo := 0; lo < n; lo += o.Block {
		hi := min(n, lo+o.Block)
		unit := kernel.Dense(n, hi-lo)
		for j := lo; j < hi; j++ {
			unit.Data[j*unit.Stride+j-lo] = 1
		}
		if err := applyChecked(ctx, apply, columns(a, lo, hi), unit); err != nil {
			return nil, err
		}
	}
	bound := 0.0 // the largest sum of magnitudes in a row: no eigenvalue is larger
	for i := range n {
		sum := 0.0
		for _, v := range row(a, i) {
			sum += math.Abs(v)
		}
		bound = max(bound, sum)
	}
	if o.Deflate.Rows > 0 {
		// The deflated eigenvalues go below all others.
		shift := 3 * bound
		if bound == 0 {
			shift = 1
		}
		if err := kernel.Gram(ctx, -shift, o.Deflate, o.Deflate, a); err != nil {
			return nil, err
		}
	}
	s, err := decompose(ctx, a, k)
	if err != nil {
		return nil, err
	}
	norm := s.norm
	if o.Deflate.Rows > 0 {
		norm = bound
	}
	if o.Progress != nil {
		o.Progress(k, k)
	}
	result, err := measured(ctx, s.values, s.vectors, norm, apply, o)
	if result != nil {
		result.Applied += n
	}
	return result, err
}
