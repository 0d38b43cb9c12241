package coles

import (
	"context"
	"fmt"
	"math"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// An Alignment is the answer to: if half of a node's features are hidden, what agrees better with
// them, its own other features or the filtered ones? It sees no labels, and [ModelKind] "auto"
// follows it.
//
// The columns of X, prepared, are split at random into halves A and B. Let s be the vector of
// √degree, Q an orthonormal basis of the span of 1, s and X·1, and Π = I − QQᵀ, which takes out what
// the size of a node alone explains. The kernels, of which only the entries off the diagonal count,
// are K_R = ΠX_A X_AᵀΠ of a node's own features, K_F = Π(FX_A)(FX_A)ᵀΠ of the filtered ones and
// T = ΠX_B X_BᵀΠ of the hidden ones. Then
//
//	q = (⟨K_F, T⟩/‖K_F‖) / (⟨K_R, T⟩/‖K_R‖),
//
// all four summed over splits before they are divided: a ratio of two kernel alignments (Cristianini
// et al. 2001). It is above 1 where the neighbours know more of a feature than the node's other
// features do.
type Alignment struct {
	// Ratio is the estimate of q, 0 where there is none and in a graph without edges.
	Ratio float64 `json:"ratio"`
	// Deviation estimates the standard deviation of log q over seeds; where q is 0, that of its
	// divisor alone.
	Deviation float64 `json:"deviation"`
	// Columns is the number of random columns that q was estimated by.
	Columns int `json:"columns"`
	// Known is false where the features tell nothing: there are fewer than 40, or their halves
	// hardly know of each other. The estimates of ⟨K_R, T⟩ and ‖K_R‖² are then 0 or less, or the
	// logarithm of their share in q has a deviation of a half or more, or ΠX is rounding.
	Known bool `json:"known"`
}

// Alignment measures q on a graph with features X (n × d), which are prepared as [Fit] with these
// settings prepares them, for the filter of these settings.
//
// The inner products of kernels are estimated without bias from the products of X with random
// columns of ±1. There are 32 of these, and then twice as many again and again, up to 512 or 2²⁰/n
// but 128 at least, until log q is three deviations away from log 0.8. So q is as exact as the
// choice needs, and no more: after 32 columns its deviation is 5 to 15 % on most graphs, and it
// leans away from 0.8 by up to a third of that. Each column costs the time of filtering it; memory
// is 2 numbers of the precision for each node and column. The result depends on input, settings and
// seed alone.
//
// Errors: those of [Fit] for a graph and features.
func (s Settings) Alignment(ctx context.Context, g *Graph, x mat.Matrix) (Alignment, error) {
	if err := s.Check(); err != nil {
		return Alignment{}, err
	}
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	f := &fitting{config: config{Settings: s}, g: g}
	if err := f.read(ctx, x); err != nil {
		return Alignment{}, err
	}
	auto := f.Precision == 0
	if f.Precision = f.Precision.resolve(f.x.Rows(), f.x.Cols(), f.prepare.how); f.Precision == Float32 {
		a, err := alignmentOf[float32](ctx, f)
		if !auto || !tooCoarse(err) {
			return a, err
		}
		f.Precision = Float64
	}
	return alignmentOf[float64](ctx, f)
}

func alignmentOf[T kernel.Float](ctx context.Context, f *fitting) (Alignment, error) {
	x, err := prepared[T](ctx, f.prepare, f.x)
	if err != nil {
		return Alignment{}, err
	}
	w, _, err := walk(ctx, f.Settings, f.g, x)
	if err != nil {
		return Alignment{}, err
	}
	return align(ctx, x, w, nil, f)
}

const (
	// leastAligned is the number of features from which two halves say something of each other.
	leastAligned = 40
	// firstColumns is the number of random columns that is looked at first: by half as many the
	// deviation cannot be estimated.
	firstColumns = 32
	// certain is how many deviations make a difference. To end the measurement by 2.5 made no error
	// on thirteen graphs in 200 seeds each, either.
	certain = 3
)

// mostColumns bounds the number of random columns, on n nodes. Graphs of a few hundred nodes need
// 512 to be told apart near 0.8, and can afford them.
func mostColumns(n int) int { return min(max(128, 1<<20/n), 512) }

// Unmeasured is the alignment of d features on a graph of so many edges where it takes no random
// columns to tell it: for the packages of this module.
func Unmeasured(edges, d int) (a Alignment, ok bool) {
	if edges == 0 {
		return Alignment{Known: true}, true
	}
	return Alignment{}, d < leastAligned
}

// Next is how many random columns tell more on n nodes, 0 where those that there are suffice: for
// the packages of this module.
func (a Alignment) Next(n int) int {
	settled := a.Ratio > 0 && (a.Known || a.Ratio > alignedFrom) && math.Abs(math.Log(a.Ratio/alignedFrom)) > certain*a.Deviation
	if next := max(firstColumns, 2*a.Columns); !settled && next <= mostColumns(n) {
		return next
	}
	return 0
}

// align measures q for prepared features, in memory of which some may be there.
func align[T kernel.Float](ctx context.Context, x *matrix.Matrix[T], w matrix.Walk[T], room []T, f *fitting) (Alignment, error) {
	n, d := x.Dims()
	found, known := Unmeasured(f.g.report.Edges, d)
	if known {
		return found, ctx.Err()
	}
	s, err := newSketch(ctx, x, w, room, f)
	if err != nil {
		return Alignment{}, err
	}
	defer s.release()
	for next := found.Next(n); next > 0; next = found.Next(n) {
		if err := s.grow(ctx, next-len(s.group)); err != nil {
			return Alignment{}, err
		}
		if s.flat && f.Precision == Float32 {
			return Alignment{}, fmt.Errorf("coles: alignment: %w: the rows of the features differ by rounding in float32; use Float64", ErrPrecision)
		}
		if s.flat {
			return Alignment{Columns: len(s.group)}, nil
		}
		if found, err = s.estimate(ctx); err != nil {
			break
		}
	}
	return found, err
}

// alignedFrom is the q from which the graph is used. Every threshold from 0.75 to 0.86 decides alike
// on the 31 graphs on which it was set, with the accuracies of both models in view. It is below 1
// because filtered features also carry what no half of the columns shows: who the neighbours are.
const alignedFrom = 0.8

// Model is the kind of model that the measurement is for: [FeatureModel] where q is known and below
// 0.8. Features that know nothing of each other are no evidence against the graph.
func (a Alignment) Model() ModelKind {
	if a.Known && a.Ratio < alignedFrom {
		return FeatureModel
	}
	return GraphModel
}

// String says what q means, and which model it is for.
func (a Alignment) String() string {
	why := fmt.Sprintf("own features agree with each other %.2g times more than with their neighbours' (q = %.2g)", 1/a.Ratio, a.Ratio)
	switch {
	case !a.Known && a.Columns == 0:
		why = fmt.Sprintf("fewer than %d features cannot tell", leastAligned)
	case !a.Known:
		why = "own features hardly know each other"
	case a.Ratio == 0:
		why = "neighbours know nothing of a node's features"
	case a.Ratio >= 1:
		why = fmt.Sprintf("own features agree with each other %.2g times less than with their neighbours' (q = %.2g)", a.Ratio, a.Ratio)
	}
	if a.Model() == FeatureModel {
		return why + ": feature model"
	}
	return why + ": graph model"
}
