package coles

import (
	"context"
	"fmt"
	"unsafe"

	"coles/internal/alignment"
	"coles/internal/kernel"
	"coles/internal/linear"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/scratch"

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

// embedFeatures is embedTyped for the columns that the features have.
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
		Terms: s.linear(), x: x, made: m.prepare.made != nil, space: scratch.Of(ctx), solver: s.Solver.resolve(x.Cols(), s.Dim, x.Sparse != nil),
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

// embedWide is embedTyped in float64.
func embedWide[T kernel.Float](ctx context.Context, m *Model, g *Graph, source *matrix.Source) (*mat.Dense, error) {
	y, err := embedTyped[T](ctx, m, g, source)
	if err != nil {
		return nil, err
	}
	wide, err := matrix.ToFloat64(ctx, y)
	return matrix.ToDense(wide), err
}

// embedTyped is Embed in numbers of type T: what [Fit] does, in the same order.
func embedTyped[T kernel.Float](ctx context.Context, m *Model, g *Graph, source *matrix.Source) (kernel.Matrix[T], error) {
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

// embed returns FXVᵀ for directions V (d′ × d, or fewer rows where truncation has left them). fx is
// FX where it is there already; it is lost.
func (p *problem[T]) embed(ctx context.Context, fx matrix.Filtered[T], directions *mat.Dense) (kernel.Matrix[T], error) {
	n := p.x.Rows()
	if directions.IsEmpty() {
		return kernel.Matrix[T]{Rows: n}, ctx.Err()
	}
	wide, err := kernel.Transposed(ctx, kernel.Matrix[float64](directions.RawMatrix()))
	if err != nil {
		return kernel.Matrix[T]{}, err
	}
	narrow, err := matrix.Convert[T](ctx, matrix.Of(wide))
	if err != nil {
		return kernel.Matrix[T]{}, err
	}
	v := narrow.Dense
	if err := matrix.CheckSize(n, v.Cols); err != nil {
		return v, err
	}
	if p.filtersFirst() {
		if len(fx.Parts) == 0 {
			if fx, err = p.filter(ctx, p.x); err != nil {
				return v, err
			}
		}
		if p.x.Cols() <= 2*v.Cols && len(fx.Parts) == 1 {
			y := kernel.Columns(fx.Parts[0], 0, v.Cols)
			return y, fx.Times(ctx, y, v)
		}
		y, err := matrix.DenseIn[T](ctx, n, v.Cols) // what replaces FX would be too much to keep
		if err != nil {
			return v, err
		}
		return y, fx.Times(ctx, y, v)
	}
	xv := &matrix.Matrix[T]{Owned: true}
	if xv.Dense, err = matrix.DenseIn[T](ctx, n, v.Cols); err != nil {
		return v, err
	}
	if err := p.x.Times(ctx, xv.Dense, v); err != nil {
		return v, err
	}
	y, err := p.filter(ctx, xv)
	if err != nil {
		return v, err
	}
	return y.Whole(ctx)
}

// takeRoom takes memory for two strips of FX, where they are filtered by a pattern or in a space, and there
// for what the choice of a kind takes. It returns what gives it back.
func (p *problem[T]) takeRoom(kind Kind) (release func(), err error) {
	n, width := p.x.Rows(), p.stripWidth()
	switch {
	case p.space != nil && kind != UseFeatures:
		size := int64(unsafe.Sizeof(T(0)))
		p.room, err = scratch.Panel[T](p.space, int(panels(kind, size, int64(n), int64(width))/size))
		return func() { _ = scratch.Release(p.space, p.room) }, err
	case p.space != nil || p.w.Pattern == nil || len(p.room) >= 2*n*width:
		return func() {}, nil
	}
	strips, release := kernel.Scratch[T](n, 2*width)
	p.room = strips.Data
	return release, nil
}

// panels is the memory, read in no order, of a fit in a space: for two strips of columns, or for the walkers
// that may choose the kind. Features alone need none.
func panels(kind Kind, size, n, strip int64) int64 {
	switch kind {
	case UseFeatures:
		return 0
	case UseGraph:
		return 2 * size * n * strip
	}
	return max(2*size*n*strip, 8*n*int64(alignment.Walkers(n)))
}

// stripWidth is the number of columns that are filtered at a time.
func (p *problem[T]) stripWidth() int {
	n, d := p.x.Dims()
	return matrix.StripWidth[T](p.space, n, d)
}
