package coles

import (
	"context"
	"fmt"

	"coles/internal/kernel"
	"coles/internal/linear"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/scratch"
	"coles/internal/setting"

	"gonum.org/v1/gonum/mat"
)

// Embed returns the embedding of every node of a graph (n × d′) without fitting: F(W)·X·Pᵀ and the column of degrees, scaled
// as the model is, with X prepared by the weights of columns that the model keeps. For the graph that was fitted that is
// [Model.Embedding], to the byte, or to rounding in a refitted model. In a graph that has grown, rows within K hops of new
// nodes move. Any other graph may have the same features, too.
//
// With [UseFeatures] the graph is not looked at and may be nil. Without features x is nil, and the [Structure] encodes the
// nodes. The time is O((nnz(X) + K·nnz(W))·d′). Errors: [ErrNegative], [ErrPrecision], [ErrUnplaced].
func (m *Model) Embed(ctx context.Context, g *Graph, x mat.Matrix) (*mat.Dense, error) {
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	g, source, err := m.input(ctx, g, x)
	if err != nil {
		return nil, err
	}
	if m.settings.Precision == Float32 {
		return embedWide[float32](ctx, m, g, source)
	}
	return embedWide[float64](ctx, m, g, source)
}

// input is a graph with the weights that the model takes, and the features of its nodes, checked.
func (m *Model) input(ctx context.Context, g *Graph, x mat.Matrix) (of *Graph, source *matrix.Source, err error) {
	if of, err = g.in(ctx, m.made().report.WeightUnit); err != nil {
		return nil, nil, err
	}
	if m.roles != nil && (g == nil || g.roles == nil) {
		return nil, nil, fmt.Errorf("coles: embed: %w: the model has columns of roles along arcs, and the graph keeps none: build it WithArcs (-directed)", ErrShape)
	}
	if m.prepare.made != nil {
		if x != nil {
			return nil, nil, fmt.Errorf("coles: embed: %w: features for a model fitted without", ErrShape)
		}
		source, err = m.prepare.made.source(ctx, of)
		return of, source, err
	}
	source, err = readFeatures(ctx, x)
	if err == nil && (g != nil || m.settings.Kind != UseFeatures) && source.Rows() != g.Nodes() {
		err = fmt.Errorf("coles: embed: %w: %d feature rows for %d nodes", ErrShape, source.Rows(), g.Nodes())
	}
	return of, source, err
}

// EmbedScratch is [Model.Embed] for what is larger than memory, as [WithScratch]: it returns the same model
// with the embedding of this graph, which may not be nil, in the folder until its [Model.Close].
func (m *Model) EmbedScratch(ctx context.Context, g *Graph, x mat.Matrix, dir string, memory int64) (*Model, error) {
	if m.made().prepare.made != nil || m.beside != nil || m.roles != nil {
		return nil, fmt.Errorf("coles: embed: %w", setting.Bad("dir", dir, "a model of features alone: what a Structure makes is in memory"))
	}
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	g, source, err := m.input(ctx, g, x)
	if err != nil {
		return nil, err
	}
	out := &Model{settings: m.settings, prepare: m.prepare, directions: m.directions, lambda: m.lambda, scaling: m.scaling, ids: g.ids, report: m.report}
	out.report.Graph = g.report
	f := &fitting{config: config{Settings: m.settings, scratch: dir, budget: memory}, g: g, x: source, prepare: m.prepare, report: Report{WeightUnit: m.report.WeightUnit}}
	out.space, err = f.inScratch(ctx, func(ctx context.Context) error {
		if m.settings.Precision == Float32 {
			y, err := embed[float32](ctx, m, g, source)
			out.single = &Dense32{Rows: y.Rows, Cols: y.Cols, Stride: y.Stride, Data: y.Data}
			return err
		}
		y, err := embed[float64](ctx, m, g, source)
		out.embedding = matrix.ToDense(y)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// embedFeatures is embed for the columns that the features have.
func embedFeatures[T kernel.Float](ctx context.Context, m *Model, g *Graph, source *matrix.Source) (y kernel.Matrix[T], err error) {
	x, err := prepared[T](ctx, m.prepare, source)
	if err != nil {
		return y, err
	}
	s := m.settings
	if m.roles != nil {
		s.Dim -= 2 * m.roles.settings.Dim
	}
	s.Dim = min(s.Dim, x.Cols())
	p := &problem[T]{
		Fit: s.linear(), x: x, made: m.prepare.made != nil, space: scratch.Of(ctx), solver: s.Solver.resolve(x.Cols(), s.Dim, x.Sparse != nil),
		progress: func(string, int, int) {},
	}
	if !p.Alone {
		if err := p.walk(ctx, g, s.contrasting()); err != nil {
			return y, err
		}
	}
	if p.space != nil {
		release, err := p.takeRoom(s.Kind)
		if err != nil {
			return y, fmt.Errorf("coles: embed: %w", err)
		}
		defer release()
	}
	if y, err = p.embed(ctx, matrix.Filtered[T]{}, m.directions); err != nil {
		return y, err
	}
	if err := settle(ctx, y); err != nil {
		return y, err
	}
	if err := matrix.ScaleColumns(ctx, y, m.scaling.Factors); err != nil || y.Cols == 0 {
		return y, err
	}
	return y, matrix.CheckOverflow(ctx, "the embedding", matrix.Of(y))
}

// embedWide is embed in float64.
func embedWide[T kernel.Float](ctx context.Context, m *Model, g *Graph, source *matrix.Source) (*mat.Dense, error) {
	y, err := embed[T](ctx, m, g, source)
	if err != nil {
		return nil, err
	}
	wide, err := matrix.ToFloat64(ctx, y)
	return matrix.ToDense(wide), err
}

// embed is Embed in numbers of type T: what [Fit] does, in the same order.
func embed[T kernel.Float](ctx context.Context, m *Model, g *Graph, source *matrix.Source) (kernel.Matrix[T], error) {
	y, err := embedFeatures[T](ctx, m, g, source)
	if err == nil && m.beside != nil {
		var z *mat.Dense
		if z, err = m.beside.embedMade(ctx, g); err == nil {
			y, err = linear.Beside(ctx, y, z, m.share)
		}
	}
	if err == nil && m.roles != nil {
		y, err = withRoles(ctx, m, g, y)
	}
	return y, err
}

// embedMade embeds nodes by features that the model's structure makes, 0 for a node that it cannot place.
func (m *Model) embedMade(ctx context.Context, g *Graph) (*mat.Dense, error) {
	made, err := m.prepare.made.encode(ctx, g, false)
	if err != nil {
		return nil, err
	}
	x, err := readFeatures(ctx, made)
	if err != nil {
		return nil, err
	}
	if m.settings.Precision == Float32 {
		return embedWide[float32](ctx, m, g, x)
	}
	return embedWide[float64](ctx, m, g, x)
}

// withRoles adds the columns of roles to the vectors of a graph's nodes.
func withRoles[T kernel.Float](ctx context.Context, m *Model, g *Graph, y kernel.Matrix[T]) (kernel.Matrix[T], error) {
	roles, err := g.roles.in(ctx, m.roles.report.WeightUnit)
	if err != nil {
		return y, err
	}
	z, err := m.roles.embedMade(ctx, roles)
	if err != nil {
		return y, err
	}
	return linear.Beside(ctx, y, linear.Folded(z), m.report.RoleShare)
}
