package eval

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// A Match is a row found by a search.
type Match struct {
	Row   int
	Score float64 // its similarity to the query
}

// NearestRows finds, for each of the given rows of x (n × d), the k other rows
// most similar to it, best first, the lower row first among equal scores.
//
// It is exact: the result is that of comparing all scores in float64. They are
// looked at as products of matrices in float32, block by block; where rounding
// there could hide a row from the best k, its score is computed in float64.
// Cost O(nd) for each row and k log k to rank; memory, beside the result, a
// dense copy of the given rows, 8·n bytes and some megabytes.
//
// Errors: [ErrParameter] for k outside 1 … n − 1 or an unknown similarity,
// [ErrEmpty] for no rows given, [ErrRow], [ErrNotFinite] also for products that
// could overflow, [ErrShape], [ErrCorrupt], and ctx.Err().
func NearestRows(ctx context.Context, x mat.Matrix, rows []int, k int, by Similarity) ([][]Match, error) {
	f, err := newFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	if err := f.checkRows(rows, "given"); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%w: no rows to search for", ErrEmpty)
	}
	if err := checkNearest(k, f.rows-1, by); err != nil {
		return nil, err
	}
	return f.nearest(ctx, f.gather(rows), rows, k, by)
}

// NearestTo finds, for each row of queries (q × d), the k rows of x (n × d) most
// similar to it, as [NearestRows] does for rows of x itself.
//
// Errors: [ErrParameter] for k outside 1 … n or an unknown similarity,
// [ErrShape] also for widths that differ, [ErrNotFinite] also for
// products that could overflow, [ErrCorrupt], and ctx.Err().
func NearestTo(ctx context.Context, x, queries mat.Matrix, k int, by Similarity) ([][]Match, error) {
	f, err := newFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	q, err := newFeatures(ctx, queries)
	if err != nil {
		return nil, fmt.Errorf("queries: %w", err)
	}
	if q.cols != f.cols {
		return nil, fmt.Errorf("%w: queries of %d columns for a matrix of %d", ErrShape, q.cols, f.cols)
	}
	if err := checkNearest(k, f.rows, by); err != nil {
		return nil, err
	}
	return f.nearest(ctx, q, nil, k, by)
}

func checkNearest(k, most int, by Similarity) error {
	if k < 1 || k > most {
		return fmt.Errorf("%w: the nearest %d of %d rows", ErrParameter, k, most)
	}
	return by.check()
}
