package live

import (
	"context"
	"slices"

	"coles/internal/kernel"
	"coles/internal/matrix"
)

// follow makes the step of the last change of the adjacency. near holds the nodes within K hops of the change, and n is the
// number of nodes before.
func (p *part) follow(ctx context.Context, s *step, n int) (err error) {
	near := s.near
	if s.rows, err = p.changeOfFX(ctx, near, n); err != nil {
		return err
	}
	if s.m, err = p.changeOfM(ctx, near, s.rows); err != nil {
		return err
	}
	weight := p.fit.Weights()
	s.along = slices.Clone(p.along)
	for q, i := range near.nodes {
		row, step := p.rowOf(i), s.rows.Row(q)
		if weight != nil {
			now, was := weight(p.adj.now(i).degree), weight(p.adj.was(i).degree)
			matrix.AddScaled(s.along, now-was, row)
			matrix.AddScaled(s.along, now, step)
		}
		matrix.AddScaled(step, 1, row)
	}
	for i := range s.m.Rows {
		matrix.AddScaled(s.m.Row(i)[i:], 1, p.m.Row(i)[i:])
	}
	return p.inRange(ctx, s.rows, s.m, s.along)
}

// changeOfFX returns D = F′X′ − FX on the nodes of the ball. Horner's rule runs for y of the old graph as far as the change of
// W reads it, and for the difference δy as far as it has come. y and δy are rows of the ball.
func (p *part) changeOfFX(ctx context.Context, near *ball, n int) (kernel.Matrix[float64], error) {
	hops, d := len(p.fit.Filter)-1, p.x.Cols()
	y, change, spare := near.panel(d), near.panel(d), near.panel(d)
	// Adds features to the rows within a distance: the old ones or, if fresh, their changes and the features of new nodes.
	add := func(to kernel.Matrix[float64], c float64, within int, fresh bool) {
		for q, i := range near.nodes[:near.within(within)] {
			p.addFeatures(to.Row(q), i, c, fresh, n)
		}
	}
	add(y, p.fit.Filter[hops], hops, false)
	add(change, p.fit.Filter[hops], 0, true)
	if hops == 0 {
		return change, ctx.Err()
	}
	before, after := filterRows(p.adj.was), filterRows(p.adj.now)
	was, now := near.rows(near.within(hops-1), before), near.rows(near.within(hops), after)
	difference := near.change(after, before)
	extra := kernel.Dense[float64](difference.Rows, d)
	for k := hops - 1; k >= 0; k-- {
		next := kernel.Rows(spare, 0, near.within(hops-k))
		if err := kernel.SpMM(ctx, next, now.Slice(0, next.Rows), change); err != nil {
			return change, err
		}
		if err := kernel.SpMM(ctx, extra, difference, kernel.Rows(y, 0, difference.Cols)); err != nil {
			return change, err
		}
		for q := range difference.Rows {
			matrix.AddScaled(next.Row(q), 1, extra.Row(q))
		}
		add(spare, p.fit.Filter[k], 0, true)
		change, spare = spare, change
		if k == 0 {
			break
		}
		// The rows of spare beyond its reach are not zero any more: y takes its place.
		old := kernel.Rows(spare, 0, near.within(k))
		if err := kernel.SpMM(ctx, old, was.Slice(0, old.Rows), y); err != nil {
			return change, err
		}
		add(spare, p.fit.Filter[k], k, false)
		y, spare = spare, y
		clear(spare.Data)
	}
	return change, nil
}

// changeOfM returns what M gains, upper triangle:
//
//	HᵀδW⁺H + DᵀQ + QᵀD,  Q = W⁺(H + D/2),
//
// with H = FX before and D its change, as one product of three panels on top of each other. In a
// model of features alone the identity stands for W⁺.
func (p *part) changeOfM(ctx context.Context, near *ball, change kernel.Matrix[float64]) (kernel.Matrix[float64], error) {
	d := p.x.Cols()
	added := kernel.Dense[float64](d, d)
	difference := near.change(p.plusRows(p.adj.now), p.plusRows(p.adj.was))
	inner, moved := difference.Rows, change.Rows
	left, right := kernel.Dense[float64](inner+2*moved, d), kernel.Dense[float64](inner+2*moved, d)
	for q, i := range near.nodes[:inner] {
		copy(left.Row(q), p.rowOf(i))
	}
	if err := kernel.SpMM(ctx, kernel.Rows(right, 0, inner), difference, kernel.Rows(left, 0, inner)); err != nil {
		return added, err
	}
	q := kernel.Rows(right, inner, inner+moved)
	if err := p.setQ(ctx, near, change, q); err != nil {
		return added, err
	}
	kernel.Copy(kernel.Rows(left, inner, inner+moved), change)
	kernel.Copy(kernel.Rows(left, inner+moved, left.Rows), q)
	kernel.Copy(kernel.Rows(right, inner+moved, right.Rows), change)
	return added, kernel.Gram(ctx, 1, left, right, added)
}

// setQ sets q = W⁺(H + D/2) on the nodes of the ball.
func (p *part) setQ(ctx context.Context, near *ball, change, q kernel.Matrix[float64]) error {
	d, plus := p.x.Cols(), p.plusRows(p.adj.now)
	whole := rowsOf(near.nodes, len(p.adj.nodes), plus, func(j int32) int32 { return j })
	if err := kernel.SpMM(ctx, q, whole, p.fx.Dense); err != nil {
		return err
	}
	half := near.panel(d) // W⁺D, which ends at the ball
	if err := kernel.SpMM(ctx, half, near.rows(len(near.nodes), plus), change); err != nil {
		return err
	}
	for k := range near.nodes {
		matrix.AddScaled(q.Row(k), 0.5, half.Row(k))
	}
	return nil
}
