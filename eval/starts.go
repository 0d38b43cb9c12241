package eval

import (
	"cmp"
	"context"
	"slices"

	"coles/internal/kernel"
	"coles/internal/parallel"
)

const (
	// lloydProducts bounds how many products of rows and centres are held at a time.
	lloydProducts = 1 << 15

	// lloydColumns centres of several starts are multiplied at once.
	lloydColumns = 256

	// To copy a row takes as long as to multiply it with lloydCopy centres. Fewer than lloydNarrow take
	// no less time.
	lloydCopy, lloydNarrow = 20, 16

	// lloydTasks tasks are enough for sixteen processors to end at about the same time.
	lloydTasks = 32
)

// descend takes steps from the centres there are, of several starts at a time, until they settle, and
// returns those that do: the others fall behind.
func descend[T kernel.Float](ctx context.Context, starts []*lloyd[T], progress *parallel.Count) ([]*lloyd[T], error) {
	moving := slices.Clone(starts)
	for len(moving) > 0 {
		if err := assignAll(ctx, moving); err != nil {
			return nil, err
		}
		if err := each(ctx, len(moving), func(s int) error { return moving[s].step(ctx) }); err != nil {
			return nil, err
		}
		best := slices.MaxFunc(starts, func(l, m *lloyd[T]) int { return cmp.Compare(l.apart, m.apart) }).apart
		starts = slices.DeleteFunc(starts, func(l *lloyd[T]) bool { return l.behind(best) })
		moving = slices.DeleteFunc(moving, func(l *lloyd[T]) bool {
			ended := l.converged || l.iterations == l.MaxIterations || l.behind(best)
			if ended {
				progress.Add()
			}
			return ended
		})
	}
	return starts, assignAll(ctx, slices.DeleteFunc(slices.Clone(starts), func(l *lloyd[T]) bool { return l.settled }))
}

// assignAll gives each row the nearest centre, the first of equals, and sums up the rows of each, for
// every start.
func assignAll[T kernel.Float](ctx context.Context, starts []*lloyd[T]) error {
	if len(starts) == 0 {
		return nil
	}
	p, k, block := starts[0].p, starts[0].Clusters, starts[0].block
	columns := kernel.Unset[T](p.Cols(), len(starts)*k)
	for s, l := range starts {
		l.columns = kernel.Columns(columns, s*k, (s+1)*k)
		l.prepare()
	}
	blocks := parallel.Pieces(p.Rows(), block)
	groups := min(len(starts), max(parallel.Pieces(lloydTasks, blocks), parallel.Pieces(columns.Cols, lloydColumns)))
	return parallel.For(ctx, blocks*groups, func(t int) {
		b, g := t/groups, t%groups
		first, behind := g*len(starts)/groups, (g+1)*len(starts)/groups
		group := lloydGroup[T]{starts[first:behind], kernel.Columns(columns, first*k, behind*k), make([][]int, behind-first)}
		for _, l := range group.starts {
			l.parts[b].moved = false
		}
		rows := max(16, min(256, lloydProducts/group.columns.Cols))
		for lo, hi := b*block, min(p.Rows(), (b+1)*block); lo < hi; lo += rows {
			if group.assign(ctx, lo, min(hi, lo+rows), b) != nil {
				return // the context has ended, which parallel.For reports
			}
		}
	})
}

// A lloydGroup is some starts that look at the same rows.
type lloydGroup[T kernel.Float] struct {
	starts   []*lloyd[T]
	columns  kernel.Matrix[T] // d × k of each: the centres
	doubtful [][]int          // rows of each
}

// assign compares the rows of [lo, hi), in block b, with the centres: all rows with the centres of
// all starts in one product, or the doubtful rows of each start, where these are few.
func (g *lloydGroup[T]) assign(ctx context.Context, lo, hi, b int) error {
	p, k, doubtful := g.starts[0].p, g.starts[0].Clusters, 0
	for s, l := range g.starts {
		g.doubtful[s] = l.doubtful(g.doubtful[s][:0], lo, hi)
		doubtful += len(g.doubtful[s])
	}
	products, release := kernel.Scratch[T](hi-lo, g.columns.Cols)
	defer release()
	if doubtful*(lloydCopy+max(lloydNarrow, k)) > (hi-lo)*max(lloydNarrow, g.columns.Cols) {
		if err := p.Slice(lo, hi).Times(ctx, products, g.columns); err != nil {
			return err
		}
		for s, l := range g.starts {
			for _, i := range g.doubtful[s] {
				l.choose(&l.parts[b], i, products.Row(i - lo)[s*k:][:k])
			}
		}
		return nil
	}
	for s, l := range g.starts {
		rows := g.doubtful[s]
		products := kernel.View(products, 0, 0, len(rows), k)
		if err := l.compare(ctx, rows, products); err != nil {
			return err
		}
		for q, i := range rows {
			l.choose(&l.parts[b], i, products.Row(q))
		}
	}
	return nil
}
