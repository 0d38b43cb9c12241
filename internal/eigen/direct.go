package eigen

import (
	"context"
	"fmt"
	"math"

	"coles/internal/kernel"
	"coles/internal/parallel"
)

// Direct returns the k algebraically largest eigenpairs of the symmetric n × n matrix a, of which
// only the upper triangle is read. The upper triangle is overwritten.
//
// ‖A·v − λ·v‖ ≤ 1e-13·‖A‖ and |vᵢ·vⱼ − δᵢⱼ| < 1e-13 for matrices of any scale and any clustering of
// eigenvalues. It takes 4n³/3 operations for the reduction, O(nk) for the eigenvalues, 2n²k + 2nk²
// or fewer for the eigenvectors, and about 3nk + k² + 210n numbers of memory besides a.
//
// Errors: ErrShape for a that is not square or k outside 0 … n, ErrNotFinite, that of ctx.
func Direct(ctx context.Context, a matrix, k int) (*Result, error) {
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
	return &Result{Values: s.values, Vectors: vectors}, nil
}

// spectrum is the upper end of a spectrum.
type spectrum struct {
	values  []float64
	vectors matrix  // n × k, in columns
	norm    float64 // the largest eigenvalue of all, in magnitude
	least   float64 // the smallest of all
}

// decompose is Direct on checked sizes, with the vectors as columns.
func decompose(ctx context.Context, a matrix, k int) (spectrum, error) {
	n := a.Rows
	s := spectrum{values: make([]float64, k), vectors: matrix{Rows: n, Cols: k, Stride: max(1, k)}}
	exponent, err := scaleToOne(ctx, a)
	if err != nil || n == 0 {
		return s, err
	}
	if exponent == zeroMatrix {
		s.vectors = kernel.Dense[float64](n, k)
		for i := range k {
			s.vectors.Data[i*s.vectors.Stride+i] = 1
		}
		return s, ctx.Err()
	}
	t, tau, err := tridiagonalise(ctx, a)
	if err != nil {
		return s, err
	}
	values, smallest, err := t.eigenvalues(ctx, k)
	if err != nil {
		return s, err
	}
	largest := smallest
	if k > 0 {
		largest = values[0]
		if s.vectors, err = t.eigenvectors(ctx, values); err != nil {
			return s, err
		}
		if err := backTransform(ctx, a, tau, s.vectors); err != nil {
			return s, err
		}
	}
	s.norm = math.Ldexp(max(math.Abs(largest), math.Abs(smallest)), exponent)
	s.least = math.Ldexp(smallest, exponent)
	for i, v := range values {
		s.values[i] = math.Ldexp(v, exponent)
	}
	return s, ctx.Err()
}

// zeroMatrix stands for the exponent of a matrix without any other entry.
const zeroMatrix = math.MinInt

// scaleToOne divides the upper triangle of a by the power of two that brings its largest entry to
// [½, 1), and returns the exponent. The division is exact, and squares neither overflow nor vanish
// afterwards.
func scaleToOne(ctx context.Context, a matrix) (exponent int, err error) {
	most := 0.0
	for i := range a.Rows {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		for j, v := range row(a, i)[i:] {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return 0, fmt.Errorf("%w: entry (%d, %d) of the matrix is %g", ErrNotFinite, i, i+j, v)
			}
			most = max(most, math.Abs(v))
		}
	}
	if most == 0 {
		return zeroMatrix, nil
	}
	_, exponent = math.Frexp(most)
	// Of the full range of exponents the factor itself has only a part.
	half := exponent / 2
	first, second := math.Ldexp(1, -half), math.Ldexp(1, half-exponent)
	for i := range a.Rows {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		r := row(a, i)[i:]
		for j := range r {
			r[j] = r[j] * first * second
		}
	}
	return exponent, nil
}
