package dataset

import (
	"context"
	"fmt"
	"math"
	"slices"

	"coles"
	"coles/internal/parallel"

	"github.com/james-bowman/sparse"
)

// drawnAtOnce is about how many words or numbers one task draws.
const drawnAtOnce = 1 << 15

// rowsAtOnce is the rows of a task, of so many draws each.
func rowsAtOnce(draws float64) int { return int(max(1, min(1024, drawnAtOnce/draws))) }

// words draws the bag of words of every node. Rows are drawn in the order of
// nodes, which the places are not. The lengths of the bags are drawn first, and
// again with the words, so that every task knows where its rows begin.
func (g *blocks) words(ctx context.Context) (*sparse.CSR, error) {
	place := make([]int32, g.Nodes)
	for p, i := range g.node {
		place[i] = int32(p)
	}
	rows := rowsAtOnce(g.Words)
	m := newRagged(g.Nodes, (g.Nodes+rows-1)/rows)
	err := parallel.Ranges(ctx, g.Nodes, rows, func(lo, hi int) {
		d := g.draw()
		for i := lo; i < hi; i++ {
			m.kept[lo/rows] += d.bagSize(ctx, int(place[i]))
		}
	})
	if err != nil {
		return nil, err
	}
	total := 0
	for b, count := range m.kept {
		m.start[b] = total
		total += count
	}
	m.allocate(total)
	err = parallel.Ranges(ctx, g.Nodes, rows, func(lo, hi int) {
		d := g.draw()
		ind, data := m.group(lo / rows)
		kept := 0
		for i := lo; i < hi; i++ {
			// The words come after those kept: merging has only made room.
			bag := d.bag(ctx, ind[kept:kept], int(place[i]))
			m.indptr[i+1] = countWords(bag, data[kept:])
			kept += m.indptr[i+1]
		}
		m.kept[lo/rows] = kept
	})
	if err != nil {
		return nil, err
	}
	return m.squeeze(g.Features), nil
}

// countWords sorts a bag, leaves every word in it once, sets how often it was
// there, and returns the number of different words.
func countWords(bag []int, count []float64) int {
	slices.Sort(bag)
	kept := 0
	for w, word := range bag {
		if w > 0 && word == bag[kept-1] {
			count[kept-1]++
			continue
		}
		bag[kept], count[kept] = word, 1
		kept++
	}
	return kept
}

// bagSize draws the number of words of place p: what its stream begins with.
func (d drawing) bagSize(ctx context.Context, p int) int {
	d.from(2*uint64(p) + 1)
	return d.poisson(ctx, d.Words)
}

// bag draws the words of place p. Every Classes-th word, from the number of
// the class on, belongs to the class.
func (d drawing) bag(ctx context.Context, bag []int, p int) []int {
	k := d.class(p)
	own := (d.Features-k-1)/d.Classes + 1
	for w := range d.bagSize(ctx, p) {
		if w%between == between-1 && ctx.Err() != nil {
			break
		}
		if d.rng.Float64() < d.Topic {
			bag = append(bag, k+d.Classes*d.word(own))
		} else {
			bag = append(bag, d.word(d.Features))
		}
	}
	return bag
}

// meanDistance is the distance of two class means, in root mean square and in
// standard deviations of the noise.
const meanDistance = 2

// numbers draws the dense features of every node.
func (g *blocks) numbers(ctx context.Context) (*coles.Dense32, error) {
	cols := g.Features
	x, err := coles.NewDense32(g.Nodes, cols, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTooLarge, err)
	}
	data := x.RawMatrix().Data
	// A column of two means differs by a variance of twice this one's.
	spread := meanDistance / math.Sqrt(2*float64(cols))
	means := make([]float32, g.Classes*cols)
	rows := rowsAtOnce(float64(cols))
	err = parallel.Ranges(ctx, g.Classes, rows, func(lo, hi int) {
		d := g.draw()
		for k := lo; k < hi; k++ {
			d.from(orderStream - 1 - uint64(k))
			d.gaussians(ctx, means[k*cols:(k+1)*cols], func(_ int, z float64) float64 { return spread * z })
		}
	})
	if err != nil {
		return nil, err
	}
	err = parallel.Ranges(ctx, g.Nodes, rows, func(lo, hi int) {
		d := g.draw()
		for p := lo; p < hi; p++ {
			d.from(2*uint64(p) + 1)
			mean := means[g.class(p)*cols:]
			row := data[int(g.node[p])*cols:][:cols]
			d.gaussians(ctx, row, func(j int, z float64) float64 { return float64(mean[j]) + z })
		}
	})
	return x, err
}

// gaussians sets a row to what f makes of normal numbers.
func (d drawing) gaussians(ctx context.Context, row []float32, f func(j int, z float64) float64) {
	for j := range row {
		if j%between == between-1 && ctx.Err() != nil {
			return
		}
		row[j] = float32(f(j, d.rng.NormFloat64()))
	}
}
