package eval

import (
	"context"
	"fmt"
	"math"

	"coles/internal/kernel"
	"coles/internal/parallel"
)

const (
	// Rows are looked at searchNumbers numbers at a time: 8 MB of float32.
	searchNumbers = 1 << 21
	// A task has so many queries and takes so many rows at a time: for 128
	// columns both and their products stay in the second cache.
	searchQueries, searchRows = 256, 256
)

// A search is for the rows of x that are near to queries.
type search struct {
	x       *features
	queries kernel.Matrix[float64]
	self    []int // the row that each query is and does not find; may be nil
	cosine  bool  // the queries have length 1
	best    []best

	norms, queryNorms []float64
	units             kernel.Matrix[float32] // the queries at length 1
	slack             float64                // more than a product of units can be off
}

func (f *features) nearest(ctx context.Context, q *features, self []int, k int, by Similarity) ([][]Match, error) {
	if k > math.MaxInt/16/q.rows || f.cols > math.MaxInt/8/q.rows {
		return nil, fmt.Errorf("%w: %d queries for the nearest %d", ErrParameter, q.rows, k)
	}
	s, err := newSearch(ctx, f, q, self, by)
	if err != nil {
		return nil, err
	}
	s.best = make([]best, q.rows)
	for i := range s.best {
		s.best[i].matches = make([]Match, 0, k)
	}
	rows := max(1, min(f.rows, searchNumbers/f.cols))
	units := kernel.Dense[float32](rows, f.cols)
	for lo := 0; lo < f.rows; lo += rows {
		hi := min(f.rows, lo+rows)
		part := kernel.Rows(units, 0, hi-lo)
		if err := f.singleUnitRows(ctx, part, s.norms, lo); err != nil {
			return nil, err
		}
		if err := s.look(ctx, part, lo); err != nil {
			return nil, err
		}
	}
	found := make([][]Match, q.rows)
	err = parallel.For(ctx, q.rows, func(i int) { found[i] = s.best[i].ranked() })
	return found, err
}

func newSearch(ctx context.Context, f, q *features, self []int, by Similarity) (*search, error) {
	s := &search{x: f, self: self, cosine: by == Cosine}
	var err error
	if s.norms, err = f.norms(ctx); err != nil {
		return nil, err
	}
	if s.queryNorms, err = q.norms(ctx); err != nil {
		return nil, fmt.Errorf("queries: %w", err)
	}
	s.units = kernel.Dense[float32](q.rows, q.cols)
	if err = q.singleUnitRows(ctx, s.units, s.queryNorms, 0); err != nil {
		return nil, err
	}
	longest, shortest := extremes(s.norms)
	longestQuery, shortestQuery := extremes(s.queryNorms)
	if !s.cosine && math.IsInf(longest*longestQuery, 0) {
		return nil, fmt.Errorf("%w: products of rows of length %v and %v could overflow", ErrNotFinite, longest, longestQuery)
	}
	// Rounding d numbers of each row and adding up d products is off by at most
	// (d + 2)·2⁻²⁴ of the lengths, to first order; this is twice as much.
	s.slack = float64(f.cols+4) * 0x1p-23
	// Where lengths or their products near the ends of float64, that is not so.
	const far = 0x1p400
	if max(longest, longestQuery) > far || min(shortest, shortestQuery) < 1/far || s.slack > 0.5 {
		s.slack = math.Inf(1)
	}
	if s.cosine {
		if q, err = q.unit(ctx); err != nil {
			return nil, err
		}
	}
	s.queries, err = q.full(ctx)
	return s, err
}

// extremes is the largest number, and the smallest one above zero, if any.
func extremes(norms []float64) (longest, shortest float64) {
	shortest = 1
	for _, norm := range norms {
		longest = max(longest, norm)
		if norm > 0 {
			shortest = min(shortest, norm)
		}
	}
	return longest, shortest
}

// look compares all queries with the rows from lo on, given at length 1.
func (s *search) look(ctx context.Context, rows kernel.Matrix[float32], lo int) error {
	tasks := (s.queries.Rows + searchQueries - 1) / searchQueries
	errs := make([]error, tasks)
	err := parallel.For(ctx, tasks, func(t int) {
		first := t * searchQueries
		errs[t] = s.lookFor(ctx, first, min(s.queries.Rows, first+searchQueries), rows, lo)
	})
	if err != nil {
		return err
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *search) lookFor(ctx context.Context, first, last int, rows kernel.Matrix[float32], lo int) error {
	products, release := kernel.Scratch[float32](last-first, searchRows)
	defer release()
	for from := 0; from < rows.Rows; from += searchRows {
		block := kernel.Rows(rows, from, min(rows.Rows, from+searchRows))
		tile := kernel.View(products, 0, 0, last-first, block.Rows)
		if err := kernel.Gemm(ctx, false, true, 1, kernel.Rows(s.units, first, last), block, 0, tile); err != nil {
			return err
		}
		for i := range tile.Rows {
			s.take(first+i, tile.Data[i*tile.Stride:][:tile.Cols], lo+from)
		}
	}
	return nil
}

// take goes through the products of the unit query with the unit rows from lo
// on. Of few it looks at the score itself.
func (s *search) take(query int, products []float32, lo int) {
	b := &s.best[query]
	bar := s.bar(query)
	norms := s.norms[lo:][:len(products)]
	for j, p := range products {
		bound := float64(p) + s.slack
		if !s.cosine {
			bound *= norms[j]
		}
		if bound < bar || s.self != nil && s.self[query] == lo+j {
			continue // a NaN of extreme lengths goes on
		}
		if b.add(Match{lo + j, s.score(query, lo+j)}) {
			bar = s.bar(query)
		}
	}
}

// bar is what the bound of a row has to reach to be among the best.
func (s *search) bar(query int) float64 {
	b := &s.best[query]
	switch {
	case !b.full():
		return math.Inf(-1)
	case s.cosine:
		return b.matches[0].Score
	}
	return b.matches[0].Score / s.queryNorms[query] // may be NaN, which no bound is below
}

// score is the similarity of a query to a row.
func (s *search) score(query, row int) float64 {
	q := s.queries.Data[query*s.queries.Stride:][:s.queries.Cols]
	cols, values := s.x.row(row)
	sum := 0.0
	if s.x.sparse == nil {
		sum = dot(q, values)
	} else {
		for p, j := range cols {
			sum += q[j] * values[p]
		}
	}
	if s.cosine && s.norms[row] > 0 {
		sum /= s.norms[row]
	}
	return sum
}
