package eigen

import (
	"context"

	"coles/internal/kernel"
	"coles/internal/parallel"
)

const (
	// sweepGroup sweeps are applied together.
	sweepGroup = 32

	// vectorStrip columns are multiplied at a time, by one goroutine.
	vectorStrip = 128
)

// apply replaces the columns of z by Q times them. The reflections of one step
// in a group of sweeps are of rows that move on by one, and are applied as a
// block I − Vᵀ·T·V of b + sweepGroup − 1 rows. Of different steps only the
// earlier ones of later sweeps meet the later ones of earlier sweeps: Q is the
// product over the groups, in their order, of the blocks of their steps, the
// last step first (Bischof, Lang and Sun 2000; Haidar, Ltaief and
// Dongarra 2011). The zeros in V make it 2n²k·(1 + sweepGroup/b) operations.
func (c *chase) apply(ctx context.Context, z matrix) error {
	n, k := z.Rows, z.Cols
	strips := ceilDiv(k, vectorStrip)
	// Rows of a strip lie next to each other in memory.
	packed := make([]matrix, strips)
	if err := parallel.For(ctx, strips, func(s int) {
		lo := s * vectorStrip
		part := kernel.Columns(z, lo, min(k, lo+vectorStrip))
		packed[s] = kernel.Dense[float64](n, part.Cols)
		kernel.Copy(packed[s], part)
	}); err != nil {
		return err
	}
	blocks := make([]sweepBlock, c.steps)
	for i := range blocks {
		blocks[i].space = kernel.Dense[float64](2*sweepGroup, c.band.b+sweepGroup-1)
	}
	for hi := c.sweeps(); hi > 0; {
		lo := (hi - 1) / sweepGroup * sweepGroup
		count := c.count(lo)
		if err := parallel.For(ctx, count, func(step int) { blocks[step].gather(c, lo, hi, step) }); err != nil {
			return err
		}
		if err := parallel.For(ctx, strips, func(s int) {
			inner := kernel.Dense[float64](sweepGroup, packed[s].Cols)
			for _, b := range blocks[:count] {
				b.apply(packed[s], inner)
			}
		}); err != nil {
			return err
		}
		hi = lo
	}
	return parallel.For(ctx, strips, func(s int) {
		lo := s * vectorStrip
		kernel.Copy(kernel.Columns(z, lo, min(k, lo+vectorStrip)), packed[s])
	})
}

// sweepBlock is the product I − Vᵀ·T·V of the reflections of one step in some
// sweeps.
type sweepBlock struct {
	space matrix
	row   int    // the first of the rows that it is of
	v, tv matrix // V and T·V
}

// gather finds the block of a step in the sweeps lo to hi.
func (b *sweepBlock) gather(c *chase, lo, hi, step int) {
	// The later sweeps may end before this step.
	for c.count(hi-1) <= step {
		hi--
	}
	b.row = lo + 1 + step*c.band.b
	height := min(c.band.b+hi-lo-1, c.band.n-b.row)
	b.v = kernel.View(b.space, 0, 0, hi-lo, height)
	b.tv = kernel.View(b.space, sweepGroup, 0, hi-lo, height)
	tau := make([]float64, hi-lo)
	for p := range tau {
		r := row(b.v, p)
		clear(r)
		copy(r[p:], c.vector(lo+p, step))
		tau[p] = c.tau[(lo+p)*c.steps+step]
	}
	// Without a context that could end there is no error.
	ctx := context.Background()
	factor, _ := blockFactor(ctx, b.v, tau)
	_ = kernel.Gemm(ctx, false, false, 1, factor, b.v, 0, b.tv)
}

// apply multiplies the columns of z, with the help of as many in inner.
func (b *sweepBlock) apply(z, inner matrix) {
	ctx := context.Background()
	part, c := kernel.Rows(z, b.row, b.row+b.v.Cols), kernel.Rows(inner, 0, b.v.Rows)
	_ = kernel.Gemm(ctx, false, false, 1, b.tv, part, 0, c)
	_ = kernel.Gemm(ctx, true, false, -1, b.v, c, 1, part)
}
