package nearest

import (
	"cmp"
	"context"
	"math"
	"slices"

	"coles/internal/kernel"
	"coles/internal/matrix"
)

// Of u = (a, b) and v = (c, d), cut at the same place, u·v ≤ a·c + ‖b‖·‖d‖. Where a few columns have most of the squares
// of the rows, as in an embedding with columns of falling weights, that shows of most rows that they are not near to a query.
// In float32 it is off by less than the slack of a screen, which is twice what the d products need.

const (
	// A head has at least headShare of the squares, in a multiple of headStep columns, and half of the columns at most.
	headShare, headStep = 0.75, 8

	// At most fewQueries are compared one by one. Products of more use the rows while they are in the caches.
	fewQueries = 16

	// Of a block where the heads leave more than fewRows all columns are read: single rows lie far apart.
	fewRows = 32
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

// rest is the length of a row behind the head.
func (b *blocks) rest(cols []int32, vals []float64, inverse float64) float32 {
	sum := 0.0
	for q, v := range vals {
		if b.place[matrix.Column(cols, q)] >= b.head {
			v *= inverse
			sum += v * v
		}
	}
	return math.Nextafter32(float32(math.Sqrt(sum)), 2)
}

// lookAtHeads compares a query with the blocks of a part by their heads, and by all columns where these leave many rows.
func (c *screen) lookAtHeads(ctx context.Context, query, part int, room kernel.Matrix[float32]) error {
	best := &c.best[query*c.parts+part]
	unit := kernel.Rows(c.units, query, query+1)
	head := kernel.Columns(unit, 0, c.blocks.head)
	for q := part * c.blocks.count / c.parts; q < (part+1)*c.blocks.count/c.parts; q++ {
		block := c.blocks.at(q)
		products := kernel.Columns(room, 0, block.Cols)
		if err := kernel.Gemm(ctx, false, false, 1, head, kernel.Rows(block, 0, c.blocks.head), 0, products); err != nil {
			return err
		}
		least := c.least(c.bar(best, query), query, q)
		switch left := raise(products.Data, c.rests[query], c.blocks.rests[q*blockRows:], least); {
		case left > fewRows:
			if err := kernel.Gemm(ctx, false, false, 1, unit, block, 0, products); err != nil {
				return err
			}
			fallthrough
		case left > 0:
			c.take(best, query, products.Row(0), q)
		}
	}
	return nil
}

// raise makes products of heads bounds of the whole products, and counts those not below the least.
func raise(products []float32, rest float32, rests []float32, least float32) (left int) {
	rests = rests[:len(products)]
	for j, p := range products {
		p += rest * rests[j]
		products[j] = p
		if !(p < least) {
			left++
		}
	}
	return left
}
