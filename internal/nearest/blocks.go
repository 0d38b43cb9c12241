package nearest

import (
	"context"
	"math"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/blas/blas64"
)

// A screen decides by products in float32 which rows a query has to look at.
type screen struct {
	*search
	full  kernel.Matrix[float64] // the queries, for the cosine at length 1
	units kernel.Matrix[float32] // the queries at length 1
	slack float64                // more than a product of units can be off
}

// lookAtBlocks compares all queries with all rows, some of them at a time.
func (s *search) lookAtBlocks(ctx context.Context) error {
	c, err := s.screen(ctx)
	if err != nil {
		return err
	}
	n, d := s.x.Dims()
	height := max(1, min(n, blockNumbers/d))
	units := kernel.Unset[float32](height, d)
	for lo := 0; lo < n; lo += height {
		hi := min(n, lo+height)
		part := kernel.Rows(units, 0, hi-lo)
		if err := unitRows(ctx, part, s.x.Slice(lo, hi), s.lengths[lo:hi]); err != nil {
			return err
		}
		if err := c.look(ctx, part, lo); err != nil {
			return err
		}
	}
	return nil
}

func (s *search) screen(ctx context.Context) (*screen, error) {
	c := &screen{search: s, units: kernel.Unset[float32](s.queries.Dims())}
	if err := unitRows(ctx, c.units, s.queries, s.queryLengths); err != nil {
		return nil, err
	}
	// Rounding d numbers of each row and adding up d products is off by at most (d + 2)·2⁻²⁴ of the
	// lengths, to first order; this is twice as much.
	c.slack = float64(s.x.Cols()+4) * 0x1p-23
	// Where lengths or their products near the ends of float64, that is not so.
	const far = 0x1p400
	longest, shortest := extremes(s.lengths)
	longestQuery, shortestQuery := extremes(s.queryLengths)
	if max(longest, longestQuery) > far || min(shortest, shortestQuery) < 1/far || c.slack > 0.5 {
		c.slack = math.Inf(1)
	}
	queries := s.queries
	if s.cosine {
		var err error
		if queries, _, err = matrix.Unit(ctx, queries); err != nil {
			return nil, err
		}
	}
	full, err := queries.Panel(ctx)
	c.full = full
	return c, err
}

// unitRows sets the rows of a panel to those of m divided by their lengths. Zero rows stay zero.
func unitRows(ctx context.Context, to kernel.Matrix[float32], m *matrix.Matrix[float64], lengths []float64) error {
	return parallel.Rows(ctx, to.Rows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row, inverse := to.Data[i*to.Stride:][:to.Cols], 1/lengths[i]
			if lengths[i] == 0 {
				inverse = 0
			}
			cols, vals := m.Row(i)
			if m.Sparse != nil {
				clear(row)
			}
			for q, v := range vals {
				row[matrix.Column(cols, q)] = float32(v * inverse)
			}
		}
	})
}

// look compares all queries with the rows from lo on, given at length 1.
func (c *screen) look(ctx context.Context, rows kernel.Matrix[float32], lo int) error {
	tasks := (c.full.Rows + taskQueries - 1) / taskQueries
	errs := make([]error, tasks)
	err := parallel.For(ctx, tasks, func(t int) {
		first := t * taskQueries
		errs[t] = c.lookFor(ctx, first, min(c.full.Rows, first+taskQueries), rows, lo)
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

func (c *screen) lookFor(ctx context.Context, first, last int, rows kernel.Matrix[float32], lo int) error {
	products, release := kernel.Scratch[float32](last-first, taskRows)
	defer release()
	for from := 0; from < rows.Rows; from += taskRows {
		block := kernel.Rows(rows, from, min(rows.Rows, from+taskRows))
		tile := kernel.View(products, 0, 0, last-first, block.Rows)
		if err := kernel.Gemm(ctx, false, true, 1, kernel.Rows(c.units, first, last), block, 0, tile); err != nil {
			return err
		}
		for i := range tile.Rows {
			c.take(first+i, tile.Data[i*tile.Stride:][:tile.Cols], lo+from)
		}
	}
	return nil
}

// take goes through the products of the unit query with the unit rows from lo on. Of few it looks
// at the score itself.
func (c *screen) take(query int, products []float32, lo int) {
	b := &c.best[query]
	bar := c.bar(query)
	lengths := c.lengths[lo:][:len(products)]
	for j, p := range products {
		bound := float64(p) + c.slack
		if !c.cosine {
			bound *= lengths[j]
		}
		if bound < bar || c.self != nil && c.self[query] == lo+j {
			continue // a NaN of extreme lengths goes on
		}
		_, row := c.x.Row(lo + j)
		if b.add(Match{lo + j, c.score(dot(c.full.Data[query*c.full.Stride:][:len(row)], row), lo+j)}) {
			bar = c.bar(query)
		}
	}
}

// bar is what the bound of a row has to reach to be among the best.
func (c *screen) bar(query int) float64 {
	b := &c.best[query]
	switch {
	case !b.full():
		return math.Inf(-1)
	case c.cosine:
		return b.matches[0].Score
	}
	return b.matches[0].Score / c.queryLengths[query] // may be NaN, which no bound is below
}

func dot(u, v []float64) float64 {
	return blas64.Dot(blas64.Vector{N: len(u), Inc: 1, Data: u}, blas64.Vector{N: len(v), Inc: 1, Data: v})
}
