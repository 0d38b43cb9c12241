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

	"gonum.org/v1/gonum/floats"
)

const (
	spreadShare = 0.85 // of the neighbours in each step of spreading
	spreadSteps = 25   // after which the first labels keep a share of 0.85²⁵ = 0.017

	mostSpread = 1 << 27 // numbers, of 1 GB
)

// surroundings spreads the labels y (n × c), zeros where they are unknown, over the edges (Zhou and others 2004):
//
//	f ← 0.85·D^-½AD^-½·f + 0.15·y.
//
// For some rows, all where rows is nil, it returns the result of say for the row of f, its last column and the mean of that
// column over all nodes. The last column of y is 1 where a label is known. It takes 25 passes over the edges.
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

const (
	passedShare     = 0.98 // of the neighbours in each step of passing on
	passedTolerance = 1e-3 // of the largest value, the most that passing on ends from its limit
)

// passedOn has each node take a share of the mean of its neighbours. It is 0 in components without a known value, which is
// not NaN. With S = D⁻¹A it is the limit, to a thousandth of the largest value, of
//
//	p ← 0.98·S·p,
//
// where nodes of a known value are held at it. It returns some rows, all where rows is nil.
func passedOn(ctx context.Context, g *coles.Graph, known []float64, rows []int) (kernel.Matrix[float64], error) {
	s, err := matrix.RowMeans[float64](ctx, inside.Adjacency(g))
	if err != nil {
		return kernel.Matrix[float64]{}, err
	}
	matrix.Scale(s.Val, passedShare)
	p, next := kernel.Dense[float64](len(known), 1), kernel.Unset[float64](len(known), 1)
	hold := func(p []float64) (largest float64) {
		for i, v := range known {
			if !math.IsNaN(v) {
				p[i], largest = v, max(largest, math.Abs(v))
			}
		}
		return largest
	}
	largest, change := hold(p.Data), math.Inf(1)
	// Each step is 0.98 of the one before at most, so that all others together are 49 times the last.
	for change*passedShare/(1-passedShare) > passedTolerance*largest {
		if err := kernel.SpMM(ctx, next, s, p); err != nil {
			return p, err
		}
		hold(next.Data)
		change = floats.Distance(next.Data, p.Data, math.Inf(1))
		p, next = next, p
	}
	if rows != nil {
		p = kernel.Matrix[float64]{Rows: len(rows), Cols: 1, Stride: 1, Data: picked(p.Data, rows)}
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
