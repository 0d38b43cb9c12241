package live

import (
	"context"
	"fmt"
	"slices"

	"coles"
	"coles/internal/kernel"
	"coles/internal/matrix"
)

// follow updates FX, M and (FX)ᵀv after the last change of the adjacency. near holds the nodes within K
// hops of it, n is the number of nodes before. Until all of it is computed and within range nothing is
// written.
func (g *Graph) follow(ctx context.Context, near *ball, n int) error {
	change, err := g.changeOfFX(ctx, near, n)
	if err != nil {
		return err
	}
	added, err := g.changeOfM(ctx, near, change)
	if err != nil {
		return err
	}
	weights, along := g.weights(), g.along
	for k := range along {
		along[k] = slices.Clone(along[k])
	}
	for q, i := range near.nodes {
		row, step := g.rowOf(i), change.Row(q)
		for k, v := range weights {
			if v != nil {
				now, was := v(g.adj.now(i).degree), v(g.adj.was(i).degree)
				matrix.AddScaled(along[k], now-was, row)
				matrix.AddScaled(along[k], now, step)
			}
		}
		matrix.AddScaled(step, 1, row)
	}
	for i := range added.Rows {
		matrix.AddScaled(added.Row(i)[i:], 1, g.m.Row(i)[i:])
	}
	if err := g.inRange(ctx, change, added, along[forNegatives]); err != nil {
		return err
	}
	for q, i := range near.nodes {
		g.mu.Lock()
		copy(g.rowOf(i), change.Row(q))
		g.mu.Unlock()
	}
	g.m, g.along = added, along
	return nil
}

// rowOf is row i of FX.
func (g *Graph) rowOf(i int32) []float64 {
	_, row := g.fx.Row(int(i))
	return row
}

// inRange refuses filtered features, or what M is made of, that have overflowed: nothing that is
// added later would bring them back.
func (g *Graph) inRange(ctx context.Context, fx, m kernel.Matrix[float64], along []float64) error {
	if err := matrix.CheckOverflow(ctx, "FX", matrix.Of(fx)); err != nil {
		return fmt.Errorf("live: %w", err)
	}
	add := g.addNegatives(along)
	row := make([]float64, m.Cols)
	for i := range m.Rows {
		copy(row[i:], m.Row(i)[i:])
		add(i, row[i:])
		if !matrix.Finite(matrix.Magnitude(row[i:])) {
			return fmt.Errorf("live: %w: M = XᵀFᵀΔWFX overflows; scale the features", coles.ErrNotFinite)
		}
	}
	return ctx.Err()
}

// changeOfFX returns D = F′X′ − FX on the nodes of the ball, by Horner's rule for both at once: of
// the old graph as far as the change of W looks, of the difference as far as it has come. y and δy
// are rows of the ball.
func (g *Graph) changeOfFX(ctx context.Context, near *ball, n int) (kernel.Matrix[float64], error) {
	hops, d := len(g.fit.Filter)-1, g.x.Cols()
	y, change, spare := near.panel(d), near.panel(d), near.panel(d)
	// Adds old features to the rows within a distance, or what has become of them and features of new nodes.
	add := func(to kernel.Matrix[float64], c float64, within int, fresh bool) {
		for q, i := range near.nodes[:near.within(within)] {
			g.addFeatures(to.Row(q), i, c, fresh, n)
		}
	}
	add(y, g.fit.Filter[hops], hops, false)
	add(change, g.fit.Filter[hops], 0, true)
	if hops == 0 {
		return change, ctx.Err()
	}
	before, after := filterRows(g.adj.was), filterRows(g.adj.now)
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
		add(spare, g.fit.Filter[k], 0, true)
		change, spare = spare, change
		if k == 0 {
			break
		}
		// The rows of spare beyond its reach are not zero any more: y takes its place.
		old := kernel.Rows(spare, 0, near.within(k))
		if err := kernel.SpMM(ctx, old, was.Slice(0, old.Rows), y); err != nil {
			return change, err
		}
		add(spare, g.fit.Filter[k], k, false)
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
func (g *Graph) changeOfM(ctx context.Context, near *ball, change kernel.Matrix[float64]) (kernel.Matrix[float64], error) {
	d := g.x.Cols()
	added := kernel.Dense[float64](d, d)
	difference := near.change(g.adj.plusRows(g.adj.now), g.adj.plusRows(g.adj.was))
	inner, moved := difference.Rows, change.Rows
	left, right := kernel.Dense[float64](inner+2*moved, d), kernel.Dense[float64](inner+2*moved, d)
	for q, i := range near.nodes[:inner] {
		copy(left.Row(q), g.rowOf(i))
	}
	if err := kernel.SpMM(ctx, kernel.Rows(right, 0, inner), difference, kernel.Rows(left, 0, inner)); err != nil {
		return added, err
	}
	q := kernel.Rows(right, inner, inner+moved)
	if err := g.setQ(ctx, near, change, q); err != nil {
		return added, err
	}
	kernel.Copy(kernel.Rows(left, inner, inner+moved), change)
	kernel.Copy(kernel.Rows(left, inner+moved, left.Rows), q)
	kernel.Copy(kernel.Rows(right, inner+moved, right.Rows), change)
	return added, kernel.Gram(ctx, 1, left, right, added)
}

// setQ sets q = W⁺(H + D/2) on the nodes of the ball.
func (g *Graph) setQ(ctx context.Context, near *ball, change, q kernel.Matrix[float64]) error {
	d, plus := g.x.Cols(), g.adj.plusRows(g.adj.now)
	whole := rowsOf(near.nodes, len(g.adj.nodes), plus, func(j int32) int32 { return j })
	if err := kernel.SpMM(ctx, q, whole, g.fx.Dense); err != nil {
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
