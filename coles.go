package coles

import (
	"cmp"
	"context"
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

// Fit embeds the nodes of a graph with features X (n × d): it prepares the features, filters them, builds the contrast ΔW,
// finds the projection P, weights the columns of FXPᵀ and adds one for the degrees. Where neighbours say less of a node than
// its own features do, it leaves the graph out: see [Kind]. Without options it uses [DefaultSettings], which need no tuning.
// A nil x means no features: a [Structure] of the graph makes some.
//
// Columns that the input does not determine are 0, and [Report] counts them: where the last eigenvalues equal one that is
// left out (to 10⁻⁹ of the largest, to rounding, or to ten residuals of an iteration), d′ cuts their eigenspace, and rounding
// would choose among its vectors. [Float32] refuses such fits, or the fit goes on in float64.
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
	f.step("prepare", 0, 3)
	if err := f.weigh(ctx); err != nil {
		return nil, err
	}
	if x == nil {
		err = f.makeFeatures(ctx)
	} else {
		f.x, f.prepare, err = f.Preparation.learn(ctx, "fit", g, x)
	}
	if err != nil {
		return nil, err
	}
	if err := f.identify(ctx); err != nil {
		return nil, err
	}
	if f.scratch != "" {
		if f.Structure > 0 {
			return nil, fmt.Errorf("coles: fit: %w", setting.Bad("Structure", f.Structure, "0 in a folder: what a Structure makes is in memory"))
		}
		if _, _, err := f.scratchRoom(); err != nil { // for either precision
			return nil, err
		}
	}
	m, err := inPrecision(&f.Precision, f.x, f.prepare,
		func() (*Model, error) { return fitWhere[float32](ctx, f) },
		func() (*Model, error) { return fitWhere[float64](ctx, f) })
	if err == nil && f.made == nil && f.leaveRoom(m) {
		err = f.addStructure(ctx, m)
	}
	if err == nil && f.roles.Dim > 0 {
		err = f.addRoles(ctx, m)
	}
	if err != nil {
		return nil, err
	}
	m.settings.Structure = Share(m.share)
	if m.report.Dim >= m.report.Asked {
		m.report.Asked = 0
	}
	return m, nil
}

// fitWhere is fitTyped in memory or, as the settings say, in a folder.
func fitWhere[T kernel.Float](ctx context.Context, f *fitting) (m *Model, err error) {
	if f.scratch == "" {
		return fitTyped[T](ctx, f)
	}
	space, err := f.inScratch(ctx, func(ctx context.Context) (err error) {
		m, err = fitTyped[T](ctx, f)
		return err
	})
	if err != nil {
		return nil, err
	}
	m.space = space
	return m, nil
}

// weigh hashes the graph, and takes the weights of its edges as the settings say.
func (f *fitting) weigh(ctx context.Context) (err error) {
	if f.report.GraphHash, err = matrix.HashCSR(ctx, f.g.made().adj); err != nil || f.Kind == UseFeatures {
		return err
	}
	f.g, f.report.WeightUnit, err = f.g.weighed(ctx, f.WeightSpan)
	return err
}

// makeFeatures makes the features of a graph without any.
func (f *fitting) makeFeatures(ctx context.Context) (err error) {
	if err := f.checkWithout(); err != nil {
		return fmt.Errorf("coles: fit: %w", err)
	}
	r := f.structureColumns(f.g.Nodes())
	f.room = kernel.Unset[float32](2*f.g.Nodes(), r)
	if f.made, err = fitStructure(ctx, f.g, r, f.Seed, f.room); err != nil {
		return err
	}
	f.Kind = UseGraph
	return f.encode(ctx)
}

// identify resolves d′ and hashes the features.
func (f *fitting) identify(ctx context.Context) (err error) {
	d := f.prepare.fitted.Columns
	if f.Dim > d {
		f.report.Asked = f.Dim
	}
	f.total = cmp.Or(f.Dim, linear.DefaultDim)
	f.Dim = linear.Dim(f.Dim, d)
	if f.g.roles != nil {
		if err := f.leaveRoles(); err != nil {
			return err
		}
	}
	features := d
	if f.made != nil {
		features = 0
	}
	if err := f.checkUsed(f.g.Nodes(), features); err != nil {
		return err
	}
	if f.Kind != UseFeatures {
		f.Filter = f.filterFor(features)
	}
	if f.made == nil {
		f.report.FeaturesHash, err = matrix.Hash(ctx, f.x)
	}
	return err
}

// leaveRoles leaves some of all columns to roles.
func (f *fitting) leaveRoles() error {
	if f.scratch != "" {
		return fmt.Errorf("coles: fit: %w", setting.Bad("scratch", f.scratch, "a graph without arcs: their columns are made in memory"))
	}
	if f.made != nil {
		f.total = f.Dim
	}
	f.roles = f.ofRoles(f.total)
	if f.roles.Dim == 0 {
		return fmt.Errorf("coles: fit: %w", setting.Bad("Dim", f.total, "4 or more for a graph with arcs; without features the default is a third of the nodes"))
	}
	if f.roles.Scaling.Norm *= f.g.roles.joined(); f.made != nil {
		f.roles.Scaling.Norm /= f.g.joined() // as the others are
	}
	f.total -= 2 * f.roles.Dim
	f.Dim = min(f.Dim, f.total)
	return nil
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
		{"DegreeShare", alone, func(s Settings) any { return s.DegreeShare }},
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

// encode makes the features anew: a fit overwrites them.
func (f *fitting) encode(ctx context.Context) (err error) {
	f.x, err = f.made.source(ctx, f.g)
	f.prepare = f.made.preparer()
	return err
}

// addStructure puts columns of the structure beside those of the features, which the model has.
func (f *fitting) addStructure(ctx context.Context, m *Model) error {
	start, first := time.Now(), f.kept(len(m.scaling.Factors), f.total)
	beside, err := Fit(ctx, f.g.withoutArcs(), nil, WithSettings(f.beside(f.g, first, f.total)), WithProgress(f.progress))
	if err != nil || len(beside.scaling.Factors) == 0 { // which edges make, and truncation leaves
		return err
	}
	z, share := beside.Embedding(), float64(f.Structure)
	switch {
	case f.Structure == AutoShare && f.byCommunities():
		share, m.report.FeatureRank = 0.5, m.scaling.EffectiveRank
	case f.Structure == AutoShare:
		if share, err = f.autoShare(ctx, m, z); err != nil {
			return err
		}
		if share <= 0 {
			m.report.Seconds.Solve += time.Since(start).Seconds()
			return nil
		}
	}
	beside.single, beside.embedding = nil, nil
	m.keep(first)
	m.beside, m.share, m.settings.Dim = beside, share, f.total
	m.report.StructureShare, m.report.Dim = share, first+len(beside.scaling.Factors)
	if f.Precision == Float32 {
		err = joinFit[float32](ctx, m, f, z)
	} else {
		err = joinFit[float64](ctx, m, f, z)
	}
	m.report.Seconds.Solve += time.Since(start).Seconds()
	return err
}

// addRoles puts the columns of roles beside those that the model has.
func (f *fitting) addRoles(ctx context.Context, m *Model) (err error) {
	start := time.Now()
	m.report.collect(2) // a pool keeps its memory for one
	if m.roles, err = Fit(ctx, f.g.roles, nil, WithSettings(f.roles), WithProgress(f.progress)); err != nil {
		return fmt.Errorf("coles: roles: %w", err)
	}
	z := linear.Folded(m.roles.embedding)
	m.roles.embedding = nil
	m.settings.Dim = f.total + 2*f.roles.Dim
	if m.report.RoleShare = roleShare; f.made != nil {
		m.report.RoleShare = roleShareAlone
	}
	m.report.Dim += z.RawMatrix().Cols
	if s := m.single; s != nil {
		err = hold(ctx, m, kernel.Matrix[float32]{Rows: s.Rows, Cols: s.Cols, Stride: s.Stride, Data: s.Data}, z, m.report.RoleShare)
	} else {
		err = hold(ctx, m, kernel.Matrix[float64](m.embedding.RawMatrix()), z, m.report.RoleShare)
	}
	m.report.Seconds.Solve += time.Since(start).Seconds()
	return err
}

// checkWithout refuses settings that have no effect without features.
func (f *fitting) checkWithout() error {
	switch {
	case f.scratch != "":
		return setting.Bad("scratch", f.scratch, "features: without them all is in memory")
	case f.Kind == UseFeatures:
		return setting.Bad("Kind", f.Kind, "another without features")
	case f.Preparation != PrepareAuto && f.Preparation != PrepareNone:
		return setting.Bad("Preparation", f.Preparation, "%v without features", PrepareAuto)
	}
	return nil
}

// fitTyped is the method, in numbers of type T.
func fitTyped[T kernel.Float](ctx context.Context, f *fitting) (*Model, error) {
	// X, prepared, and W, with which the filter F propagates.
	if f.made != nil && f.x == nil {
		if err := f.encode(ctx); err != nil {
			return nil, err
		}
	}
	x, err := prepared[T](ctx, f.prepare, f.x)
	if err != nil {
		return nil, err
	}
	if f.made != nil {
		x.Owned, f.x, f.report.Structure = true, nil, x.Cols()
	} else {
		f.report.Preparation, f.report.Features = f.prepare.Preparation(), f.prepare.fitted.Features()
		if f.numbers, err = numbers(ctx, f.scratch == "", x); err != nil {
			return nil, err
		}
	}
	f.report.Memory.Bytes, f.report.Memory.Solver = f.memory(f.g, shapeOf(x, f.made), f.total, scratch.Of(ctx))
	f.step("prepare", 1, 3)
	p := &problem[T]{x: x, made: f.made != nil, space: scratch.Of(ctx), solver: f.Solver.resolve(x.Cols(), f.Dim, x.Sparse != nil), seed: f.Seed, progress: f.step}
	if f.Kind != UseFeatures {
		if err := p.walk(ctx, f.g, f.contrasting()); err != nil {
			return nil, err
		}
	}
	p.room, _ = any(f.room.Data).([]T)
	f.room.Data = nil
	f.report.collect(1)
	release, err := p.takeRoom(f.Kind)
	if err != nil {
		return nil, fmt.Errorf("coles: fit: %w", err)
	}
	defer release()
	if err := choose(ctx, f, x, p.room); err != nil {
		return nil, err
	}
	f.step("prepare", 2, 3)

	// F, and ΔW = W⁺ − (η′/κ)ΣW⁻, and the direction of the degrees, which becomes a column.
	p.Terms = f.linear()
	if err := linear.CheckFilter(ctx, x, p.Filter, f.prepare.plain()); err != nil {
		return nil, fmt.Errorf("coles: %w", err)
	}
	if err := p.setContrast(ctx, f.g, f.contrasting()); err != nil {
		return nil, err
	}
	f.step("prepare", 3, 3)

	// P, the top eigenvectors of M = XᵀFᵀΔWFX; and FX, where it was formed for M.
	found, fx, err := p.solve(ctx)
	if err != nil {
		return nil, err
	}
	if f.Truncate {
		all := found.Lambda
		found = found.Truncate()
		found.noise.Keep(all, len(found.Lambda))
	}

	// FXPᵀ and the degree column, weighted.
	f.step("embed", 0, 1)
	m := &Model{settings: f.Settings, prepare: f.prepare, directions: found.above(p.degree), ids: f.g.ids}
	y, err := p.embed(ctx, fx, m.directions)
	if err == nil {
		err = settle(ctx, y)
	}
	if err != nil {
		return nil, err
	}
	f.report.Solver, f.report.Products, f.report.DegreeShare = found.Solver, found.products, p.DegreeShare
	if err := finish(ctx, m, &f.report, y, found.Lambda, &found.noise); err != nil {
		return nil, err
	}
	f.step("embed", 1, 1)
	m.report = f.report
	return m, nil
}

// choose takes the graph with its features, or the features alone, unless a setting has.
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

// What package inside shows the other packages of this module.
func init() {
	door.Adjacency, door.FromEdges, door.FromRows = (*Graph).valuedRows, fromEdges, fromRows
	door.Entries = func(w any) *kernel.CSR[float64] { // nil for any other matrix than a SymCSR
		if w, ok := w.(*SymCSR); ok {
			return w.made()
		}
		return nil
	}
	door.Weighed = func(ctx context.Context, m *Model, g *Graph) (*Graph, error) { return g.in(ctx, m.report.WeightUnit) }
	door.Linear, door.CheckUsed, door.Assembled = Settings.linear, Settings.checkUsed, Settings.assembled
	door.Places, door.Known, door.Row, door.Seated, door.View = (*Structure).places, (*Structure).known, structureRow, (*Structure).seated, viewOf
}
