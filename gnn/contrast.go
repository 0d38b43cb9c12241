package gnn

import (
	"context"

	"coles"
	"coles/internal/kernel"
	"coles/internal/parallel"
	"coles/internal/tape"
)

// contrastOf is ΔW as the tape multiplies by it: the sparse part and, beside it,
// the one of rank one.
func contrastOf[T kernel.Float](dw *coles.DeltaW) tape.SymmetricOperator[T] {
	sparse := compact[T](dw.Sparse())
	coef, v := dw.RankOne()
	if v == nil {
		return func(ctx context.Context, dst, src kernel.Matrix[T]) error {
			return kernel.SpMM(ctx, dst, sparse, src)
		}
	}
	column := kernel.Dense[T](len(v), 1)
	for i, c := range v {
		column.Data[i] = T(c)
	}
	return func(ctx context.Context, dst, src kernel.Matrix[T]) error {
		if err := kernel.SpMM(ctx, dst, sparse, src); err != nil {
			return err
		}
		row, release := kernel.Scratch[T](1, src.Cols)
		defer release()
		if err := kernel.Gemm(ctx, true, false, T(coef), column, src, 0, row); err != nil {
			return err
		}
		const rows = 64
		return parallel.Ranges(ctx, dst.Rows, rows, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				addTo(dst.Data[i*dst.Stride:][:dst.Cols], column.Data[i], row.Data[:dst.Cols])
			}
		})
	}
}
