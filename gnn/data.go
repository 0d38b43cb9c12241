package gnn

import (
	"context"
	"fmt"
	"slices"

	"coles"
	"coles/gnn/autodiff"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
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

	sample *Sample // what is seen of the whole; nil of a graph and of surroundings
}

// readFeatures checks features from outside, a row for every node.
func readFeatures(ctx context.Context, g *coles.Graph, x mat.Matrix) (*matrix.Source, error) {
	if g.Roles() != nil {
		return nil, bad("WithArcs", true, "a graph without: networks know no direction")
	}
	if x == nil {
		return nil, fmt.Errorf("gnn: features: %w: none, and a network reads nothing else; the embedding that coles.Fit(ctx, g, nil) makes of the graph will do", coles.ErrShape)
	}
	source, err := matrix.Read(ctx, x)
	if err != nil {
		return nil, fmt.Errorf("gnn: features: %w", err)
	}
	if n, d := source.Dims(); n != g.Nodes() || d == 0 {
		return nil, fmt.Errorf("gnn: features: %w: %d × %d for %d nodes", coles.ErrShape, n, d, g.Nodes())
	}
	return source, nil
}

func newData[T autodiff.Float](ctx context.Context, g *coles.Graph, x *matrix.Source, prepare *coles.Preparer, s Settings) (*data[T], error) {
	prepared, err := prepare.View(ctx, x)
	if err != nil {
		return nil, fmt.Errorf("gnn: %w", err)
	}
	if x, err = matrix.Read(ctx, prepared); err != nil {
		return nil, err
	}
	w, err := matrix.Normalized(ctx, g.Raw(), true)
	if err != nil {
		return nil, err
	}
	for _, l := range s.Network[:s.Network.lead()] {
		if x, err = filtered(ctx, l.filter, w, x); err != nil {
			return nil, fmt.Errorf("gnn: %w", err)
		}
	}
	if s.FeatureScale != 1 { // else dense ones are read where they are
		x = x.Changed(false, func(_ []int32, vals []float64) { matrix.Scale(vals, s.FeatureScale) })
	}
	scaled, err := matrix.As[T](ctx, x)
	if err != nil {
		return nil, fmt.Errorf("gnn: features: %w", err)
	}
	wrong := fmt.Errorf("gnn: features: %w: prepared and scaled they leave the range of a %T", coles.ErrPrecision, T(0))
	if err := checkFinite(ctx, scaled, wrong); err != nil {
		return nil, err
	}
	whole := newView(g, newFeatures(scaled), autodiff.NewSparse(matrix.ConvertCSR[T](w), true))
	d := &data[T]{graph: g, whole: whole, filter: s.Network.lead() > 0}
	if s.Augmentation.some() {
		d.source = x
	}
	return d, ctx.Err()
}

// filtered is FX, as [coles.Filter.Apply] has it.
func filtered(ctx context.Context, f coles.Filter, w *kernel.CSR[float64], x *matrix.Source) (*matrix.Source, error) {
	m, err := matrix.As[float64](ctx, x)
	if err != nil {
		return nil, err
	}
	fx, err := matrix.Polynomial(ctx, f.Coefficients(), w, m)
	if err != nil {
		return nil, err
	}
	dense, err := matrix.ToFiniteDense(ctx, "FX", fx)
	if err != nil {
		return nil, err
	}
	return matrix.Read(ctx, dense)
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
func (f features[T]) changed(ctx context.Context, v *View) (features[T], error) {
	n, d := f.Dims()
	rows := v.Rows
	if rows == nil {
		rows = upTo(n)
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
