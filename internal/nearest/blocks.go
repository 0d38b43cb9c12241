package nearest

import (
	"cmp"
	"context"
	"math"
	"slices"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/floats"
)

const (
	// Rows are compared blockRows at a time with up to taskQueries queries: for 128 columns both
	// and their products stay in the second cache.
	blockRows, taskQueries = 256, 256

	// Where there are fewer than wantedTasks blocks of queries, the rows are divided among tasks. A task has
	// partBlocks blocks of rows at least, since each has to find the best of its own.
	wantedTasks, partBlocks = 32, 128
)

// blocks are the rows of a dense matrix at length 1 in float32. They are transposed, so that a product with queries
// reads them as they lie: block b is d × blockRows, the last one narrower. The columns of the matrix that say most
// come first.
type blocks struct {
	count, n, d int
	data        []float32
	lengths     [][2]float64 // of each block the least and the largest of a row before
	place       []int        // of each column of the matrix, in a block
	head        int          // columns in front that most of the squares are in; 0 where there are no few such
	lines       *lines       // nil unless they have been asked for
}

func newBlocks(ctx context.Context, x *matrix.Matrix[float64], lengths []float64) (*blocks, error) {
	n, d := x.Dims()
	b := &blocks{count: parallel.Pieces(n, blockRows), n: n, d: d, data: kernel.Unset[float32](n, d).Data}
	b.lengths = make([][2]float64, b.count)
	b.place, b.head = leading(x, lengths)
	return b, parallel.For(ctx, b.count, func(q int) {
		to, lo := b.at(q), q*blockRows
		of := lengths[lo : lo+to.Cols]
		b.lengths[q] = [2]float64{slices.Min(of), slices.Max(of)}
		for j := range to.Cols {
			_, row := x.Row(lo + j)
			inverse := inverseOf(lengths[lo+j])
			for i, v := range row {
				to.Data[b.place[i]*to.Stride+j] = float32(v * inverse)
			}
		}
	})
}

// at is block q.
func (b *blocks) at(q int) kernel.Matrix[float32] {
	lo := q * blockRows
	width := min(blockRows, b.n-lo)
	return kernel.Matrix[float32]{Rows: b.d, Cols: width, Stride: width, Data: b.data[lo*b.d:][:width*b.d]}
}

// unit sets to to the first columns of row i at length 1.
func (index *Index) unit(i int, to []float32) {
	_, row := index.x.Row(i)
	inverse := inverseOf(index.lengths[i])
	for q, v := range row {
		if p := index.blocks.place[q]; p < len(to) {
			to[p] = float32(v * inverse)
		}
	}
}

// inverseOf leaves zero rows at zero.
func inverseOf(length float64) float64 {
	if length == 0 {
		return 0
	}
	return 1 / length
}

// A screen decides by products in float32 which rows a query has to look at.
type screen struct {
	*search
	full  kernel.Matrix[float64] // the queries, for the cosine at length 1
	units kernel.Matrix[float32] // the queries at length 1
	slack float64                // more than a product of units can be off
	parts int                    // into which the rows are divided
	best  []Best                 // of each query, in each part
}

// lookAtBlocks compares all queries with all rows, some of them at a time.
func (s *search) lookAtBlocks(ctx context.Context) error {
	c, err := s.screen(ctx)
	if err != nil {
		return err
	}
	groups := parallel.Pieces(c.full.Rows, taskQueries)
	if s.blocks.lines != nil && c.full.Rows <= fewQueries {
		return c.lookAlong(ctx, s.blocks.lines)
	}
	c.parts = max(1, min(s.blocks.count/partBlocks, wantedTasks/groups))
	c.best = make([]Best, c.full.Rows*c.parts)
	errs := make([]error, groups*c.parts)
	progress := parallel.Counted(ctx, "compare rows", len(errs))
	err = parallel.For(ctx, len(errs), func(t int) {
		first := t / c.parts * taskQueries
		errs[t] = c.look(ctx, first, min(c.full.Rows, first+taskQueries), t%c.parts)
		progress.Add()
	})
	if err := cmp.Or(err, cmp.Or(errs...)); err != nil {
		return err
	}
	return c.rank(ctx)
}

// rank finds the best of all parts.
func (c *screen) rank(ctx context.Context) error {
	return parallel.For(ctx, c.full.Rows, func(i int) {
		var all []Match
		for _, b := range c.best[i*c.parts : (i+1)*c.parts] {
			all = append(all, b.matches...)
		}
		slices.SortFunc(all, compareMatches)
		c.found[i] = slices.Clone(all[:min(c.k, len(all))])
	})
}

func (s *search) screen(ctx context.Context) (*screen, error) {
	c := &screen{search: s, units: inLines(s.queries.Dims())}
	for i := range c.units.Rows {
		cols, vals := s.queries.Row(i)
		to, inverse := c.units.Data[i*c.units.Stride:], inverseOf(s.queryLengths[i])
		for q, v := range vals {
			to[s.blocks.place[matrix.Column(cols, q)]] = float32(v * inverse)
		}
	}
	// Rounding d numbers of each row and adding up d products is off by at most (d + 2)·2⁻²⁴ of the
	// lengths, to first order; this is twice as much.
	c.slack = float64(s.Cols()+4) * 0x1p-23
	// Where lengths or their products near the ends of float64, that is not so.
	const far = 0x1p400
	longest, shortest := extremes(s.queryLengths)
	if max(s.longest, longest) > far || min(s.shortest, shortest) < 1/far || c.slack > 0.5 {
		c.slack = math.Inf(1)
	}
	queries := s.queries
	if s.by == Cosine {
		var err error
		if queries, _, err = matrix.Unit(ctx, queries); err != nil {
			return nil, err
		}
	}
	full, err := queries.Panel(ctx)
	c.full = full
	return c, err
}

// look compares the queries [first, last) with the blocks of a part.
func (c *screen) look(ctx context.Context, first, last, part int) error {
	ctx = parallel.Alone(ctx)
	lo, hi := part*c.blocks.count/c.parts, (part+1)*c.blocks.count/c.parts
	for i := first; i < last; i++ {
		c.best[i*c.parts+part].matches = make([]Match, 0, min(c.k, (hi-lo)*blockRows))
	}
	products, release := kernel.Scratch[float32](last-first, blockRows)
	defer release()
	for q := lo; q < hi; q++ {
		block := c.blocks.at(q)
		tile := kernel.View(products, 0, 0, last-first, block.Cols)
		if err := kernel.Gemm(ctx, false, false, 1, kernel.Rows(c.units, first, last), block, 0, tile); err != nil {
			return err
		}
		for i := range tile.Rows {
			c.take(&c.best[(first+i)*c.parts+part], first+i, tile.Row(i), q*blockRows, nil, c.blocks.lengths[q])
		}
	}
	return nil
}

// lookAlong compares queries one by one with the rows of lines that their groups and then their heads leave.
func (c *screen) lookAlong(ctx context.Context, l *lines) error {
	c.parts, c.best = 1, make([]Best, c.full.Rows)
	errs := make([]error, c.full.Rows)
	err := parallel.For(ctx, len(errs), func(query int) { errs[query] = c.lookAlone(ctx, query, l) })
	if err := cmp.Or(err, cmp.Or(errs...)); err != nil {
		return err
	}
	return c.rank(ctx)
}

func (c *screen) lookAlone(ctx context.Context, query int, l *lines) error {
	ctx = parallel.Alone(ctx)
	best, width, whole := &c.best[query], c.blocks.head, l.units
	best.matches = make([]Match, 0, c.k)
	whole.Cols = whole.Stride
	unit := c.units.Row(query)
	rest := behind(unit, width)
	head := kernel.Matrix[float32]{Rows: 1, Cols: width, Stride: width, Data: unit[:width]}
	room, release := kernel.Scratch[float32](1, groupRows)
	defer release()
	var left, rows [groupRows]int32
	for _, b := range l.bounds(unit, width, float64(rest)) {
		g, lo := &l.groups[b.group], b.group*groupRows
		least := c.least(c.bar(best, query), query, g.lengths)
		if b.most < float64(least) {
			continue
		}
		count, hi := 0, min(lo+groupRows, len(l.rows))
		products := kernel.Columns(room, 0, hi-lo)
		heads := kernel.Matrix[float32]{Rows: width, Cols: hi - lo, Stride: hi - lo, Data: l.heads[lo*width : hi*width]}
		if err := kernel.Gemm(ctx, false, false, 1, head, heads, 0, products); err != nil {
			return err
		}
		for j, p := range products.Data {
			if !(p+rest*l.rests[lo+j] < least) {
				left[count], rows[count] = int32(lo+j), l.rows[lo+j]
				count++
			}
		}
		kernel.RowDots(products.Data[:count], unit[:whole.Cols], whole, left[:count])
		c.take(best, query, products.Data[:count], 0, rows[:count], g.lengths)
	}
	return ctx.Err()
}

// take goes through the products of a unit query with unit rows: with rows or, if that is nil, with the rows from first on. It
// looks at the scores of few.
func (c *screen) take(b *Best, query int, products []float32, first int, rows []int32, lengths [2]float64) {
	bar := c.bar(b, query)
	least := c.least(bar, query, lengths)
	for j, p := range products {
		if p < least {
			continue // a NaN of extreme lengths goes on
		}
		row := first + j
		if rows != nil {
			row = int(rows[j])
		}
		if c.offer(b, bar, query, row, p) {
			bar = c.bar(b, query)
			least = c.least(bar, query, lengths)
		}
	}
}

// offer adds a row to the best of a query unless their product, as units, proves
// it below the bar. It reports whether the bar has changed.
func (c *screen) offer(b *Best, bar float64, query, row int, p float32) bool {
	bound := float64(p) + c.slack
	switch length := c.lengths[row]; c.by {
	case Dot:
		bound *= length
	case Distance:
		u := c.queryLengths[query]
		bound = distance(bound*u*length, u, length)
	}
	if bound < bar || c.self != nil && c.self[query] == row {
		return false
	}
	if c.joined != nil && c.joined(c.self[query], row) {
		return false
	}
	_, vals := c.x.Row(row)
	at := c.full.Data[query*c.full.Stride:][:len(vals)]
	if c.by == Distance { // a difference of squares would lose digits
		apart := floats.Distance(at, vals, 2)
		return b.Add(Match{row, -apart * apart})
	}
	return b.Add(Match{row, c.score(floats.Dot(at, vals), query, row)})
}

// bar is the least bound of a row that can be among the best.
func (c *screen) bar(b *Best, query int) float64 {
	switch {
	case c.joined != nil && c.queryLengths[query] == 0:
		return math.Inf(1) // all its scores are 0
	case !b.full() && c.joined != nil:
		return 0
	case !b.full():
		return math.Inf(-1)
	case c.by != Dot:
		return b.matches[0].Score
	}
	return b.matches[0].Score / c.queryLengths[query] // may be NaN, which no bound is below
}

// least is the least product with a query by which a row of lengths between two may reach the bar.
func (c *screen) least(bar float64, query int, lengths [2]float64) float32 {
	shortest, longest := lengths[0], lengths[1]
	switch c.by {
	case Dot:
		if bar < 0 {
			return float32(math.Inf(-1))
		}
		bar /= longest
	case Distance: // p ≥ (bar + u² + v²)/2uv, which is least at v² = bar + u²
		u := c.queryLengths[query]
		bar += u * u
		v := min(max(math.Sqrt(max(bar, 0)), shortest), longest)
		if u == 0 || v == 0 {
			return float32(math.Inf(-1))
		}
		bar = (bar/v + v) / u / 2
	}
	return math.Nextafter32(float32(bar-c.slack), float32(math.Inf(-1)))
}
