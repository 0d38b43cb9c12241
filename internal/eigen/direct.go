package eigen

import (
	"context"
	"fmt"
	"math"
	"slices"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
)

// Direct returns the k algebraically largest eigenpairs of the symmetric n × n matrix a, of which
// only the upper triangle is read. The upper triangle is overwritten.
//
// ‖A·v − λ·v‖ ≤ 1e-13·‖A‖ and |vᵢ·vⱼ − δᵢⱼ| < 1e-13 for matrices of any scale and any clustering of eigenvalues. The reduction
// takes 4n³/3 operations, the eigenvalues O(nk), and the eigenvectors 2n²k + 2nk² or fewer. Memory besides a is about 3nk + k²
// + 210n numbers.
//
// Errors: ErrShape for a that is not square or k outside 0 … n, ErrNotFinite, and ctx's.
func Direct(ctx context.Context, a panel, k int) (*Result, error) {
	return found(ctx, a, k, decompose)
}

// found is the Result of a way to decompose a.
func found(ctx context.Context, a panel, k int, decompose func(ctx context.Context, a panel, k int) (spectrum, error)) (*Result, error) {
	if a.Rows != a.Cols {
		return nil, fmt.Errorf("%w: a matrix of %d×%d is not square", ErrShape, a.Rows, a.Cols)
	}
	if err := checkSizes(a.Rows, k); err != nil {
		return nil, err
	}
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	s, err := decompose(ctx, a, k)
	if err != nil {
		return nil, err
	}
	vectors, err := kernel.Transposed(ctx, s.vectors)
	if err != nil {
		return nil, err
	}
	FixSigns(vectors)
	return s.result(vectors), nil
}

// spectrum is the upper end of a spectrum.
type spectrum struct {
	values  []float64
	next    float64 // the value after the last of these, −Inf where they are all
	vectors panel   // n × k, in columns
	norm    float64 // the largest eigenvalue of all, in magnitude
	least   float64 // the smallest of all

	// residual is ‖A·V − V·Λ‖ relative to the norm, estimated; 0 for one that is rounding.
	residual float64
}

// result is s with its vectors in rows.
func (s spectrum) result(rows panel) *Result {
	r := &Result{Values: s.values, Next: s.next, Vectors: rows, Residual: s.residual, Residuals: make([]float64, len(s.values))}
	for i := range r.Residuals {
		r.Residuals[i] = s.residual * s.norm / math.Sqrt(float64(len(s.values)))
	}
	return r
}

// decompose is Direct on checked sizes, with the vectors as columns.
func decompose(ctx context.Context, a panel, k int) (spectrum, error) {
	n := a.Rows
	exponent, err := exponentOf(ctx, a)
	if err != nil {
		return spectrum{}, err
	}
	if exponent == zeroMatrix {
		return zeroSpectrum(n, k), ctx.Err()
	}
	s, tau, err := reduced(ctx, a, a, k, exponent)
	if err != nil {
		return s, err
	}
	if err := polish(ctx, s.vectors); err != nil {
		return s, err
	}
	return s, backTransform(ctx, a, tau, s.vectors)
}

// reduced is the spectrum of a by way of b, in which the reduction of a/2^exponent is left; the
// vectors are those of the tridiagonal form.
func reduced[T kernel.Float](ctx context.Context, b kernel.Matrix[T], a panel, k, exponent int) (spectrum, []T, error) {
	if err := scaled(ctx, b, a, exponent); err != nil {
		return spectrum{}, nil, err
	}
	t, tau, err := tridiagonalise(ctx, b)
	if err != nil {
		return spectrum{}, nil, err
	}
	s, err := t.top(ctx, k, exponent)
	return s, tau, err
}

// zeroSpectrum is the spectrum of the zero matrix, with unit vectors.
func zeroSpectrum(n, k int) spectrum {
	s := spectrum{values: make([]float64, k), vectors: kernel.Dense[float64](n, k), next: math.Inf(-1)}
	if k < n {
		s.next = 0
	}
	for i := range k {
		s.vectors.Data[i*s.vectors.Stride+i] = 1
	}
	return s
}

// top is the upper end of the spectrum of t·2^exponent, with the eigenvectors of t as they come.
func (t tridiagonal) top(ctx context.Context, k, exponent int) (spectrum, error) {
	values, smallest, err := t.eigenvalues(ctx, min(k+1, len(t.d)))
	if err != nil {
		return spectrum{}, err
	}
	next := math.Inf(-1)
	if k < len(values) {
		next = math.Ldexp(values[k], exponent)
	}
	values = values[:k]
	largest := smallest
	if k > 0 {
		largest = values[0]
	}
	s := spectrum{
		values: make([]float64, k),
		next:   next,
		norm:   math.Ldexp(max(math.Abs(largest), math.Abs(smallest)), exponent),
		least:  math.Ldexp(smallest, exponent),
	}
	for i, v := range values {
		s.values[i] = math.Ldexp(v, exponent)
	}
	s.vectors, err = t.eigenvectors(ctx, values)
	return s, err
}

// zeroMatrix stands for the exponent of a matrix without any other entry.
const zeroMatrix = math.MinInt

// triangleTask rows of a triangle are passed over by one task.
const triangleTask = 32

// exponentOf returns e with 2^(e−1) ≤ m < 2^e for the largest magnitude m in the upper triangle of
// a.
func exponentOf(ctx context.Context, a panel) (int, error) {
	most := make([]float64, parallel.Pieces(a.Rows, triangleTask))
	if err := parallel.Ranges(ctx, a.Rows, triangleTask, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			most[lo/triangleTask] = max(most[lo/triangleTask], matrix.Magnitude(a.Row(i)[i:]))
		}
	}); err != nil {
		return 0, err
	}
	largest := slices.Max(append(most, 0))
	switch {
	case largest == 0:
		return zeroMatrix, nil
	case !matrix.Finite(largest):
		return 0, notFinite(a)
	}
	_, exponent := math.Frexp(largest)
	return exponent, nil
}

// notFinite names the first entry of the upper triangle that is no number.
func notFinite(a panel) error {
	for i := range a.Rows {
		for j, v := range a.Row(i)[i:] {
			if !matrix.Finite(v) {
				return fmt.Errorf("%w: entry (%d, %d) of the matrix is %g", ErrNotFinite, i, i+j, v)
			}
		}
	}
	return nil
}

// scaled sets the upper triangle of b, which may be a, to a/2^exponent. The division is exact, and
// squares neither overflow nor vanish afterwards.
func scaled[T kernel.Float](ctx context.Context, b kernel.Matrix[T], a panel, exponent int) error {
	first, second := twoToMinus(exponent)
	return parallel.Ranges(ctx, a.Rows, triangleTask, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			to := b.Row(i)[i:]
			for j, v := range a.Row(i)[i:] {
				to[j] = T(v * first * second)
			}
		}
	})
}

// twoToMinus is 2^−exponent in two factors: of the full range of exponents a number has only a part.
func twoToMinus(exponent int) (first, second float64) {
	half := exponent / 2
	return math.Ldexp(1, -half), math.Ldexp(1, half-exponent)
}
