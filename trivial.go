package coles

import (
	"context"
	"math"

	"coles/internal/eigen"
	"coles/internal/kernel"

	"gonum.org/v1/gonum/blas/blas64"
)

// trivialVector is the unit vector v with entries in proportion to √(dᵢ+1), for
// which W·v = v.
func trivialVector(g *Graph) []float64 {
	v := g.loopedDegrees()
	for i, d := range v {
		v[i] = math.Sqrt(d)
	}
	blas64.Scal(1/blas64.Nrm2(vectorOf(v)), vectorOf(v))
	return v
}

func vectorOf(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }

// withoutTrivial makes the rounding errors of an operator M relative to what M
// leaves and not to what cancels in it. FX is often large along one direction,
// that of the trivial vector v, which a filter keeps as it is and ΔW with
// degree negatives takes out again. In the space of features it is c = Xᵀv, here
// of length 1. A product with x = x₀ + c·s, s = cᵀx, is therefore taken as
//
//	M·x = M·x₀ + (M·c)·s
//
// with M·c from the exact operator, and what the first term has of c is
// replaced by (M·c)ᵀx₀. On features that say little of their graph this takes the
// errors of float32 from 1e-5 of λ₁ to 2e-7.
func withoutTrivial(ctx context.Context, m, exact eigen.Operator, c []float64) (eigen.Operator, error) {
	length := blas64.Nrm2(vectorOf(c))
	if length == 0 {
		return m, nil
	}
	d := len(c)
	basis := kernel.Dense[float64](d, 2) // c and M·c
	unit, image := kernel.Columns(basis, 0, 1), kernel.Columns(basis, 1, 2)
	for i, v := range c {
		basis.Data[2*i] = v / length
	}
	if err := exact(ctx, image, unit); err != nil {
		return nil, err
	}
	own := 0.0 // cᵀM·c
	for i := range d {
		own += basis.Data[2*i] * basis.Data[2*i+1]
	}
	var rest, shares, left panelBuffer[float64]
	return func(ctx context.Context, dst, src kernel.Matrix[float64]) error {
		b := src.Cols
		x, s, t := rest.sized(d, b), shares.sized(2, b), left.sized(1, b)
		if err := kernel.Gemm(ctx, true, false, 1, basis, src, 0, s); err != nil {
			return err
		}
		kernel.Copy(x, src)
		if err := kernel.Gemm(ctx, false, false, -1, unit, kernel.Rows(s, 0, 1), 1, x); err != nil {
			return err
		}
		if err := m(ctx, dst, x); err != nil {
			return err
		}
		if err := kernel.Gemm(ctx, true, false, 1, unit, dst, 0, t); err != nil {
			return err
		}
		for j := range b {
			share := s.Data[j]
			s.Data[j] = s.Data[s.Stride+j] - own*share - t.Data[j]
			s.Data[s.Stride+j] = share
		}
		return kernel.Gemm(ctx, false, false, 1, basis, s, 1, dst)
	}, nil
}
