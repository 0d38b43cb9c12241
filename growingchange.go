package coles

import (
	"context"
	"fmt"
	"slices"

	"coles/internal/kernel"
)

// follow adds to FX, M and the trivial direction what the last change of the net, around
// which near is the ball of K hops, makes of them. n is the number of nodes before.
// Until all of it is computed and within range nothing is written.
func (r *Growing) follow(ctx context.Context, near *ball, n int) error {
	change, err := r.filterChange(ctx, near, n)
	if err != nil {
		return err
	}
	added, err := r.contrastChange(ctx, near, change)
	if err != nil {
		return err
	}
	d := r.x.cols
	_, v := r.expectation()
	trivial := slices.Clone(r.trivial)
	for q, i := range near.nodes {
		row, step := r.fx[int(i)*d:][:d], change.Data[q*d:][:d]
		if v != nil {
			now, was := v(r.net.now(i).degree), v(r.net.was(i).degree)
			addScaled(trivial, now-was, row)
			addScaled(trivial, now, step)
		}
		addScaled(step, 1, row)
	}
	for i := range d {
		addScaled(added.Data[i*d+i:], 1, r.m.Data[i*d+i:][:d-i])
	}
	if err := r.inRange(ctx, change, added, trivial); err != nil {
		return err
	}
	for q, i := range near.nodes {
		copy(r.fx[int(i)*d:][:d], change.Data[q*d:])
	}
	r.m, r.trivial = added, trivial
	return nil
}

// inRange refuses filtered features, or what M is made of, that have overflowed: nothing that
// is added later would bring them back.
func (r *Growing) inRange(ctx context.Context, fx, m kernel.Matrix[float64], trivial []float64) error {
	if err := checkOverflow(ctx, "FX", &signal[float64]{dense: fx}); err != nil {
		return err
	}
	of := r.withNegatives(trivial)
	row := make([]float64, m.Cols)
	for i := range m.Rows {
		copy(row[i:], m.Data[i*m.Stride+i:][:m.Cols-i])
		of(i, row[i:])
		if !finite(magnitude(row[i:])) {
			return fmt.Errorf("coles: grow: %w: M = XᵀFᵀΔWFX overflows; scale the features", ErrNotFinite)
		}
	}
	return ctx.Err()
}

// withNegatives returns what adds the rank-one part of M to the end of its row i, from
// the diagonal on.
func (r *Growing) withNegatives(trivial []float64) func(i int, row []float64) {
	length, _ := r.expectation()
	unit := make([]float64, len(trivial))
	if length > 0 {
		for j, v := range trivial {
			unit[j] = v / length
		}
	}
	eta := r.model.settings.Eta
	return func(i int, row []float64) { addScaled(row, -eta*unit[i], unit[i:]) }
}

// filterChange returns D = F′X′ − FX on the nodes of the ball, by Horner's rule for
// both at once: of the old graph as far as the change of W looks, of the difference
// as far as it has come. y and δy are rows of the ball.
func (r *Growing) filterChange(ctx context.Context, near *ball, n int) (kernel.Matrix[float64], error) {
	coef := r.model.settings.Filter.coef
	hops, d := len(coef)-1, r.x.cols
	y, change, spare := near.panel(d), near.panel(d), near.panel(d)
	x := r.x.signal()
	// Old features where rows is n or less, those of new nodes where more.
	add := func(to kernel.Matrix[float64], c float64, within int, fresh bool) {
		for q, i := range near.nodes[:near.within(within)] {
			if (int(i) >= n) == fresh {
				x.addRow(to.Data[q*d:][:d], int(i), c)
			}
		}
	}
	add(y, coef[hops], hops, false)
	add(change, coef[hops], 0, true)
	if hops == 0 {
		return change, ctx.Err()
	}
	was, now := near.filterRows(near.within(hops-1), r.net.was), near.filterRows(near.within(hops), r.net.now)
	turned := near.filterChange(r.net)
	turn := kernel.Dense[float64](turned.Rows, d)
	for k := hops - 1; k >= 0; k-- {
		reach := near.within(hops - k)
		next := kernel.Rows(spare, 0, reach)
		if err := kernel.SpMM(ctx, next, now.Slice(0, reach), change); err != nil {
			return change, err
		}
		if err := kernel.SpMM(ctx, turn, turned, kernel.Rows(y, 0, turned.Cols)); err != nil {
			return change, err
		}
		for q := range turned.Rows {
			addScaled(next.Data[q*d:], 1, turn.Data[q*d:][:d])
		}
		add(spare, coef[k], 0, true)
		change, spare = spare, change
		if k == 0 {
			break
		}
		// The rows of spare beyond its reach are not zero any more: y takes its place.
		old := kernel.Rows(spare, 0, near.within(k))
		if err := kernel.SpMM(ctx, old, was.Slice(0, old.Rows), y); err != nil {
			return change, err
		}
		add(spare, coef[k], k, false)
		y, spare = spare, y
		clearRows(spare)
	}
	return change, nil
}

// panel has a row for every node of the ball.
func (b *ball) panel(cols int) kernel.Matrix[float64] {
	return kernel.Dense[float64](len(b.nodes), cols)
}

func clearRows(p kernel.Matrix[float64]) { clear(p.Data[:p.Rows*p.Stride]) }

// contrastChange returns what M gains, upper triangle:
//
//	HᵀδW⁺H + DᵀQ + QᵀD,  Q = (W⁺ + c·I)(H + D/2),
//
// with H = FX before and D its change, as one product of three panels on top of each other.
func (r *Growing) contrastChange(ctx context.Context, near *ball, change kernel.Matrix[float64]) (kernel.Matrix[float64], error) {
	d := r.x.cols
	added := kernel.Dense[float64](d, d)
	turned := near.plusChange(r.net)
	moved := change.Rows
	left, right := kernel.Dense[float64](turned.Rows+2*moved, d), kernel.Dense[float64](turned.Rows+2*moved, d)
	for q, i := range near.nodes[:turned.Rows] {
		copy(left.Data[q*d:][:d], r.fx[int(i)*d:])
	}
	h := kernel.Rows(left, 0, turned.Rows)
	if err := kernel.SpMM(ctx, kernel.Rows(right, 0, turned.Rows), turned, h); err != nil {
		return added, err
	}
	q := kernel.Rows(right, turned.Rows, turned.Rows+moved)
	if err := r.middle(ctx, near, change, q); err != nil {
		return added, err
	}
	kernel.Copy(kernel.Rows(left, turned.Rows, turned.Rows+moved), change)
	kernel.Copy(kernel.Rows(left, turned.Rows+moved, left.Rows), q)
	kernel.Copy(kernel.Rows(right, turned.Rows+moved, right.Rows), change)
	return added, kernel.Gram(ctx, 1, left, right, added)
}

// middle sets q = (W⁺ + c·I)(H + D/2) on the nodes of the ball.
func (r *Growing) middle(ctx context.Context, near *ball, change, q kernel.Matrix[float64]) error {
	d := r.x.cols
	if err := kernel.SpMM(ctx, q, near.plusRows(q.Rows, r.net), r.filtered()); err != nil {
		return err
	}
	half := near.panel(d) // W⁺D, which ends at the ball
	if err := kernel.SpMM(ctx, half, near.plusInside(r.net), change); err != nil {
		return err
	}
	c := r.model.report.Share
	for k, i := range near.nodes {
		row := q.Data[k*q.Stride:][:d]
		addScaled(row, 0.5, half.Data[k*d:][:d])
		if c != 0 {
			addScaled(row, c, r.fx[int(i)*d:][:d])
			addScaled(row, c/2, change.Data[k*d:][:d])
		}
	}
	return nil
}

// rebuild computes FX, M and the trivial direction from the graph and the features.
func (r *Growing) rebuild(ctx context.Context) error {
	g := &Graph{adj: r.net.adjacency(), degree: r.net.degrees(), loops: r.net.loops}
	x := r.x.signal()
	w, err := normalize(ctx, g, SelfLoops)
	if err != nil {
		return err
	}
	fx, err := filtered(ctx, r.model.settings.Filter, w.m, x)
	if err != nil {
		return err
	}
	plus, err := normalize(ctx, g, NoSelfLoops)
	if err != nil {
		return err
	}
	dw := &contrasting[float64]{sparse: plus.m, shift: r.model.report.Share}
	m, err := dw.gram(ctx, fx)
	if err != nil {
		return err
	}
	trivial := make([]float64, fx.Cols)
	if _, v := r.expectation(); v != nil {
		weight := make([]float64, fx.Rows)
		for i := range weight {
			weight[i] = v(r.net.nodes[i].degree)
		}
		if trivial, err = transposeTimes(ctx, fx, weight); err != nil {
			return err
		}
	}
	if err := r.inRange(ctx, fx, m, trivial); err != nil {
		return err
	}
	rows, err := withRoom(ctx, fx)
	if err != nil {
		return err
	}
	r.fx, r.m, r.trivial = rows, m, trivial
	r.net.sumDegrees()
	return nil
}
