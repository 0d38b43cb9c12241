package learn

import (
	"context"
	"fmt"
	"math"
	"slices"

	"coles"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/setting"
)

const (
	smoothTolerance = 1e-3 // of the unit, the most that smoothing ends from its limit

	mostSmoothed = 1 << 27 // probabilities, of 1 GB
)

// An opinion is what a model says of some rows by themselves, of all where rows is nil.
type opinion func(ctx context.Context, rows []int) (kernel.Matrix[float64], error)

// known are labels that an opinion has to agree with.
type known interface {
	unit(first []float64) float64 // what opinions are smoothed in, given the first ones
	hold(i int, row []float64)    // sets the row of a label that is known, in that unit
}

// smooth calls use with the opinion of some rows for each share α of their neighbours.
func smooth(ctx context.Context, g *coles.Graph, say opinion, labels known, rows []int, alphas []float64, use func(a int, p kernel.Matrix[float64])) error {
	all := rows
	if slices.Max(alphas) > 0 {
		all = nil
	}
	first, err := say(ctx, all)
	for a, alpha := range alphas {
		if err != nil {
			return err
		}
		p := first
		if alpha > 0 {
			p, err = alongEdges(ctx, g, first, alpha, labels)
		}
		if err == nil {
			if all == nil {
				p = those(p, rows)
			}
			use(a, p)
		}
	}
	return err
}

// those are some rows, or all where rows is nil.
func those(p kernel.Matrix[float64], rows []int) kernel.Matrix[float64] {
	if rows == nil {
		return p
	}
	some := kernel.Unset[float64](len(rows), p.Cols)
	for q, i := range rows {
		copy(some.Row(q), p.Row(i))
	}
	return some
}

// alongEdges smooths p₀ along the edges, in the unit of the labels: with S = D⁻¹A its result is, to 10⁻³, the limit of
//
//	p ← (1 − α)·p₀ + α·S·p,
//
// where rows of labels are held at these, and those without edges at p₀ (Zhou and others 2004, with opinions in the place
// of zeros).
func alongEdges(ctx context.Context, g *coles.Graph, said kernel.Matrix[float64], alpha float64, labels known) (kernel.Matrix[float64], error) {
	unit, first := labels.unit(said.Data), said
	if unit != 1 {
		first = kernel.Unset[float64](said.Rows, said.Cols)
		copy(first.Data, said.Data)
		matrix.Scale(first.Data, 1/unit)
	}
	held := func(p kernel.Matrix[float64]) {
		for i := range p.Rows {
			if near, _ := g.Neighbors(i); len(near) == 0 {
				copy(p.Row(i), first.Row(i))
			}
			labels.hold(i, p.Row(i))
		}
	}
	s, err := matrix.RowMeans[float64](ctx, inside.Adjacency(g))
	if err != nil {
		return first, err
	}
	matrix.Scale(s.Val, alpha)
	p, next := kernel.Unset[float64](first.Rows, first.Cols), kernel.Unset[float64](first.Rows, first.Cols)
	copy(p.Data, first.Data)
	held(p)
	// Each step is α of the one before at most, so that all others together are α/(1−α) of the last.
	for range int(math.Log(smoothTolerance/10)/math.Log(alpha)) + 1 {
		if err := kernel.SpMMAdd(ctx, next, s, p, 1-alpha, first); err != nil {
			return p, err
		}
		held(next)
		change := 0.0
		for q, v := range next.Data {
			change = max(change, math.Abs(v-p.Data[q]))
		}
		if p, next = next, p; change*alpha/(1-alpha) < smoothTolerance {
			break
		}
	}
	matrix.Scale(p.Data, unit)
	return p, nil
}

func checkSmoothing(g *coles.Graph, rows int, alphas []float64) error {
	if rows != g.Nodes() {
		return fmt.Errorf("%w: %d rows for %d nodes", coles.ErrShape, rows, g.Nodes())
	}
	for _, a := range alphas {
		if !(a >= 0 && a < 1) {
			return setting.Bad("alpha", a, "0 to 1, without 1")
		}
	}
	return nil
}
