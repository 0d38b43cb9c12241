package coles

import (
	"context"
	"errors"
	"fmt"

	"coles/internal/alignment"
	"coles/internal/kernel"
	"coles/internal/linear"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// An Alignment answers: if half of a node's features are hidden, what agrees better with them, its own other
// features or the filtered ones? It uses no labels, and [Kind] "auto" follows it.
//
// The columns of X, prepared, are split at random into halves A and B. Let s be the vector of √degree, Q an
// orthonormal basis of the span of 1, s and, where no number of X is negative, X·1, and Π = I − QQᵀ, which
// removes what the size of a node alone explains. The kernels, of which only the entries off the diagonal
// count, are K_R = ΠX_A X_AᵀΠ of a node's own features, K_F = Π(FX_A)(FX_A)ᵀΠ of the filtered ones and T =
// ΠX_B X_BᵀΠ of the hidden ones. Then
//
//	q = (⟨K_F, T⟩/‖K_F‖) / (⟨K_R, T⟩/‖K_R‖),
//
// all four summed over splits before they are divided: a ratio of two kernel alignments (Cristianini et al.
// 2001), above 1 where the neighbours predict a feature better than the node's other features do.
//
// q below 0.8 chooses the features, from 1 on the graph. Between them, and where q is not known, the graph
// is taken if it has communities of its own. One edge in four is hidden, by a hash of the seed and the pair.
// Let D be the degrees + 1, A the edges that are left, and H the hidden ones. The rows z_v of (D^-½(4/3·A +
// I)D^-½)⁸R, where R is 32 columns of random signs, or 14 from 131,072 nodes on, are freed of D^½ under the
// same power, brought to length 1 and centred, and freed of the degrees again. With t_v =
// z_v·(D^-½HD^-½z)_v,
//
//	communities = Σ_v t_v / √(2·Σ_v t_v²)
//
// is the number of deviations by which hidden edges join like nodes more than degrees do by chance. From 3
// on there are communities. Graphs of fewer than 4,096 nodes have all four quarters hidden in turn, and both
// sums run over these.
type Alignment struct {
	// Ratio is the estimate of q, 0 where there is none and in a graph without edges.
	Ratio float64 `json:"ratio"`
	// Deviation estimates the standard deviation of log q over seeds; where q is 0, of its
	// divisor alone.
	Deviation float64 `json:"deviation"`
	Columns   int     `json:"columns"` // random ones that q was estimated by
	// Known is false where log q is less than two deviations away from log 0.8, and where the features
	// do not suffice: there are fewer than 40, or their halves hardly correlate.
	Known bool `json:"known"`
	// Communities measures the communities of the graph where q does not decide, and is 0 otherwise.
	// Fewer than 30 nodes cannot be tested and count as 3.
	Communities float64 `json:"communities"`
}

// Alignment measures q on a graph with features X (n × d), prepared and filtered as [Fit] with these
// settings does.
//
// The inner products of kernels are estimated without bias from the products of X with random columns of ±1:
// 32, then twice as many again and again, up to 512 or 2²⁰/n but 128 at least, until log q is three
// deviations away from log 0.8. After 32 columns its deviation is 5 to 15 % on most graphs, and it leans
// away from 0.8 by up to a third of that. Each column costs the time of filtering it; memory is 2 numbers of
// the precision for each node and column. Communities cost 9 hops of 34 columns in float64, or 36. Errors: as [Fit].
func (s Settings) Alignment(ctx context.Context, g *Graph, x mat.Matrix) (Alignment, error) {
	if err := s.Check(); err != nil {
		return Alignment{}, err
	}
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	source, how, err := s.Preparation.learn(ctx, "fit", g, x)
	if err != nil {
		return Alignment{}, err
	}
	return inPrecision(&s.Precision, source, how,
		func() (Alignment, error) { return alignmentOf[float32](ctx, s, g, source, how) },
		func() (Alignment, error) { return alignmentOf[float64](ctx, s, g, source, how) })
}

func alignmentOf[T kernel.Float](ctx context.Context, s Settings, g *Graph, source *matrix.Source, how *Preparer) (Alignment, error) {
	x, err := prepared[T](ctx, how, source)
	if err != nil {
		return Alignment{}, err
	}
	d := x.Cols()
	p := &problem[T]{x: x, solver: s.Solver.resolve(d, linear.Dim(s.Dim, d), x.Sparse != nil)}
	if err := p.walk(ctx, g, s.contrasting()); err != nil {
		return Alignment{}, err
	}
	return p.align(ctx, s, g, how)
}

// align measures q on prepared features.
func (p *problem[T]) align(ctx context.Context, s Settings, g *Graph, how *Preparer) (Alignment, error) {
	found, err := alignment.Parts[T]{
		X: p.x, W: p.w, Filter: s.Filter.coef, Graph: g.adj, Degrees: g.degree, Edges: g.report.Edges,
		Seed: s.Seed, Plain: how.plain(), Room: p.room,
	}.Measure(ctx)
	if errors.Is(err, ErrPrecision) {
		err = fmt.Errorf("coles: alignment: %w", err)
	}
	return Alignment(found), err
}

// Kind is the kind of model that the measurement is for.
func (a Alignment) Kind() Kind {
	graph := a.Ratio >= alignment.Enough
	if alignment.Estimate(a).Open() {
		graph = a.Communities >= alignment.Structured
	}
	if graph {
		return UseGraph
	}
	return UseFeatures
}

// String explains q and the model it chooses.
func (a Alignment) String() string {
	why := fmt.Sprintf("own features agree with each other %.2g times more than with their neighbours' (q = %.2g)", 1/a.Ratio, a.Ratio)
	switch {
	case !a.Known && a.Columns == 0:
		why = fmt.Sprintf("fewer than %d features cannot tell", alignment.Least)
	case !a.Known && (a.Ratio == 0 || a.Deviation > 0.5):
		why = "own features hardly know each other"
	case alignment.Estimate(a).Open():
		why = fmt.Sprintf("features do not tell (q = %.2g)", a.Ratio)
	case a.Ratio == 0:
		why = "neighbours know nothing of a node's features"
	case a.Ratio >= 1 && a.Ratio < 1.05:
		why = fmt.Sprintf("own features agree with each other as much as with their neighbours' (q = %.2g)", a.Ratio)
	case a.Ratio >= 1:
		why = fmt.Sprintf("own features agree with each other %.2g times less than with their neighbours' (q = %.2g)", a.Ratio, a.Ratio)
	}
	graph := a.Kind() == UseGraph
	if alignment.Estimate(a).Open() {
		why += map[bool]string{true: ", the graph has communities", false: ", the graph has no communities"}[graph]
	}
	if graph {
		return why + ": graph model"
	}
	return why + ": feature model"
}
