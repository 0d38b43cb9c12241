package gnn

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"coles"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/internal/inside"
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
	if r.Sampler.Some() {
		r.views = []*custom.View{{}}
		return r.eachSample(ctx, epoch, do)
	}
	if r.BatchSize == 0 || r.BatchSize >= g.Nodes() && r.labels.classes == 0 {
		if err := r.augment(ctx, epoch); err != nil {
			return err
		}
		return do(0, r.fullBatch(epoch))
	}
	r.views = []*custom.View{{}}
	rnd := newRand(r.seedOf(drawBlocks, epoch, 0))
	if r.labels.classes > 0 {
		return r.eachLabelled(ctx, rnd, do)
	}
	for step, block := range blocks(inside.Adjacency(g), r.BatchSize, rnd) {
		part, err := induced(ctx, inside.Adjacency(g), block)
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
		b := &batch[T]{labels: targets{rows: matrix.UpTo(len(part))}}
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
	if r.views != nil && (a.once || !a.Some()) {
		return nil
	}
	r.views, r.seen = []*custom.View{{}}, map[*custom.View]*view[T]{}
	if !a.Some() {
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

// induced is the graph of a block: its nodes and the edges among them.
func induced(ctx context.Context, a *kernel.CSR[float64], block []int) (*coles.Graph, error) {
	part, err := matrix.Induced(ctx, a, block)
	if err != nil {
		return nil, err
	}
	return inside.FromRows(part.Ptr, part.Col, part.Val)
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

// eachSample calls do with the samples of an epoch.
func (r *run[T]) eachSample(ctx context.Context, epoch int, do func(step int, b *batch[T]) error) error {
	if r.samples == nil {
		if err := r.startSampler(ctx); err != nil {
			return fmt.Errorf("gnn: sampler: %w", err)
		}
	}
	step := 0
	for s, err := range r.samples(ctx, epoch) {
		if err == nil {
			err = r.checkSample(s)
		}
		if err != nil {
			return fmt.Errorf("gnn: sampler: %w", err)
		}
		b, err := r.sampled(ctx, s)
		if err != nil {
			return err
		}
		b.seed = r.seedOf(drawNegatives, epoch, step)
		if err := do(step, b); err != nil {
			return err
		}
		step++
	}
	if step == 0 && ctx.Err() == nil {
		return bad("Sampler", r.Sampler, "one that draws something")
	}
	return ctx.Err()
}

// startSampler has the sampler make itself ready for the nodes that are trained on.
func (r *run[T]) startSampler(ctx context.Context) (err error) {
	rows := matrix.UpTo(r.data.graph.Nodes())
	if r.labels.classes > 0 {
		r.classes = slices.Repeat([]int{-1}, len(rows))
		for k, i := range r.labels.train.rows {
			r.classes[i] = r.labels.train.classes[k]
		}
		rows = slices.DeleteFunc(rows, func(i int) bool { return r.classes[i] < 0 })
	}
	r.samples, err = r.Sampler.Start(ctx, r.data.graph, rows, r.seedOf(drawSamples, 0, 0))
	return err
}

// checkSample refuses a sample that does not fit the network or the graph.
func (r *run[T]) checkSample(s *custom.Sample) error {
	layers := r.Network.hops() // of one hop each
	if len(s.Levels) != layers+1 || len(s.Factors) != layers {
		return fmt.Errorf("%w: %d levels and factors of %d layers for %d layers that look at the graph",
			coles.ErrShape, len(s.Levels), len(s.Factors), layers)
	}
	n := r.data.graph.Nodes()
	for k, level := range s.Levels {
		if len(level) == 0 {
			return fmt.Errorf("%w: no node on level %d", coles.ErrShape, k)
		}
		if low, high := slices.Min(level), slices.Max(level); low < 0 || high >= n {
			return fmt.Errorf("%w: nodes from %d to %d of %d on level %d", coles.ErrIndex, low, high, n, k)
		}
	}
	for k, f := range s.Factors {
		if f.Rows != len(s.Levels[k+1]) || f.Cols != len(s.Levels[k]) {
			return fmt.Errorf("%w: factors %d × %d from %d nodes to %d", coles.ErrShape, f.Rows, f.Cols, len(s.Levels[k]), len(s.Levels[k+1]))
		}
	}
	if out := s.Levels[layers]; s.Weights != nil && len(s.Weights) != len(out) {
		return fmt.Errorf("%w: %d weights of %d rows", coles.ErrShape, len(s.Weights), len(out))
	}
	return nil
}

// sampled is the batch of a sample.
func (r *run[T]) sampled(ctx context.Context, s *custom.Sample) (*batch[T], error) {
	x, err := r.data.whole.x.Gather(ctx, s.Levels[0])
	if err != nil {
		return nil, err
	}
	v := newView(r.data.graph, newFeatures(x), nil)
	v.whole, v.sample = r.data.whole, s
	b := &batch[T]{view: v, block: s.Levels[len(s.Levels)-1]}
	if r.labels.classes == 0 {
		return b, nil
	}
	for k, i := range b.block {
		if c := r.classes[i]; c >= 0 {
			b.labels.rows, b.labels.classes = append(b.labels.rows, k), append(b.labels.classes, c)
			if s.Weights != nil {
				b.weights = append(b.weights, s.Weights[k])
			}
		}
	}
	return b, nil
}
