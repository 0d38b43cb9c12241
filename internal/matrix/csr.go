package matrix

import (
	"context"
	"fmt"
	"slices"

	"coles/internal/kernel"
	"coles/internal/parallel"
	"coles/internal/scratch"

	"github.com/james-bowman/sparse"
)

// ConvertCSR is a sparse matrix of type T, itself if it is one already.
func ConvertCSR[T, S kernel.Float](a *kernel.CSR[S]) *kernel.CSR[T] {
	if same, ok := any(a).(*kernel.CSR[T]); ok {
		return same
	}
	return kernel.ConvertCSR[T](a)
}

// ConvertIn is [ConvertCSR] in the space of the context.
func ConvertIn[T, S kernel.Float](ctx context.Context, a *kernel.CSR[S]) (*kernel.CSR[T], error) {
	space := scratch.Of(ctx)
	if _, same := any(a).(*kernel.CSR[T]); same || space == nil {
		return ConvertCSR[T](a), ctx.Err()
	}
	vals, err := scratch.Make[T](space, len(a.Val))
	if err != nil {
		return nil, err
	}
	out := &kernel.CSR[T]{Rows: a.Rows, Cols: a.Cols, Ptr: a.Ptr, Col: a.Col, Val: vals}
	return out, EachRow(ctx, a, func(i int) {
		_, from := a.Row(i)
		_, to := out.Row(i)
		for q, v := range from {
			to[q] = T(v)
		}
	})
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

// ExportCSR copies a matrix into the sparse package's form. The only error is ctx's.
func ExportCSR(ctx context.Context, a *kernel.CSR[float64]) (*sparse.CSR, error) {
	ptr, ind, vals := make([]int, a.Rows+1), make([]int, a.NNZ()), make([]float64, a.NNZ())
	for i, p := range a.Ptr {
		ptr[i] = int(p)
	}
	return sparse.NewCSR(a.Rows, a.Cols, ptr, ind, vals), EachRow(ctx, a, func(i int) {
		cols, from := a.Row(i)
		for q, j := range cols {
			at := ptr[i] + q
			if ind[at], vals[at] = int(j), 1; from != nil {
				vals[at] = from[q]
			}
		}
	})
}

// RowMeans is a with its rows, whose entries are above 0, divided by their sums. The pattern is a's
// own. The only error is ctx's.
func RowMeans[T kernel.Float](ctx context.Context, a *kernel.CSR[float64]) (*kernel.CSR[T], error) {
	means := &kernel.CSR[T]{Rows: a.Rows, Cols: a.Cols, Ptr: a.Ptr, Col: a.Col, Val: kernel.Unset[T](1, a.NNZ()).Data}
	return means, EachRow(ctx, a, func(i int) {
		_, from := a.Row(i)
		_, to := means.Row(i)
		sum := Total(from)
		for q, v := range from {
			to[q] = T(v / sum)
		}
	})
}

// ScaledCSR returns diag(left)·a·diag(right), each entry times the product of its two scales as
// [Scaled] takes it, nil standing for ones. The pattern is a's own. The only error is ctx's.
func ScaledCSR(ctx context.Context, a *kernel.CSR[float64], left, right []float64) (*kernel.CSR[float64], error) {
	at := func(scale []float64, i int) float64 {
		if scale == nil {
			return 1
		}
		return scale[i]
	}
	s := &kernel.CSR[float64]{Rows: a.Rows, Cols: a.Cols, Ptr: a.Ptr, Col: a.Col, Val: kernel.Unset[float64](1, len(a.Val)).Data}
	return s, EachRow(ctx, a, func(i int) {
		cols, from := a.Row(i)
		_, to := s.Row(i)
		for q, j := range cols {
			to[q] = Scaled(from[q], at(left, i), at(right, int(j)))
		}
	})
}

// Induced returns the entries of a square a in the rows and columns of the given nodes, each given
// once: entry (i, j) is a at (nodes[i], nodes[j]). A pattern gives a pattern. It takes the entries of
// these rows, twice, and 4 bytes for each row of a. The only error is ctx's.
func Induced[T kernel.Float](ctx context.Context, a *kernel.CSR[T], nodes []int) (*kernel.CSR[T], error) {
	place := make([]int32, a.Rows) // among the nodes, from 1 on; 0 for none
	for k, u := range nodes {
		place[u] = int32(k + 1)
	}
	c := &kernel.CSR[T]{Rows: len(nodes), Cols: len(nodes), Ptr: make([]int64, len(nodes)+1)}
	if err := EachRow(ctx, c, func(i int) {
		cols, _ := a.Row(nodes[i])
		for _, v := range cols {
			if place[v] > 0 {
				c.Ptr[i+1]++
			}
		}
	}); err != nil {
		return nil, err
	}
	MakeEntries(c)
	if a.Val == nil {
		c.Val = nil
	}
	if err := EachRow(ctx, c, func(i int) {
		from, vals := a.Row(nodes[i])
		to, kept := c.Row(i)
		at := 0
		for q, v := range from {
			if place[v] == 0 {
				continue
			}
			if to[at] = place[v] - 1; vals != nil {
				kept[at] = vals[q]
			}
			at++
		}
	}); err != nil {
		return nil, err
	}
	_, err := sortRows(ctx, c, nil) // nodes may be in any order
	return c, err
}

// CheckPairs verifies the pairs of numbers below n that are the edges of a graph, and their
// weights, nil for none. Errors: [ErrShape], [ErrIndex], [ErrNotFinite], [ErrNegative].
func CheckPairs[E ~struct{ U, V int }](n int, pairs []E, weights []float64) error {
	if weights != nil && len(weights) != len(pairs) {
		return fmt.Errorf("%w: %d weights for %d edges", ErrShape, len(weights), len(pairs))
	}
	for q, e := range pairs {
		w := 1.0
		if weights != nil {
			w = weights[q]
		}
		if err := CheckPair(n, q, e, w); err != nil {
			return err
		}
	}
	return nil
}

// CheckPair is [CheckPairs] for pair q.
func CheckPair[E ~struct{ U, V int }](n, q int, pair E, weight float64) error {
	e := struct{ U, V int }(pair)
	if e.U < 0 || e.U >= n || e.V < 0 || e.V >= n {
		return fmt.Errorf("%w: edge %d joins %d and %d in a graph of %d nodes", ErrIndex, q, e.U, e.V, n)
	}
	return CheckWeight(weight, e.U, e.V)
}

// CheckWeight verifies the weight of an edge between u and v, by their numbers or names.
func CheckWeight[N int | string](w float64, u, v N) error {
	if !Finite(w) {
		return fmt.Errorf("%w: weight %v of the edge between %v and %v", ErrNotFinite, w, u, v)
	}
	if w < 0 {
		return fmt.Errorf("%w: weight %v of the edge between %v and %v", ErrNegative, w, u, v)
	}
	return nil
}

// Add returns ca·a + cb·b for matrices of the same shape. The only error is ctx's.
func Add(ctx context.Context, ca float64, a *kernel.CSR[float64], cb float64, b *kernel.CSR[float64]) (*kernel.CSR[float64], error) {
	return Merge(ctx, a, b, func(x, y float64) float64 { return ca*x + cb*y })
}

// Merge returns the matrix of f(a_ij, b_ij) over the places where a or b has an entry, an absent
// one counting as zero. The only error is ctx's.
func Merge(ctx context.Context, a, b *kernel.CSR[float64], f func(x, y float64) float64) (*kernel.CSR[float64], error) {
	return fromRows(ctx, a.Rows, a.Cols, func(lo, hi int, put func(i int, j int32, v float64)) {
		for i := lo; i < hi; i++ {
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
				put(i, col, f(x, y))
			}
		}
	})
}

// Drop takes out of a the entries for which drop holds, in place. The only error is ctx's; a is no
// matrix then.
func Drop(ctx context.Context, a *kernel.CSR[float64], drop func(i, j int, v float64) bool) error {
	kept := make([]int32, a.Rows)
	if err := EachRow(ctx, a, func(i int) {
		cols, vals := a.Row(i)
		for q, j := range cols {
			v := 1.0
			if vals != nil {
				v = vals[q]
			}
			if drop(i, int(j), v) {
				continue
			}
			if cols[kept[i]] = j; vals != nil {
				vals[kept[i]] = v
			}
			kept[i]++
		}
	}); err != nil {
		return err
	}
	return closeUp(ctx, a, kept)
}

// fromRows is the matrix of the entries that put is given for the rows lo to hi, by row and column.
// Each block of rows is asked for twice. The only error is ctx's.
func fromRows(ctx context.Context, rows, cols int, each func(lo, hi int, put func(i int, j int32, v float64))) (*kernel.CSR[float64], error) {
	a := &kernel.CSR[float64]{Rows: rows, Cols: cols, Ptr: make([]int64, rows+1)}
	if err := parallel.Rows(ctx, rows, func(lo, hi int) {
		each(lo, hi, func(i int, _ int32, _ float64) { a.Ptr[i+1]++ })
	}); err != nil {
		return nil, err
	}
	MakeEntries(a)
	return a, parallel.Rows(ctx, rows, func(lo, hi int) {
		at := a.Ptr[lo]
		each(lo, hi, func(_ int, j int32, v float64) {
			a.Col[at], a.Val[at] = j, v
			at++
		})
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

// Degree sums the values of row i, nil for ones, without the diagonal's, which it returns apart.
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

// EachRow calls do for every row, on all processors.
func EachRow[T kernel.Float](ctx context.Context, a *kernel.CSR[T], do func(i int)) error {
	return parallel.EachRow(ctx, a.Rows, do)
}

// MakeEntries makes room for the entries of a matrix, to be set. Ptr[i+1] holds the number of entries of row i.
func MakeEntries[T kernel.Float](a *kernel.CSR[T]) {
	_ = makeEntriesIn(nil, a) // memory has no errors
}

// makeEntriesIn is [MakeEntries] in a space, if there is one.
func makeEntriesIn[T kernel.Float](space *scratch.Space, a *kernel.CSR[T]) (err error) {
	for i := range a.Rows {
		a.Ptr[i+1] += a.Ptr[i]
	}
	if a.Col, err = scratch.Make[int32](space, a.NNZ()); err == nil {
		a.Val, err = unset[T](space, a.NNZ())
	}
	return err
}
