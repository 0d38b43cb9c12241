package gnn

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"coles"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/stream"
	"coles/internal/tape"
)

// A batch is the nodes of one step, n of them, and what the loss needs to know.
type batch[T kernel.Float] struct {
	n        int
	views    []*view[T]
	contrast tape.SymmetricOperator[T] // ΔW, for a loss that has one
	us, vs   []int                     // the ends of the edges, for a pairwise loss
	shares   kernel.Matrix[T]          // of each edge in Σ W⁺, a row
	seed     uint64                    // of what the loss draws
	targets  targets                   // of a classifier
}

// Draws of one training that must not be alike have numbers of their own.
const (
	drawWeights = iota
	drawNegatives
	drawViews
	drawDropout
	drawBlocks
)

// seedOf is the seed of one kind of draws in one step.
func (r *run[T]) seedOf(kind, epoch, step int) uint64 {
	return stream.Seed(stream.Seed(stream.Seed(r.Seed, uint64(kind)), uint64(epoch)), uint64(step))
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// eachBatch calls do with the batches of an epoch in their order.
func (r *run[T]) eachBatch(ctx context.Context, epoch int, do func(step int, b *batch[T]) error) error {
	g := r.data.graph
	if r.BatchSize == 0 || r.BatchSize >= g.Nodes() {
		b, err := r.fullBatch(ctx, epoch)
		if err != nil {
			return err
		}
		return do(0, b)
	}
	rnd := newRand(r.seedOf(drawBlocks, epoch, 0))
	for step, block := range blocks(g.Raw(), r.BatchSize, rnd) {
		part, err := induced(ctx, g.Raw(), block)
		if err != nil {
			return err
		}
		v, err := r.data.surroundings(ctx, block, r.Network.hops())
		if err != nil {
			return err
		}
		b := &batch[T]{n: len(block), views: []*view[T]{v}}
		if err := r.pairs(ctx, b, part, r.seedOf(drawNegatives, epoch, step)); err != nil {
			return err
		}
		if err := do(step, b); err != nil {
			return err
		}
	}
	return nil
}

// fullBatch is all nodes. What does not change from epoch to epoch is kept: negatives that are not
// fresh are those of epoch 0.
func (r *run[T]) fullBatch(ctx context.Context, epoch int) (*batch[T], error) {
	if r.whole == nil || r.FreshNegatives {
		drawn := 0
		if r.FreshNegatives {
			drawn = epoch
		}
		b := &batch[T]{n: r.data.graph.Nodes()}
		if err := r.pairs(ctx, b, r.data.graph, r.seedOf(drawNegatives, drawn, 0)); err != nil {
			return nil, err
		}
		r.whole = b
	}
	var err error
	r.whole.views, err = r.data.views(ctx, r.Settings, newRand(r.seedOf(drawViews, epoch, 0)))
	return r.whole, err
}

// pairs gives a batch the positive and negative pairs of its graph: as ΔW, or as the edges and a
// seed for the nodes that they are compared with.
func (r *run[T]) pairs(ctx context.Context, b *batch[T], g *coles.Graph, seed uint64) error {
	b.seed, b.targets = seed, r.labels.train
	switch {
	case r.Objective.kind == contrastive:
		dw, err := coles.Contrast(ctx, g, r.Negatives, r.Kappa, r.Eta, seed)
		if err != nil {
			return fmt.Errorf("gnn: %w", err)
		}
		b.contrast = contrastOf[T](dw)
	case r.Objective.pairwise():
		edges, weights := edgesOf(g.Positive().Raw())
		if r.Objective.negatives > math.MaxInt32/max(1, len(edges)) {
			return fmt.Errorf("gnn: objective: %w: %d negatives for each of %d edges", coles.ErrTooLarge, r.Objective.negatives, len(edges))
		}
		b.us, b.vs, b.shares = make([]int, len(edges)), make([]int, len(edges)), kernel.Dense[T](1, len(edges))
		total := 0.0
		for k, e := range edges {
			b.us[k], b.vs[k] = e.U, e.V
			total += weights[k]
		}
		for k, w := range weights {
			b.shares.Data[k] = T(w / total)
		}
	}
	return nil
}

// contrastOf is ΔW as the tape multiplies by it: all parts of it.
func contrastOf[T kernel.Float](dw *coles.DeltaW) tape.SymmetricOperator[T] {
	return matrix.ConvertOperator[T](dw.Raw()).Apply
}

// blocks shares the nodes out to blocks of at most size nodes that hold together: pieces of the
// order in which a breadth-first search from random nodes meets them. Nodes drawn one by one would
// have next to no edges among them.
func blocks(a *kernel.CSR[float64], size int, rnd *rand.Rand) [][]int {
	n := a.Rows
	order := make([]int, 0, n)
	seen := make([]bool, n)
	for _, root := range rnd.Perm(n) {
		if seen[root] {
			continue
		}
		seen[root] = true
		order = append(order, root)
		for head := len(order) - 1; head < len(order); head++ {
			first := len(order)
			cols, _ := a.Row(order[head])
			for _, v := range cols {
				if !seen[v] {
					seen[v] = true
					order = append(order, int(v))
				}
			}
			next := order[first:]
			rnd.Shuffle(len(next), func(i, j int) { next[i], next[j] = next[j], next[i] })
		}
	}
	parts := make([][]int, (n+size-1)/size)
	for k := range parts {
		parts[k] = order[k*n/len(parts) : (k+1)*n/len(parts)]
	}
	return parts
}

// surroundings is the view of a block: its nodes first, then those up to so many hops away, which
// their output depends on. W keeps the degrees of the whole graph, so the output is what the whole
// graph would give.
func (d *data[T]) surroundings(ctx context.Context, block []int, hops int) (*view[T], error) {
	nodes, place := slices.Clone(block), places(block)
	ring := nodes
	for range hops {
		first := len(nodes)
		for _, i := range ring {
			cols, _ := d.w.Row(i)
			for _, j := range cols {
				if _, ok := place[int(j)]; !ok {
					place[int(j)] = len(nodes)
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
	v := &view[T]{x: newFeatures(x), w: tape.NewSparse(restricted(d.w, nodes, place), true), rows: make([]int, len(block))}
	for k := range v.rows {
		v.rows[k] = k
	}
	if d.means != nil {
		v.means = tape.NewSparse(restricted(d.means, nodes, place), false)
	}
	return v, nil
}

// places is where each of some nodes stands among them.
func places(nodes []int) map[int]int {
	place := make(map[int]int, 4*len(nodes))
	for k, i := range nodes {
		place[i] = k
	}
	return place
}

// restricted is the rows and columns of some nodes, which are now numbered by place.
func restricted[T kernel.Float](a *kernel.CSR[T], nodes []int, place map[int]int) *kernel.CSR[T] {
	r := &kernel.CSR[T]{Rows: len(nodes), Cols: len(nodes), Ptr: make([]int64, 1, len(nodes)+1)}
	for _, i := range nodes {
		cols, vals := a.Row(i)
		for q, j := range cols {
			if k, ok := place[int(j)]; ok {
				r.Col, r.Val = append(r.Col, int32(k)), append(r.Val, vals[q])
			}
		}
		r.Ptr = append(r.Ptr, int64(len(r.Col)))
	}
	// The new numbers of a row are in no order.
	return r.Transpose().Transpose()
}

// induced is the graph of a block: its nodes and the edges among them.
func induced(ctx context.Context, a *kernel.CSR[float64], block []int) (*coles.Graph, error) {
	place := places(block)
	var edges []coles.Edge
	var weights []float64
	for k, i := range block {
		cols, vals := a.Row(i)
		for q, j := range cols {
			if l, ok := place[int(j)]; ok && k < l {
				edges, weights = append(edges, coles.Edge{U: k, V: l}), append(weights, vals[q])
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return coles.NewWeightedGraph(len(block), edges, weights)
}
