// Package live keeps the embedding of a graph that changes.
//
// [Follow] begins to follow the graph of a fitted model. [Graph.Add] takes in new nodes and edges at the cost of their K-hop
// neighbourhood. [Graph.SetWeights], [Graph.SetFeatures] and [Graph.Remove] change and remove them at the same cost.
// [Graph.KeepCells] has features come in as rows of tables. [Graph.Embed] gives vectors by the fitted model, and [Graph.Refit]
// fits it again from the matrix M that is up to date. [Freeze] embeds newcomers in microseconds: they aggregate from old
// nodes, whose embeddings do not change.
package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

// A Graph follows the graph of a model: it keeps the filtered features FX and the matrix M up to date as nodes and edges come.
// It computes in float64 whatever the precision of the model, and prepares the features of new nodes by the column weights that
// the model learned.
//
// It is safe for use by several goroutines: changes, and methods that read all of the graph, run one at a time. [Graph.Embed],
// [Graph.Row] and [Graph.Nodes] run beside them, and wait no longer than to copy a row. During a change they may find some
// rows of before it and some of after it, each of them whole.
type Graph struct {
	one   sync.Mutex   // of changes, and of what reads all
	mu    sync.RWMutex // of model, parts, their fx and its rows, ids, row, count and cells
	count int          // of nodes that a reader sees

	model *coles.Model
	parts []*part        // as the model's
	ids   []string       // nil where nodes are only numbered
	row   map[string]int // of the names; nil where there are none

	adj    *adjacency
	cells  *cells   // that features are made of, in the order of mu; nil where features came as numbers
	hashes []uint64 // of the rows of the features as they came in; nil without
}

// Follow begins to follow the graph that the model was fitted on, or another one, with its features
// (n × d). It costs what [coles.Filter.Apply] and forming M cost, and keeps 10·n·d + 16·d² bytes,
// the prepared features, and some 100 bytes a node.
//
// The negatives must be none or expected ones: sampled negatives depend on the number of nodes in every row. In a model of
// [coles.UseFeatures] M is XᵀX.
//
// Without features x is nil, and the [coles.Structure] of the model encodes nodes by their edges. Edges to newcomers alone
// give a newcomer a vector. Without any edge its vector is zeros until it has one.
//
// Columns of roles are refused: the nodes and edges of their double cover would have to be kept up to date, too. [Freeze]
// takes them.
//
// Errors: as [coles.Structure.Encode], [coles.ErrSetting] for sampled negatives and for columns of roles, [coles.ErrShape],
// [coles.ErrNotFinite], [coles.ErrNegative], [coles.ErrTooLarge], and ctx's.
func Follow(ctx context.Context, m *coles.Model, g *coles.Graph, x mat.Matrix) (*Graph, error) {
	raw, err := readFeatures(ctx, m.Parts()[0], g, x)
	if err != nil {
		return nil, err
	}
	parts := m.Parts()
	last := parts[len(parts)-1]
	if last.Roles {
		return nil, fmt.Errorf("live: %w", setting.Bad("WithArcs", last.Share, "a model without columns of roles to follow a graph; Freeze takes them"))
	}
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	out := &Graph{model: m, adj: newAdjacency(g, last.WeightUnit), count: g.Nodes()}
	if g.Named() {
		out.ids, out.row = g.IDs(), make(map[string]int, g.Nodes())
		for i, id := range out.ids {
			out.row[id] = i
		}
	}
	if err := out.adj.finite(nil); err != nil {
		return nil, err
	}
	for k, of := range parts {
		if k > 0 {
			if raw, err = readFeatures(ctx, of, g, nil); err != nil {
				return nil, err
			}
		}
		p, err := newPart(ctx, of, out.adj, g, raw)
		if err != nil {
			return nil, err
		}
		out.parts = append(out.parts, p)
		p.gone = p.missing(out.row)
	}
	if parts[0].Structure() == nil {
		if out.hashes, err = matrix.RowHashes(ctx, raw); err != nil {
			return nil, err
		}
	}
	return out, out.rebuild(ctx)
}

var errFeatures = fmt.Errorf("live: %w: features for a model fitted without", coles.ErrShape)

// readFeatures checks the features of the nodes of a graph, or makes them if the part has none.
func readFeatures(ctx context.Context, p coles.Part, g *coles.Graph, x mat.Matrix) (*matrix.Source, error) {
	if s := p.Structure(); s != nil {
		if x != nil {
			return nil, errFeatures
		}
		weighed, err := inside.Weighed(ctx, &p, g)
		if err != nil {
			return nil, err
		}
		made, err := s.Encode(ctx, weighed)
		if err != nil && !(p.Share > 0 && errors.Is(err, coles.ErrUnplaced)) { // beside features zeros will do
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

// Nodes is the number of nodes there are now.
func (g *Graph) Nodes() int {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.count
}

// Row is the number of the node with a name.
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

// alone begins a change, or a reading of all of the graph, and returns the function that ends it.
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

// Embed returns the embeddings (len(nodes) × d′) of some nodes by the model of the fit, or of the last refit: scaled rows of
// FXPᵀ. Nothing else is computed, so a node costs O(d·d′).
//
// Errors: [coles.ErrIndex], [coles.ErrTooLarge], [coles.ErrNotFinite] where a row overflows, and
// ctx's.
func (g *Graph) Embed(ctx context.Context, nodes []int) (*mat.Dense, error) {
	rows, parts, err := g.rowsOf(nodes)
	if err != nil || len(nodes) == 0 {
		return &mat.Dense{}, cmp.Or(err, ctx.Err())
	}
	var y kernel.Matrix[float64]
	for k := range parts {
		z, err := project(ctx, rows[k], parts[k].Directions)
		if err == nil {
			err = matrix.ScaleColumns(ctx, z, parts[k].Scaling.Factors)
		}
		if err != nil {
			return nil, err
		}
		if k == 0 {
			y = z
		} else if y, err = linear.Beside(ctx, y, z, parts[k].Share); err != nil {
			return nil, err
		}
	}
	return matrix.ToFiniteDense(ctx, "the embedding", y)
}

// rowsOf copies the rows of FX of every part, each node's as a whole, and returns the parts that project them.
func (g *Graph) rowsOf(nodes []int) (rows []kernel.Matrix[float64], parts []coles.Part, err error) {
	g.made().mu.RLock()
	parts = g.model.Parts()
	for _, p := range g.parts {
		rows = append(rows, kernel.Matrix[float64]{Cols: p.fx.Cols()})
	}
	g.mu.RUnlock()
	for k, r := range rows {
		if err := matrix.CheckSize(len(nodes), r.Cols); err != nil {
			return nil, nil, fmt.Errorf("live: embed: %w", err)
		}
		rows[k] = kernel.Unset[float64](len(nodes), r.Cols)
	}
	for q, i := range nodes {
		if err := g.copyRow(rows, q, i); err != nil {
			return nil, nil, err
		}
	}
	return rows, parts, nil
}

func (g *Graph) copyRow(to []kernel.Matrix[float64], q, i int) error {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if i < 0 || i >= g.count {
		return fmt.Errorf("live: embed: %w: node %d of %d", coles.ErrIndex, i, g.count)
	}
	for k, p := range g.parts {
		copy(to[k].Row(q), p.fx.Dense.Row(i))
	}
	return nil
}

// project returns FXVᵀ for rows of FX.
func project(ctx context.Context, fx kernel.Matrix[float64], v *mat.Dense) (kernel.Matrix[float64], error) {
	raw := kernel.Matrix[float64](v.RawMatrix())
	y := kernel.Dense[float64](fx.Rows, raw.Rows)
	if v.IsEmpty() {
		return y, ctx.Err()
	}
	return y, kernel.Gemm(ctx, false, true, 1, fx, raw, 0, y)
}

// Rebuild computes FX and M again from the graph and the features, as [Follow] does and at its cost. That takes away the
// rounding that additions have left: see [Graph.Add]. An error leaves everything as it was.
//
// Errors: ctx's.
func (g *Graph) Rebuild(ctx context.Context) error {
	defer g.alone()()
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	return g.rebuild(ctx)
}

// rebuild computes FX, M and (FX)ᵀv of every part from the graph and the features.
func (g *Graph) rebuild(ctx context.Context) error {
	steps := make([]step, len(g.parts))
	for k, p := range g.parts {
		var err error
		if steps[k], err = p.rebuild(ctx); err != nil {
			return err
		}
	}
	g.take(steps)
	g.adj.sumDegrees()
	return nil
}

// take makes the result of a change the state of the parts. The rows of a node change at once.
func (g *Graph) take(steps []step) {
	g.mu.Lock()
	for k, p := range g.parts {
		if s := steps[k]; s.fx != nil {
			p.fx = s.fx
		}
		p.m, p.along, p.energy = steps[k].m, steps[k].along, steps[k].energy
	}
	g.mu.Unlock()
	widest := steps[0].near
	for _, s := range steps {
		if s.near == nil {
			return
		}
		if len(s.near.nodes) > len(widest.nodes) {
			widest = s.near
		}
	}
	for _, i := range widest.nodes {
		g.mu.Lock()
		for k, p := range g.parts {
			if q := steps[k].near.place[i]; q >= 0 {
				copy(p.rowOf(i), steps[k].rows.Row(int(q)))
			}
		}
		g.mu.Unlock()
	}
}
