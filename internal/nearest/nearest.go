// Package nearest finds the rows of a matrix that are most similar to others, exactly.
//
// Dense rows are compared as products of matrices in float32, block by block. Where rounding there
// could hide a row from the best k, its score is computed in float64, so that the result is that of
// all scores in float64. Of sparse rows only those that share a column are compared.
package nearest

import (
	"context"
	"fmt"
	"math"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
)

// A Match is a row found by a search.
type Match struct {
	Row   int
	Score float64 // its similarity to the query
}

const (
	// Rows are looked at blockNumbers numbers at a time: 8 MB of float32.
	blockNumbers = 1 << 21
	// A task has so many queries and takes so many rows at a time: for 128 columns both and their
	// products stay in the second cache.
	taskQueries, taskRows = 256, 256
)

// A search is for the rows of x that are near to queries.
type search struct {
	x       *matrix.Matrix[float64]
	queries *matrix.Matrix[float64]
	self    []int // the row that each query is and does not find; may be nil
	cosine  bool  // the queries have length 1
	best    []best

	lengths, queryLengths []float64
}

// Rows finds, for every query, the k rows of x of the largest score, u·v or, of unit rows, its
// cosine, best first and the lower row first among equal ones. self are the rows of x that the
// queries are, which they do not find; nil for none. A zero row has the cosine 0 to any.
//
// The cost is O(n·d) for each query, or the number of entries in its columns where x is sparse;
// memory 8·n bytes a task.
//
// Errors: [matrix.ErrNotFinite] for products that could overflow, [matrix.ErrTooLarge], and ctx's.
func Rows(ctx context.Context, x, queries *matrix.Matrix[float64], self []int, k int, cosine bool) ([][]Match, error) {
	if err := matrix.CheckSize(queries.Rows(), max(k, x.Cols())); err != nil {
		return nil, err
	}
	s := &search{x: x, queries: queries, self: self, cosine: cosine, best: make([]best, queries.Rows())}
	var err error
	if s.lengths, err = matrix.Lengths(ctx, x); err != nil {
		return nil, err
	}
	if s.queryLengths, err = matrix.Lengths(ctx, queries); err != nil {
		return nil, fmt.Errorf("queries: %w", err)
	}
	longest, _ := extremes(s.lengths)
	longestQuery, _ := extremes(s.queryLengths)
	if !s.cosine && math.IsInf(longest*longestQuery, 0) {
		return nil, fmt.Errorf("%w: products of rows of length %v and %v could overflow", matrix.ErrNotFinite, longest, longestQuery)
	}
	for i := range s.best {
		s.best[i].matches = make([]Match, 0, k)
	}
	if x.Sparse != nil {
		err = s.lookAtColumns(ctx)
	} else {
		err = s.lookAtBlocks(ctx)
	}
	if err != nil {
		return nil, err
	}
	found := make([][]Match, len(s.best))
	err = parallel.For(ctx, len(found), func(i int) { found[i] = s.best[i].ranked() })
	return found, err
}

// extremes is the largest number, and the smallest one above zero, if any.
func extremes(lengths []float64) (longest, shortest float64) {
	shortest = 1
	for _, l := range lengths {
		longest = max(longest, l)
		if l > 0 {
			shortest = min(shortest, l)
		}
	}
	return longest, shortest
}

// lookAtColumns adds up the products of every query with the rows that share a column with it.
func (s *search) lookAtColumns(ctx context.Context) error {
	columns := s.x.Flip()
	n, queries := s.x.Rows(), s.queries
	return parallel.Ranges(ctx, queries.Rows(), 16, func(first, last int) {
		sums, release := kernel.Scratch[float64](1, n)
		defer release()
		for i := first; i < last && ctx.Err() == nil; i++ {
			clear(sums.Data)
			scale := 1.0
			if s.cosine && s.queryLengths[i] > 0 {
				scale = s.queryLengths[i]
			}
			cols, vals := queries.Row(i)
			for q, v := range vals {
				rows, with := columns.Row(matrix.Column(cols, q))
				for p, row := range rows {
					sums.Data[row] += v / scale * with[p]
				}
			}
			for row, sum := range sums.Data {
				if s.self == nil || s.self[i] != row {
					s.best[i].add(Match{row, s.score(sum, row)})
				}
			}
		}
	})
}

// score is that of a row of which the product with the query, at length 1 for the cosine, is sum.
func (s *search) score(sum float64, row int) float64 {
	if s.cosine && s.lengths[row] > 0 {
		return sum / s.lengths[row]
	}
	return sum
}
