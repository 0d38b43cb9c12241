package coles

import (
	"context"
	"fmt"
	"unsafe"

	"coles/internal/alignment"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/scratch"

	"gonum.org/v1/gonum/mat"
)

// Embed returns the embedding of every node of a graph (n × d′) without fitting: F(W)·X·Pᵀ. The
// model's weights of columns prepare X, and its factors scale the result. For the graph that was fitted the result is
// [Model.Embedding], to the byte, or to rounding in a refitted model. In a grown graph, rows within K hops of new nodes move.
//
// With [UseFeatures] the graph is not looked at and may be nil. Without features x is nil, and the [Structure] encodes the
// nodes. The time is O((nnz(X) + K·nnz(W))·d′). Errors: [ErrNegative], [ErrPrecision], [ErrUnplaced].
func (m *Model) Embed(ctx context.Context, g *Graph, x mat.Matrix) (*mat.Dense, error) {
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	source, err := m.made().check(ctx, g, x)
	if err != nil {
		return nil, err
	}
	y, err := m.embed(ctx, g, source)
	if err != nil {
		return nil, err
	}
	wide, err := y.wide(ctx)
	return matrix.ToDense(wide), err
}

// check reads features, nil for none, and refuses them and graphs that are not of the model.
func (m *Model) check(ctx context.Context, g *Graph, x mat.Matrix) (*matrix.Source, error) {
	first, last := &m.parts[0], &m.parts[len(m.parts)-1]
	switch made := first.Structure() != nil; {
	case last.Roles && (g == nil || g.roles == nil):
		return nil, fmt.Errorf("coles: embed: %w: the model has columns of roles along arcs, and the graph keeps none: build it WithArcs (-directed)", ErrShape)
	case made && x != nil:
		return nil, fmt.Errorf("coles: embed: %w: features for a model fitted without", ErrShape)
	case made:
		return nil, nil
	}
	source, err := readFeatures(ctx, x)
	if err == nil && (g != nil || first.Settings.Kind != UseFeatures || len(m.parts) > 1) && source.Rows() != g.Nodes() {
		err = fmt.Errorf("coles: embed: %w: %d feature rows for %d nodes", ErrShape, source.Rows(), g.Nodes())
	}
	return source, err
}

// embed puts the columns of all parts side by side, in the order of [Fit]. It refuses a graph of which the [Structure] of the
// first part knows no node.
func (m *Model) embed(ctx context.Context, g *Graph, x *matrix.Source) (y vectors, err error) {
	for k := range m.parts {
		p, of, source := &m.parts[k], g, x
		if p.Roles {
			of = g.roles
		}
		if of, err = of.in(ctx, p.WeightUnit); err != nil {
			return y, err
		}
		if s := p.Structure(); s != nil {
			if source, err = s.source(ctx, of, k == 0); err != nil {
				return y, err
			}
		}
		z, err := p.embed(ctx, of, source)
		if k == 0 {
			y = z
		} else if err == nil {
			y, err = y.beside(ctx, z, p)
		}
		if err != nil {
			return y, err
		}
	}
	return y, nil
}

// embed is the part's columns, in its precision.
func (p *Part) embed(ctx context.Context, g *Graph, source *matrix.Source) (vectors, error) {
	if p.Settings.Precision == Float32 {
		y, err := embedTyped[float32](ctx, p, g, source)
		return vectorsOf(y), err
	}
	y, err := embedTyped[float64](ctx, p, g, source)
	return vectorsOf(y), err
}

func embedTyped[T kernel.Float](ctx context.Context, of *Part, g *Graph, source *matrix.Source) (y kernel.Matrix[T], err error) {
	x, err := prepared[T](ctx, of.Preparer, source)
	if err != nil {
		return y, err
	}
	s := of.Settings
	p := &problem[T]{
		Terms: s.linear(), x: x, made: of.Structure() != nil, space: scratch.Of(ctx), solver: s.Solver.resolve(x.Cols(), s.Dim, x.Sparse != nil),
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
	if y, err = p.embed(ctx, matrix.Filtered[T]{}, of.Directions); err != nil {
		return y, err
	}
	if err := settle(ctx, y); err != nil {
		return y, err
	}
	if err := matrix.ScaleColumns(ctx, y, of.Scaling.Factors); err != nil || y.Cols == 0 {
		return y, err
	}
	return y, matrix.CheckOverflow(ctx, "the embedding", matrix.Of(y))
}

// embed returns FXVᵀ for directions V (d′ × d, or fewer rows after truncation). If fx already holds FX, fx is lost.
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

// takeRoom takes memory for two strips of FX if W is a pattern or the fit has a space. In a space there is also enough to
// choose a kind. The returned function gives the memory back.
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
