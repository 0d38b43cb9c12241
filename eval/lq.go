package eval

import (
	"context"

	"coles/internal/kernel"

	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
)

// lqRows is the number of rows that are reduced one by one before their
// reflections are applied to the rest by matrix products.
const lqRows = 32

// factorLQ overwrites x, t × d with t ≤ d, by its factors x = L·Q: L on and
// below the diagonal, the reflectors of Q above it and in tau, as LAPACK's
// Dgelqf leaves them. It is that routine with products that run on every
// processor and end with ctx.
func factorLQ(ctx context.Context, x kernel.Matrix[float64], tau []float64) error {
	var lp gonum.Implementation
	work := make([]float64, x.Rows)
	for i := 0; i < x.Rows; i += lqRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		b, d := min(lqRows, x.Rows-i), x.Cols-i
		panel := kernel.View(x, i, i, b, d)
		lp.Dgelq2(b, d, panel.Data, panel.Stride, tau[i:i+b], work)
		below := x.Rows - i - b
		if below == 0 {
			break
		}
		// The product of the panel's reflections is I − VᵀTV.
		v, t := kernel.Dense[float64](b, d), kernel.Dense[float64](b, b)
		for r := range b {
			v.Data[r*v.Stride+r] = 1
			copy(v.Data[r*v.Stride+r+1:(r+1)*v.Stride], panel.Data[r*panel.Stride+r+1:])
		}
		lp.Dlarft(lapack.Forward, lapack.RowWise, d, b, v.Data, v.Stride, tau[i:i+b], t.Data, t.Stride)
		rest := kernel.View(x, i+b, i, below, d)
		p, pt := kernel.Dense[float64](below, b), kernel.Dense[float64](below, b)
		if err := kernel.Gemm(ctx, false, true, 1, rest, v, 0, p); err != nil {
			return err
		}
		if err := kernel.Gemm(ctx, false, false, 1, p, t, 0, pt); err != nil {
			return err
		}
		if err := kernel.Gemm(ctx, false, false, -1, pt, v, 1, rest); err != nil {
			return err
		}
	}
	return nil
}
