package nearest

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"coles/internal/kernel"
	"coles/internal/matrix"
)

// Of u = (a, b) and v = (c, d), cut at the same place, u·v ≤ a·c + ‖b‖·‖d‖. Where a few columns have most of the squares
// of the rows, as in an embedding with columns of falling weights, that shows of most rows that they are not near to a query.
// In float32 it is off by less than the slack of a screen, which is twice what the d products need.

const (
	// A head has at least headShare of the squares, in a multiple of headStep columns, and half of the columns at most.
	headShare, headStep = 0.75, 8

	// At most fewQueries are compared one by one. Products of more use rows while they are in the caches.
	fewQueries = 8

	// Of one by one a block takes a part of the time.
	aloneFaster = 8
)

// choose orders the columns by their squares in some rows at length 1, and says where the head ends.
func (b *blocks) choose(x *matrix.Matrix[float64], lengths []float64) {
	squares, order := make([]float64, b.d), make([]int, b.d)
	all := 0.0
	for i := 0; i < b.n; i += max(1, b.n/1024) {
		_, row := x.Row(i)
		inverse := inverseOf(lengths[i])
		for j, v := range row {
			v *= inverse
			squares[j] += v * v
			all += v * v
		}
	}
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(squares[j], squares[i]) })
	b.place = make([]int, b.d)
	sum := 0.0
	for q, j := range order {
		b.place[j] = q
		if sum += squares[j]; b.head == 0 && (q+1)%headStep == 0 && 2*(q+1) <= b.d && sum >= headShare*all {
			b.head = q + 1
		}
	}
}

// lines are the rows of blocks one after the other, for products of single ones. They are made for the first query that
// comes alone.
type lines struct {
	once  sync.Once
	units kernel.Matrix[float32]
	rests []float32 // the lengths behind the head
}

// inLines has room for n rows of d columns, in whole lines of the caches.
func inLines(n, d int) kernel.Matrix[float32] {
	a := kernel.Dense[float32](n, (d+kernel.RowLine-1)/kernel.RowLine*kernel.RowLine)
	a.Cols = d
	return a
}

func (b *blocks) inLines() (units kernel.Matrix[float32], rests []float32) {
	l := &b.lines
	l.once.Do(func() {
		l.units, l.rests = inLines(b.n, b.d), make([]float32, b.n)
		for q := range b.count {
			block, lo := b.at(q), q*blockRows
			for j := range block.Cols {
				row := l.units.Row(lo + j)
				for i := range row {
					row[i] = block.Data[i*block.Stride+j]
				}
				l.rests[lo+j] = b.rest(row)
			}
		}
	})
	return l.units, l.rests
}

// rest is the length of a unit row behind the head, rounded up.
func (b *blocks) rest(unit []float32) float32 {
	sum := 0.0
	for _, v := range unit[b.head:] {
		sum += float64(v) * float64(v)
	}
	return math.Nextafter32(float32(math.Sqrt(sum)), 2)
}

// alone reports whether queries are compared one by one.
func (c *screen) alone() bool { return c.blocks.head > 0 && c.full.Rows <= fewQueries }

// lookAlone compares a query with the rows of the blocks [lo, hi) that their heads leave.
func (c *screen) lookAlone(ctx context.Context, query, part, lo, hi int) error {
	best := &c.best[query*c.parts+part]
	units, rests := c.blocks.inLines()
	units.Cols = units.Stride
	unit := c.units.Row(query)
	rest, whole := c.blocks.rest(unit), unit[:units.Cols]
	head := kernel.Matrix[float32]{Rows: 1, Cols: c.blocks.head, Stride: units.Cols, Data: unit}
	room, release := kernel.Scratch[float32](1, blockRows)
	defer release()
	var left [blockRows]int32
	for q := lo; q < hi; q++ {
		block, first := c.blocks.at(q), q*blockRows
		products := kernel.Columns(room, 0, block.Cols)
		if err := kernel.Gemm(ctx, false, false, 1, head, kernel.Rows(block, 0, c.blocks.head), 0, products); err != nil {
			return err
		}
		least, count := c.least(c.bar(best, query), query, q), 0
		for j, p := range products.Data {
			if !(p+rest*rests[first+j] < least) {
				left[count] = int32(first + j)
				count++
			}
		}
		kernel.RowDots(products.Data[:count], whole, units, left[:count])
		c.take(best, query, products.Data[:count], left[:count], q)
	}
	return nil
}
