package rivals

import (
	"context"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
)

// eachRow calls do for every row of a matrix, on all processors.
func eachRow[T kernel.Float](ctx context.Context, m kernel.Matrix[T], do func(i int, row []T)) error {
	return parallel.Rows(ctx, m.Rows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			do(i, matrix.Row(m, i))
		}
	})
}
