package coles

import (
	"context"
	"slices"

	"coles/internal/input"
	"coles/internal/kernel"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// denseOf wraps a panel as a *mat.Dense without copying. gonum has no empty
// dense matrix with a shape, so a panel without entries becomes the empty one.
func denseOf(p kernel.Matrix[float64]) *mat.Dense {
	if p.Rows == 0 || p.Cols == 0 {
		return &mat.Dense{}
	}
	d := new(mat.Dense)
	d.SetRawMatrix(blas64.General(p))
	return d
}

// symmetricFromPairs builds the symmetric matrix with an entry at (u, v) and
// (v, u) for every pair, pairs at the same place joined by merge. A pair with
// u = v is one diagonal entry. It returns how many pairs were joined to
// another. A nil weight means 1. The only error is ctx's.
func symmetricFromPairs(ctx context.Context, n int, pairs []Edge, weight []float64, merge func(x, y float64) float64) (*kernel.CSR[float64], int, error) {
	const between = 1 << 12 // pairs, two looks at the context: each may be the first in its page
	a := &kernel.CSR[float64]{Rows: n, Cols: n, Ptr: make([]int64, n+1)}
	for q, e := range pairs {
		if q%between == 0 && ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		a.Ptr[e.U+1]++
		if e.U != e.V {
			a.Ptr[e.V+1]++
		}
	}
	for i := range n {
		a.Ptr[i+1] += a.Ptr[i]
	}
	a.Col, a.Val = make([]int32, a.Ptr[n]), make([]float64, a.Ptr[n])
	next := slices.Clone(a.Ptr[:n])
	put := func(u, v int, w float64) {
		a.Col[next[u]], a.Val[next[u]] = int32(v), w
		next[u]++
	}
	for q, e := range pairs {
		if q%between == 0 && ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		w := 1.0
		if weight != nil {
			w = weight[q]
		}
		put(e.U, e.V, w)
		if e.U != e.V {
			put(e.V, e.U, w)
		}
	}
	if _, err := input.SortRows(ctx, a, merge); err != nil {
		return nil, 0, err
	}
	distinct := 0
	for i := range n {
		cols, _ := a.Row(i)
		at, _ := slices.BinarySearch(cols, int32(i))
		distinct += len(cols) - at
	}
	return a, len(pairs) - distinct, nil
}

// exportCSR copies a matrix into the sparse package's form.
func exportCSR(a *kernel.CSR[float64]) *sparse.CSR {
	ptr, ind := make([]int, a.Rows+1), make([]int, a.NNZ())
	for i, p := range a.Ptr {
		ptr[i] = int(p)
	}
	for q, j := range a.Col {
		ind[q] = int(j)
	}
	return sparse.NewCSR(a.Rows, a.Cols, ptr, ind, slices.Clone(a.Val))
}

// addMatrices returns ca·a + cb·b for matrices of the same shape. The only error is ctx's.
func addMatrices(ctx context.Context, ca float64, a *kernel.CSR[float64], cb float64, b *kernel.CSR[float64]) (*kernel.CSR[float64], error) {
	return mergeRows(ctx, a, b, func(x, y float64) float64 { return ca*x + cb*y })
}

// mergeRows returns the matrix of f(a_ij, b_ij) over the places where a or b
// has an entry, an absent one counting as zero. The only error is ctx's.
func mergeRows(ctx context.Context, a, b *kernel.CSR[float64], f func(x, y float64) float64) (*kernel.CSR[float64], error) {
	c := &kernel.CSR[float64]{Rows: a.Rows, Cols: a.Cols, Ptr: make([]int64, a.Rows+1)}
	if err := eachRowOf(ctx, c, func(i int) {
		c.Ptr[i+1] = int64(mergeRow(a, b, i, nil, func(int, float64, float64) {}))
	}); err != nil {
		return nil, err
	}
	makeEntries(c)
	return c, eachRowOf(ctx, c, func(i int) {
		cols, vals := c.Row(i)
		mergeRow(a, b, i, cols, func(q int, x, y float64) { vals[q] = f(x, y) })
	})
}

// makeEntries makes room for the entries of a matrix of which Ptr[i+1] holds how many
// row i has. They are to be set.
func makeEntries[T kernel.Float](a *kernel.CSR[T]) {
	for i := range a.Rows {
		a.Ptr[i+1] += a.Ptr[i]
	}
	a.Col, a.Val = make([]int32, a.Ptr[a.Rows]), kernel.Unset[T](1, int(a.Ptr[a.Rows])).Data
}

// mergeRow visits the places where row i of a or of b has an entry, in order,
// writes their columns to cols unless that is nil, and returns their number.
func mergeRow(a, b *kernel.CSR[float64], i int, cols []int32, visit func(q int, x, y float64)) int {
	ac, av := a.Row(i)
	bc, bv := b.Row(i)
	q := 0
	for ; len(ac) > 0 || len(bc) > 0; q++ {
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
		if cols != nil {
			cols[q] = col
		}
		visit(q, x, y)
	}
	return q
}

// eachRowOf calls do for every row, on all processors.
func eachRowOf[T kernel.Float](ctx context.Context, a *kernel.CSR[T], do func(i int)) error {
	return eachBlock(ctx, a.Rows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			do(i)
		}
	})
}

// dropEntries returns a without the entries for which drop holds. The only error is ctx's.
func dropEntries(ctx context.Context, a *kernel.CSR[float64], drop func(i, j int, v float64) bool) (*kernel.CSR[float64], error) {
	c := &kernel.CSR[float64]{Rows: a.Rows, Cols: a.Cols, Ptr: make([]int64, a.Rows+1)}
	if err := eachRowOf(ctx, a, func(i int) {
		cols, vals := a.Row(i)
		for q, j := range cols {
			if !drop(i, int(j), vals[q]) {
				c.Ptr[i+1]++
			}
		}
	}); err != nil {
		return nil, err
	}
	makeEntries(c)
	return c, eachRowOf(ctx, a, func(i int) {
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
