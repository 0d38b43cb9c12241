package coles

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"coles/internal/door"
	"coles/internal/kernel"
	"coles/internal/linear"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/scratch"
	"coles/internal/setting"

	"gonum.org/v1/gonum/mat"
)

// Fit embeds the nodes of a graph with features X (n × d). It prepares the features, filters them, builds the contrast ΔW,
// finds the projection P and weights the columns of FXPᵀ. Where a node's own features tell more of it than its neighbours, Fit
// leaves the graph out: see [Kind]. If x is nil, a [Structure] of the graph makes features. The [DefaultSettings] need no tuning.
//
// Columns that the input does not determine are 0, and [Report] counts them. They occur if d′ cuts the eigenspace of the last
// eigenvalue: rounding would choose among its vectors. Eigenvalues count as equal to 10⁻⁹ of the largest, to rounding, or to
// ten residuals of an iteration. [Float32] refuses such fits, or the fit goes on in float64.
//
// It takes the time of [SolveImplicit] or of [Filter.Apply] and [Solve], by the [Solver], and K·nnz(W)·d′ for the embedding;
// [Settings.Estimate] gives the memory. The result depends on input and settings only, to the byte, for any number of
// processors. Errors: [ErrNegative], [ErrPrecision], [ErrDense], and a [*ConvergenceError].
func Fit(ctx context.Context, g *Graph, x mat.Matrix, opts ...Option) (*Model, error) {
	c, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	f := &fitting{config: c, g: g, report: Report{Graph: g.made().report}, last: time.Now()}
	if f.report.GraphHash, err = matrix.HashCSR(ctx, g.adj); err != nil {
		return nil, err
	}
	if err := f.begin(ctx, x); err != nil {
		return nil, err
	}
	if f.scratch != "" { // for either precision
		if _, _, err := f.scratchRoom(); err != nil {
			return nil, err
		}
	}
	m, ctx, err := f.model(ctx)
	if err != nil {
		return nil, err
	}
	for _, more := range f.others(&m.parts[0]) {
		if err = f.add(ctx, m, more); err != nil {
			break
		}
	}
	if err == nil {
		m.report.ZeroRows, err = m.rows.zeroRows(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	m.describe()
	return m, nil
}

// begin takes the weights of the edges as the settings say, and the features or makes some, and plans the columns.
func (f *fitting) begin(ctx context.Context, x mat.Matrix) (err error) {
	f.step("prepare", 0, 3)
	if f.Kind != UseFeatures {
		if f.g, f.unit, err = f.g.weighed(ctx, f.WeightSpan); err != nil {
			return err
		}
		f.report.WeightUnit = f.unit
	}
	if x == nil {
		err = f.makeFeatures(ctx)
	} else if f.x, f.prepare, err = f.Preparation.learn(ctx, "fit", f.g, x); err == nil {
		f.report.FeaturesHash, err = matrix.Hash(ctx, f.x)
	}
	if err == nil {
		err = f.checkUsed(f.g.Nodes(), f.features())
	}
	if err == nil {
		err = f.plan()
	}
	return err
}

// makeFeatures makes the features of a graph without any.
func (f *fitting) makeFeatures(ctx context.Context) (err error) {
	switch {
	case f.Kind == UseFeatures:
		err = setting.Bad("Kind", f.Kind, "another without features")
	case f.Preparation != PrepareAuto && f.Preparation != PrepareNone:
		err = setting.Bad("Preparation", f.Preparation, "%v without features", PrepareAuto)
	}
	if err != nil {
		return fmt.Errorf("coles: fit: %w", err)
	}
	r := f.madeColumns(f.g.Nodes())
	f.room = kernel.Unset[float32](2*f.g.Nodes(), r)
	if f.made, err = fitStructure(ctx, f.g, r, f.Seed, f.room); err != nil {
		return err
	}
	f.Kind = UseGraph
	return f.encode(ctx)
}

// encode makes the features anew: a fit overwrites them.
func (f *fitting) encode(ctx context.Context) (err error) {
	f.x, err = f.made.source(ctx, f.g, true)
	f.prepare = f.made.preparer()
	return err
}

// model fits the first part. It returns a context with the space that the vectors lie in, if any.
func (f *fitting) model(ctx context.Context) (m *Model, in context.Context, err error) {
	m, in = &Model{ids: f.g.ids}, ctx
	fit := func(ctx context.Context) error {
		first, err := f.fit(ctx)
		m.parts, m.rows = []Part{first.Part}, first.rows
		return err
	}
	if f.scratch == "" {
		err = fit(ctx)
	} else if m.space, err = f.inScratch(ctx, fit); err == nil {
		in = scratch.With(ctx, m.space)
	}
	m.dim, m.report = f.Dim, f.report
	return m, in, err
}

// A fitted part has the vectors of the nodes.
type fitted struct {
	Part
	rows vectors
}

// fit fits the part, in float32 or in float64.
func (f *fitting) fit(ctx context.Context) (fitted, error) {
	return inPrecision(&f.Precision, f.x, f.prepare,
		func() (fitted, error) { return fitTyped[float32](ctx, f) },
		func() (fitted, error) { return fitTyped[float64](ctx, f) })
}

// add fits one more part, and puts its columns beside those that the model has.
func (f *fitting) add(ctx context.Context, m *Model, more addition) error {
	start, first := time.Now(), &m.parts[0]
	m.report.collect(2) // a pool keeps its memory for one
	of := &fitting{config: config{Settings: more.Settings, progress: f.progress}, g: more.graph, last: start}
	if err := of.begin(ctx, nil); err != nil {
		return err
	}
	p, err := of.fit(ctx)
	if err != nil || p.columns() == 0 { // without edges, or after truncation
		return err
	}
	p.Share, p.Roles = more.share, more.roles
	if !p.Roles {
		p.WeightUnit = f.unit
		if f.Structure == AutoShare {
			m.report.Entries, m.report.FeatureRank = f.entries, first.Scaling.EffectiveRank
		}
		if dropped := first.keep(f.kept(first.columns(), f.total, p.Share)); dropped > 0 {
			m.report.Undetermined = max(0, m.report.Undetermined-dropped)
			m.rows, err = first.embed(ctx, f.g, f.x)
		}
	}
	if err == nil {
		m.rows, err = m.rows.beside(ctx, p.rows, &p.Part)
	}
	m.dim, m.parts = f.total+2*f.roles, append(m.parts, p.Part)
	m.report.Seconds.Solve += time.Since(start).Seconds()
	return err
}

// keep leaves the first columns. It returns the number of columns that go.
func (p *Part) keep(columns int) (dropped int) {
	rows := kernel.Matrix[float64](p.Directions.RawMatrix())
	if dropped = rows.Rows - columns; dropped <= 0 {
		return 0
	}
	p.Lambda, p.Scaling.Factors = p.Lambda[:columns], p.Scaling.Factors[:columns:columns]
	p.Directions = matrix.ToDense(kernel.Rows(rows, 0, columns))
	return dropped
}

// checkUsed refuses a setting that a fit has no use for, unless it is 0 or as usual for a purpose.
func (s Settings) checkUsed(nodes, features int) error {
	usual := []Settings{DefaultSettings(), ClusteringSettings(nodes, features), LinkSettings(nodes, features), {}}
	alone, none := s.Kind == UseFeatures, s.Negatives.kind == noNegatives
	one := none || s.Negatives.kind == expectedUniform || s.Negatives.kind == expectedDegree
	for _, field := range []struct {
		name   string
		unused bool
		value  func(s Settings) any
	}{
		{"Filter", alone, func(s Settings) any { return s.filterFor(features).String() }},
		{"Negatives", alone, func(s Settings) any { return s.Negatives.String() }},
		{"Kappa", alone || one, func(s Settings) any { return s.Kappa }},
		{"Eta", alone || none, func(s Settings) any { return s.Eta }},
		{"Structure", features == 0, func(s Settings) any { return s.Structure }},
		{"WeightSpan", alone, func(s Settings) any { return s.WeightSpan }},
	} {
		value := field.value(s)
		if !field.unused || slices.ContainsFunc(usual, func(s Settings) bool { return field.value(s) == value }) {
			continue
		}
		user := fmt.Sprintf("the %v sampler", s.Negatives)
		switch {
		case features == 0:
			user = "a fit without features"
		case alone:
			user = fmt.Sprintf("a %v model", UseFeatures)
		}
		return fmt.Errorf("coles: fit: %w", setting.Bad(field.name, value, "%v, since %s has no use for it", field.value(usual[0]), user))
	}
	return nil
}

// fitTyped is the method, in numbers of type T.
func fitTyped[T kernel.Float](ctx context.Context, f *fitting) (out fitted, err error) {
	// X, prepared, and W, with which the filter F propagates.
	if f.made != nil && f.x == nil {
		if err := f.encode(ctx); err != nil {
			return out, err
		}
	}
	x, err := prepared[T](ctx, f.prepare, f.x)
	if err != nil {
		return out, err
	}
	if f.made != nil {
		x.Owned, f.x, f.report.Structure = true, nil, x.Cols()
	} else {
		f.report.Preparation, f.report.Features = f.prepare.Preparation(), f.prepare.fitted.Features()
		if f.entries, err = x.Entries(ctx); err != nil {
			return out, err
		}
	}
	f.report.Memory.Bytes, f.report.Memory.Solver = f.memory(f.g, shapeOf(x, f.made), f.total, f.roles, scratch.Of(ctx))
	f.step("prepare", 1, 3)
	p := &problem[T]{x: x, made: f.made != nil, space: scratch.Of(ctx), solver: f.Solver.resolve(x.Cols(), f.Dim, x.Sparse != nil), seed: f.Seed, progress: f.step}
	if f.Kind != UseFeatures {
		if err := p.walk(ctx, f.g, f.contrasting()); err != nil {
			return out, err
		}
	}
	p.room, _ = any(f.room.Data).([]T)
	f.room.Data = nil
	f.report.collect(1)
	release, err := p.takeRoom(f.Kind)
	if err != nil {
		return out, fmt.Errorf("coles: fit: %w", err)
	}
	defer release()
	if err := choose(ctx, f, x, p.room); err != nil {
		return out, err
	}
	f.step("prepare", 2, 3)

	// F, and ΔW = W⁺ − (η′/κ)ΣW⁻.
	p.Terms = f.linear()
	if err := linear.CheckFilter(ctx, x, p.Filter, f.prepare.plain()); err != nil {
		return out, fmt.Errorf("coles: %w", err)
	}
	if err := p.setContrast(ctx, f.g, f.contrasting()); err != nil {
		return out, err
	}
	f.step("prepare", 3, 3)

	// P, the top eigenvectors of M = XᵀFᵀΔWFX; and FX, where it was formed for M.
	found, fx, err := p.solve(ctx)
	if err != nil {
		return out, err
	}
	if f.Truncate {
		all := found.Lambda
		found = found.Truncate()
		found.noise.Keep(all, len(found.Lambda))
	}

	// FXPᵀ, weighted.
	f.step("embed", 0, 1)
	y, err := p.embed(ctx, fx, found.P)
	if err == nil {
		err = settle(ctx, y)
	}
	if err != nil {
		return out, err
	}
	f.report.Solver, f.report.Products = found.Solver, found.products
	scaling, err := scaled(ctx, f.Settings, &f.report, y, found.Lambda, &found.noise)
	if err != nil {
		return out, err
	}
	f.step("embed", 1, 1)
	return fitted{Part{f.Settings, f.report.WeightUnit, f.prepare, found.P, found.Lambda, scaling, 0, false}, vectorsOf(y)}, nil
}

// step reports progress, and adds the time since the last step to a stage.
func (f *fitting) step(stage string, done, total int) {
	now := time.Now()
	passed := now.Sub(f.last).Seconds()
	switch s := &f.report.Seconds; stage {
	case "prepare":
		s.Prepare += passed
	case "filter":
		s.Filter += passed
	case "solve":
		s.Solve += passed
	case "embed":
		s.Embed += passed
	}
	f.last = now
	f.progress(stage, done, total)
}

// choose decides for the graph with its features, or for the features alone, unless a setting has decided.
func choose[T kernel.Float](ctx context.Context, f *fitting, x *matrix.Matrix[T], room []T) error {
	if f.Kind != 0 {
		return nil
	}
	a, err := align(ctx, f.Settings, f.g, f.prepare, f.x, x, room)
	if err != nil {
		return err
	}
	if f.report.Alignment, f.Kind = &a, a.Kind(); f.Kind == UseFeatures {
		f.Settings, f.report.WeightUnit = f.WithoutGraph(), 0
	}
	return nil
}

// Package inside opens these functions to the other packages of this module.
func init() {
	door.Adjacency, door.FromEdges, door.FromRows = (*Graph).valuedRows, fromEdges, fromRows
	door.Entries = func(w any) *kernel.CSR[float64] { // nil for any other matrix than a SymCSR
		if w, ok := w.(*SymCSR); ok {
			return w.made()
		}
		return nil
	}
	door.Weighed = func(ctx context.Context, p *Part, g *Graph) (*Graph, error) { return g.in(ctx, p.WeightUnit) }
	door.Linear, door.CheckUsed, door.Assembled, door.Open, door.Keep = Settings.linear, Settings.checkUsed, assembled, Alignment.open, (*Part).keep
	door.Places, door.Known, door.Row, door.Seated, door.View, door.Columns = (*Structure).places, (*Structure).known, structureRow, (*Structure).seated, viewOf, (*Preparer).columns
}
