package matrix

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"

	"coles/internal/kernel"
	"coles/internal/parallel"
)

// FromPairs builds the symmetric matrix with an entry at (u, v) and (v, u) for every pair, pairs at
// the same place joined by merge. A pair with u = v is one diagonal entry. It returns how many
// pairs were joined to another. A nil weight means 1; a nil merge as well makes a pattern. The only
// error is ctx's.
//
// It is a counting sort, of the rows of one range after the other: every processor reads all pairs
// and writes what belongs to its range, in the order of the pairs.
func FromPairs[E ~struct{ U, V int }](ctx context.Context, n int, pairs []E, weight []float64, merge func(x, y float64) float64) (*kernel.CSR[float64], int, error) {
	const between = 1 << 12 // pairs, two looks at the context: each may be the first in its page
	a := &kernel.CSR[float64]{Rows: n, Cols: n, Ptr: make([]int64, n+1)}
	pass := func(put func(q, u, v int)) error {
		return inRanges(ctx, n, len(pairs), func(lo, hi int) {
			size := uint(hi - lo)
			for q, e := range pairs {
				if q%between == 0 && ctx.Err() != nil {
					return
				}
				e := struct{ U, V int }(e)
				if uint(e.U-lo) < size {
					put(q, e.U, e.V)
				}
				if uint(e.V-lo) < size && e.U != e.V {
					put(q, e.V, e.U)
				}
			}
		})
	}
	if err := pass(func(_, u, _ int) { a.Ptr[u+1]++ }); err != nil {
		return nil, 0, err
	}
	for i := range n {
		a.Ptr[i+1] += a.Ptr[i]
	}
	a.Col = make([]int32, a.Ptr[n])
	if weight != nil || merge != nil {
		a.Val = kernel.Unset[float64](1, int(a.Ptr[n])).Data
	}
	next := slices.Clone(a.Ptr[:n])
	if err := pass(func(q, u, v int) {
		at := next[u]
		next[u]++
		a.Col[at] = int32(v)
		if weight != nil {
			a.Val[at] = weight[q]
		} else if a.Val != nil {
			a.Val[at] = 1
		}
	}); err != nil {
		return nil, 0, err
	}
	if _, err := sortRows(ctx, a, merge); err != nil {
		return nil, 0, err
	}
	distinct, err := parallel.Sum(ctx, n, 1, func(sum []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			cols, _ := a.Row(i)
			at, _ := slices.BinarySearch(cols, int32(i))
			sum[0] += float64(len(cols) - at)
		}
	})
	return a, len(pairs) - int(distinct[0]), err
}

// inRanges calls do for ranges of n rows, which are read from so many entries.
func inRanges(ctx context.Context, n, entries int, do func(lo, hi int)) error {
	// Each range is a pass over the entries.
	ranges := max(1, min(4, entries>>16, n))
	return parallel.Ranges(ctx, n, parallel.Pieces(n, ranges), do)
}

// sortRows sorts every row by column and joins entries of the same column by merge, nil where none
// are or a is a pattern, in place. It
// returns how many entries went into another. The only error is ctx's; the matrix is none then.
func sortRows[T kernel.Float](ctx context.Context, a *kernel.CSR[T], merge func(x, y T) T) (int, error) {
	kept := make([]int32, a.Rows)
	err := parallel.Rows(ctx, a.Rows, func(lo, hi int) {
		var row []entry[T]
		for i := lo; i < hi; i++ {
			cols, vals := a.Row(i)
			if vals == nil {
				slices.Sort(cols)
				kept[i] = int32(len(slices.Compact(cols)))
				continue
			}
			row, kept[i] = sortRow(row, cols, vals, merge)
		}
	})
	if err != nil {
		return 0, err
	}
	out, entries := int64(0), a.NNZ()
	for i := range a.Rows {
		if i%parallel.RowsAtOnce == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
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
	return entries - int(out), nil
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
