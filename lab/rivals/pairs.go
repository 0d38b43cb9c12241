package rivals

import (
	"context"

	"coles/gnn/autodiff"
	"coles/internal/kernel"
	"coles/internal/parallel"
)

// pairBlock rows make a block: the products of the rows of two blocks stay in the second cache.
const pairBlock = 256

// span is the block of rows [lo, hi).
type span struct{ lo, hi int }

func rowsIn[T autodiff.Float](m autodiff.Matrix[T], s span) autodiff.Matrix[T] {
	return kernel.Rows(m, s.lo, s.hi)
}

// rounds calls do for every pair of a block of rows and a block of cols as a task. With half these are the same
// blocks, and only pairs (i, j) with i ≤ j count. A task may add to what belongs to its two blocks: the tasks run in
// rounds, in which no block occurs twice, so that the sums are in an order that the sizes alone decide.
func rounds[T autodiff.Float](ctx context.Context, t *autodiff.Tape[T], rows, cols int, half bool, do func(i, j span)) {
	block := func(k, n int) span { return span{k * pairBlock, min(n, (k+1)*pairBlock)} }
	down, across := parallel.Pieces(rows, pairBlock), parallel.Pieces(cols, pairBlock)
	m := max(down, across)
	for r := 0; r < m && t.Err() == nil; r++ {
		t.Fail(parallel.For(ctx, down, func(i int) {
			if j := (r - i + m) % m; j < across && (i <= j || !half) {
				do(block(i, rows), block(j, cols))
			}
		}))
	}
}

// addTile adds weight·s·x, or with trans weight·sᵀ·x, to a block of the rows of dst.
func addTile[T autodiff.Float](dst autodiff.Matrix[T], to span, weight T, trans bool, s, x autodiff.Matrix[T]) {
	_ = kernel.Gemm(context.Background(), trans, false, weight, s, x, 1, rowsIn(dst, to)) // which cannot end
}

// eachRow calls do for every row, as tasks.
func eachRow[T autodiff.Float](ctx context.Context, t *autodiff.Tape[T], rows int, do func(i int)) {
	t.Fail(parallel.EachRow(ctx, rows, do))
}

// addTo adds x to dst.
func addTo[T autodiff.Float](dst []float64, x []T) {
	for i, v := range x {
		dst[i] += float64(v)
	}
}
