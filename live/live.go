// Package live keeps the embedding of a graph that changes.
//
// [Follow] begins to follow the graph of a fitted model: [Graph.Add] takes in new nodes and edges
// at the cost of their K-hop neighbourhood, [Graph.SetWeights], [Graph.SetFeatures] and [Graph.Remove] change and remove
// them at the same cost, [Graph.KeepCells] has features come in as rows of tables, [Graph.Embed] gives vectors by the model as it was
// fitted, and [Graph.Refit] fits it again from the matrix M that has been kept up to date. [Freeze]
// is for newcomers that are to be embedded in microseconds and change nothing: new nodes aggregate
// from old ones, old embeddings do not change.
package live

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"coles"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/linear"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/setting"

	"gonum.org/v1/gonum/mat"
)

// A Graph follows the graph of a model: it keeps the filtered features FX and the matrix M up to
// date as nodes and edges come.
//
// It computes in float64 whatever the precision of the model, and prepares the features of new
// nodes by the column weights that the model learned.
//
// It is safe for use by several goroutines: changes, and what reads all of the graph, come one at a time.
// [Graph.Embed], [Graph.Row] and [Graph.Nodes] go on beside them, and wait no longer than it takes to copy a row. What
// they find of a change that is under way is some rows of before it and some of after it, each of them whole.
type Graph struct {
	one   sync.Mutex   // of changes, and of what reads all
	mu    sync.RWMutex // of model, v, factors, fx and its rows, ids, row, count and cells
	count int          // of nodes that a reader sees

	model   *coles.Model
	v       *mat.Dense     // directions of the model, d′ × d
	factors []float64      // of its columns
	fit     linear.Terms   // what its settings come to
	ids     []string       // nil where nodes are only numbered
	row     map[string]int // of the names; nil where there are none

	adj    *adjacency
	cells  *cells                  // of which the features are made, in the order of mu; nil where they came as numbers
	x      *matrix.Matrix[float64] // features, prepared
	known  []int32                 // places of the nodes in the model's structure; nil with features
	gone   map[string]int32        // and of those that it knows by names that are not in the graph
	before map[int32][]float64     // rows of x, of old nodes, that the last change has replaced
	hashes []uint64                // of the rows of the features as they came in
	fx     *matrix.Matrix[float64]
	// m is (FX)ᵀW⁺(FX), or XᵀX of a model of features alone, upper triangle; along is (FX)ᵀv for the
	// vectors v of weights.
	m      kernel.Matrix[float64]
	along  [2][]float64
	energy [2]float64 // of the features, and the largest that has been since it was summed
	places []int32    // −1, at least one for every node; see ballAround
}

// Follow begins to follow the graph that the model was fitted on, or another one, with its features
// (n × d). It costs what [coles.Filter.Apply] and forming M cost, and keeps 10·n·d + 16·d² bytes,
// the prepared features, and some 100 bytes a node.
//
// The negatives must be none or expected ones: sampled ones depend on the number of nodes in every
// row. A model of [coles.UseFeatures] stays one, and M is then XᵀX.
//
// Without features x is nil, and the [coles.Structure] of the model encodes nodes by their edges. A newcomer with edges to
// newcomers alone has a vector by theirs, and one without any edge waits for one, with a vector of zeros.
//
// Errors: as [coles.Structure.Encode], [coles.ErrSetting] for sampled negatives, [coles.Model.Beside] or [coles.Model.Roles], [coles.ErrShape], [coles.ErrNotFinite], [coles.ErrNegative], [coles.ErrTooLarge], and
// ctx's.
func Follow(ctx context.Context, m *coles.Model, g *coles.Graph, x mat.Matrix) (*Graph, error) {
	raw, err := readFeatures(ctx, m, g, x)
	if err != nil {
		return nil, err
	}
	fit := inside.Linear(m.Settings())
	if beside, share := m.Beside(); beside != nil {
		return nil, fmt.Errorf("live: %w", setting.Bad("Structure", share, "0 to follow a graph; Freeze takes columns of the structure"))
	}
	if roles, share := m.Roles(); roles != nil {
		return nil, fmt.Errorf("live: %w", setting.Bad("WithArcs", share, "a model without columns of roles to follow a graph; Freeze takes them"))
	}
	if fit.Drawn {
		return nil, fmt.Errorf("live: %w", setting.Bad("Negatives", m.Settings().Negatives, "some that are not drawn anew for every number of nodes"))
	}
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	prepared, err := prepareDouble(ctx, m, raw)
	if err != nil {
		return nil, err
	}
	out := &Graph{
		fit: fit, adj: newAdjacency(g, m.Report().WeightUnit),
		places: slices.Repeat([]int32{-1}, g.Nodes()),
	}
	out.adj.alone = fit.Alone
	out.use(m)
	if g.Named() {
		out.ids, out.row = g.IDs(), make(map[string]int, g.Nodes())
		for i, id := range out.ids {
			out.row[id] = i
		}
	}
	if err := out.adj.finite(nil); err != nil {
		return nil, err
	}
	if out.x, err = prepared.WithRoom(ctx); err != nil {
		return nil, err
	}
	if s := m.Structure(); s != nil {
		out.known = inside.Places(s, g)
		out.gone = out.missing()
	} else if out.hashes, err = matrix.RowHashes(ctx, raw); err != nil {
		return nil, err
	}
	if err := out.rebuild(ctx); err != nil {
		return nil, err
	}
	out.count = g.Nodes()
	return out, nil
}

// use makes m the model by which nodes are embedded.
func (g *Graph) use(m *coles.Model) {
	v, factors := m.Directions(), m.Scaling().Factors
	g.mu.Lock()
	defer g.mu.Unlock()
	g.model, g.v, g.factors = m, v, factors
}

var errFeatures = fmt.Errorf("live: %w: features for a model fitted without", coles.ErrShape)

// readFeatures checks the features of the nodes of a graph, or makes them where the model has none.
func readFeatures(ctx context.Context, m *coles.Model, g *coles.Graph, x mat.Matrix) (*matrix.Source, error) {
	if s := m.Structure(); s != nil {
		if x != nil {
			return nil, errFeatures
		}
		weighed, err := inside.Weighed(ctx, m, g)
		if err != nil {
			return nil, err
		}
		made, err := s.Encode(ctx, weighed)
		if err != nil {
			return nil, err
		}
		x = made
	}
	raw, err := matrix.Read(ctx, x)
	if err != nil {
		return nil, fmt.Errorf("live: features: %w", err)
	}
	n, d := raw.Dims()
	if n != g.Nodes() {
		return nil, fmt.Errorf("live: %w: %d feature rows for %d nodes", coles.ErrShape, n, g.Nodes())
	}
	if err := matrix.CheckSize(n, d); err != nil {
		return nil, fmt.Errorf("live: %w", err)
	}
	return raw, nil
}

// prepare prepares features as the model does.
func prepare(ctx context.Context, m *coles.Model, raw *matrix.Source) (*matrix.Source, error) {
	view, err := inside.View(ctx, m.Preparer(), raw)
	if err != nil {
		return nil, err
	}
	return matrix.Read(ctx, view)
}

func prepareDouble(ctx context.Context, m *coles.Model, raw *matrix.Source) (*matrix.Matrix[float64], error) {
	prepared, err := prepare(ctx, m, raw)
	if err != nil {
		return nil, err
	}
	return matrix.As[float64](ctx, prepared)
}

// What the vectors of weights are for.
const (
	forNegatives = iota
	forDegrees
)

// weights are the weights of nodes, by their degree, in the sums (FX)ᵀv; nil for a sum that is not needed.
func (g *Graph) weights() (v [2]func(degree float64) float64) {
	v[forNegatives], v[forDegrees] = g.fit.Weights()
	return v
}

// addNegatives returns what adds the rank-one part of M to the end of its row i, from the diagonal on.
func (g *Graph) addNegatives(along []float64) func(i int, row []float64) {
	return g.fit.AddNegatives(along, g.fit.Length(float64(len(g.adj.nodes)), g.adj.volume))
}

// Nodes is the number of nodes there are now.
func (g *Graph) Nodes() int {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.count
}

// Row is the number of the node of a name.
func (g *Graph) Row(id string) (row int, ok bool) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	row, ok = g.row[id]
	return row, ok
}

// made is a graph that this package has made: any other is a caller's bug.
func (g *Graph) made() *Graph {
	if g == nil || g.adj == nil {
		panic("live: a Graph that is nil or zero; Follow and Read make one")
	}
	return g
}

// alone begins a change, or what reads all of the graph, and returns what ends it.
func (g *Graph) alone() (end func()) {
	g.made().one.Lock()
	return g.one.Unlock
}

// Graph is the graph as it is now, in O(n + m).
//
// Errors: [coles.ErrNotFinite] if weights add up to infinity.
func (g *Graph) Graph() (*coles.Graph, error) {
	defer g.alone()()
	return g.graph()
}

func (g *Graph) graph() (*coles.Graph, error) {
	a, err := matrix.ExportCSR(context.Background(), g.adj.raw()) // which does not end
	if err != nil {
		return nil, err
	}
	opts := []coles.GraphOption{coles.WithIDs(g.ids)}
	if g.adj.loops {
		opts = append(opts, coles.WithSelfLoopsKept())
	}
	return coles.FromCSR(a, opts...)
}

// Embed returns the embeddings (len(nodes) × d′) of some nodes by the model as it was fitted, or
// refitted: rows of FXPᵀ, scaled. Nothing else is computed, so that it costs O(d·d′) for each.
//
// Errors: [coles.ErrIndex], [coles.ErrTooLarge], [coles.ErrNotFinite] where a row overflows, and
// ctx's.
func (g *Graph) Embed(ctx context.Context, nodes []int) (*mat.Dense, error) {
	rows, v, factors, err := g.rowsOf(nodes)
	if err != nil || len(nodes) == 0 || v.IsEmpty() {
		return &mat.Dense{}, cmp.Or(err, ctx.Err())
	}
	y, err := project(ctx, rows, v)
	if err != nil {
		return nil, err
	}
	if err := matrix.ScaleColumns(ctx, y, factors); err != nil {
		return nil, err
	}
	return matrix.ToFiniteDense(ctx, "the embedding", y)
}

// rowsOf copies rows of FX, each as a whole, and returns what projects them.
func (g *Graph) rowsOf(nodes []int) (rows kernel.Matrix[float64], v *mat.Dense, factors []float64, err error) {
	g.made().mu.RLock()
	d := g.fx.Cols()
	g.mu.RUnlock()
	if err := matrix.CheckSize(len(nodes), d); err != nil {
		return rows, nil, nil, fmt.Errorf("live: embed: %w", err)
	}
	rows = kernel.Unset[float64](len(nodes), d)
	for q, i := range nodes {
		if err := g.copyRow(rows.Row(q), i); err != nil {
			return rows, nil, nil, err
		}
	}
	g.mu.RLock()
	defer g.mu.RUnlock()
	return rows, g.v, g.factors, nil
}

func (g *Graph) copyRow(to []float64, i int) error {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if i < 0 || i >= g.count {
		return fmt.Errorf("live: embed: %w: node %d of %d", coles.ErrIndex, i, g.count)
	}
	copy(to, g.fx.Dense.Row(i))
	return nil
}

// project returns FXVᵀ for rows of FX.
func project(ctx context.Context, fx kernel.Matrix[float64], v *mat.Dense) (kernel.Matrix[float64], error) {
	raw := kernel.Matrix[float64](v.RawMatrix())
	y := kernel.Unset[float64](fx.Rows, raw.Rows)
	return y, kernel.Gemm(ctx, false, true, 1, fx, raw, 0, y)
}

// Rebuild computes FX and M again from the graph and the features, as [Follow] does and at its
// cost: that takes the rounding away that additions have left; see [Graph.Add]. An error leaves
// everything as it was.
//
// Errors: ctx's.
func (g *Graph) Rebuild(ctx context.Context) error {
	defer g.alone()()
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	return g.rebuild(ctx)
}

// rebuild computes FX, M and (FX)ᵀv from the graph and the features.
func (g *Graph) rebuild(ctx context.Context) error {
	w, err := g.adj.whole(ctx, filterRows(g.adj.now))
	if err != nil {
		return err
	}
	x := *g.x
	x.Owned = false // X is needed again
	fx, err := matrix.Polynomial(ctx, g.fit.Filter, w, &x)
	if err != nil {
		return err
	}
	plus, err := g.adj.whole(ctx, g.adj.plusRows(g.adj.now))
	if err != nil {
		return err
	}
	m, err := matrix.Operator[float64]{Sparse: plus}.Gram(ctx, fx)
	if err != nil {
		return err
	}
	var along [2][]float64
	for k, v := range g.weights() {
		along[k] = make([]float64, fx.Cols)
		if v == nil {
			continue
		}
		weight := make([]float64, fx.Rows)
		for i := range weight {
			weight[i] = v(g.adj.nodes[i].degree)
		}
		if along[k], err = matrix.TransposeTimes(ctx, matrix.Of(fx), weight); err != nil {
			return err
		}
	}
	if err := g.inRange(ctx, fx, m, along[forNegatives]); err != nil {
		return err
	}
	rows, err := matrix.Of(fx).WithRoom(ctx)
	if err != nil {
		return err
	}
	energy, err := g.x.Squares(ctx)
	if err != nil {
		return err
	}
	if !matrix.Finite(energy) {
		return fmt.Errorf("live: %w: the squares of the features add up to infinity; scale them", coles.ErrNotFinite)
	}
	g.mu.Lock()
	g.fx = rows
	g.mu.Unlock()
	g.m, g.along, g.energy = m, along, [2]float64{energy, energy}
	g.adj.sumDegrees()
	return nil
}
