package coles

import (
	"context"
	"fmt"
	"time"

	"coles/internal/kernel"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Fit embeds the nodes of a graph with features X (n × d): it prepares the
// features, filters them, builds the contrast ΔW, finds the projection P and
// weights the columns of FXPᵀ. [DefaultSettings] is what it does unless options
// say otherwise; they need no tuning.
//
// A nil x means a graph without features. Fit then solves the free problem
// (see [Eigenmaps]) without the component vectors, scales the result in the
// same way, and says so in its [Report]; such a model embeds only its own graph.
//
// The time is that of [SolveImplicit] or of [Filter.Apply] and [Solve], whichever
// [SolverAuto] takes, and K·nnz(W)·d′ for the embedding; [Estimate] tells the
// memory. The result depends on the input and the settings only, to
// the byte, however many processors there are.
//
// Errors: [ErrShape], [ErrEmpty], [ErrNotFinite], [ErrDim], [ErrPreparation],
// [ErrSetting], [ErrDense], [ErrTooLarge], a [*ConvergenceError], and ctx's.
func Fit(ctx context.Context, g *Graph, x mat.Matrix, opts ...Option) (*Model, error) {
	c, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	if err := g.check(); err != nil {
		return nil, err
	}
	if x == nil {
		return c.fitGraph(ctx, g)
	}
	return c.fitFeatures(ctx, g, x)
}

func (c config) fitFeatures(ctx context.Context, g *Graph, x mat.Matrix) (*Model, error) {
	m := &Model{report: Report{Graph: g.report}, ids: g.ids.copy()}
	clock := startClock(&m.report.Seconds)

	c.report("prepare", 0, 2)
	raw, err := readFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	if raw.rows() != g.Nodes() {
		return nil, fmt.Errorf("coles: fit: %w: %d feature rows for %d nodes", ErrShape, raw.rows(), g.Nodes())
	}
	if c.Dim > raw.cols() {
		return nil, fmt.Errorf("coles: fit: %w: d′ = %d of %d features", ErrDim, c.Dim, raw.cols())
	}
	if c.Dim == 0 {
		c.Dim = min(defaultDim, raw.cols())
	}
	if m.prepare, err = fitPreparation(ctx, raw, c.Features); err != nil {
		return nil, err
	}
	feat, err := m.prepare.apply(ctx, raw)
	if err != nil {
		return nil, err
	}
	c.report("prepare", 1, 2)
	w := Normalize(g, SelfLoops)
	dw, err := c.contrastFor(ctx, g, w, &m.report)
	if err != nil {
		return nil, err
	}
	c.report("prepare", 2, 2)
	clock.lap(&m.report.Seconds.Prepare)

	p, err := c.solve(ctx, feat, w.m, dw, clock)
	if err != nil {
		return nil, err
	}
	clock.lap(&m.report.Seconds.Solve)

	c.report("embed", 0, 1)
	v, err := kernel.Transposed(ctx, p.P.RawMatrix())
	if err != nil {
		return nil, err
	}
	y, err := project(ctx, w.m, c.Filter, feat, v)
	if err != nil {
		return nil, err
	}
	m.projection = p
	if err := m.finish(ctx, c, y, p.Lambda); err != nil {
		return nil, err
	}
	m.report.Preparation, m.report.Features, m.report.Solver = m.prepare.how, raw.cols(), p.Solver
	m.report.Memory = estimate(g.adj.NNZ(), shapeOf(feat), c.Settings)
	c.report("embed", 1, 1)
	clock.lap(&m.report.Seconds.Embed)
	return m, nil
}

// contrastFor builds ΔW with its covariance share.
func (c *config) contrastFor(ctx context.Context, g *Graph, w *SymCSR, r *Report) (*DeltaW, error) {
	dw, err := contrast(ctx, g, c.Negatives, c.Settings)
	if err != nil {
		return nil, err
	}
	r.Share = c.Share
	if c.AutoShare {
		rho, err := smoothness(ctx, w, Normalize(g, NoSelfLoops), c.Filter, c.Seed)
		if err != nil {
			return nil, err
		}
		r.Share = autoShare(rho)
	}
	return dw.Shift(r.Share), nil
}

// solve finds P the way the settings or the number of features say.
func (c config) solve(ctx context.Context, x *features, w *kernel.CSR, dw *DeltaW, clock *stopwatch) (*Projection, error) {
	if c.Solver.resolve(x.cols(), c.Dim, x.sparse != nil) == SolverKrylov {
		return c.solveKrylov(ctx, x.cols(), implicit(x, w, c.Filter, dw))
	}
	m, err := c.filteredGram(ctx, x, w, dw, clock)
	if err != nil {
		return nil, err
	}
	return c.decompose(ctx, m)
}

// filteredGram makes M. It is a function of its own so that FX can go before M
// is decomposed.
func (c config) filteredGram(ctx context.Context, x *features, w *kernel.CSR, dw *DeltaW, clock *stopwatch) (blas64.General, error) {
	m := kernel.Dense(x.cols(), x.cols())
	c.report("filter", 0, 1)
	fx, err := c.Filter.apply(ctx, w, x)
	if err != nil {
		return m, err
	}
	c.report("filter", 1, 1)
	clock.lap(clock.filter)
	c.report("solve", 0, 2)
	err = dw.gram(ctx, m, fx)
	c.report("solve", 1, 2)
	return m, err
}

// project returns F(W)·(X·V) for V (d × d′). Filters act on rows and V on
// columns, so the K hops run over d′ columns instead of d.
func project(ctx context.Context, w *kernel.CSR, f Filter, x *features, v blas64.General) (blas64.General, error) {
	if v.Cols == 0 { // truncation has left no column
		return blas64.General{Rows: x.rows()}, ctx.Err()
	}
	xv := kernel.Dense(x.rows(), v.Cols)
	if err := x.times(ctx, xv, v); err != nil {
		return xv, err
	}
	return f.apply(ctx, w, &features{dense: xv})
}

// fitGraph is Fit without features.
func (c config) fitGraph(ctx context.Context, g *Graph) (*Model, error) {
	m := &Model{report: Report{Graph: g.report}, ids: g.ids.copy(), fingerprint: g.fingerprint()}
	clock := startClock(&m.report.Seconds)
	c.report("prepare", 0, 1)
	dw, err := c.contrastFor(ctx, g, Normalize(g, SelfLoops), &m.report)
	if err != nil {
		return nil, err
	}
	c.skipComponents = true
	limit := g.Nodes() - newComponentSpace(g).dim()
	if c.Dim == 0 {
		c.Dim = min(defaultDim, max(1, limit))
	}
	c.report("prepare", 1, 1)
	clock.lap(&m.report.Seconds.Prepare)
	e, err := c.eigenmaps(ctx, dw)
	if err != nil {
		return nil, err
	}
	clock.lap(&m.report.Seconds.Solve)
	c.report("embed", 0, 1)
	if err := m.finish(ctx, c, e.Y.RawMatrix(), e.Lambda); err != nil {
		return nil, err
	}
	m.report.Solver, m.report.ComponentVectors = SolverKrylov, e.ComponentVectors
	m.report.Memory = estimate(g.adj.NNZ(), featureShape{rows: g.Nodes()}, c.Settings)
	c.report("embed", 1, 1)
	clock.lap(&m.report.Seconds.Embed)
	return m, nil
}

// finish scales the columns of y in place and keeps them.
func (m *Model) finish(ctx context.Context, c config, y blas64.General, lambda []float64) error {
	s := spectralScaling(ctx, &features{dense: y}, lambda, c.Scaling)
	for i := range y.Rows {
		row := y.Data[i*y.Stride:][:y.Cols]
		for j, f := range s.Factors {
			row[j] *= f
		}
	}
	m.settings, m.scaling, m.lambda = c.Settings, *s, lambda
	m.embedding = denseOf(y)
	m.report.Dim, m.report.Power, m.report.EffectiveRank = len(lambda), s.Power, s.EffectiveRank
	m.report.Kernels = kernel.Path()
	return ctx.Err()
}

// A stopwatch shares out the time of a fit to its stages.
type stopwatch struct {
	last   time.Time
	filter *float64
}

func startClock(s *StageSeconds) *stopwatch { return &stopwatch{time.Now(), &s.Filter} }

// lap adds the time since the last lap to a stage.
func (w *stopwatch) lap(stage *float64) {
	now := time.Now()
	*stage += now.Sub(w.last).Seconds()
	w.last = now
}
