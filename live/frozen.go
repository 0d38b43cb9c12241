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

// A Frozen graph embeds nodes that join it and changes none of its own: new nodes aggregate from old ones, old embeddings
// stay. It is immutable and safe for use by many goroutines.
type Frozen struct {
	nodes int
	parts []*frozenPart // as the model's
}

// A frozenPart is what old nodes bring to the columns of a part.
type frozenPart struct {
	coles.Part
	coef []float64              // of the filter
	v    kernel.Matrix[float64] // directions, d′ × d
	// hops are WᵏXVᵀ for k = 0 … K−1, n × d′.
	hops  []kernel.Matrix[float32]
	scale []float64 // 1/√(degree + self loop + 1) of every node
	known []int32   // places of the nodes in the part's structure; nil with features

	columns int // d
}

// Freeze computes the contribution of every hop of the filter to the nodes of a graph with features x (n × d), projected to
// the columns of the embedding. It takes the time of [coles.Model.Embed] and keeps (4·K·d′ + 8)·n bytes, 12 kB a node without
// features, where K is 24.
//
// Without features x is nil. Errors: as [coles.Structure.Encode]; [coles.ErrPrecision] for features beyond the range of float32, in which the hops are kept; as [coles.Model.Embed].
func Freeze(ctx context.Context, m *coles.Model, g *coles.Graph, x mat.Matrix) (*Frozen, error) {
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	f := &Frozen{nodes: g.Nodes()}
	for k, part := range m.Parts() {
		of, own := g, x
		if part.Roles {
			if of = g.Roles(); of == nil {
				return nil, fmt.Errorf("live: %w: the model has columns of roles along arcs, and the graph keeps none: build it WithArcs", coles.ErrShape)
			}
		}
		if k > 0 {
			own = nil
		}
		raw, err := readFeatures(ctx, part, of, own)
		if err != nil {
			return nil, err
		}
		p, err := freeze(ctx, part, of, raw)
		if err != nil {
			return nil, err
		}
		f.parts = append(f.parts, p)
	}
	return f, nil
}

func freeze(ctx context.Context, of coles.Part, g *coles.Graph, raw *matrix.Source) (*frozenPart, error) {
	prepared, err := view(ctx, of.Preparer, raw)
	if err != nil {
		return nil, err
	}
	single, err := linear.Features[float32](ctx, prepared, of.Preparer.Preparation() == coles.PrepareNone)
	if err != nil {
		return nil, fmt.Errorf("live: %w", err)
	}
	weighed, err := inside.Weighed(ctx, &of, g)
	if err != nil {
		return nil, err
	}
	f := &frozenPart{Part: of, coef: inside.Linear(of.Settings).Filter, columns: prepared.Cols()}
	if f.scale, err = matrix.RowSums(ctx, inside.Adjacency(weighed), true); err != nil {
		return nil, err
	}
	for i, sum := range f.scale {
		f.scale[i] = 1 / math.Sqrt(sum)
	}
	if s := of.Structure(); s != nil {
		f.known = inside.Places(s, g)
	}
	if of.Directions.IsEmpty() {
		return f, nil
	}
	f.v = kernel.Matrix[float64](of.Directions.RawMatrix())
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
func (f *Frozen) Nodes() int { return f.nodes }

// Embed returns the embeddings (k × d′) of nodes that join the frozen graph, with features x (k × d) and the numbers n …
// n+k−1. Without features x is nil, and k follows from the edges: an edge to itself brings a newcomer that has no other. Edges
// join newcomers to nodes of the graph, or to each other: newcomers joined by paths belong in one call. Weights are one an
// edge, nil meaning 1. For columns of roles edges lead from U to V. An edge given twice counts once, with the larger weight,
// and self loops are dropped.
//
// With z₀ = xVᵀ, V the directions of the model, and the degrees of old nodes as they were, hop k+1 of a new node v is
//
//	zₖ₊₁(v) = Σᵤ a_vu / √(d̂_v·d̂_u) · zₖ(u) + zₖ(v)/d̂_v,
//
// the sum over its neighbours, old (from [Freeze]) and new, and its embedding is the scaled Σₖ aₖzₖ(v). [coles.Model.Embed] on
// the grown graph also lets a new node change its neighbours' degrees, and come back to itself through them. The difference is
// of the order of 1/degree of the neighbours.
//
// A node with t neighbours costs d·d′ + K·t·d′ multiplications: microseconds.
//
// Errors: [coles.ErrUnplaced] if newcomers have no features and no edge leads to the graph; if some do, a newcomer without a
// path to it has zeros. [coles.ErrShape], [coles.ErrIndex], also for an edge between two old nodes, [coles.ErrNotFinite] also
// for overflow, [coles.ErrNegative], and ctx's.
func (f *Frozen) Embed(ctx context.Context, x mat.Matrix, edges []coles.Edge, weights []float64) (*mat.Dense, error) {
	if f == nil || len(f.parts) == 0 {
		panic("live: a Frozen that is nil or zero; Freeze makes one")
	}
	raw, count, err := f.newcomers(ctx, x, edges)
	if err != nil {
		return nil, err
	}
	var y kernel.Matrix[float64]
	for k, p := range f.parts {
		if k > 0 {
			raw = nil
		}
		z, err := p.embed(ctx, raw, count, edges, weights, k == 0)
		if k == 0 {
			y = z
		} else if err == nil {
			y, err = linear.Beside(ctx, y, z, p.Share)
		}
		if err != nil {
			return nil, err
		}
	}
	return matrix.ToFiniteDense(ctx, "the embedding", y)
}

// newcomers are the features and the number of new nodes. The edges give the number if the model has no features.
func (f *Frozen) newcomers(ctx context.Context, x mat.Matrix, edges []coles.Edge) (raw *matrix.Source, count int, err error) {
	switch made := f.parts[0].known != nil; {
	case made && x != nil:
		return nil, 0, errFeatures
	case made:
		count, err = newcomers(f.Nodes(), edges)
		return nil, count, err
	}
	if raw, err = matrix.Read(ctx, x); err != nil {
		return nil, 0, fmt.Errorf("live: features: %w", err)
	}
	return raw, raw.Rows(), nil
}

// embed is the columns of count new nodes. They have features or, for nil, the structure makes them. For the first part one
// edge at least leads to the graph.
func (f *frozenPart) embed(ctx context.Context, raw *matrix.Source, count int, edges []coles.Edge, weights []float64, first bool) (y kernel.Matrix[float64], err error) {
	n, nodes := len(f.scale), count
	if f.Roles {
		count *= 2
		edges, weights = arcs(edges, weights)
	}
	joins, err := f.joins(count, edges, weights)
	if err != nil {
		return y, err
	}
	if raw == nil {
		if first && !slices.ContainsFunc(joins, func(row []join) bool { return row[0].node < n }) {
			return y, fmt.Errorf("live: embed: %w: no edge leads from a newcomer to a node of the graph; add one, or fit the graph anew", coles.ErrUnplaced)
		}
		if raw, err = f.encode(ctx, joins); err != nil {
			return y, err
		}
	}
	prepared, err := prepareDouble(ctx, f.Preparer, raw)
	if err == nil {
		err = f.normalize(joins)
	}
	if err != nil {
		return y, err
	}
	if f.v.Rows == 0 {
		return kernel.Dense[float64](nodes, 0), ctx.Err()
	}
	z, err := f.projected(ctx, prepared)
	if err != nil {
		return y, err
	}
	sum, next := kernel.Dense[float64](z.Rows, z.Cols), kernel.Dense[float64](z.Rows, z.Cols)
	for k, a := range f.coef {
		matrix.AddScaled(sum.Data, a, z.Data)
		if k == len(f.coef)-1 {
			break
		}
		for v, to := range joins {
			if err := ctx.Err(); err != nil {
				return y, err
			}
			f.hop(next.Row(v), k, to, z)
		}
		z, next = next, z
	}
	if err := matrix.ScaleColumns(ctx, sum, f.Scaling.Factors); err != nil || !f.Roles {
		return sum, err
	}
	return linear.Folded(ctx, sum)
}

// arcs are edges and weights of the double cover, without loops.
func arcs(edges []coles.Edge, weights []float64) (cover []coles.Edge, kept []float64) {
	for q, e := range edges {
		if e.U != e.V {
			cover = append(cover, coles.Edge{U: 2 * e.U, V: 2*e.V + 1})
			if weights != nil {
				kept = append(kept, weights[q])
			}
		}
	}
	return cover, kept
}

// encode makes the features of new nodes by their rows of A + I. Nodes without an edge to a node of the structure get zeros.
func (f *frozenPart) encode(ctx context.Context, joins [][]join) (*matrix.Source, error) {
	made := kernel.Dense[float64](len(joins), f.columns)
	for v, row := range joins {
		e := placed{known: f.known}
		for _, j := range row {
			e.add(j.node, j.weight)
		}
		if err := e.encode(ctx, f.Structure(), made.Row(v)); err != nil {
			return nil, fmt.Errorf("live: embed: new node %d: %w", len(f.scale)+v, err)
		}
	}
	return matrix.Read(ctx, matrix.ToDense(made))
}

// projected is XVᵀ.
func (f *frozenPart) projected(ctx context.Context, x *matrix.Matrix[float64]) (kernel.Matrix[float64], error) {
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
func (f *frozenPart) joins(count int, edges []coles.Edge, weights []float64) ([][]join, error) {
	n := len(f.scale)
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
		w = linear.Weight(w, f.WeightUnit)
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
func (f *frozenPart) normalize(rows [][]join) error {
	n := len(f.scale)
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
func (f *frozenPart) hop(to []float64, k int, row []join, z kernel.Matrix[float64]) {
	clear(to)
	for _, j := range row {
		if at := j.node - len(f.scale); at >= 0 {
			matrix.AddScaled(to, j.weight, z.Row(at))
			continue
		}
		for q, v := range f.hops[k].Row(j.node) {
			to[q] += j.weight * float64(v)
		}
	}
}
