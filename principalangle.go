package coles

import (
	"context"
	"fmt"
	"math"

	"coles/internal/eigen"
	"coles/internal/kernel"

	"gonum.org/v1/gonum/mat"
)

// orthonormalTolerance is how far PPᵀ may be from I: far above the rounding of
// any solver, far below a matrix that is not orthonormal.
const orthonormalTolerance = 1e-6

// PrincipalAngle returns the largest angle, in radians from 0 to π/2, between a vector in
// the span of the rows of p (k × d, orthonormal) and the span of the rows of q
// (l × d, orthonormal, l ≥ k): what [Projection] P of a model has turned by when q is that of
// another. Its sine is the largest singular value of R = P − PQᵀQ (Björck and Golub 1973),
// from the largest eigenvalue of RRᵀ: small angles have an error of some 10⁻¹⁶, those near
// π/2, where the sine hardly changes, of 10⁻⁸.
//
// The cost is O(k·l·d + k²·d). Errors: [ErrShape], [ErrEmpty], [ErrNotFinite],
// and [ErrSetting] for rows that are not orthonormal.
func PrincipalAngle(p, q *mat.Dense) (float64, error) {
	for _, m := range []*mat.Dense{p, q} {
		if m == nil || m.IsEmpty() {
			return 0, fmt.Errorf("coles: principal angle: %w: a matrix without rows", ErrEmpty)
		}
		if err := checkOrthonormal(m); err != nil {
			return 0, err
		}
	}
	k, d := p.Dims()
	if l, e := q.Dims(); d != e || k > l {
		return 0, fmt.Errorf("coles: principal angle: %w: rows %d × %d against %d × %d", ErrShape, k, d, l, e)
	}
	var shared, rest mat.Dense
	shared.Mul(p, q.T())
	rest.Mul(&shared, q)
	rest.Sub(p, &rest)
	ctx, r := context.Background(), kernel.Matrix[float64](rest.RawMatrix())
	gram := kernel.Dense[float64](k, k)
	if err := kernel.Gemm(ctx, false, true, 1, r, r, 0, gram); err != nil {
		return 0, err
	}
	top, err := eigen.Direct(ctx, gram, 1)
	if err != nil {
		return 0, err
	}
	return math.Asin(math.Sqrt(min(max(top.Values[0], 0), 1))), nil
}

func checkOrthonormal(m *mat.Dense) error {
	r, _ := m.Dims()
	var gram mat.Dense
	gram.Mul(m, m.T())
	for i := range r {
		for j := range r {
			want := 0.0
			if i == j {
				want = 1
			}
			v := gram.At(i, j)
			if !finite(v) {
				return fmt.Errorf("coles: principal angle: %w: row %d", ErrNotFinite, i)
			}
			if math.Abs(v-want) > orthonormalTolerance {
				return fmt.Errorf("coles: principal angle: %w: rows %d and %d have a product of %v", ErrSetting, i, j, v)
			}
		}
	}
	return nil
}
