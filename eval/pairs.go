package eval

import (
	"context"
	"fmt"
	"math"

	"coles"
	"coles/internal/parallel"
	"coles/internal/stream"

	"gonum.org/v1/gonum/mat"
)

// pairsAtOnce is how many pairs a task draws or scores.
const pairsAtOnce = 1024

// PositivePairs lists the edges of a graph, each once with U < V, in the order
// of U and then V. Self loops are left out. It takes O(n + m) time.
//
// Errors: [ErrEmpty] for a graph without edges.
func PositivePairs(g *coles.Graph) ([]coles.Edge, error) {
	a, err := adjacencyOf(g)
	if err != nil {
		return nil, err
	}
	pairs := make([]coles.Edge, 0, len(a.col)/2)
	for u := range a.nodes() {
		for _, v := range a.above(u) {
			pairs = append(pairs, coles.Edge{U: u, V: v})
		}
	}
	return pairs, nil
}

// NegativePairs draws count pairs of nodes, U < V, each uniformly among all
// pairs that no edge joins and independently of the others, so that a pair may
// come twice. Nothing is rejected: the number of a pair is drawn and the pair of
// that number looked up, in O(log n) however dense the graph is.
//
// Pair k is drawn from the stream (seed, k): a larger count only adds pairs.
//
// Errors: [ErrParameter] for count outside 1 … 2³¹−1, [ErrEmpty] for a graph
// without nodes, [ErrDense] where every two nodes are joined, and ctx.Err().
func NegativePairs(ctx context.Context, g *coles.Graph, count int, seed uint64) ([]coles.Edge, error) {
	if err := checkContext(ctx); err != nil {
		return nil, err
	}
	if err := checkCount(count); err != nil {
		return nil, err
	}
	if g.Nodes() == 0 {
		return nil, fmt.Errorf("%w: a graph without nodes", ErrEmpty)
	}
	n := g.Nodes()
	a := &adjacency{ptr: make([]int, n+1)} // no edge, no neighbours
	if g.Report().Edges > 0 {
		var err error
		if a, err = adjacencyOf(g); err != nil {
			return nil, err
		}
	}
	apart := newRanks(n, func(u int) int { return n - 1 - u - len(a.above(u)) })
	if apart.total() == 0 {
		return nil, fmt.Errorf("%w: all %d nodes are joined to each other", ErrDense, n)
	}
	pairs := make([]coles.Edge, count)
	err := draw(ctx, count, seed, func(k int, rng stream.Stream) {
		u, rank := apart.find(rng.Int64N(apart.total()))
		pairs[k] = coles.Edge{U: u, V: missing(a.above(u), u+1, rank)}
	})
	return pairs, err
}

// draw calls one for each of count things, each with a stream of its own.
func draw(ctx context.Context, count int, seed uint64, one func(k int, rng stream.Stream)) error {
	return parallel.Ranges(ctx, count, pairsAtOnce, func(lo, hi int) {
		rng := stream.New()
		for k := lo; k < hi; k++ {
			rng.Reseed(seed, uint64(k))
			one(k, rng)
		}
	})
}

func checkCount(count int) error {
	if count < 1 || count > math.MaxInt32 {
		return fmt.Errorf("%w: cannot draw %d", ErrParameter, count)
	}
	return nil
}

// PairScores returns u·v, the product of rows U and V of x (n × d), for each
// pair. Of an embedding these are the scores that contrastive losses drive
// apart: up for positive pairs, down for negative ones. It takes O(d) a pair.
//
// Errors: [ErrEmpty] for no pairs, [ErrRow] for a pair of a row that x does
// not have, [ErrNotFinite] also for a product that overflows, [ErrShape],
// [ErrCorrupt], and ctx.Err().
func PairScores(ctx context.Context, x mat.Matrix, pairs []coles.Edge) ([]float64, error) {
	f, err := newFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	return f.eachPair(ctx, pairs, f.dot)
}

// eachPair returns what measure says of the rows of each pair.
func (f *features) eachPair(ctx context.Context, pairs []coles.Edge, measure func(u, v int) float64) ([]float64, error) {
	if len(pairs) == 0 {
		return nil, fmt.Errorf("%w: no pairs", ErrEmpty)
	}
	for q, e := range pairs {
		if min(e.U, e.V) < 0 || max(e.U, e.V) >= f.rows {
			return nil, fmt.Errorf("%w: pair %d is (%d, %d), the matrix has %d rows", ErrRow, q, e.U, e.V, f.rows)
		}
	}
	values := make([]float64, len(pairs))
	err := parallel.Ranges(ctx, len(pairs), pairsAtOnce, func(lo, hi int) {
		for q := lo; q < hi; q++ {
			values[q] = measure(pairs[q].U, pairs[q].V)
		}
	})
	if err != nil {
		return nil, err
	}
	for q, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%w: pair %d, rows %d and %d, overflows", ErrNotFinite, q, pairs[q].U, pairs[q].V)
		}
	}
	return values, nil
}

// dot is the product of two rows.
func (f *features) dot(u, v int) float64 {
	uc, uv := f.row(u)
	vc, vv := f.row(v)
	if f.sparse == nil {
		return dot(uv, vv)
	}
	sum := 0.0
	for p, q := 0, 0; p < len(uc) && q < len(vc); {
		switch {
		case uc[p] < vc[q]:
			p++
		case uc[p] > vc[q]:
			q++
		default:
			sum += uv[p] * vv[q]
			p++
			q++
		}
	}
	return sum
}
