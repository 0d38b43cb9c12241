package coles

import (
	"context"

	"coles/internal/kernel"
)

// The products whose result is kept in float64 whatever its factors are.

// wideGram adds the upper triangle of aᵀ·b, known to be symmetric, to c.
func wideGram[T kernel.Float](ctx context.Context, a, b kernel.Matrix[T], c kernel.Matrix[float64]) error {
	switch a := any(a).(type) {
	case kernel.Matrix[float32]:
		return kernel.GramWide(ctx, 1, a, any(b).(kernel.Matrix[float32]), c)
	case kernel.Matrix[float64]:
		return kernel.Gram(ctx, 1, a, any(b).(kernel.Matrix[float64]), c)
	}
	return ctx.Err()
}

// wideProduct sets c = a·b.
func wideProduct[T kernel.Float](ctx context.Context, a, b kernel.Matrix[T], c kernel.Matrix[float64]) error {
	switch a := any(a).(type) {
	case kernel.Matrix[float32]:
		return kernel.GemmWide(ctx, false, false, 1, a, any(b).(kernel.Matrix[float32]), 0, c)
	case kernel.Matrix[float64]:
		return kernel.Gemm(ctx, false, false, 1, a, any(b).(kernel.Matrix[float64]), 0, c)
	}
	return ctx.Err()
}

// widen gives a matrix in float64: itself, or a copy.
func widen[T kernel.Float](ctx context.Context, a kernel.Matrix[T]) (kernel.Matrix[float64], error) {
	s, err := viewOrConvert[float64](ctx, a)
	return s.dense, err
}
