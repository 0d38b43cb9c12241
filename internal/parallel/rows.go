package parallel

import "context"

// RowsAtOnce rows are worked on between two looks at the context.
const RowsAtOnce = 256

// Rows calls do for blocks of rows, under the rules of For.
func Rows(ctx context.Context, rows int, do func(lo, hi int)) error {
	return Ranges(ctx, rows, RowsAtOnce, do)
}

// EachRow calls do for every row, under the rules of For.
func EachRow(ctx context.Context, rows int, do func(i int)) error {
	return Rows(ctx, rows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			do(i)
		}
	})
}

// foldParts bounds the number of parts that are folded, and with it their memory.
const foldParts = 64

// Fold folds all rows of a matrix into one value. It folds each part of the rows into a fresh value, and joins these in order.
// The parts, and with them the rounding, depend only on the number of rows.
func Fold[V any](ctx context.Context, rows int, fresh func() V, add func(into V, lo, hi int), join func(into, from V)) (V, error) {
	share := max(4*RowsAtOnce, Pieces(rows, foldParts))
	parts := make([]V, Pieces(rows, share))
	err := Ranges(ctx, rows, share, func(lo, hi int) {
		part := fresh()
		for ; lo < hi && ctx.Err() == nil; lo += RowsAtOnce {
			add(part, lo, min(hi, lo+RowsAtOnce))
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

// Sum is Fold for vectors that add up.
func Sum(ctx context.Context, rows, width int, add func(sum []float64, lo, hi int)) ([]float64, error) {
	return Fold(ctx, rows,
		func() []float64 { return make([]float64, width) },
		add,
		func(into, from []float64) {
			for j, v := range from {
				into[j] += v
			}
		})
}
