package eval

import (
	"context"
	"fmt"
	"math"

	"coles"
	"coles/internal/stream"

	"gonum.org/v1/gonum/mat"
)

// Separation tells how well the logistic function σ tells two scores apart:
//
//	Sep(v, u, u′) = |σ(s) − σ(s′)| / (σ(s) + σ(s′)),  s = u·v, s′ = u′·v,
//
// from 0 for equal scores towards 1 (the COLES paper). It vanishes where both
// scores are large, however different they are, and is exact to rounding for
// scores of any size. NaN gives NaN.
func Separation(s, s2 float64) float64 {
	low, gap := min(s, s2), math.Abs(s-s2)
	if s == s2 {
		gap = 0 // infinities too
	}
	// Both sides of the fraction divided by σ(s)·σ(s′)·e^(−low).
	return -math.Expm1(-gap) / (1 + math.Exp(-gap) + 2*math.Exp(low))
}

// A Triple is a node with one that it should be near to and one that it should
// be far from.
type Triple struct{ Node, Positive, Negative int }

// Triples draws count triples of a graph: a node and a neighbour, uniformly
// among the two directions of all edges, and a node that is no neighbour,
// uniformly among those. Nodes that have no other than neighbours are passed
// over. Triple k is drawn from the stream (seed, k), in O(log n).
//
// Errors: [ErrParameter] for count outside 1 … 2³¹−1, [ErrEmpty] for a graph
// without edges, [ErrDense] where every node with neighbours has all nodes as
// neighbours, and ctx.Err().
func Triples(ctx context.Context, g *coles.Graph, count int, seed uint64) ([]Triple, error) {
	if err := checkContext(ctx); err != nil {
		return nil, err
	}
	if err := checkCount(count); err != nil {
		return nil, err
	}
	a, err := adjacencyOf(g)
	if err != nil {
		return nil, err
	}
	n := a.nodes()
	edges := newRanks(n, func(v int) int {
		if len(a.of(v)) == n-1 {
			return 0
		}
		return len(a.of(v))
	})
	if edges.total() == 0 {
		return nil, fmt.Errorf("%w: no node has both a neighbour and another node", ErrDense)
	}
	triples := make([]Triple, count)
	err = draw(ctx, count, seed, func(k int, rng stream.Stream) {
		v, at := edges.find(rng.Int64N(edges.total()))
		near := a.of(v)
		// v itself is the far node of its own rank among those that are no neighbours.
		self := v - (len(near) - len(a.above(v)))
		rank := rng.IntN(n - 1 - len(near))
		if rank >= self {
			rank++
		}
		triples[k] = Triple{Node: v, Positive: near[at], Negative: missing(near, 0, rank)}
	})
	return triples, err
}

// MeanSeparation is the mean of [Separation] over triples of rows of x (n × d).
// It takes O(d) a triple.
//
// Errors: those of [PairScores].
func MeanSeparation(ctx context.Context, x mat.Matrix, triples []Triple) (float64, error) {
	pairs := make([]coles.Edge, 0, 2*len(triples))
	for _, t := range triples {
		pairs = append(pairs, coles.Edge{U: t.Node, V: t.Positive}, coles.Edge{U: t.Node, V: t.Negative})
	}
	scores, err := PairScores(ctx, x, pairs)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for k := range triples {
		sum += Separation(scores[2*k], scores[2*k+1])
	}
	return sum / float64(len(triples)), nil
}
