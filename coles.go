package coles

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"coles/internal/archive"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// Fit embeds the nodes of a graph with features X (n × d): it prepares the features, filters them,
// builds the contrast ΔW, finds the projection P and weights the columns of FXPᵀ. Without options
// it uses [DefaultSettings], which need no tuning.
//
// A nil x means a graph without features. Fit then solves the free problem (see [Eigenmaps])
// without the component vectors, scales the result in the same way, and says so in its [Report];
// such a model embeds only its own graph.
//
// The time is that of [SolveImplicit] or of [Filter.Apply] and [Solve], by the [Solver], and
// K·nnz(W)·d′ for the embedding; [Settings.Estimate] gives the memory. The result depends on the
// input and the settings only, to the byte, however many processors there are.
//
// Errors: [ErrShape], [ErrNotFinite], [ErrNegative], [ErrPrecision], [ErrSetting], [ErrDense],
// [ErrTooLarge], a [*ConvergenceError], and ctx's.
func Fit(ctx context.Context, g *Graph, x mat.Matrix, opts ...Option) (*Model, error) {
	c, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	f := &fitting{config: c, g: g, report: Report{Graph: g.report}, last: time.Now()}
	f.step("prepare", 0, 2)
	if x == nil {
		return f.withoutFeatures(ctx)
	}
	if err := f.read(ctx, x); err != nil {
		return nil, err
	}
	auto := f.Precision == 0
	f.Precision = f.Precision.resolve(f.x.Rows(), f.x.Cols(), f.prepare.how)
	if f.Precision == Float32 {
		m, err := fit[float32](ctx, f)
		if !auto || !tooCoarse(err) {
			return m, err
		}
		f.Precision = Float64
	}
	return fit[float64](ctx, f)
}

// fitting holds the checked input of Fit, for either precision.
type fitting struct {
	config
	g       *Graph
	x       *matrix.Source // features as they came in
	prepare *Preparer
	report  Report
	last    time.Time // end of the last stage
}

// read checks the features, resolves d′ and learns the preparation.
func (f *fitting) read(ctx context.Context, x mat.Matrix) (err error) {
	if f.x, err = readFeatures(ctx, x); err != nil {
		return err
	}
	n, d := f.x.Dims()
	if n != f.g.Nodes() {
		return fmt.Errorf("coles: fit: %w: %d feature rows for %d nodes", ErrShape, n, f.g.Nodes())
	}
	if f.Dim > d {
		return fmt.Errorf("coles: fit: %w: d′ = %d of %d features", ErrSetting, f.Dim, d)
	}
	if f.Dim == 0 {
		f.Dim = min(defaultDim, d)
	}
	if f.report.GraphHash, err = matrix.HashCSR(ctx, f.g.adj); err != nil {
		return err
	}
	if f.report.FeaturesHash, err = matrix.Hash(ctx, f.x); err != nil {
		return err
	}
	f.prepare, err = f.Preparation.Fit(ctx, f.x)
	return err
}

// tooCoarse reports whether the error may be float32's. Where few of the nodes have edges, M is far
// smaller than (FX)ᵀ(FX), which float32 rounds by.
func tooCoarse(err error) bool {
	var stopped *ConvergenceError
	return errors.Is(err, ErrPrecision) || errors.As(err, &stopped)
}

// step reports progress, and adds the time since the last step to a stage.
func (f *fitting) step(stage string, done, total int) {
	now := time.Now()
	seconds := &f.report.Seconds
	*map[string]*float64{"prepare": &seconds.Prepare, "filter": &seconds.Filter, "solve": &seconds.Solve, "embed": &seconds.Embed}[stage] += now.Sub(f.last).Seconds()
	f.last = now
	f.progress(stage, done, total)
}

// fit is the method, in numbers of type T.
func fit[T kernel.Float](ctx context.Context, f *fitting) (*Model, error) {
	// X, prepared.
	x, err := prepared[T](ctx, f.prepare, f.x)
	if err != nil {
		return nil, err
	}
	if err := checkFilter(ctx, x, f.Filter, f.prepare); err != nil {
		return nil, err
	}
	f.step("prepare", 1, 2)

	// W, with which the filter F propagates, and ΔW = W⁺ − (η′/κ)ΣW⁻ + c·I.
	w, err := f.g.filtering(ctx)
	if err != nil {
		return nil, err
	}
	dw, err := f.contrast(ctx)
	if err != nil {
		return nil, err
	}
	f.step("prepare", 2, 2)

	// P, the top eigenvectors of M = XᵀFᵀΔWFX; and FX, where it was formed for M.
	size := shapeOf(x)
	m := &Model{settings: f.Settings, prepare: f.prepare, ids: f.g.ids}
	p := &problem[T]{
		x: x, w: matrix.ConvertCSR[T](w.m), filter: f.Filter, dw: matrix.ConvertOperator[T](dw.op),
		bound: dw.normBound(), dim: f.Dim, seed: f.Seed, progress: f.step,
	}
	var fx kernel.Matrix[T]
	if f.Solver.resolve(x.Cols(), f.Dim, x.Sparse != nil) == SolverKrylov {
		if f.Precision == Float32 {
			if err := p.widen(ctx, f.g, w, dw); err != nil {
				return nil, err
			}
		}
		m.projection, err = p.iterate(ctx)
	} else {
		m.projection, fx, err = p.direct(ctx)
	}
	if err != nil {
		return nil, err
	}
	if f.Truncate {
		m.projection = m.projection.Truncate()
	}

	// FXPᵀ, its columns weighted by powers of their eigenvalues.
	f.step("embed", 0, 1)
	y, err := p.embed(ctx, fx, m.projection.P)
	if err != nil {
		return nil, err
	}
	f.report.Preparation, f.report.Features = f.prepare.how, size.cols
	f.report.Solver = m.projection.Solver
	f.report.Memory.Bytes, f.report.Memory.Solver = f.memory(f.g, size)
	if err := m.finish(ctx, &f.report, y, m.projection.Lambda); err != nil {
		return nil, err
	}
	f.step("embed", 1, 1)
	m.report = f.report
	return m, nil
}

// contrast builds ΔW with its covariance share.
func (f *fitting) contrast(ctx context.Context) (*DeltaW, error) {
	dw, err := f.Settings.contrast(ctx, f.g)
	if err != nil {
		return nil, err
	}
	f.report.Share = f.Share
	if f.AutoShare {
		rho, err := f.Filter.Smoothness(ctx, f.g, f.Seed)
		if err != nil {
			return nil, err
		}
		f.report.Share = math.Min(2*rho*rho, 0.4)
	}
	return dw.Shift(f.report.Share), nil
}

// withoutFeatures is Fit for a graph alone.
func (f *fitting) withoutFeatures(ctx context.Context) (*Model, error) {
	var err error
	if f.report.GraphHash, err = matrix.HashCSR(ctx, f.g.adj); err != nil {
		return nil, err
	}
	dw, err := f.contrast(ctx)
	if err != nil {
		return nil, err
	}
	known := newComponentSpace(f.g)
	if f.Dim == 0 {
		f.Dim = freeDim(f.g.Nodes(), f.g.Nodes()-known.dim())
	}
	f.Precision = Float64
	f.step("prepare", 2, 2)
	e := &eigenmap{
		dw: dw, dim: f.Dim, seed: f.Seed, known: known, truncate: f.Truncate,
		progress: func(done, total int) { f.step("solve", done, total) },
	}
	f.step("solve", 0, f.Dim)
	y, lambda, err := e.solve(ctx)
	if err != nil {
		return nil, err
	}
	f.step("embed", 0, 1)
	m := &Model{settings: f.Settings, ids: f.g.ids}
	f.report.Solver, f.report.ComponentVectors = SolverKrylov, known.dim()
	f.report.Memory.Bytes, f.report.Memory.Solver = f.memory(f.g, shape{rows: f.g.Nodes()})
	if err := m.finish(ctx, &f.report, y, lambda); err != nil {
		return nil, err
	}
	f.step("embed", 1, 1)
	m.report = f.report
	return m, nil
}

// finish scales the columns of y and keeps the result.
func (m *Model) finish(ctx context.Context, r *Report, y kernel.Matrix[float64], lambda []float64) error {
	precision := m.settings.Precision
	s, null, err := m.settings.Scaling.fit(ctx, y, lambda, precision)
	if err != nil {
		return err
	}
	if null && precision == Float32 {
		return fmt.Errorf("coles: fit: %w: eigenvalues up to %.3g, which are rounding in float32; use Float64", ErrPrecision, lambda[0])
	}
	m.lambda, m.scaling = lambda, *s
	if err := matrix.ScaleColumns(ctx, y, s.Factors); err != nil {
		return err
	}
	if m.embedding, err = matrix.ToFiniteDense(ctx, "the embedding", y); err != nil {
		return err
	}
	r.Dim, r.Power, r.EffectiveRank = len(lambda), s.Power, s.EffectiveRank
	r.Kernels, r.Precision, r.Version = kernel.Path(), precision, archive.ModuleVersion()
	return nil
}
