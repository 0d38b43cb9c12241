package nearest

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
)

// Apart finds, for each of the given rows of the index, or for all where rows is nil, the k rows of the largest
// scores above zero, or fewer. A row itself and rows joined to it are left out. The measure is another than Distance.
// Where asks is not nil its rows are compared in the place of the index's.
//
// The rows of a dense matrix are all compared at half the cost of [Index.NearRows]: of two rows
// once, for both. Besides the result, and as much again, it takes 4·n·d bytes, and 8·n·d for the
// cosine.
//
// Errors: as [Index.Near].
func (index *Index) Apart(ctx context.Context, asks *matrix.Matrix[float64], rows []int, joined func(row, other int) bool, k int) ([][]Match, error) {
	if asks == nil {
		asks = index.x
	}
	s := &search{queries: asks, self: rows, joined: joined, k: min(k, index.Rows())}
	if rows == nil {
		s.self = matrix.UpTo(index.Rows())
	} else {
		var err error
		if s.queries, err = asks.Gather(ctx, rows); err != nil {
			return nil, err
		}
	}
	found, err := index.near(ctx, s)
	for i, matches := range found {
		end := slices.IndexFunc(matches, func(m Match) bool { return m.Score <= 0 })
		if end >= 0 {
			found[i] = matches[:end]
		}
	}
	return found, err
}

// lookAtPairs compares every two blocks of rows once, and gives what it finds to both.
func (s *search) lookAtPairs(ctx context.Context) error {
	c, err := s.screen(ctx)
	if err != nil {
		return err
	}
	c.parts, c.best = 1, make([]Best, s.Rows())
	room := make([]Match, s.Rows()*s.k)
	for i := range c.best {
		c.best[i].matches = room[i*s.k : i*s.k : (i+1)*s.k]
	}
	locks, errs := make([]sync.Mutex, s.blocks.count), make([]error, s.blocks.count)
	progress := parallel.Counted(ctx, "compare rows", len(errs))
	err = parallel.For(ctx, len(errs), func(q int) {
		errs[q] = c.lookFrom(ctx, q, locks)
		progress.Add()
	})
	if err := cmp.Or(err, cmp.Or(errs...)); err != nil {
		return err
	}
	return c.rank(ctx)
}

// lookFrom compares the rows of a block with each other and with the rows of later blocks. A
// lock is for the best of a block's rows, which do not depend on the order they are found in.
func (c *screen) lookFrom(ctx context.Context, block int, locks []sync.Mutex) error {
	ctx = parallel.Alone(ctx)
	first := block * blockRows
	products, release := kernel.Scratch[float32](blockRows, blockRows)
	defer release()
	queries := kernel.Rows(c.units, first, min(first+blockRows, c.Rows()))
	for other := block; other < c.blocks.count; other++ {
		with := c.blocks.at(other)
		tile := kernel.View(products, 0, 0, queries.Rows, with.Cols)
		if err := kernel.Gemm(ctx, false, false, 1, queries, with, 0, tile); err != nil {
			return err
		}
		locks[block].Lock()
		for i := range tile.Rows {
			c.take(&c.best[first+i], first+i, tile.Row(i), other*blockRows, nil, c.blocks.lengths[other])
		}
		locks[block].Unlock()
		if other > block {
			locks[other].Lock()
			c.takeColumns(tile, other, block)
			locks[other].Unlock()
		}
	}
	return nil
}

// takeColumns is take for the rows of another block as queries, with a column of products each.
func (c *screen) takeColumns(products kernel.Matrix[float32], other, block int) {
	var bars [blockRows]float64
	var room [blockRows]float32
	least := room[:products.Cols]
	first, lo := other*blockRows, block*blockRows
	raise := func(j int) {
		bars[j] = c.bar(&c.best[first+j], first+j)
		least[j] = c.least(bars[j], first+j, c.blocks.lengths[block])
	}
	for j := range least {
		raise(j)
	}
	for i := range products.Rows {
		row := products.Row(i)[:len(least)]
		for j, p := range row {
			if p < least[j] {
				continue
			}
			if c.offer(&c.best[first+j], bars[j], first+j, lo+i, p) {
				raise(j)
			}
		}
	}
}
