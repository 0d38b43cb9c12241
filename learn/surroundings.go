package learn

import (
	"context"
	"fmt"
	"math"

	"coles"
	"coles/internal/given"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/matrix"

	"gonum.org/v1/gonum/stat"
)

const (
	spreadShare = 0.85 // of the neighbours in each step of spreading
	spreadSteps = 25   // after which what is left of the first labels has a share of 0.85²⁵ = 0.017

	mostSpread = 1 << 27 // numbers, of 1 GB
)

// surroundings spreads the labels y (n × c), zeros where they are unknown, over the edges (Zhou and others 2004):
//
//	f ← 0.85·D^-½AD^-½·f + 0.15·y,
//
// and says of some rows, all where rows is nil, what say makes of the row of f, given its last column and the mean of that
// over all nodes. The last column of y is 1 where a label is known. It takes 25 passes over the edges.
func surroundings(ctx context.Context, g *coles.Graph, y kernel.Matrix[float64], rows []int, say func(f, to []float64, mean float64)) (kernel.Matrix[float64], error) {
	a := inside.Adjacency(g)
	half := make([]float64, a.Rows)
	for i := range half {
		if _, weights := a.Row(i); len(weights) > 0 {
			half[i] = math.Sqrt(spreadShare / matrix.Total(weights))
		}
	}
	w, err := matrix.ScaledCSR(ctx, a, half, half)
	if err != nil {
		return y, err
	}
	f, next := kernel.Unset[float64](y.Rows, y.Cols), kernel.Unset[float64](y.Rows, y.Cols)
	copy(f.Data, y.Data)
	for range spreadSteps {
		if err := kernel.SpMMAdd(ctx, next, w, f, 1-spreadShare, y); err != nil {
			return y, err
		}
		f, next = next, f
	}
	last, mean := y.Cols-1, 0.0
	for i := range f.Rows {
		mean += f.Row(i)[last] / float64(f.Rows)
	}
	said := kernel.Dense[float64](given.Count(rows, f.Rows), last)
	for q := range said.Rows {
		i := q
		if rows != nil {
			i = rows[q]
		}
		say(f.Row(i), said.Row(q), mean)
	}
	return said, nil
}

// smoothTolerance is the most, in deviations, that smoothing ends from its limit.
const smoothTolerance = 1e-3

// smooth has the values of all nodes agree with their neighbours: with S = D⁻¹A its result is, to a thousandth of the
// deviation from the centre, the limit of
//
//	p ← (1 − α)·first + α·S·p,
//
// where nodes whose value is known, not NaN, are held at it, and those without edges at the first.
func smooth(ctx context.Context, g *coles.Graph, first kernel.Matrix[float64], alpha float64, known []float64, centre float64) (kernel.Matrix[float64], error) {
	deviation := stat.PopStdDev(first.Data, nil)
	for _, v := range known {
		if !math.IsNaN(v) {
			deviation = max(deviation, math.Abs(v-centre))
		}
	}
	s, err := matrix.RowMeans[float64](ctx, inside.Adjacency(g))
	if err != nil {
		return first, err
	}
	matrix.Scale(s.Val, alpha)
	p, next := kernel.Unset[float64](first.Rows, 1), kernel.Unset[float64](first.Rows, 1)
	hold := func(p kernel.Matrix[float64]) {
		for i, v := range known {
			if near, _ := g.Neighbors(i); len(near) == 0 {
				p.Data[i] = first.Data[i]
			}
			if !math.IsNaN(v) {
				p.Data[i] = v
			}
		}
	}
	copy(p.Data, first.Data)
	hold(p)
	// Each step is α of the one before at most, so that all others together are α/(1−α) of the last.
	for range int(math.Log(smoothTolerance/10)/math.Log(alpha)) + 1 {
		if err := kernel.SpMMAdd(ctx, next, s, p, 1-alpha, first); err != nil {
			return p, err
		}
		hold(next)
		change := 0.0
		for q, v := range next.Data {
			change = max(change, math.Abs(v-p.Data[q]))
		}
		if p, next = next, p; change*alpha/(1-alpha) < smoothTolerance*deviation {
			break
		}
	}
	return p, nil
}

// checkGraph verifies that a graph has a node for each row.
func checkGraph(g *coles.Graph, rows int) error {
	if rows != g.Nodes() {
		return fmt.Errorf("%w: %d rows for %d nodes", coles.ErrShape, rows, g.Nodes())
	}
	return nil
}
