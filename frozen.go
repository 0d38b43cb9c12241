package coles

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"coles/internal/kernel"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// A Frozen graph embeds nodes that join it without a change to any of its own: they hear
// of the others, the others do not hear of them. It is immutable and safe for use by
// many goroutines.
type Frozen struct {
	model *Model
	// hops are WᵏXPᵀ for k = 0 … K−1, n × d′.
	hops  []kernel.Matrix[float32]
	scale []float64 // 1/√(degree + self loop + 1) of every node
}

// Freeze computes what every hop of the filter brings to the nodes of a graph with features x
// (n × d), projected by P. It takes the time of [Model.Embed] and keeps
// (4·K·d′ + 8)·n bytes.
//
// Errors: [ErrTransductive] for a model without features; [ErrPrecision] for features
// beyond the range of float32, in which the hops are kept; those of [Model.Embed].
func (m *Model) Freeze(ctx context.Context, g *Graph, x mat.Matrix) (*Frozen, error) {
	if m == nil || m.ids == nil {
		return nil, fmt.Errorf("coles: freeze: %w: neither Fit nor ReadModel made the model", ErrEmpty)
	}
	if m.prepare == nil {
		return nil, fmt.Errorf("coles: freeze: %w", ErrTransductive)
	}
	if err := g.check(); err != nil {
		return nil, err
	}
	raw, err := readFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	if raw.rows() != g.Nodes() {
		return nil, fmt.Errorf("coles: freeze: %w: %d feature rows for %d nodes", ErrShape, raw.rows(), g.Nodes())
	}
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	s, err := prepared[float32](ctx, m.prepare, raw)
	if err != nil {
		return nil, err
	}
	f := &Frozen{model: m, scale: g.loopedDegrees()}
	for i, d := range f.scale {
		f.scale[i] = 1 / math.Sqrt(d)
	}
	if m.projection.P.IsEmpty() {
		return f, nil
	}
	v, err := transposedAs[float32](ctx, m.projection.P)
	if err != nil {
		return nil, err
	}
	norm, err := normalize(ctx, g, SelfLoops)
	if err != nil {
		return nil, err
	}
	w := csrOf[float32](norm.m)
	for k := range m.settings.Filter.Hops() {
		hop := kernel.Unset[float32](g.Nodes(), v.Cols)
		if k == 0 {
			err = s.times(ctx, hop, v)
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

// Nodes is the number of nodes of the frozen graph; 0 for a nil or zero Frozen.
func (f *Frozen) Nodes() int {
	if f == nil {
		return 0
	}
	return len(f.scale)
}

// Embed returns the embeddings (k × d′) of nodes that join the frozen graph, with
// features x (k × d) and the numbers n … n+k−1. Edges join them to nodes of the graph, or
// to each other; weights are one an edge, nil meaning 1. As in a [Graph] an edge
// given twice counts once, with the larger weight, and self loops are dropped.
//
// With z₀ = xPᵀ and the degrees of old nodes as they were, hop k+1 of a new node v is
//
//	zₖ₊₁(v) = Σᵤ a_vu / √(d̂_v·d̂_u) · zₖ(u) + zₖ(v)/d̂_v,
//
// the sum over its neighbours, old (from [Model.Freeze]) and new, and its embedding is the
// scaled Σₖ aₖzₖ(v). [Model.Embed] on the grown graph also lets a new node change the
// degrees of its neighbours and come back to itself through them; the difference is of the
// order of one over their degrees.
//
// A node with t neighbours costs d·d′ + K·t·d′ multiplications: microseconds.
//
// Errors: [ErrShape], [ErrIndex], also for an edge between two old nodes, [ErrNotFinite]
// also where an embedding overflows, [ErrNegativeWeight], [ErrPreparation], and ctx's.
func (f *Frozen) Embed(ctx context.Context, x mat.Matrix, edges []Edge, weights []float64) (*mat.Dense, error) {
	if f == nil || f.model == nil {
		return nil, fmt.Errorf("coles: embed: %w: Model.Freeze did not make it", ErrEmpty)
	}
	raw, err := readFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	if raw.cols() != f.model.report.Features {
		return nil, fmt.Errorf("coles: embed: %w: %d features for a model of %d", ErrShape, raw.cols(), f.model.report.Features)
	}
	joins, err := f.joins(raw.rows(), edges, weights)
	if err != nil {
		return nil, err
	}
	s, err := prepared[float64](ctx, f.model.prepare, raw)
	if err != nil {
		return nil, err
	}
	if f.model.projection.P.IsEmpty() {
		return &mat.Dense{}, ctx.Err()
	}
	z, err := f.projected(ctx, s)
	if err != nil {
		return nil, err
	}
	coef := f.model.settings.Filter.coef
	sum, next := kernel.Dense[float64](z.Rows, z.Cols), kernel.Dense[float64](z.Rows, z.Cols)
	for k, a := range coef {
		addScaled(sum.Data, a, z.Data)
		if k == len(coef)-1 {
			break
		}
		for v, to := range joins {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			f.hop(next.Data[v*z.Cols:][:z.Cols], k, to, z)
		}
		z, next = next, z
	}
	if err := scale(ctx, sum, f.model.scaling.Factors); err != nil {
		return nil, err
	}
	return finiteDense(ctx, "the embedding", sum)
}

// projected is XPᵀ.
func (f *Frozen) projected(ctx context.Context, x *signal[float64]) (kernel.Matrix[float64], error) {
	p := kernel.Matrix[float64](f.model.projection.P.RawMatrix())
	if x.sparse == nil {
		z := kernel.Dense[float64](x.rows(), p.Rows)
		return z, kernel.Gemm(ctx, false, true, 1, x.dense, p, 0, z)
	}
	z := kernel.Dense[float64](x.rows(), p.Rows)
	for i := range x.rows() {
		cols, vals := x.sparse.Row(i)
		for j := range p.Rows {
			row := p.Data[j*p.Stride:]
			for q, c := range cols {
				z.Data[i*z.Stride+j] += vals[q] * row[c]
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

// joins are the rows of W of count new nodes, each ascending.
func (f *Frozen) joins(count int, edges []Edge, weights []float64) ([][]join, error) {
	if weights != nil && len(weights) != len(edges) {
		return nil, fmt.Errorf("coles: embed: %w: %d weights for %d edges", ErrShape, len(weights), len(edges))
	}
	n := f.Nodes()
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
		if e.U < 0 || e.V < 0 || e.U >= n+count || e.V >= n+count || e.U < n && e.V < n {
			return nil, fmt.Errorf("coles: embed: %w: edge %d joins %d and %d, want one of the new nodes %d to %d and any other", ErrIndex, q, e.U, e.V, n, n+count-1)
		}
		w := 1.0
		if weights != nil {
			w = weights[q]
		}
		if err := checkWeight(w, e.U, e.V); err != nil {
			return nil, err
		}
		if e.U != e.V && w > 0 {
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
	return rows, f.normalize(rows)
}

// normalize divides every weight by the roots of both degrees.
func (f *Frozen) normalize(rows [][]join) error {
	n := f.Nodes()
	fresh := make([]float64, len(rows))
	for v, row := range rows {
		degree := 0.0
		for _, j := range row {
			degree += j.weight
		}
		if math.IsInf(degree, 0) {
			return fmt.Errorf("coles: embed: %w: the weights of new node %d add up to infinity", ErrNotFinite, v)
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
			addScaled(to, j.weight, z.Data[at*z.Stride:][:z.Cols])
			continue
		}
		old := f.hops[k]
		for q, v := range old.Data[j.node*old.Stride:][:old.Cols] {
			to[q] += j.weight * float64(v)
		}
	}
}
