package learn

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"coles"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/setting"

	"gonum.org/v1/gonum/mat"
)

// smoothTolerance is the change of a probability, and smoothSteps the number of steps, after which smoothing ends.
const (
	smoothTolerance = 1e-3
	smoothSteps     = 50

	mostSmoothed = 1 << 27 // probabilities, of 1 GB
)

// A Smoothed is a classifier of the nodes of a graph whose probabilities are smoothed along its edges. With p₀ the
// probabilities of the model alone, n × c, and S = D⁻¹A, they are, to 10⁻³, the limit of
//
//	p ← (1 − α)·p₀ + α·S·p,
//
// where the rows of labelled nodes are held at their classes and those without edges at p₀ (Zhou and others 2004,
// with predictions in the place of zeros). The probability of class k is then p_k^(1/T)·w_k over the sum of these.
type Smoothed struct {
	*LinearModel
	Alpha float64 // 0 smooths nothing
	// Temperature is T, 0 for 1. Learnt, it makes the mean of the largest probabilities of the nodes that are held out
	// the share of them that is right, (h + 1)/(n + 2) of h among n.
	Temperature float64
	// Weights are w, nil for ones. Balanced, w_k is one over the share of class k among the labels.
	Weights []float64
	// Found is what cross-validation finds, each part with the α that is best for the others, and Alone the share
	// that is right with α = 0. Found is nil, and Alone 0, where there are too few labels, which smooth nothing.
	Found *Confusion
	Alone float64
}

// Smooth returns the probabilities of the given nodes, or of all where rows is nil, in the order of Classes:
// x is their features, and labels are the known ones, negative for others. Without a graph nothing is smoothed.
//
// Errors: as [LinearModel.Probabilities], and with a graph [coles.ErrShape] unless there are a row and a label for each
// node.
func (s *Smoothed) Smooth(ctx context.Context, g *coles.Graph, x mat.Matrix, labels, rows []int) (*mat.Dense, error) {
	f, err := s.input(ctx, x, rows)
	if err != nil {
		return nil, err
	}
	var p kernel.Matrix[float64]
	if s.Alpha == 0 || g == nil {
		p, err = s.probabilities(ctx, f, rows)
	} else {
		if len(labels) != f.Rows() {
			return nil, fmt.Errorf("%w: %d labels for %d rows", coles.ErrShape, len(labels), f.Rows())
		}
		if err := checkSmoothing(g, f.Rows(), []float64{s.Alpha}); err != nil {
			return nil, err
		}
		if p, err = s.probabilities(ctx, f, nil); err == nil {
			p, err = alongEdges(ctx, g, p, s.Alpha, holding(s.columns(labels)))
		}
		if err == nil {
			p = those(p, rows)
		}
	}
	if err != nil {
		return nil, err
	}
	for i := range p.Rows {
		s.temper(p.Row(i))
	}
	return matrix.ToDense(p), nil
}

// temper changes the smoothed probabilities of a row by temperature and weights.
func (s *Smoothed) temper(p []float64) {
	sum, t := 0.0, cmp.Or(s.Temperature, 1)
	for k := range p {
		if p[k] = math.Pow(p[k], 1/t); s.Weights != nil {
			p[k] *= s.Weights[k]
		}
		sum += p[k]
	}
	matrix.Scale(p, 1/sum)
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

// columns are the places of known labels among the classes, nil for others.
func (m *LinearModel) columns(labels []int) [][]int {
	known := make([][]int, len(labels))
	for i, label := range labels {
		if k, ok := slices.BinarySearch(m.Classes, label); ok {
			known[i] = []int{k}
		}
	}
	return known
}

// holding holds rows whose classes are known at 1 for these, and 0 for others.
func holding(known [][]int) func(i int, row []float64) {
	return func(i int, row []float64) {
		if len(known[i]) > 0 {
			clear(row)
		}
		for _, k := range known[i] {
			row[k] = 1
		}
	}
}

// alongEdges smooths p₀ along the edges. hold sets a row that is known.
func alongEdges(ctx context.Context, g *coles.Graph, first kernel.Matrix[float64], alpha float64, hold func(i int, row []float64)) (kernel.Matrix[float64], error) {
	held := func(p kernel.Matrix[float64]) {
		for i := range p.Rows {
			if near, _ := g.Neighbors(i); len(near) == 0 {
				copy(p.Row(i), first.Row(i))
			}
			hold(i, p.Row(i))
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
	for range smoothSteps {
		if err := kernel.SpMMAdd(ctx, next, s, p, 1-alpha, first); err != nil {
			return p, err
		}
		held(next)
		change := 0.0
		for q, v := range next.Data {
			change = max(change, math.Abs(v-p.Data[q]))
		}
		if p, next = next, p; change < smoothTolerance {
			break
		}
	}
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
