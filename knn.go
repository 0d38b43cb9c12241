package coles

import (
	"context"
	"fmt"

	"coles/internal/matrix"
	"coles/internal/nearest"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// KNN builds a graph for data that has none: every row of X (n × d) is joined to the k rows of the
// largest positive cosine similarity to it, ties to the lower row. An edge stands if either end
// chose it, with weight 1. A zero row is similar to nothing and stays isolated.
//
// The search is exact and compares all pairs: O(n²·d) time for dense X, less for sparse, and O(n·(d
// + k)) memory.
//
// Errors: [ErrSetting] unless 1 ≤ k < n, [ErrShape], [ErrNotFinite], those of [NewGraph], and
// ctx's.
func KNN(ctx context.Context, x mat.Matrix, k int, opts ...GraphOption) (*Graph, error) {
	source, err := readFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	n := source.Rows()
	if k < 1 || k >= n {
		return nil, fmt.Errorf("coles: nearest neighbours: %w: k = %d for %d rows", ErrSetting, k, n)
	}
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	rows, err := matrix.As[float64](ctx, source)
	if err != nil {
		return nil, err
	}
	index, err := nearest.New(ctx, rows, true)
	if err != nil {
		return nil, fmt.Errorf("coles: nearest neighbours: %w", err)
	}
	edges := make([]Edge, 0, n*k)
	const block = 4096 // rows whose neighbours are kept at a time
	for lo := 0; lo < n; lo += block {
		hi := min(n, lo+block)
		self := make([]int, hi-lo)
		for i := range self {
			self[i] = lo + i
		}
		found, err := index.NearRows(ctx, self, k)
		if err != nil {
			return nil, fmt.Errorf("coles: nearest neighbours: %w", err)
		}
		for i, matches := range found {
			for _, m := range matches {
				if m.Score > 0 {
					edges = append(edges, Edge{lo + i, m.Row})
				}
			}
		}
	}
	return NewGraph(n, edges, opts...)
}
