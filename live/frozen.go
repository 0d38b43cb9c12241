package live

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"coles"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/linear"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// A Frozen graph embeds nodes that join it without a change to any of its own: new nodes aggregate
// from old ones, old embeddings do not change. It is immutable and safe for use by many goroutines.
type Frozen struct {
	model *coles.Model
	coef  []float64              // of the filter
	v     kernel.Matrix[float64] // directions of the model, d′ × d
	// hops are WᵏXVᵀ for k = 0 … K−1, n × d′.
	hops    []kernel.Matrix[float32]
	scale   []float64 // 1/√(degree + self loop + 1) of every node
	factors []float64 // of the columns
	known   []int32   // places of the nodes in the model's structure; nil with features
	beside  *Frozen   // for the columns of the structure beside those of features; nil without
	share   float64   // of these
	roles   *Frozen   // for the columns of roles; nil without
}

// Freeze computes what every hop of the filter brings to the nodes of a graph with features x (n ×
// d), projected to the columns of the embedding. It takes the time of [coles.Model.Embed] and keeps (4·K·d′ + 8)·n bytes,
// 12 kB a node without features, where K is 24.
//
// Without features x is nil. Errors: as [coles.Structure.Encode]; [coles.ErrPrecision] for features beyond the range of float32, in which the hops are kept; as [coles.Model.Embed].
func Freeze(ctx context.Context, m *coles.Model, g *coles.Graph, x mat.Matrix) (*Frozen, error) {
	raw, err := readFeatures(ctx, m, g, x)
	if err != nil {
		return nil, err
	}
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	prepared, err := prepare(ctx, m, raw)
	if err != nil {
		return nil, err
	}
	single, err := linear.Features[float32](ctx, prepared, m.Preparer().Preparation() == coles.PrepareNone)
	if err != nil {
		return nil, fmt.Errorf("live: %w", err)
	}
	weighed, err := inside.Weighed(ctx, m, g)
	if err != nil {
		return nil, err
	}
	f := &Frozen{model: m, coef: inside.Linear(m.Settings()).Filter, factors: m.Scaling().Factors}
	if f.scale, err = matrix.RowSums(ctx, inside.Adjacency(weighed), true); err != nil {
		return nil, err
	}
	for i, sum := range f.scale {
		f.scale[i] = 1 / math.Sqrt(sum)
	}
	if s := m.Structure(); s != nil {
		f.known = inside.Places(s, g)
	}
	if beside, share := m.Beside(); beside != nil {
		if f.beside, err = Freeze(ctx, beside, weighed, nil); err != nil {
			return nil, err
		}
		f.share = share
	}
	if roles, _ := m.Roles(); roles != nil {
		if g.Roles() == nil {
			return nil, fmt.Errorf("live: %w: the model has columns of roles along arcs, and the graph keeps none: build it WithArcs", coles.ErrShape)
		}
		if f.roles, err = Freeze(ctx, roles, g.Roles(), nil); err != nil {
			return nil, err
		}
	}
	directions := m.Directions()
	if directions.IsEmpty() {
		return f, nil
	}
	f.v = kernel.Matrix[float64](directions.RawMatrix())
	wide, err := kernel.Transposed(ctx, f.v)
	if err != nil {
		return nil, err
	}
	narrow, err := matrix.Convert[float32](ctx, matrix.Of(wide))
	if err != nil {
		return nil, err
	}
	stored, err := matrix.Normalized(ctx, inside.Adjacency(weighed), true)
	if err != nil {
		return nil, err
	}
	w := matrix.ConvertCSR[float32](stored)
	for k := range len(f.coef) - 1 {
		hop := kernel.Unset[float32](g.Nodes(), f.v.Rows)
		if k == 0 {
			err = single.Times(ctx, hop, narrow.Dense)
		} else {
			err = kernel.SpMM(ctx, hop, w, f.hops[k-1])
		}
		if err != nil {
			return nil, err
		}
		f.hops = append(f.hops, hop)
	}
	return f, nil
}

// Nodes is the number of nodes of the frozen graph.
func (f *Frozen) Nodes() int { return len(f.scale) }

// Embed returns the embeddings (k × d′) of nodes that join the frozen graph, with features x (k ×
// d) and the numbers n … n+k−1. Without features x is nil, and k follows from the edges: one to itself brings a newcomer that has no other. Edges join
// them to nodes of the graph, or to each other: newcomers that paths join want one call for all of these. Weights
// are one an edge, nil meaning 1. For [coles.Model.Roles] they lead from U to V. An edge given twice counts once, with the
// larger weight, and self loops are dropped.
//
// With z₀ = xVᵀ, V the directions of the model, and the degrees of old nodes as they were, hop k+1 of a new node v is
//
//	zₖ₊₁(v) = Σᵤ a_vu / √(d̂_v·d̂_u) · zₖ(u) + zₖ(v)/d̂_v,
//
// the sum over its neighbours, old (from [Freeze]) and new, and its embedding is the scaled Σₖ
// aₖzₖ(v). [coles.Model.Embed] on the grown graph also lets a new node change the degrees of its
// neighbours and come back to itself through them; the difference is of the order of one over their
// degrees.
//
// A node with t neighbours costs d·d′ + K·t·d′ multiplications: microseconds.
//
// Errors: [coles.ErrUnplaced] where no edge leads from newcomers without features to the graph; where some do, a newcomer without a
// path to it has zeros. [coles.ErrShape], [coles.ErrIndex], also for an edge between two old nodes,
// [coles.ErrNotFinite] also where an embedding overflows, [coles.ErrNegative], and ctx's.
func (f *Frozen) Embed(ctx context.Context, x mat.Matrix, edges []coles.Edge, weights []float64) (*mat.Dense, error) {
	if f == nil || f.model == nil {
		panic("live: a Frozen that is nil or zero; Freeze makes one")
	}
	raw, joins, err := f.newcomers(ctx, x, edges, weights)
	if err != nil {
		return nil, err
	}
	var made *matrix.Source // before the weights are divided
	if f.beside != nil {
		if made, err = f.beside.encode(ctx, joins); err != nil {
			return nil, err
		}
	}
	if err := f.normalize(joins); err != nil {
		return nil, err
	}
	y, err := f.embed(ctx, raw, joins)
	if err == nil && f.beside != nil {
		var z *mat.Dense
		if z, err = f.beside.embed(ctx, made, joins); err == nil {
			y, err = sideBySide(ctx, y, z, f.share)
		}
	}
	if err != nil || f.roles == nil {
		return y, err
	}
	return f.withRoles(ctx, y, edges, weights)
}

// withRoles adds the columns of roles to the vectors y of new nodes, of which the edges are arcs.
func (f *Frozen) withRoles(ctx context.Context, y *mat.Dense, edges []coles.Edge, weights []float64) (*mat.Dense, error) {
	count, _ := y.Dims()
	arcs, kept := make([]coles.Edge, 0, len(edges)), weights[:0:0]
	for q, e := range edges {
		if e.U != e.V {
			arcs = append(arcs, coles.Edge{U: 2 * e.U, V: 2*e.V + 1})
			if weights != nil {
				kept = append(kept, weights[q])
			}
		}
	}
	joins, err := f.roles.joins(2*count, arcs, kept)
	if err != nil {
		return nil, err
	}
	made, err := f.roles.encode(ctx, joins)
	if err != nil {
		return nil, err
	}
	if err := f.roles.normalize(joins); err != nil {
		return nil, err
	}
	z, err := f.roles.embed(ctx, made, joins)
	if err != nil {
		return nil, err
	}
	_, share := f.model.Roles()
	return sideBySide(ctx, y, linear.Folded(z), share)
}

// sideBySide is y and z side by side, z with a share.
func sideBySide(ctx context.Context, y, z *mat.Dense, share float64) (*mat.Dense, error) {
	both, err := linear.Beside(ctx, kernel.Matrix[float64](y.RawMatrix()), z, share)
	return matrix.ToDense(both), err
}

// embed embeds new nodes with these features, or ones that the structure made.
func (f *Frozen) embed(ctx context.Context, raw *matrix.Source, joins [][]join) (*mat.Dense, error) {
	prepared, err := prepareDouble(ctx, f.model, raw)
	if err != nil {
		return nil, err
	}
	if f.v.Rows == 0 {
		return &mat.Dense{}, ctx.Err()
	}
	z, err := f.projected(ctx, prepared)
	if err != nil {
		return nil, err
	}
	sum, next := kernel.Dense[float64](z.Rows, z.Cols), kernel.Dense[float64](z.Rows, z.Cols)
	for k, a := range f.coef {
		matrix.AddScaled(sum.Data, a, z.Data)
		if k == len(f.coef)-1 {
			break
		}
		for v, to := range joins {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			f.hop(next.Row(v), k, to, z)
		}
		z, next = next, z
	}
	if err := matrix.ScaleColumns(ctx, sum, f.factors); err != nil {
		return nil, err
	}
	return matrix.ToFiniteDense(ctx, "the embedding", sum)
}

// newcomers are the features of new nodes, by their edges where the model has none, and their rows of A + I.
func (f *Frozen) newcomers(ctx context.Context, x mat.Matrix, edges []coles.Edge, weights []float64) (*matrix.Source, [][]join, error) {
	if f.known == nil {
		raw, err := matrix.Read(ctx, x)
		if err != nil {
			return nil, nil, fmt.Errorf("live: features: %w", err)
		}
		joins, err := f.joins(raw.Rows(), edges, weights)
		return raw, joins, err
	}
	if x != nil {
		return nil, nil, errFeatures
	}
	count, err := newcomers(f.Nodes(), edges)
	if err != nil {
		return nil, nil, err
	}
	joins, err := f.joins(count, edges, weights)
	if err != nil {
		return nil, nil, err
	}
	if !slices.ContainsFunc(joins, func(row []join) bool { return row[0].node < f.Nodes() }) {
		return nil, nil, fmt.Errorf("live: embed: %w: no edge leads from a newcomer to a node of the graph; add one, or fit the graph anew", coles.ErrUnplaced)
	}
	raw, err := f.encode(ctx, joins)
	return raw, joins, err
}

// encode makes the features of new nodes by their rows of A + I, zeros without an edge to a node that the structure knows.
func (f *Frozen) encode(ctx context.Context, joins [][]join) (*matrix.Source, error) {
	made := kernel.Dense[float64](len(joins), f.v.Cols)
	for v, row := range joins {
		e := placed{known: f.known}
		for _, j := range row {
			e.add(j.node, j.weight)
		}
		if err := e.encode(ctx, f.model, made.Row(v)); err != nil {
			return nil, fmt.Errorf("live: embed: new node %d: %w", f.Nodes()+v, err)
		}
	}
	return matrix.Read(ctx, matrix.ToDense(made))
}

// projected is XVᵀ.
func (f *Frozen) projected(ctx context.Context, x *matrix.Matrix[float64]) (kernel.Matrix[float64], error) {
	z := kernel.Dense[float64](x.Rows(), f.v.Rows)
	if x.Sparse == nil {
		return z, kernel.Gemm(ctx, false, true, 1, x.Dense, f.v, 0, z)
	}
	for i := range x.Rows() {
		cols, vals := x.Row(i)
		for j := range f.v.Rows {
			row := f.v.Row(j)
			for q, c := range cols {
				z.Row(i)[j] += vals[q] * row[c]
			}
		}
	}
	return z, ctx.Err()
}

// A join is an entry of the row of W of a new node.
type join struct {
	node   int // new nodes have the numbers from Nodes() on
	weight float64
}

// joins are the rows of A + I of count new nodes, each ascending.
func (f *Frozen) joins(count int, edges []coles.Edge, weights []float64) ([][]join, error) {
	n := f.Nodes()
	if err := matrix.CheckPairs(n+count, edges, weights); err != nil {
		return nil, fmt.Errorf("live: embed: %w", err)
	}
	rows := make([][]join, count)
	put := func(u, v int, w float64) {
		if u >= n {
			rows[u-n] = append(rows[u-n], join{v, w})
		}
	}
	for v := range rows {
		put(n+v, n+v, 1)
	}
	for q, e := range edges {
		if e.U < n && e.V < n {
			return nil, fmt.Errorf("live: embed: %w: edge %d joins %d and %d, want one of the new nodes %d to %d", coles.ErrIndex, q, e.U, e.V, n, n+count-1)
		}
		w := 1.0
		if weights != nil {
			w = weights[q]
		}
		w = linear.Weight(w, f.model.Report().WeightUnit)
		if e.U != e.V {
			put(e.U, e.V, w)
			put(e.V, e.U, w)
		}
	}
	for v, row := range rows {
		slices.SortFunc(row, func(a, b join) int {
			return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(b.weight, a.weight))
		})
		rows[v] = slices.CompactFunc(row, func(a, b join) bool { return a.node == b.node })
	}
	return rows, nil
}

// normalize makes rows of A + I rows of W: it divides every weight by the roots of both degrees.
func (f *Frozen) normalize(rows [][]join) error {
	n := f.Nodes()
	fresh := make([]float64, len(rows))
	for v, row := range rows {
		degree := 0.0
		for _, j := range row {
			degree += j.weight
		}
		if math.IsInf(degree, 0) {
			return fmt.Errorf("live: embed: %w: the weights of new node %d add up to infinity", coles.ErrNotFinite, v)
		}
		fresh[v] = 1 / math.Sqrt(degree)
	}
	for v, row := range rows {
		for q := range row {
			other := fresh
			at := row[q].node - n
			if at < 0 {
				other, at = f.scale, row[q].node
			}
			row[q].weight *= fresh[v] * other[at]
		}
	}
	return nil
}

// hop sets to = Σ w·z over a row of W: hop k of the old nodes and z of the new.
func (f *Frozen) hop(to []float64, k int, row []join, z kernel.Matrix[float64]) {
	clear(to)
	for _, j := range row {
		if at := j.node - f.Nodes(); at >= 0 {
			matrix.AddScaled(to, j.weight, z.Row(at))
			continue
		}
		for q, v := range f.hops[k].Row(j.node) {
			to[q] += j.weight * float64(v)
		}
	}
}
