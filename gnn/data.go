package gnn

import (
	"context"
	"fmt"
	"slices"

	"coles"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/internal/inside"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"github.com/james-bowman/sparse"
)

// data is a graph with the features that a network reads: prepared, scaled and behind the filters
// that the network begins with.
type data[T autodiff.Float] struct {
	graph  *coles.Graph
	source *matrix.Source // the features before they are numbers of type T, for an augmentation
	whole  *view[T]
	filter bool // they are behind a filter
}

// A view is a graph as a network sees it, as it is or augmented, the whole or the surroundings of
// some of its nodes.
type view[T autodiff.Float] struct {
	graph     *coles.Graph
	x         features[T]
	w         *autodiff.Sparse[T] // W = D̂^-½(A+I)D̂^-½; nil in surroundings until it is asked for
	operators map[string]*autodiff.Sparse[T]

	// Of surroundings: the whole, which nodes they are, and of which of them the output is wanted.
	whole *view[T]
	nodes []int
	rows  []int

	sample *custom.Sample // what is seen of the whole; nil of a graph and of surroundings
}

func newView[T autodiff.Float](g *coles.Graph, x features[T], w *autodiff.Sparse[T]) *view[T] {
	return &view[T]{graph: g, x: x, w: w, operators: map[string]*autodiff.Sparse[T]{}}
}

// normalized is W.
func (v *view[T]) normalized() *autodiff.Sparse[T] {
	if v.w == nil {
		v.w = restricted(v.whole.w, v.nodes, true)
	}
	return v.w
}

// operatorFunc computes a sparse matrix of a graph.
type operatorFunc = func(ctx context.Context, g *coles.Graph) (*sparse.CSR, error)

// operator returns of(graph), computed once.
func (v *view[T]) operator(ctx context.Context, name string, of operatorFunc) (*autodiff.Sparse[T], error) {
	if s := v.operators[name]; s != nil {
		return s, nil
	}
	var s *autodiff.Sparse[T]
	var err error
	if v.whole == nil {
		s, err = operatorOf[T](ctx, v.graph, name, of)
	} else if s, err = v.whole.operator(ctx, name, of); err == nil {
		s = restricted(s, v.nodes, false)
	}
	v.operators[name] = s
	return s, err
}

// checkFinite returns wrong where there is a NaN or an infinity.
func checkFinite[T autodiff.Float](ctx context.Context, x *matrix.Matrix[T], wrong error) error {
	most, err := x.Largest(ctx)
	if err == nil && !matrix.Finite(most) {
		err = wrong
	}
	return err
}

// features are the input of the first layer with a width, n × d.
type features[T autodiff.Float] struct {
	*matrix.Matrix[T]
	factor *autodiff.Sparse[T] // nil when they are dense
	rows   []int               // of the factor, in this order; nil for all of them
}

func newFeatures[T autodiff.Float](x *matrix.Matrix[T]) features[T] {
	f := features[T]{Matrix: x}
	if x.Sparse != nil {
		f.factor = autodiff.NewSparse(x.Sparse, false)
	}
	return f
}

// value puts the features on a tape.
func (f features[T]) value(t *autodiff.Tape[T]) *autodiff.Value[T] {
	if f.factor != nil {
		x := t.SparseConstant(f.factor)
		if f.rows != nil {
			x = t.Gather(x, f.rows)
		}
		return x
	}
	return t.Constant(f.Dense)
}

// changed is a copy of the features as a view has them.
func (f features[T]) changed(ctx context.Context, v *custom.View) (features[T], error) {
	n, d := f.Dims()
	rows := v.Rows
	if rows == nil {
		rows = matrix.UpTo(n)
	}
	if len(rows) != n || v.Columns != nil && len(v.Columns) != d {
		return f, fmt.Errorf("gnn: view: %w: %d rows and factors of %d columns for features of %d × %d", coles.ErrShape, len(rows), len(v.Columns), n, d)
	}
	from := make([]int, n)
	for i, r := range rows {
		if r < -1 || r >= n {
			return f, fmt.Errorf("gnn: view: %w: row %d of %d", coles.ErrIndex, r, n)
		}
		if from[i] = r; r < 0 {
			from[i] = i // whose entries are set to zero
		}
	}
	if f.factor != nil && v.Columns == nil && slices.Equal(from, rows) {
		f.rows = from // of whose product rows are gathered
		return f, nil
	}
	c, err := f.Gather(ctx, from)
	if err != nil {
		return f, err
	}
	if err := parallel.EachRow(ctx, n, func(i int) {
		cols, vals := c.Row(i)
		switch {
		case rows[i] < 0:
			clear(vals)
		case v.Columns != nil:
			for q := range vals {
				vals[q] *= T(v.Columns[matrix.Column(cols, q)])
			}
		}
	}); err != nil {
		return f, err
	}
	return newFeatures(c), nil
}

// restricted returns a part of a matrix of the whole graph: the rows and columns of some nodes.
func restricted[T autodiff.Float](whole *autodiff.Sparse[T], nodes []int, symmetric bool) *autodiff.Sparse[T] {
	part, _ := matrix.Induced(context.Background(), whole.Matrix(), nodes) // which does not end
	return autodiff.NewSparse(part, symmetric)
}

// operatorOf is the matrix that a function computes from a graph, in numbers of type T.
func operatorOf[T autodiff.Float](ctx context.Context, g *coles.Graph, name string, of operatorFunc) (*autodiff.Sparse[T], error) {
	made, err := of(ctx, g)
	var source *matrix.Source
	if err == nil {
		source, err = matrix.Read(ctx, made)
	}
	if err == nil {
		if r, c := made.Dims(); r != g.Nodes() || c != g.Nodes() {
			err = fmt.Errorf("%w: %d × %d for %d nodes", coles.ErrShape, r, c, g.Nodes())
		}
	}
	if err != nil {
		return nil, fmt.Errorf("gnn: operator %q: %w", name, err)
	}
	a, err := matrix.As[T](ctx, source)
	if err != nil {
		return nil, err
	}
	return autodiff.NewSparse(a.Sparse, false), nil
}

// seen is the graph as a view has it.
func (d *data[T]) seen(ctx context.Context, v *custom.View) (*view[T], error) {
	out := d.whole
	if d.filter && (v.Graph != nil || v.Rows != nil) {
		return nil, bad("Augmentation", nil, "a view of the same graph and rows behind a filter, which has seen them")
	}
	if v.Graph != nil {
		if v.Graph.Nodes() != d.graph.Nodes() {
			return nil, fmt.Errorf("gnn: view: %w: a graph of %d nodes for one of %d", coles.ErrShape, v.Graph.Nodes(), d.graph.Nodes())
		}
		w, err := matrix.Normalized(ctx, inside.Adjacency(v.Graph), true)
		if err != nil {
			return nil, err
		}
		out = newView(v.Graph, out.x, autodiff.NewSparse(matrix.ConvertCSR[T](w), true))
	}
	if v.Columns != nil || v.Rows != nil {
		x, err := d.whole.x.changed(ctx, v)
		if err != nil {
			return nil, err
		}
		same := *out // and the same operators
		same.x = x
		out = &same
	}
	return out, ctx.Err()
}

// surroundings returns the view of a block's nodes and then of all nodes within the given number of
// hops. W keeps the degrees of the whole graph, so the block's output equals a full pass's.
func (d *data[T]) surroundings(ctx context.Context, block []int, hops int) (*view[T], error) {
	w := d.whole.w.Matrix()
	nodes, seen := slices.Clone(block), make(map[int32]bool, 4*len(block))
	for _, i := range block {
		seen[int32(i)] = true
	}
	ring := nodes
	for range hops {
		first := len(nodes)
		for _, i := range ring {
			cols, _ := w.Row(i)
			for _, j := range cols {
				if !seen[j] {
					seen[j] = true
					nodes = append(nodes, int(j))
				}
			}
		}
		ring = nodes[first:]
	}
	x, err := d.whole.x.Gather(ctx, nodes)
	if err != nil {
		return nil, err
	}
	v := newView(d.graph, newFeatures(x), nil)
	v.whole, v.nodes, v.rows = d.whole, nodes, matrix.UpTo(len(block))
	return v, nil
}
