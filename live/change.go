package live

import (
	"context"
	"fmt"
	"math"
	"slices"

	"coles"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/table"

	"gonum.org/v1/gonum/mat"
)

// A Change adds nodes, edges or both to a graph.
type Change struct {
	// Features of the new nodes, k × d; nil for none. The new nodes get the numbers n … n+k−1. Without features k is the
	// number of names. Where nodes are only numbered it follows from the edges: an edge to itself brings a node that has no
	// other yet.
	Features mat.Matrix
	// Rows are cells in the place of Features, a row for each new node, if the graph keeps cells: see [Graph.KeepCells]. Their
	// ids are not read.
	Rows *table.Table
	// Edges join any nodes, old or new. An edge that is there already takes the larger weight, as by [coles.WithRepeats]
	// "max", while [coles.NewGraph] adds up: an edge told twice changes nothing. Self loops are dropped unless the graph keeps
	// them ([coles.WithSelfLoopsKept]).
	Edges []coles.Edge
	// Weights are one an edge; nil means 1.
	Weights []float64
	// IDs name the new nodes, where the nodes of the graph have names.
	IDs []string
}

// An Update reports the effect of a change.
type Update struct {
	// Moved are the nodes whose filtered features may have changed, ascending: new nodes and all within K hops of a change.
	// All other nodes keep their embedding.
	Moved []int
	// Renumbered are pairs of numbers, before and after, of nodes that took the places of removed nodes, in this order.
	Renumbered [][2]int
	// Whole is set if everything was computed again: so much was in reach, or so little was left of weights or features. Nodes
	// that have not moved then have the same vectors up to rounding.
	Whole bool
}

// wholeShare is the share of the nodes that, once moved, makes computing everything again cheaper
// than the difference: the latter multiplies twice as much for each row.
const wholeShare = 0.4

// fadedShare is the share of the largest weights and features at which all is computed again, if no more is left. Rounding by
// 10⁻¹⁶ of the largest ones would be seen.
const fadedShare = 1e-3

// Add takes in new nodes and edges and brings FX and M up to date. With U the ends of new edges and
// the new nodes, D the change of FX, and W and W⁺ of the grown graph,
//
//	D = Σₖ of Horner's steps δy ← aₖ·δX + W·δy + (ΔW)·y   on the k hops around U,
//	M ← M + (FX)ᵀ(δW⁺)(FX) + DᵀQ + QᵀD,  Q = W⁺(FX + D/2),
//
// so the cost grows with the rows within K hops of U: times d for each of their edges, and d² for each row. Where these rows
// are two fifths of all nodes everything is computed again. Many edges of one node cost as much as many single edges. With
// more than some thousand sparse features [coles.Fit], which does not form M, is faster where much is in reach.
//
// Every addition rounds, by some 10⁻¹⁶ of the largest (FX)ᵀW⁺(FX) there has been. That is as much of ‖M‖, unless the features
// have a large mean, which the negatives take out of M. On a graph of 2,000 nodes 10,000 additions have left 5·10⁻¹⁵ of ‖M‖
// without a mean, and 4·10⁻¹¹ with a mean of 1,000 deviations. That is some 20 times the difference of two ways to compute M
// from scratch. Where these differ by 10⁻⁸, as on a regular graph with such a mean, 10⁻⁷ was left. [Graph.Rebuild] every
// 10,000 additions, or features without a mean, keep an update within 10⁻⁹ of a refit, if a refit is so certain itself.
// Columns of the structure, in float32, stay within 10⁻⁶. An addition with [Update.Whole] begins afresh too.
//
// An error leaves everything as it was: [coles.ErrShape], [coles.ErrIndex], [coles.ErrNotFinite] also for overflow,
// [coles.ErrNegative], [coles.ErrIDs], [coles.ErrTooLarge], and ctx's; [coles.ErrUnplaced] if, without features, no edge would
// be left to a node that the model knows.
func (g *Graph) Add(ctx context.Context, what Change) (*Update, error) {
	defer g.alone()()
	if g.cells != nil && what.Features != nil {
		return nil, errCells
	}
	if what.Rows != nil {
		made, err := g.encodeRows(ctx, what.Rows)
		if err != nil {
			return nil, err
		}
		what.Features = made
	}
	x, count, hashes, err := g.check(ctx, what)
	if err != nil {
		return nil, err
	}
	n := len(g.adj.nodes)
	done, err := g.apply(ctx, func(ctx context.Context) ([]int32, error) {
		for _, p := range g.parts {
			p.grow(count, x, what.IDs)
		}
		return g.adj.join(ctx, count, what.Edges, what.Weights, false)
	})
	if err != nil {
		return nil, err
	}
	g.hashes = append(g.hashes, hashes...)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count = n + count
	if what.Rows != nil {
		for k := range count {
			g.cells.put(n+k, what.Rows, k)
		}
	}
	for k, id := range what.IDs {
		g.row[id] = n + k
		for _, p := range g.parts {
			delete(p.gone, id)
		}
	}
	g.ids = append(g.ids, what.IDs...)
	return done, nil
}

// apply makes a change, after which some nodes leave, and brings all up to date, or takes the change back.
func (g *Graph) apply(ctx context.Context, change func(context.Context) (touched []int32, err error), leaving ...int) (done *Update, err error) {
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	n := len(g.adj.nodes)
	for _, p := range g.parts {
		p.before = make(map[int32][]float64)
	}
	touched, err := change(ctx)
	for k, p := range g.parts {
		if err == nil && p.known != nil {
			err = p.encode(ctx, touched, n, leaving, k == 0)
		}
	}
	if err == nil {
		done, err = g.update(ctx, n, touched)
	}
	if err != nil {
		g.adj.rollback()
		for _, p := range g.parts {
			p.rollback(n)
		}
		g.resize(n)
		return nil, err
	}
	g.adj.commit()
	for _, p := range g.parts {
		p.before = nil
	}
	return done, nil
}

// resize gives FX a number of rows, new ones of zeros. Readers go on with what they have.
func (g *Graph) resize(n int) {
	for _, p := range g.parts {
		fx := p.resized(n)
		g.mu.Lock()
		p.fx = fx
		g.mu.Unlock()
	}
}

// check refuses a change that does not fit. It returns the prepared features, nil for none, the number of new nodes, and the
// hashes of their features.
func (g *Graph) check(ctx context.Context, what Change) (x *matrix.Matrix[float64], count int, hashes []uint64, err error) {
	n := len(g.adj.nodes)
	switch {
	case g.parts[0].known != nil && what.Features != nil:
		return nil, 0, nil, errFeatures
	case g.parts[0].known != nil:
		if count = len(what.IDs); g.row == nil {
			if count, err = newcomers(n, what.Edges); err != nil {
				return nil, 0, nil, err
			}
		}
	case what.Features != nil:
		raw, err := matrix.Read(ctx, what.Features)
		if err != nil {
			return nil, 0, nil, fmt.Errorf("live: features: %w", err)
		}
		if count = raw.Rows(); n+count > math.MaxInt32 {
			return nil, 0, nil, fmt.Errorf("live: %w: %d nodes and %d more", coles.ErrTooLarge, n, count)
		}
		if x, err = prepareDouble(ctx, g.parts[0].of.Preparer, raw); err != nil {
			return nil, 0, nil, err
		}
		if hashes, err = matrix.RowHashes(ctx, raw); err != nil {
			return nil, 0, nil, err
		}
	}
	for _, p := range g.parts {
		if err := matrix.CheckSize(n+count, p.x.Cols()); err != nil {
			return nil, 0, nil, fmt.Errorf("live: %w", err)
		}
	}
	if err := matrix.CheckPairs(n+count, what.Edges, what.Weights); err != nil {
		return nil, 0, nil, fmt.Errorf("live: %w", err)
	}
	return x, count, hashes, g.checkIDs(count, what.IDs)
}

// checkIDs demands one new name for each of count nodes, or none where nodes are only numbered.
func (g *Graph) checkIDs(count int, ids []string) error {
	if g.row == nil && len(ids) > 0 {
		return fmt.Errorf("live: %w: names for a graph whose nodes are only numbered", coles.ErrIDs)
	}
	if g.row != nil && len(ids) != count {
		return fmt.Errorf("live: %w: %d ids for %d new nodes", coles.ErrIDs, len(ids), count)
	}
	fresh := make(map[string]bool, count)
	for k, id := range ids {
		if _, taken := g.row[id]; taken || fresh[id] {
			return fmt.Errorf("live: %w: new node %d is called %q as another is", coles.ErrIDs, k, id)
		}
		fresh[id] = true
	}
	return nil
}

// update brings FX, M and (FX)ᵀv of every part up to date. n nodes have become more, and the rows of touched nodes have
// changed. Nothing is taken until all of it is computed and within range.
func (g *Graph) update(ctx context.Context, n int, touched []int32) (*Update, error) {
	if err := g.adj.finite(touched); err != nil {
		return nil, err
	}
	done, steps := &Update{Whole: !(g.adj.volume >= fadedShare*g.adj.peak)}, make([]step, len(g.parts))
	for k, p := range g.parts {
		hops, energy := len(p.fit.Filter)-1, p.energy[0]+p.gained(touched, n)
		near := g.adj.ballAround(slices.Clone(touched), max(hops, 1), p.places)
		defer near.release()
		steps[k].near, steps[k].energy = near, [2]float64{energy, max(energy, p.energy[1])}
		if moved := near.within(hops); moved > len(done.Moved) {
			done.Moved = make([]int, moved)
			for q, i := range near.nodes[:moved] {
				done.Moved[q] = int(i)
			}
		}
		if !(energy >= fadedShare*fadedShare*p.energy[1] && matrix.Finite(energy)) {
			done.Whole = true
		}
	}
	slices.Sort(done.Moved)
	if done.Whole = done.Whole || float64(len(done.Moved)) > wholeShare*float64(len(g.adj.nodes)); done.Whole {
		return done, g.rebuild(ctx)
	}
	g.resize(len(g.adj.nodes))
	for k, p := range g.parts {
		if err := p.follow(ctx, &steps[k], n); err != nil {
			return nil, err
		}
	}
	g.take(steps)
	return done, nil
}
