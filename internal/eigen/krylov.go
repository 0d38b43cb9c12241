package eigen

import (
	"context"
	"errors"
	"fmt"

	"coles/internal/kernel"
	"coles/internal/parallel"
)

// Operator computes dst = A·src for a symmetric A (n × n) and blocks of vectors, the columns of n ×
// b matrices that may have padding. It must not change src, and must give the same result for a
// vector wherever it stands.
type Operator[T kernel.Float] func(ctx context.Context, dst, src kernel.Matrix[T]) error

// times computes dst = A·src, and refuses a product that is not finite.
func (a Operator[T]) times(ctx context.Context, dst panel, src kernel.Matrix[T]) error {
	out, release := kernel.Scratch[T](dst.Rows, dst.Cols)
	defer release()
	if err := a(ctx, out, src); err != nil {
		return err
	}
	for i := range out.Rows {
		for j, v := range out.Row(i) {
			if v-v != 0 {
				return fmt.Errorf("%w: row %d of the product with vector %d of a block is %g", ErrNotFinite, i, j, v)
			}
		}
	}
	return kernel.Convert(ctx, dst, out)
}

// KrylovOptions are the settings of Krylov. The zero value works.
type KrylovOptions struct {
	// Tol bounds the residual ‖A·v − λ·v‖ of every pair, relative to the largest eigenvalue in
	// magnitude; 0 means 1e-7.
	Tol float64

	// Block is the number of vectors multiplied at once; 0 means an eighth of k, rounded up, at
	// least 8 and at most 32.
	Block int

	// MaxBasis is the number of basis vectors at which the iteration restarts from its best; at
	// least k + 3 blocks, 0 means 5k/2 + 8 blocks.
	MaxBasis int

	// MaxRestarts bounds the work until all pairs converge, and again each time that the search
	// then finds more; 0 means 100.
	MaxRestarts int

	// Zero is the norm of the product with a unit vector up to which there is nothing but rounding
	// in it. An operator of such products is taken for zero, since nothing would converge: its
	// eigenvalues are 0 and its eigenvectors those of the identity.
	Zero float64

	// Seed chooses the random starting vectors.
	Seed uint64

	// Progress, if set, is told after each look at the spectrum how much is done, k in all: the share
	// of the digits that the largest residual is to have. The number falls when more pairs are
	// discovered, or more digits turn out to be needed.
	Progress func(done, total int)
}

const (
	defaultTol         = 1e-7
	defaultMaxRestarts = 100

	// denseOrder is the order up to which forming the matrix costs nothing worth saving.
	denseOrder = 400
)

// Krylov returns the k algebraically largest eigenpairs of a symmetric operator of order n.
//
// The residuals of all pairs are measured at the end by further products and are at most ten times
// the tolerance, relative (Result.Residual): 1e-6 at the default one; |vᵢ·vⱼ − δᵢⱼ| < 1e-13. In
// float32, where products are rounded by 1e-7, a tolerance of 1e-5 is reached.
//
// Multiple eigenvalues are found with all their copies, up to the chance that random vectors are nearly orthogonal to what is
// missed. Many more copies than the block has vectors take many searches. An operator with known eigenvectors, as a graph's
// components have, should map them below the k wanted eigenvalues.
//
// With m the largest basis (MaxBasis) and b the block, each filling of the basis takes O(nm²)
// operations besides the products; the memory is nm numbers of the operator's and n(3k + 6b) + 5m²
// of float64. If m > 2n/3, or n ≤ 400 and MaxBasis is open, the matrix is formed from n products and handed to Direct, in
// n² + 4nk numbers.
//
// Errors: ErrShape for k outside 0 … n and for negative options; ErrNotFinite if a product is not
// finite; *ConvergenceError after MaxRestarts, holding what did converge; the operator's and ctx's.
func Krylov[T kernel.Float](ctx context.Context, n, k int, apply Operator[T], o KrylovOptions) (*Result, error) {
	small := n <= denseOrder && o.MaxBasis == 0
	o, err := o.withDefaults(n, k)
	if err != nil {
		return nil, err
	}
	if k == 0 {
		return &Result{Vectors: kernel.Dense[float64](0, n)}, ctx.Err()
	}
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	var r *Result
	if small || 3*o.MaxBasis > 2*n {
		r, err = krylovDense(ctx, n, k, apply, o)
	} else {
		r, err = newSearch(n, k, apply, o).all(ctx)
	}
	if errors.Is(err, errZero) {
		s := zeroSpectrum(n, k)
		rows, err := kernel.Transposed(ctx, s.vectors)
		return s.result(rows), err
	}
	return r, err
}

// errZero says that an operator is zero, up to rounding.
var errZero = errors.New("eigen: the operator is zero")

// withDefaults checks the options and fills in what they leave open.
func (o KrylovOptions) withDefaults(n, k int) (KrylovOptions, error) {
	if err := checkSizes(n, k); err != nil {
		return o, err
	}
	if !(o.Tol >= 0) || o.Block < 0 || o.MaxBasis < 0 || o.MaxRestarts < 0 {
		return o, fmt.Errorf("%w: tolerance %g, block %d, basis %d, restarts %d", ErrShape, o.Tol, o.Block, o.MaxBasis, o.MaxRestarts)
	}
	if o.Tol == 0 {
		o.Tol = defaultTol
	}
	if o.Block == 0 {
		o.Block = min(32, max(8, (k+7)/8))
	}
	if o.MaxBasis == 0 {
		o.MaxBasis = 5*k/2 + 8*o.Block
	}
	o.MaxBasis = max(o.MaxBasis, k+3*o.Block)
	if o.MaxRestarts == 0 {
		o.MaxRestarts = defaultMaxRestarts
	}
	return o, nil
}

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
