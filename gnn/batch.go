package gnn

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"coles"
	"coles/gnn/autodiff"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/stream"
)

// A batch is the nodes of one step, and what objectives have asked about them.
type batch[T autodiff.Float] struct {
	graph    *coles.Graph // nil in a block of labelled nodes until it is asked for
	block    []int        // these nodes; nil for all
	view     *view[T]
	labels   targets   // of a classifier
	weights  []float64 // of the losses of these labels; nil for their mean
	seed     uint64    // of negatives
	contrast autodiff.SymmetricOperator[T]
	us, vs   []int
	shares   autodiff.Matrix[T]
}

// nodes is how many there are.
func (b *batch[T]) nodes() int {
	if b.block != nil {
		return len(b.block)
	}
	return b.graph.Nodes()
}

// Draws of one training that must not be alike have numbers of their own.
const (
	drawWeights = iota
	drawNegatives
	drawViews
	drawDropout
	drawBlocks
	drawSamples
)

// seedOf is the seed of one kind of draws in one step.
func (r *run[T]) seedOf(kind, epoch, step int) uint64 {
	return stream.Seed(stream.Seed(stream.Seed(r.Seed, uint64(kind)), uint64(epoch)), uint64(step))
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// eachBatch calls do with the batches of an epoch in their order.
func (r *run[T]) eachBatch(ctx context.Context, epoch int, do func(step int, b *batch[T]) error) error {
	g := r.data.graph
	if r.Sampler.some() {
		r.views = []*View{{}}
		return r.eachSample(ctx, epoch, do)
	}
	if r.BatchSize == 0 || r.BatchSize >= g.Nodes() && r.labels.classes == 0 {
		if err := r.augment(ctx, epoch); err != nil {
			return err
		}
		return do(0, r.fullBatch(epoch))
	}
	r.views = []*View{{}}
	rnd := newRand(r.seedOf(drawBlocks, epoch, 0))
	if r.labels.classes > 0 {
		return r.eachLabelled(ctx, rnd, do)
	}
	for step, block := range blocks(g.Raw(), r.BatchSize, rnd) {
		part, err := induced(ctx, g.Raw(), block)
		if err != nil {
			return err
		}
		v, err := r.data.surroundings(ctx, block, r.Network.hops())
		if err != nil {
			return err
		}
		if err := do(step, &batch[T]{graph: part, block: block, view: v, seed: r.seedOf(drawNegatives, epoch, step)}); err != nil {
			return err
		}
	}
	return nil
}

// eachLabelled calls do with blocks of the labelled nodes, drawn one by one: it is their labels that
// a step is about, not the edges among them.
func (r *run[T]) eachLabelled(ctx context.Context, rnd *rand.Rand, do func(step int, b *batch[T]) error) error {
	train := r.labels.train
	order := rnd.Perm(len(train.rows))
	for step, part := range parts(order, r.BatchSize) {
		b := &batch[T]{labels: targets{rows: upTo(len(part))}}
		for _, k := range part {
			b.block, b.labels.classes = append(b.block, train.rows[k]), append(b.labels.classes, train.classes[k])
		}
		var err error
		if b.view, err = r.data.surroundings(ctx, b.block, r.Network.hops()); err != nil {
			return err
		}
		if err := do(step, b); err != nil {
			return err
		}
	}
	return nil
}

// parts cuts a list into the fewest parts of at most a given size, all of nearly one size.
func parts(order []int, size int) [][]int {
	n := len(order)
	parts := make([][]int, parallel.Pieces(n, size))
	for k := range parts {
		parts[k] = order[k*n/len(parts) : (k+1)*n/len(parts)]
	}
	return parts
}

// fullBatch is all nodes. What does not change from epoch to epoch is kept: negatives that are not
// fresh are drawn for epoch 0.
func (r *run[T]) fullBatch(epoch int) *batch[T] {
	if !r.FreshNegatives {
		epoch = 0
	}
	if r.whole == nil || r.FreshNegatives {
		r.whole = &batch[T]{graph: r.data.graph, view: r.data.whole, labels: r.labels.train, seed: r.seedOf(drawNegatives, epoch, 0)}
	}
	return r.whole
}

// augment draws the views of an epoch, or the views of all epochs.
func (r *run[T]) augment(ctx context.Context, epoch int) error {
	a := r.Augmentation
	if r.views != nil && (a.once || !a.some()) {
		return nil
	}
	r.views, r.seen = []*View{{}}, map[*View]*view[T]{}
	if !a.some() {
		return nil
	}
	if a.once {
		epoch = 0
	}
	views, err := a.views(ctx, r.data.graph, r.data.source, newRand(r.seedOf(drawViews, epoch, 0)))
	if err != nil {
		return fmt.Errorf("gnn: augmentation: %w", err)
	}
	if len(views) == 0 {
		return bad("Augmentation", a, "one that makes views")
	}
	r.views = views
	return ctx.Err()
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
	return parts(order, size)
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
	v.whole, v.nodes, v.rows = d.whole, nodes, upTo(len(block))
	return v, nil
}

// induced is the graph of a block: its nodes and the edges among them.
func induced(ctx context.Context, a *kernel.CSR[float64], block []int) (*coles.Graph, error) {
	part, err := matrix.Induced(ctx, a, block)
	if err != nil {
		return nil, err
	}
	edges, weights := edgesOf(part)
	return coles.NewWeightedGraph(len(block), edges, weights)
}

// edgesOf lists the entries above the diagonal.
func edgesOf(a *kernel.CSR[float64]) (edges []coles.Edge, weights []float64) {
	for u := range a.Rows {
		cols, vals := a.Row(u)
		for q, v := range cols {
			if u < int(v) {
				edges, weights = append(edges, coles.Edge{U: u, V: int(v)}), append(weights, vals[q])
			}
		}
	}
	return edges, weights
}
