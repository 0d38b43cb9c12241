package gnn

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"coles"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/stream"
	"coles/internal/tape"

	"gonum.org/v1/gonum/mat"
)

// data is a graph with the features that a network reads: prepared, scaled and behind the filters
// that the network begins with.
type data[T kernel.Float] struct {
	graph    *coles.Graph
	whole    view[T]
	w, means *kernel.CSR[T] // of the whole; means is nil unless a layer needs it
}

// A view is a graph as a network sees it, as it is or augmented, the whole or the surroundings of
// some of its nodes.
type view[T kernel.Float] struct {
	x     features[T]
	w     *tape.Sparse[T] // W = D̂^-½(A+I)D̂^-½
	means *tape.Sparse[T] // D⁻¹A, if a layer needs it
	rows  []int           // of which nodes the output is wanted; nil for all
}

// readFeatures checks features from outside, a row for every node.
func readFeatures(ctx context.Context, g *coles.Graph, x mat.Matrix) (*matrix.Source, error) {
	source, err := matrix.Read(ctx, x)
	if err != nil {
		return nil, fmt.Errorf("gnn: features: %w", err)
	}
	if n, d := source.Dims(); n != g.Nodes() || d == 0 {
		return nil, fmt.Errorf("gnn: features: %w: %d × %d for %d nodes", coles.ErrShape, n, d, g.Nodes())
	}
	return source, nil
}

func newData[T kernel.Float](ctx context.Context, g *coles.Graph, x *matrix.Source, prepare *coles.Preparer, s Settings) (*data[T], error) {
	x, err := prepare.Prepare(ctx, x)
	if err != nil {
		return nil, fmt.Errorf("gnn: %w", err)
	}
	w := coles.Normalize(g)
	for _, l := range s.Network[:s.Network.lead()] {
		fx, err := l.filter.Apply(ctx, w, x)
		if err != nil {
			return nil, fmt.Errorf("gnn: %w", err)
		}
		if x, err = matrix.Read(ctx, fx); err != nil {
			return nil, err
		}
	}
	x = x.Changed(false, func(_ []int32, vals []float64) { matrix.Scale(vals, s.FeatureScale) })
	scaled, err := matrix.As[T](ctx, x)
	if err != nil {
		return nil, fmt.Errorf("gnn: features: %w", err)
	}
	wrong := fmt.Errorf("gnn: features: %w: prepared and scaled they leave the range of a %T", coles.ErrPrecision, T(0))
	if err := checkFinite(ctx, scaled, wrong); err != nil {
		return nil, err
	}
	d := &data[T]{graph: g, w: matrix.ConvertCSR[T](w.Raw())}
	d.whole = view[T]{x: newFeatures(scaled), w: tape.NewSparse(d.w, true)}
	if slices.ContainsFunc(s.Network, func(l Layer) bool { return l.kind == sage }) {
		d.means = neighborMeans[T](g)
		d.whole.means = tape.NewSparse(d.means, false)
	}
	return d, ctx.Err()
}

// checkFinite returns wrong where there is a NaN or an infinity.
func checkFinite[T kernel.Float](ctx context.Context, x *matrix.Matrix[T], wrong error) error {
	most, err := x.Largest(ctx)
	if err == nil && !matrix.Finite(most) {
		err = wrong
	}
	return err
}

// neighborMeans is D⁻¹A.
func neighborMeans[T kernel.Float](g *coles.Graph) *kernel.CSR[T] {
	a := g.Raw()
	means := withValues[T](a)
	for i := range a.Rows {
		_, from := a.Row(i)
		_, to := means.Row(i)
		degree := matrix.Total(from)
		for q, v := range from {
			to[q] = T(v / degree)
		}
	}
	return means
}

// withValues is a matrix with entries where a has them, their values not yet set.
func withValues[T, S kernel.Float](a *kernel.CSR[S]) *kernel.CSR[T] {
	return &kernel.CSR[T]{Rows: a.Rows, Cols: a.Cols, Ptr: a.Ptr, Col: a.Col, Val: kernel.Unset[T](1, a.NNZ()).Data}
}

// features are what the first layer with a weight multiplies, n × d.
type features[T kernel.Float] struct {
	*matrix.Matrix[T]
	factor *tape.Sparse[T] // for the tape; nil when they are dense
}

func newFeatures[T kernel.Float](x *matrix.Matrix[T]) features[T] {
	f := features[T]{Matrix: x}
	if x.Sparse != nil {
		f.factor = tape.NewSparse(x.Sparse, false)
	}
	return f
}

// changed is a copy in which change has changed the values of rows.
func (f features[T]) changed(ctx context.Context, change func(c *matrix.Matrix[T], lo, hi int)) (features[T], error) {
	c := &matrix.Matrix[T]{Owned: true}
	if f.Sparse != nil {
		c.Sparse = withValues[T](f.Sparse)
	} else {
		c.Dense = kernel.Unset[T](f.Dims())
	}
	if err := parallel.Rows(ctx, f.Rows(), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			_, from := f.Row(i)
			_, to := c.Row(i)
			copy(to, from)
		}
		change(c, lo, hi)
	}); err != nil {
		return f, err
	}
	return newFeatures(c), nil
}

// dropped sets entries to zero with probability rate and divides the others by 1 − rate.
func (f features[T]) dropped(ctx context.Context, rate float64, rnd *rand.Rand) (features[T], error) {
	seed, factor := rnd.Uint64(), T(1/(1-rate))
	return f.changed(ctx, func(c *matrix.Matrix[T], lo, hi int) {
		s := stream.New()
		for i := lo; i < hi; i++ {
			_, vals := c.Row(i)
			s.Reseed(seed, uint64(i))
			for q := range vals {
				if s.Float64() < rate {
					vals[q] = 0
				} else {
					vals[q] *= factor
				}
			}
		}
	})
}

// masked sets whole columns to zero, each with probability rate.
func (f features[T]) masked(ctx context.Context, rate float64, rnd *rand.Rand) (features[T], error) {
	if rate == 0 {
		return f, ctx.Err()
	}
	hidden := make([]bool, f.Cols())
	for j := range hidden {
		hidden[j] = rnd.Float64() < rate
	}
	return f.changed(ctx, func(c *matrix.Matrix[T], lo, hi int) {
		for i := lo; i < hi; i++ {
			cols, vals := c.Row(i)
			for q := range vals {
				if hidden[matrix.Column(cols, q)] {
					vals[q] = 0
				}
			}
		}
	})
}

// Augmentation makes two views of the graph at every step, as GRACE draws them (Zhu et al. 2020):
// in view v an edge is dropped with probability DropEdges[v] and a column of the features set to
// zero for all nodes with probability MaskFeatures[v]. The zero value makes none.
type Augmentation struct {
	DropEdges    [2]float64 `json:"drop_edges"`
	MaskFeatures [2]float64 `json:"mask_features"`
}

func (a Augmentation) check() error {
	for v := range 2 {
		for _, rate := range []float64{a.DropEdges[v], a.MaskFeatures[v]} {
			if !(rate >= 0 && rate < 1) {
				return bad("augmentation at a rate of %v, want 0 to less than 1", rate)
			}
		}
	}
	return nil
}

// views is the graph as one step sees it: as it is, or twice augmented.
func (d *data[T]) views(ctx context.Context, s Settings, rnd *rand.Rand) ([]*view[T], error) {
	if s.Augmentation == (Augmentation{}) {
		return []*view[T]{&d.whole}, nil
	}
	var views []*view[T]
	for v := range 2 {
		g, err := withoutEdges(d.graph, s.Augmentation.DropEdges[v], rnd)
		if err != nil {
			return nil, err
		}
		x, err := d.whole.x.masked(ctx, s.Augmentation.MaskFeatures[v], rnd)
		if err != nil {
			return nil, err
		}
		w := matrix.ConvertCSR[T](coles.Normalize(g).Raw())
		views = append(views, &view[T]{x: x, w: tape.NewSparse(w, true)})
		if d.means != nil {
			views[v].means = tape.NewSparse(neighborMeans[T](g), false)
		}
	}
	return views, ctx.Err()
}

// withoutEdges drops edges, each with probability rate. Self loops stay.
func withoutEdges(g *coles.Graph, rate float64, rnd *rand.Rand) (*coles.Graph, error) {
	if rate == 0 {
		return g, nil
	}
	edges, weights := edgesOf(g.Raw())
	kept := 0
	for q, e := range edges {
		if e.U == e.V || rnd.Float64() >= rate {
			edges[kept], weights[kept] = e, weights[q]
			kept++
		}
	}
	return coles.NewWeightedGraph(g.Nodes(), edges[:kept], weights[:kept], coles.WithSelfLoopsKept())
}

// edgesOf lists every entry of a symmetric matrix once, from its lower to its higher node: the
// edges of a graph and, where it has kept them, its self loops.
func edgesOf(a *kernel.CSR[float64]) (edges []coles.Edge, weights []float64) {
	for u := range a.Rows {
		cols, vals := a.Row(u)
		for q, v := range cols {
			if u <= int(v) {
				edges, weights = append(edges, coles.Edge{U: u, V: int(v)}), append(weights, vals[q])
			}
		}
	}
	return edges, weights
}
