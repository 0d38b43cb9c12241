package matrix

import (
	"context"
	"slices"
	"sync/atomic"

	"coles/internal/kernel"
	"coles/internal/parallel"
)

// Symmetric reports whether a square matrix, its rows sorted, is its transpose. The entries above the
// diagonal meet their mirror images in the order of these.
func Symmetric(ctx context.Context, a *kernel.CSR[float64]) (bool, error) {
	var differs atomic.Bool
	next := slices.Clone(a.Ptr[:a.Rows]) // entry of each row to be met
	err := inRanges(ctx, a.Rows, a.NNZ(), func(lo, hi int) {
		for i := range hi {
			if i%parallel.RowsAtOnce == 0 && (ctx.Err() != nil || differs.Load()) {
				return
			}
			cols, _ := a.Row(i)
			first, _ := slices.BinarySearch(cols, int32(max(lo, i+1)))
			for q, j := range cols[first:] {
				if int(j) >= hi {
					break
				}
				at := next[j]
				next[j]++
				if at == a.Ptr[j+1] || a.Col[at] != int32(i) || a.Val != nil && a.Val[at] != a.Val[int(a.Ptr[i])+first+q] {
					differs.Store(true)
					return
				}
			}
		}
		for j := lo; j < hi; j++ {
			if at := next[j]; at < a.Ptr[j+1] && a.Col[at] < int32(j) {
				differs.Store(true)
			}
		}
	})
	return !differs.Load(), err
}

// Ones reports whether all values of a are one, as in a pattern.
func Ones(ctx context.Context, a *kernel.CSR[float64]) (ones bool, err error) {
	if a.Val == nil {
		return true, ctx.Err()
	}
	var others atomic.Bool
	err = parallel.Ranges(ctx, len(a.Val), 1<<16, func(lo, hi int) {
		if !others.Load() && slices.ContainsFunc(a.Val[lo:hi], func(v float64) bool { return v != 1 }) {
			others.Store(true)
		}
	})
	return !others.Load(), err
}

// Valued is a with values, which are stored anew for a pattern.
func Valued(a *kernel.CSR[float64]) *kernel.CSR[float64] {
	if a.Val != nil {
		return a
	}
	return &kernel.CSR[float64]{Rows: a.Rows, Cols: a.Cols, Ptr: a.Ptr, Col: a.Col, Val: slices.Repeat([]float64{1}, len(a.Col))}
}

// inRanges calls do for ranges of n rows, which are read from so many entries.
func inRanges(ctx context.Context, n, entries int, do func(lo, hi int)) error {
	// Each range is a pass over the entries.
	ranges := max(1, min(4, entries>>16, n))
	return parallel.Ranges(ctx, n, parallel.Pieces(n, ranges), do)
}
