package coles

import (
	"context"
	"fmt"

	"coles/internal/kernel"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// KNN builds a graph for data that has none: every row of X (n × d) is joined to
// the k rows of the largest positive cosine similarity to it, ties to the lower row.
// An edge stands if either end chose it, with weight 1. A zero row is similar
// to nothing and stays isolated.
//
// The search is exact and compares all pairs: O(n²·d) time for dense X, less for
// sparse, and 8·n·d bytes.
//
// Errors: [ErrSetting] unless 1 ≤ k < n, [ErrEmpty], [ErrNotFinite], those of
// [NewGraph], and ctx's.
func KNN(ctx context.Context, x mat.Matrix, k int, opts ...GraphOption) (*Graph, error) {
	if c := graphOptions(opts); c.weights != nil {
		return nil, fmt.Errorf("coles: nearest neighbours: %w: its edges all weigh 1", ErrSetting)
	}
	f, err := readFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	n := f.rows()
	if n == 0 || f.cols() == 0 {
		return nil, fmt.Errorf("coles: nearest neighbours: %w: %d × %d features", ErrEmpty, n, f.cols())
	}
	if k < 1 || k >= n {
		return nil, fmt.Errorf("coles: nearest neighbours: %w: k = %d for %d rows", ErrSetting, k, n)
	}
	if err := checkPanel(n, max(k, 128)); err != nil { // neighbours, and similarities of 128 rows
		return nil, err
	}
	unit, err := prepared[float64](ctx, &Preparer{how: PrepareRowL2, columns: f.cols()}, f)
	if err != nil {
		return nil, err
	}
	nearest := make([]neighbour, n*k)
	// Similarities of a block of rows to all others, rows by rows.
	const rows = 128
	sims := kernel.Dense[float64](min(rows, n), n)
	for lo := 0; lo < n; lo += rows {
		hi := min(lo+rows, n)
		s := kernel.View(sims, 0, 0, hi-lo, n)
		if err := similarities(ctx, unit, s, lo, hi); err != nil {
			return nil, err
		}
		if err := parallel.For(ctx, hi-lo, func(i int) {
			selectNearest(s.Data[i*s.Stride:][:n], lo+i, nearest[(lo+i)*k:][:k])
		}); err != nil {
			return nil, err
		}
	}
	var edges []Edge
	for q, near := range nearest {
		if near.similarity > 0 {
			edges = append(edges, Edge{q / k, near.row})
		}
	}
	return NewGraph(n, edges, opts...)
}

type neighbour struct {
	row        int
	similarity float64 // 0 marks a free place
}

// selectNearest keeps the best of a row of similarities, best first, by
// insertion: k is small and most candidates fail the first comparison.
func selectNearest(similarity []float64, self int, best []neighbour) {
	clear(best)
	last := len(best) - 1
	for j, s := range similarity {
		if s <= best[last].similarity || j == self {
			continue
		}
		at := last
		for at > 0 && best[at-1].similarity < s {
			best[at] = best[at-1]
			at--
		}
		best[at] = neighbour{j, s}
	}
}

// similarities sets s_ij = x_(lo+i)·x_j for the rows [lo, hi).
func similarities(ctx context.Context, x *signal[float64], s kernel.Matrix[float64], lo, hi int) error {
	if x.sparse == nil {
		return kernel.Gemm(ctx, false, true, 1, kernel.View(x.dense, lo, 0, hi-lo, x.dense.Cols), x.dense, 0, s)
	}
	if x.flip == nil {
		x.flip = x.sparse.Transpose()
	}
	// Row i of X·Xᵀ gathers the columns of its words: work is only done where two rows share one.
	return parallel.For(ctx, hi-lo, func(i int) {
		row := s.Data[i*s.Stride:][:s.Cols]
		clear(row)
		cols, vals := x.sparse.Row(lo + i)
		for q, j := range cols {
			others, with := x.flip.Row(int(j))
			for p, o := range others {
				row[o] += vals[q] * with[p]
			}
		}
	})
}
