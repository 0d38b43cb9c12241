package gnn

import (
	"context"
	"fmt"
	"math"

	"coles"
	"coles/internal/kernel"
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

// negativeSeed is the one of the negatives: fixed ones are those of epoch 0.
func (r *run[T]) negativeSeed(epoch, step int) uint64 {
	if !r.FreshNegatives {
		epoch = 0
	}
	return r.seedOf(drawNegatives, epoch, step)
}

// eachBatch calls do with the batches of an epoch in their order.
func (r *run[T]) eachBatch(ctx context.Context, epoch int, do func(step int, b *batch[T]) error) error {
	if r.BatchSize == 0 || r.BatchSize >= r.data.graph.Nodes() {
		b, err := r.fullBatch(ctx, epoch)
		if err != nil {
			return err
		}
		return do(0, b)
	}
	rnd := newRand(r.seedOf(drawBlocks, epoch, 0))
	a := r.data.graph.CSR()
	for step, block := range blocks(a, r.BatchSize, rnd) {
		g, err := induced(ctx, a, block)
		if err != nil {
			return err
		}
		b := &batch[T]{n: len(block), views: []*view[T]{r.data.surroundings(block, r.Network.hops())}}
		if err := r.pairs(ctx, b, g, r.seedOf(drawNegatives, epoch, step)); err != nil {
			return err
		}
		if err := do(step, b); err != nil {
			return err
		}
	}
	return nil
}

// fullBatch is all nodes. What does not change from epoch to epoch is kept.
func (r *run[T]) fullBatch(ctx context.Context, epoch int) (*batch[T], error) {
	b := r.whole
	if b == nil || r.FreshNegatives {
		b = &batch[T]{n: r.data.graph.Nodes()}
		if err := r.pairs(ctx, b, r.data.graph, r.negativeSeed(epoch, 0)); err != nil {
			return nil, err
		}
		r.whole = b
	}
	var err error
	b.views, err = r.data.views(ctx, r.Settings, newRand(r.seedOf(drawViews, epoch, 0)))
	return b, err
}

// pairs gives a batch the positive and negative pairs of its graph: as ΔW, or the
// edges and a seed for the nodes beside them.
func (r *run[T]) pairs(ctx context.Context, b *batch[T], g *coles.Graph, seed uint64) error {
	b.seed = seed
	switch {
	case r.Objective.contrasts():
		dw, err := coles.Contrast(ctx, g, r.Negatives, coles.WithKappa(r.Kappa), coles.WithEta(r.Eta), coles.WithSeed(seed))
		if err != nil {
			return err
		}
		b.contrast = contrastOf[T](dw)
	case r.Objective.kind != classObjective:
		edges, weights := edgesOf(coles.Normalize(g, coles.NoSelfLoops).CSR())
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
