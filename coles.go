package coles

import (
	"context"
	"errors"
	"fmt"
	"time"

	"coles/internal/kernel"
	"coles/internal/parallel"

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
// [ErrPrecision], [ErrSetting], [ErrDense], [ErrTooLarge], a [*ConvergenceError], and ctx's.
func Fit(ctx context.Context, g *Graph, x mat.Matrix, opts ...Option) (*Model, error) {
	if err := checkContext(ctx); err != nil {
		return nil, err
	}
	c, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	if err := g.check(); err != nil {
		return nil, err
	}
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
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
	if m.input, err = hashInput(ctx, g, raw); err != nil {
		return nil, err
	}
	if m.prepare, err = fitPreparation(ctx, raw, c.Features); err != nil {
		return nil, err
	}
	m.report.Preparation, m.report.Features = m.prepare.how, raw.cols()
	auto := c.Precision == PrecisionAuto
	if c.Precision = c.Precision.resolve(raw.rows(), raw.cols(), m.prepare.how); c.Precision == Float32 {
		err = fitIn[float32](ctx, c, m, g, raw, clock)
	}
	if c.Precision == Float64 || auto && tooCoarse(err) {
		c.Precision = Float64
		err = fitIn[float64](ctx, c, m, g, raw, clock)
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// tooCoarse tells whether an error may be float32's. Where few of the nodes have edges, M is far
// smaller than (FX)ᵀ(FX), which float32 rounds by.
func tooCoarse(err error) bool {
	var stopped *ConvergenceError
	return errors.Is(err, ErrPrecision) || errors.As(err, &stopped)
}

// fitIn is the part of a fit that computes in numbers of type T.
func fitIn[T kernel.Float](ctx context.Context, c config, m *Model, g *Graph, raw *features, clock *stopwatch) error {
	if c.Precision == Float32 {
		if err := checkSingleFilter(c.Filter); err != nil {
			return err
		}
	}
	x, err := prepared[T](ctx, m.prepare, raw)
	if err != nil {
		return err
	}
	if m.prepare.how == PrepareNone || magnitude(c.Filter.coef) < leastFeature { // or X is near 1
		if err := checkUnderflow(ctx, x, c.Filter); err != nil {
			return err
		}
	}
	c.report("prepare", 1, 2)
	w, err := normalize(ctx, g, SelfLoops)
	if err != nil {
		return err
	}
	dw, err := c.contrastFor(ctx, g, w, &m.report)
	if err != nil {
		return err
	}
	f := &fitting[T]{config: c, clock: clock, x: x, w: csrOf[T](w.m), dw: contrastOf[T](dw)}
	if f.usesKrylov() {
		if f.zero, err = roundingOfM(ctx, x, c.Filter, dw); err != nil {
			return err
		}
		if c.Precision == Float32 {
			f.exact = &exact{trivialVector(g), w.m, contrastOf[float64](dw)}
		}
	}
	c.report("prepare", 2, 2)
	clock.lap(&m.report.Seconds.Prepare)

	shape := x.shape()
	if m.projection, err = f.solve(ctx); err != nil {
		return err
	}
	clock.lap(&m.report.Seconds.Solve)

	c.report("embed", 0, 1)
	y, err := f.embed(ctx, m.projection.P)
	if err != nil {
		return err
	}
	if err := finish(ctx, m, c, y, m.projection.Lambda); err != nil {
		return err
	}
	m.report.Solver, m.report.Memory = m.projection.Solver, estimate(g.adj.NNZ(), shape, c.Settings)
	c.report("embed", 1, 1)
	clock.lap(&m.report.Seconds.Embed)
	return nil
}

// contrastFor builds ΔW with its covariance share.
func (c *config) contrastFor(ctx context.Context, g *Graph, w *SymCSR, r *Report) (*DeltaW, error) {
	dw, err := contrast(ctx, g, c.Negatives, c.Settings)
	if err != nil {
		return nil, err
	}
	r.Share = c.Share
	if c.AutoShare {
		plus, err := normalize(ctx, g, NoSelfLoops)
		if err != nil {
			return nil, err
		}
		rho, err := smoothness(ctx, w, plus, c.Filter, c.Seed)
		if err != nil {
			return nil, err
		}
		r.Share = autoShare(rho)
	}
	return dw.Shift(r.Share), nil
}

// fitGraph is Fit without features.
func (c config) fitGraph(ctx context.Context, g *Graph) (*Model, error) {
	m := &Model{report: Report{Graph: g.report}, ids: g.ids.copy(), fingerprint: g.fingerprint()}
	clock := startClock(&m.report.Seconds)
	c.Precision = Float64
	c.report("prepare", 0, 1)
	var err error
	if m.input, err = hashInput(ctx, g, nil); err != nil {
		return nil, err
	}
	w, err := normalize(ctx, g, SelfLoops)
	if err != nil {
		return nil, err
	}
	dw, err := c.contrastFor(ctx, g, w, &m.report)
	if err != nil {
		return nil, err
	}
	c.skipComponents = true
	limit := g.Nodes() - newComponentSpace(g).dim()
	if c.Dim == 0 {
		c.Dim = freeDim(g.Nodes(), limit)
	}
	c.report("prepare", 1, 1)
	clock.lap(&m.report.Seconds.Prepare)
	e, err := c.eigenmaps(ctx, dw)
	if err != nil {
		return nil, err
	}
	clock.lap(&m.report.Seconds.Solve)
	c.report("embed", 0, 1)
	if err := finish(ctx, m, c, kernel.Matrix[float64](e.Y.RawMatrix()), e.Lambda); err != nil {
		return nil, err
	}
	m.report.Solver, m.report.ComponentVectors = SolverKrylov, e.ComponentVectors
	m.report.Memory = estimate(g.adj.NNZ(), featureShape{rows: g.Nodes()}, c.Settings)
	c.report("embed", 1, 1)
	clock.lap(&m.report.Seconds.Embed)
	return m, nil
}

// finish scales the columns of y and keeps the result.
func finish(ctx context.Context, m *Model, c config, y kernel.Matrix[float64], lambda []float64) error {
	s, null, err := spectralScaling(ctx, y, lambda, c.Scaling, roundingOf(c.Precision))
	if err != nil {
		return err
	}
	if null && c.Precision == Float32 {
		return fmt.Errorf("coles: fit: %w: eigenvalues up to %.3g, which are rounding in float32; use Float64", ErrPrecision, lambda[0])
	}
	m.settings, m.scaling, m.lambda = c.Settings, *s, lambda
	m.module, m.format = ModuleVersion(), int(modelFormat.Version)
	if err := scale(ctx, y, s.Factors); err != nil {
		return err
	}
	if m.embedding, err = finiteDense(ctx, "the embedding", y); err != nil {
		return err
	}
	m.report.Dim, m.report.Power, m.report.EffectiveRank = len(lambda), s.Power, s.EffectiveRank
	m.report.Kernels, m.report.Precision = kernel.Path(), c.Precision
	return nil
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
