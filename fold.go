package coles

import (
	"context"

	"coles/internal/parallel"
)

// rowsAtOnce rows are worked on between two looks at the context.
const rowsAtOnce = 256

// eachBlock calls do for blocks of rows, on all processors.
func eachBlock(ctx context.Context, rows int, do func(lo, hi int)) error {
	return parallel.Ranges(ctx, rows, rowsAtOnce, do)
}

// foldBlocks bounds the number of parts that are folded, and with it their memory.
const foldBlocks = 64

// foldRows folds all rows of a matrix into one value: parts of them into a
// fresh one each, and these together in their order. The parts depend on the
// number of rows alone, and with them the rounding.
func foldRows[V any](ctx context.Context, rows int, fresh func() V, add func(into V, lo, hi int), join func(into, from V)) (V, error) {
	share := max(4*rowsAtOnce, (rows+foldBlocks-1)/foldBlocks)
	parts := make([]V, (rows+share-1)/share)
	err := parallel.Ranges(ctx, rows, share, func(lo, hi int) {
		part := fresh()
		for ; lo < hi && ctx.Err() == nil; lo += rowsAtOnce {
			add(part, lo, min(hi, lo+rowsAtOnce))
		}
		parts[(hi-1)/share] = part
	})
	all := fresh()
	if err != nil {
		return all, err
	}
	for _, p := range parts {
		join(all, p)
	}
	return all, nil
}

// sumRows is foldRows for vectors that add up.
func sumRows(ctx context.Context, rows, width int, add func(sum []float64, lo, hi int)) ([]float64, error) {
	return foldRows(ctx, rows,
		func() []float64 { return make([]float64, width) },
		add,
		func(into, from []float64) { addScaled(into, 1, from) })
}

// addScaled adds c·x to the first len(x) numbers of y.
func addScaled(y []float64, c float64, x []float64) {
	y = y[:len(x)]
	for j, v := range x {
		y[j] += c * v
	}
}
