package matrix

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"coles/internal/kernel"
	"coles/internal/parallel"

	"github.com/james-bowman/sparse"
)

// ConvertCSR is a sparse matrix of type T, itself if it is one already.
func ConvertCSR[T, S kernel.Float](a *kernel.CSR[S]) *kernel.CSR[T] {
	if same, ok := any(a).(*kernel.CSR[T]); ok {
		return same
	}
	return kernel.ConvertCSR[T](a)
}

// FromCSR copies a checked sparse matrix into the form that the kernels read: columns ascending,
// entries at the same place joined by merge, which is nil for the pattern alone. It returns how many
// entries were joined to another. The only error is ctx's.
func FromCSR(ctx context.Context, a *sparse.CSR, merge func(x, y float64) float64) (*kernel.CSR[float64], int, error) {
	m := a.RawMatrix()
	nnz := m.Indptr[m.I]
	c := &kernel.CSR[float64]{
		Rows: m.I, Cols: m.J,
		Ptr: make([]int64, m.I+1),
		Col: make([]int32, nnz),
	}
	for i, p := range m.Indptr {
		c.Ptr[i] = int64(p)
	}
	if merge != nil {
		c.Val = kernel.Unset[float64](1, nnz).Data
	}
	if err := EachRow(ctx, c, func(i int) {
		lo, hi := c.Ptr[i], c.Ptr[i+1]
		for q, j := range m.Ind[lo:hi] {
			c.Col[lo+int64(q)] = int32(j)
		}
		if merge != nil {
			copy(c.Val[lo:hi], m.Data[lo:hi])
		}
	}); err != nil {
		return nil, 0, err
	}
	merged, err := sortRows(ctx, c, merge)
	return c, merged, err
}

// ExportCSR copies a matrix into the sparse package's form.
func ExportCSR(a *kernel.CSR[float64]) *sparse.CSR {
	ptr, ind := make([]int, a.Rows+1), make([]int, a.NNZ())
	for i, p := range a.Ptr {
		ptr[i] = int(p)
	}
	for q, j := range a.Col {
		ind[q] = int(j)
	}
	vals := slices.Clone(a.Val)
	if vals == nil {
		vals = slices.Repeat([]float64{1}, len(ind))
	}
	return sparse.NewCSR(a.Rows, a.Cols, ptr, ind, vals)
}

// CheckPairs verifies the pairs of numbers below n that are the edges of a graph, and their
// weights, nil for none. Errors: [ErrShape], [ErrIndex], [ErrNotFinite], [ErrNegative].
func CheckPairs[E ~struct{ U, V int }](n int, pairs []E, weights []float64) error {
	if weights != nil && len(weights) != len(pairs) {
		return fmt.Errorf("%w: %d weights for %d edges", ErrShape, len(weights), len(pairs))
	}
	for q, e := range pairs {
		e := struct{ U, V int }(e)
		if e.U < 0 || e.U >= n || e.V < 0 || e.V >= n {
			return fmt.Errorf("%w: edge %d joins %d and %d in a graph of %d nodes", ErrIndex, q, e.U, e.V, n)
		}
		if weights != nil {
			if err := CheckWeight(weights[q], e.U, e.V); err != nil {
				return err
			}
		}
	}
	return nil
}

// CheckWeight verifies the weight of an edge between u and v.
func CheckWeight(w float64, u, v int) error {
	if !Finite(w) {
		return fmt.Errorf("%w: weight %v of the edge between %d and %d", ErrNotFinite, w, u, v)
	}
	if w < 0 {
		return fmt.Errorf("%w: weight %v of the edge between %d and %d", ErrNegative, w, u, v)
	}
	return nil
}

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
	return parallel.Ranges(ctx, n, (n+ranges-1)/ranges, do)
}

// sortRows sorts every row by column and joins entries of the same column by merge, in place. It
// returns how many entries went into another. The only error is ctx's; the matrix is none then.
func sortRows(ctx context.Context, a *kernel.CSR[float64], merge func(x, y float64) float64) (int, error) {
	kept := make([]int32, a.Rows)
	err := parallel.Rows(ctx, a.Rows, func(lo, hi int) {
		var row []entry
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

type entry struct {
	col int32
	val float64
}

// sortRow sorts a row, joins its entries, and returns the storage row and how many are left.
func sortRow(row []entry, cols []int32, vals []float64, merge func(x, y float64) float64) ([]entry, int32) {
	if !slices.IsSorted(cols) {
		row = row[:0]
		for q, j := range cols {
			row = append(row, entry{j, vals[q]})
		}
		// Stable, so that a merge that rounds sees the entries in the order given.
		slices.SortStableFunc(row, func(x, y entry) int { return cmp.Compare(x.col, y.col) })
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

// Ones reports whether all values of a are one, as those of a pattern are.
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

// Valued is a with values, those of a pattern being stored anew.
func Valued(a *kernel.CSR[float64]) *kernel.CSR[float64] {
	if a.Val != nil {
		return a
	}
	return &kernel.CSR[float64]{Rows: a.Rows, Cols: a.Cols, Ptr: a.Ptr, Col: a.Col, Val: slices.Repeat([]float64{1}, len(a.Col))}
}

// Add returns ca·a + cb·b for matrices of the same shape. The only error is ctx's.
func Add(ctx context.Context, ca float64, a *kernel.CSR[float64], cb float64, b *kernel.CSR[float64]) (*kernel.CSR[float64], error) {
	return Merge(ctx, a, b, func(x, y float64) float64 { return ca*x + cb*y })
}

// Merge returns the matrix of f(a_ij, b_ij) over the places where a or b has an entry, an absent
// one counting as zero. The only error is ctx's.
func Merge(ctx context.Context, a, b *kernel.CSR[float64], f func(x, y float64) float64) (*kernel.CSR[float64], error) {
	c := &kernel.CSR[float64]{Rows: a.Rows, Cols: a.Cols, Ptr: make([]int64, a.Rows+1)}
	if err := EachRow(ctx, c, func(i int) {
		MergeRow(a, b, i, func(int32, float64, float64) { c.Ptr[i+1]++ })
	}); err != nil {
		return nil, err
	}
	MakeEntries(c)
	return c, EachRow(ctx, c, func(i int) {
		cols, vals := c.Row(i)
		q := 0
		MergeRow(a, b, i, func(j int32, x, y float64) {
			cols[q], vals[q] = j, f(x, y)
			q++
		})
	})
}

// MergeRow visits the places where row i of a or of b has an entry, in order.
func MergeRow(a, b *kernel.CSR[float64], i int, visit func(j int32, x, y float64)) {
	ac, av := a.Row(i)
	bc, bv := b.Row(i)
	for len(ac) > 0 || len(bc) > 0 {
		var col int32
		var x, y float64
		takeA := len(bc) == 0 || len(ac) > 0 && ac[0] <= bc[0]
		takeB := len(ac) == 0 || len(bc) > 0 && bc[0] <= ac[0]
		if takeA {
			col, x = ac[0], av[0]
			ac, av = ac[1:], av[1:]
		}
		if takeB {
			col, y = bc[0], bv[0]
			bc, bv = bc[1:], bv[1:]
		}
		visit(col, x, y)
	}
}

// Drop returns a without the entries for which drop holds. The only error is ctx's.
func Drop(ctx context.Context, a *kernel.CSR[float64], drop func(i, j int, v float64) bool) (*kernel.CSR[float64], error) {
	c := &kernel.CSR[float64]{Rows: a.Rows, Cols: a.Cols, Ptr: make([]int64, a.Rows+1)}
	a = Valued(a)
	if err := EachRow(ctx, a, func(i int) {
		cols, vals := a.Row(i)
		for q, j := range cols {
			if !drop(i, int(j), vals[q]) {
				c.Ptr[i+1]++
			}
		}
	}); err != nil {
		return nil, err
	}
	MakeEntries(c)
	return c, EachRow(ctx, a, func(i int) {
		from, vals := a.Row(i)
		to, kept := c.Row(i)
		at := 0
		for q, j := range from {
			if !drop(i, int(j), vals[q]) {
				to[at], kept[at] = j, vals[q]
				at++
			}
		}
	})
}

// Identity is I of order n.
func Identity(n int) *kernel.CSR[float64] {
	e := &kernel.CSR[float64]{Rows: n, Cols: n, Ptr: make([]int64, n+1), Col: make([]int32, n), Val: make([]float64, n)}
	for i := range n {
		e.Ptr[i+1], e.Col[i], e.Val[i] = int64(i+1), int32(i), 1
	}
	return e
}

// Entry is a_ij, and whether it is stored.
func Entry(a *kernel.CSR[float64], i, j int) (v float64, stored bool) {
	cols, vals := a.Row(i)
	at, ok := slices.BinarySearch(cols, int32(j))
	switch {
	case !ok:
		return 0, false
	case vals == nil:
		return 1, true
	}
	return vals[at], true
}

// Degree sums the values of row i, nil for ones, but that on the diagonal, which it returns too.
func Degree(i int, cols []int32, vals []float64) (degree, loop float64) {
	at, found := slices.BinarySearch(cols, int32(i))
	switch {
	case vals == nil && found:
		return float64(len(cols) - 1), 1
	case vals == nil:
		return float64(len(cols)), 0
	case !found:
		return Total(vals), 0
	}
	return Total(vals[:at]) + Total(vals[at+1:]), vals[at]
}

// FirstDifference finds the first place where two matrices of one shape differ; a stored zero is no
// different from an entry that is not there.
func FirstDifference(a, b *kernel.CSR[float64]) (i, j int, same bool) {
	same = true
	for i = 0; i < a.Rows && same; i++ {
		MergeRow(a, b, i, func(col int32, x, y float64) {
			if x != y && same {
				j, same = int(col), false
			}
		})
	}
	return i - 1, j, same
}

// EachRow calls do for every row, on all processors.
func EachRow[T kernel.Float](ctx context.Context, a *kernel.CSR[T], do func(i int)) error {
	return parallel.Rows(ctx, a.Rows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			do(i)
		}
	})
}

// MakeEntries makes room for the entries of a matrix of which Ptr[i+1] holds how many row i has.
// They are to be set.
func MakeEntries[T kernel.Float](a *kernel.CSR[T]) {
	for i := range a.Rows {
		a.Ptr[i+1] += a.Ptr[i]
	}
	a.Col, a.Val = make([]int32, a.Ptr[a.Rows]), kernel.Unset[T](1, int(a.Ptr[a.Rows])).Data
}
