package live

import (
	"context"
	"fmt"
	"slices"

	"coles"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/linear"
	"coles/internal/matrix"
	"coles/internal/setting"

	"gonum.org/v1/gonum/floats"
)

// A part is the state kept up to date for a part of the model.
type part struct {
	of  coles.Part
	fit linear.Terms // what its settings come to
	adj *adjacency   // of the graph

	x      *matrix.Matrix[float64] // features, prepared
	known  []int32                 // places of the nodes in the part's structure; nil with features
	gone   map[string]int32        // and of those that it knows by names that are not in the graph
	before map[int32][]float64     // rows of x, of old nodes, that the last change has replaced
	fx     *matrix.Matrix[float64]
	// m is (FX)ᵀW⁺(FX), or XᵀX of features alone, upper triangle; along is (FX)ᵀv for the weights v of nodes.
	m      kernel.Matrix[float64]
	along  []float64
	energy [2]float64 // of the features, and the largest that has been since it was summed
	places []int32    // −1, at least one for every node; see ballAround
}

// A step is the effect of a change on a part, before it is taken.
type step struct {
	fx     *matrix.Matrix[float64] // nil where only some rows change:
	near   *ball
	rows   kernel.Matrix[float64]
	m      kernel.Matrix[float64]
	along  []float64
	energy [2]float64
}

// newPart begins to keep a part for a graph with features.
func newPart(ctx context.Context, of coles.Part, adj *adjacency, g *coles.Graph, raw *matrix.Source) (*part, error) {
	p := &part{of: of, fit: inside.Linear(of.Settings), adj: adj, places: filled(g.Nodes())}
	if p.fit.Drawn {
		return nil, fmt.Errorf("live: %w", setting.Bad("Negatives", of.Settings.Negatives, "some that are not drawn anew for every number of nodes"))
	}
	prepared, err := prepareDouble(ctx, of.Preparer, raw)
	if err != nil {
		return nil, err
	}
	if p.x, err = prepared.WithRoom(ctx); err != nil {
		return nil, err
	}
	if s := of.Structure(); s != nil {
		p.known = inside.Places(s, g)
	}
	return p, nil
}

// addNegatives returns a function that adds the rank-one part of M to the end of its row i, from the diagonal on.
func (p *part) addNegatives(along []float64) func(i int, row []float64) {
	return p.fit.AddNegatives(along, p.fit.Length(float64(len(p.adj.nodes)), p.adj.volume))
}

// rebuild computes FX, M and (FX)ᵀv from the graph and the features.
func (p *part) rebuild(ctx context.Context) (s step, err error) {
	w, err := p.adj.whole(ctx, filterRows(p.adj.now))
	if err != nil {
		return s, err
	}
	x := *p.x
	x.Owned = false // X is needed again
	fx, err := matrix.Polynomial(ctx, p.fit.Filter, w, &x)
	if err != nil {
		return s, err
	}
	plus, err := p.adj.whole(ctx, p.plusRows(p.adj.now))
	if err != nil {
		return s, err
	}
	if s.m, err = (matrix.Operator[float64]{Sparse: plus}).Gram(ctx, fx); err != nil {
		return s, err
	}
	s.along = make([]float64, fx.Cols)
	if v := p.fit.Weights(); v != nil {
		weight := make([]float64, fx.Rows)
		for i := range weight {
			weight[i] = v(p.adj.nodes[i].degree)
		}
		if s.along, err = matrix.TransposeTimes(ctx, matrix.Of(fx), weight); err != nil {
			return s, err
		}
	}
	if err := p.inRange(ctx, fx, s.m, s.along); err != nil {
		return s, err
	}
	if s.fx, err = matrix.Of(fx).WithRoom(ctx); err != nil {
		return s, err
	}
	energy, err := p.x.Squares(ctx)
	if err != nil {
		return s, err
	}
	if !matrix.Finite(energy) {
		return s, fmt.Errorf("live: %w: the squares of the features add up to infinity; scale them", coles.ErrNotFinite)
	}
	s.energy = [2]float64{energy, energy}
	return s, nil
}

// plusRows are the rows of W⁺ or, for features alone, of the identity in its place.
func (p *part) plusRows(of func(int32) *node) rows {
	if p.fit.Alone {
		return func(i int32, visit func(j int32, w float64)) { visit(i, 1) }
	}
	return plusRows(of)
}

// rowOf is row i of FX.
func (p *part) rowOf(i int32) []float64 {
	_, row := p.fx.Row(int(i))
	return row
}

// gained is the energy that the features have gained by a change of these nodes.
func (p *part) gained(touched []int32, n int) (sum float64) {
	for _, i := range touched {
		was, replaced := p.before[i]
		if _, now := p.x.Row(int(i)); replaced || int(i) >= n {
			sum += floats.Dot(now, now) - floats.Dot(was, was)
		}
	}
	return sum
}

// resized is FX with a number of rows, new ones of zeros.
func (p *part) resized(n int) *matrix.Matrix[float64] {
	fx := *p.fx
	if more := n - fx.Rows(); more > 0 {
		fx.AppendZeros(more)
	} else {
		fx.Truncate(n)
	}
	return &fx
}

// grow adds count nodes with these names, and their features, where they are given.
func (p *part) grow(count int, x *matrix.Matrix[float64], ids []string) {
	switch n := len(p.known); {
	case p.known != nil:
		p.x.AppendZeros(count)
		p.known = append(p.known, slices.Repeat([]int32{-1}, count)...)
		for k, id := range ids {
			if place, back := p.gone[id]; back {
				p.known[n+k] = place
			}
		}
	case x != nil:
		p.x.Append(x)
	}
	p.places = append(p.places, filled(max(0, p.x.Rows()-len(p.places)))...)
}

// filled is n times −1.
func filled(n int) []int32 { return slices.Repeat([]int32{-1}, n) }

// rollback takes the last change back, before which there were n nodes.
func (p *part) rollback(n int) {
	for i, row := range p.before {
		p.x.SetRow(int(i), row)
	}
	p.before = nil
	p.x.Truncate(n)
	p.known = p.known[:min(n, len(p.known))]
}

// inRange refuses filtered features, or terms of M, that have overflowed: no later addition would bring them back.
func (p *part) inRange(ctx context.Context, fx, m kernel.Matrix[float64], along []float64) error {
	if err := matrix.CheckOverflow(ctx, "FX", matrix.Of(fx)); err != nil {
		return fmt.Errorf("live: %w", err)
	}
	add := p.addNegatives(along)
	row := make([]float64, m.Cols)
	for i := range m.Rows {
		copy(row[i:], m.Row(i)[i:])
		add(i, row[i:])
		if !matrix.Finite(matrix.Magnitude(row[i:])) {
			return fmt.Errorf("live: %w: M = XᵀFᵀΔWFX overflows; scale the features", coles.ErrNotFinite)
		}
	}
	return ctx.Err()
}

// prepareDouble prepares features as a part does.
func prepareDouble(ctx context.Context, how *coles.Preparer, raw *matrix.Source) (*matrix.Matrix[float64], error) {
	prepared, err := view(ctx, how, raw)
	if err != nil {
		return nil, err
	}
	return matrix.As[float64](ctx, prepared)
}
