package matrix

import (
	"cmp"
	"context"
	"slices"

	"coles/internal/kernel"
	"coles/internal/parallel"
)

// sortRows sorts every row by column and joins entries of the same column by merge, nil where none
// are or a is a pattern, in place. It returns how many entries went into another. The only error is
// ctx's; the matrix is none then.
func sortRows[T kernel.Float](ctx context.Context, a *kernel.CSR[T], merge func(x, y T) T) (int, error) {
	kept := make([]int32, a.Rows)
	err := parallel.Rows(ctx, a.Rows, func(lo, hi int) {
		var row []entry[T]
		for i := lo; i < hi; i++ {
			cols, vals := a.Row(i)
			if vals == nil {
				sortColumns(cols)
				kept[i] = int32(len(slices.Compact(cols)))
				continue
			}
			row, kept[i] = sortRow(row, cols, vals, merge)
		}
	})
	if err != nil {
		return 0, err
	}
	entries := a.NNZ()
	err = closeUp(ctx, a, kept)
	return entries - a.NNZ(), err
}

// closeUp keeps the first kept[i] entries of each row i. The only error is ctx's.
func closeUp[T kernel.Float](ctx context.Context, a *kernel.CSR[T], kept []int32) error {
	out := int64(0)
	for i := range a.Rows {
		if i%parallel.RowsAtOnce == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		start, end := a.Ptr[i], a.Ptr[i]+int64(kept[i])
		a.Ptr[i] = out
		if out != start {
			copy(a.Col[out:], a.Col[start:end])
			if a.Val != nil {
				copy(a.Val[out:], a.Val[start:end])
			}
		}
		out += int64(kept[i])
	}
	a.Ptr[a.Rows] = out
	a.Col = a.Col[:out]
	if a.Val != nil {
		a.Val = a.Val[:out]
	}
	return nil
}

// sortColumns sorts the columns of a row. Most rows are so short that it takes longer to choose how.
func sortColumns(cols []int32) {
	if len(cols) > 40 {
		slices.Sort(cols)
		return
	}
	for k := 1; k < len(cols); k++ {
		v, at := cols[k], k
		for ; at > 0 && cols[at-1] > v; at-- {
			cols[at] = cols[at-1]
		}
		cols[at] = v
	}
}

type entry[T kernel.Float] struct {
	col int32
	val T
}

// sortRow sorts a row, joins its entries, and returns the storage row and how many are left.
func sortRow[T kernel.Float](row []entry[T], cols []int32, vals []T, merge func(x, y T) T) ([]entry[T], int32) {
	if !slices.IsSorted(cols) {
		row = row[:0]
		for q, j := range cols {
			row = append(row, entry[T]{j, vals[q]})
		}
		// Stable, so that a merge that rounds sees the entries in the order given.
		slices.SortStableFunc(row, func(x, y entry[T]) int { return cmp.Compare(x.col, y.col) })
		for q, e := range row {
			cols[q], vals[q] = e.col, e.val
		}
	}
	out := 0
	for q, j := range cols {
		if out > 0 && cols[out-1] == j {
			vals[out-1] = merge(vals[out-1], vals[q])
			continue
		}
		cols[out], vals[out] = j, vals[q]
		out++
	}
	return row, int32(out)
}
