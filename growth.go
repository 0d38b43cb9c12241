package coles

import (
	"context"
	"fmt"
	"math"
	"slices"

	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// A Growth is what is new in a graph: nodes, edges, or both.
type Growth struct {
	// Features are those of the new nodes, k × d; nil for none. The new nodes
	// get the numbers n … n+k−1.
	Features mat.Matrix
	// Edges join any nodes, old or new. As in a [Graph], one that is there already
	// takes the larger weight, and self loops are dropped unless it keeps them ([WithSelfLoopsKept]).
	Edges []Edge
	// Weights are one an edge; nil means 1.
	Weights []float64
	// IDs name the new nodes, where the nodes of the graph have names.
	IDs []string
}

// A Grown tells what an addition has changed.
type Grown struct {
	// Moved are the nodes whose filtered features may have changed, ascending: the new ones and
	// those within K hops of a new edge or node. All others have the embedding that they had.
	Moved []int
	// Whole says that so much was in reach that everything was computed again.
	Whole bool
}

// wholeShare is the share of the nodes that, once moved, makes computing everything
// again cheaper than the difference: the latter multiplies twice as much for each row.
const wholeShare = 0.4

// Add takes in new nodes and edges and brings FX and M up to date. With U the
// ends of new edges and the new nodes, D the change of FX, and W and W⁺ those of
// the grown graph,
//
//	D = Σₖ of Horner's steps δy ← aₖ·δX + W·δy + (ΔW)·y   on the k hops around U,
//	M ← M + (FX)ᵀ(δW⁺)(FX) + DᵀQ + QᵀD,  Q = (W⁺ + c·I)(FX + D/2),
//
// so the cost is that of the rows within K hops of U, times d for each of their edges
// and d² for each of them; where these are two fifths of all nodes everything is computed
// again. Many edges of one node cost as many single ones. With more than some thousand sparse
// features [Fit], which does not form M, is faster than this where much is in reach.
//
// Every addition rounds, by some 10⁻¹⁶ of the largest (FX)ᵀW⁺(FX) there has been. That is as
// much of ‖M‖, unless the features have a large mean, which is in the former and taken
// out of M by the negatives. On a graph of 2,000 nodes 10,000 additions have left 5·10⁻¹⁵ of
// ‖M‖ without a mean, and 4·10⁻¹¹ with one of 1,000 deviations: some 20 times what two ways of
// computing M from scratch differ by. Where these alone differ by 10⁻⁸, as on a regular graph with
// such a mean, 10⁻⁷ was left. [Growing.Rebuild] every 10,000 additions, or features without a
// mean, keep an update within 10⁻⁹ of a refit wherever a refit is so certain itself; an
// addition with [Grown.Whole] begins afresh too.
//
// An error leaves everything as it was: [ErrShape], [ErrIndex], [ErrNotFinite] also for
// what overflows, [ErrNegativeWeight], [ErrIDs], [ErrPreparation], [ErrTooLarge], and ctx's.
func (r *Growing) Add(ctx context.Context, what Growth) (*Grown, error) {
	if err := checkContext(ctx); err != nil {
		return nil, err
	}
	if err := r.made(); err != nil {
		return nil, err
	}
	x, raw, err := r.check(ctx, what)
	if err != nil {
		return nil, err
	}
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	n, count := r.Nodes(), 0
	if x != nil {
		count = x.rows()
		r.x.append(x)
	}
	for len(r.place) < n+count {
		r.place = append(r.place, -1)
	}
	touched, err := r.net.add(ctx, count, what.Edges, what.Weights)
	var grown *Grown
	if err == nil {
		grown, err = r.update(ctx, n, touched)
	}
	if err != nil {
		r.net.takeBack()
		r.x.truncate(n)
		r.fx = r.fx[:n*r.x.cols]
		r.place = r.place[:n]
		return nil, err
	}
	r.net.keep()
	r.ids.add(what.IDs)
	r.raw = append(r.raw, raw...)
	return grown, nil
}

// check refuses what does not fit and prepares the features, nil for none. It also
// returns the hashes of their rows.
func (r *Growing) check(ctx context.Context, what Growth) (x *signal[float64], hashes []uint64, err error) {
	n, count := r.Nodes(), 0
	if what.Features != nil {
		raw, err := readFeatures(ctx, what.Features)
		if err != nil {
			return nil, nil, err
		}
		if raw.cols() != r.x.cols {
			return nil, nil, fmt.Errorf("coles: grow: %w: %d features for a model of %d", ErrShape, raw.cols(), r.x.cols)
		}
		count = raw.rows()
		if n+count > math.MaxInt32 {
			return nil, nil, fmt.Errorf("coles: grow: %w: %d nodes and %d more", ErrTooLarge, n, count)
		}
		if err := checkPanel(n+count, raw.cols()); err != nil {
			return nil, nil, err
		}
		if x, err = prepared[float64](ctx, r.model.prepare, raw); err != nil {
			return nil, nil, err
		}
		if hashes, err = rowHashes(ctx, count, raw.eachRow); err != nil {
			return nil, nil, err
		}
	}
	if what.Weights != nil && len(what.Weights) != len(what.Edges) {
		return nil, nil, fmt.Errorf("coles: grow: %w: %d weights for %d edges", ErrShape, len(what.Weights), len(what.Edges))
	}
	for q, e := range what.Edges {
		if e.U < 0 || e.U >= n+count || e.V < 0 || e.V >= n+count {
			return nil, nil, fmt.Errorf("coles: grow: %w: edge %d joins %d and %d in a graph of %d nodes and %d new", ErrIndex, q, e.U, e.V, n, count)
		}
		if what.Weights != nil {
			if err := checkWeight(what.Weights[q], e.U, e.V); err != nil {
				return nil, nil, err
			}
		}
	}
	return x, hashes, r.ids.check(count, what.IDs)
}

// update brings FX, M and the trivial direction up to date after n nodes have become more
// and the rows of the touched ones changed.
func (r *Growing) update(ctx context.Context, n int, touched []int32) (*Grown, error) {
	if err := r.net.finite(touched); err != nil {
		return nil, err
	}
	hops := r.model.settings.Filter.Hops()
	near := r.net.ballAround(touched, max(hops, 1), r.place)
	defer near.release()
	moved := make([]int, near.within(hops))
	for q, i := range near.nodes[:len(moved)] {
		moved[q] = int(i)
	}
	slices.Sort(moved)
	grown := &Grown{Moved: moved, Whole: float64(len(moved)) > wholeShare*float64(r.Nodes())}
	if grown.Whole {
		return grown, r.rebuild(ctx)
	}
	r.fx = append(r.fx, make([]float64, (r.Nodes()-n)*r.x.cols)...)
	return grown, r.follow(ctx, near, n)
}

// finite refuses weights that add up to infinity.
func (net *growingNet) finite(nodes []int32) error {
	for _, i := range nodes {
		if math.IsInf(net.nodes[i].degree, 0) {
			return fmt.Errorf("coles: grow: %w: the weights of node %d add up to infinity", ErrNotFinite, i)
		}
	}
	return net.finiteVolume()
}

func (net *growingNet) finiteVolume() error {
	if math.IsInf(net.volume, 0) {
		return fmt.Errorf("coles: grow: %w: the weights of all nodes add up to infinity", ErrNotFinite)
	}
	return nil
}
