package measures

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"

	"coles"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/setting"
	"coles/internal/stream"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	// pairsAtOnce is how many pairs a task draws or scores.
	pairsAtOnce = 1024

	// maxCount bounds how many pairs are drawn, and points of a grid: so many can be addressed.
	maxCount = min(math.MaxInt32, math.MaxInt/16)
)

// PositivePairs lists the edges of a graph but for self loops, each once with U < V, in the order
// of U and then V. It takes O(n + m).
//
// Errors: [coles.ErrShape] for a graph without edges.
func PositivePairs(g *coles.Graph) ([]coles.Edge, error) {
	if g.Report().Edges == 0 {
		return nil, fmt.Errorf("%w: a graph of %d nodes without edges", coles.ErrShape, g.Nodes())
	}
	pairs := make([]coles.Edge, 0, g.Report().Edges)
	for e := range g.Edges() {
		if e.U != e.V {
			pairs = append(pairs, e)
		}
	}
	return pairs, nil
}

// above lists the neighbours of node u with larger numbers, ascending: each edge once.
func above(a *kernel.CSR[float64], u int) []int32 {
	near, _ := a.Row(u)
	at, _ := slices.BinarySearch(near, int32(u)+1)
	return near[at:]
}

// NegativePairs draws count pairs of nodes, U < V, each uniformly among all pairs that no edge
// joins and independently of the others, so that a pair may come twice. The number of a pair is
// drawn and the pair of that number looked up, in O(log n) however dense the graph is. Pair k is
// drawn from the stream (seed, k): a larger count only adds pairs.
//
// Errors: [coles.ErrSetting] for count outside 1 … 2³¹−1 (2²⁷−1 on 32 bits), [coles.ErrDense] where
// every two nodes are joined, and ctx's.
func NegativePairs(ctx context.Context, g *coles.Graph, count int, seed uint64) ([]coles.Edge, error) {
	if count < 1 || count > maxCount {
		return nil, setting.Bad("count", count, "1 to %d", maxCount)
	}
	n, a := g.Nodes(), inside.Adjacency(g)
	before := make([]int64, n+1) // the number of pairs, not joined, whose U is smaller
	for u := range n {
		before[u+1] = before[u] + int64(n-1-u-len(above(a, u)))
	}
	if before[n] == 0 {
		return nil, fmt.Errorf("%w: all %d nodes are joined to each other", coles.ErrDense, n)
	}
	pairs := make([]coles.Edge, count)
	return pairs, parallel.Ranges(ctx, count, pairsAtOnce, func(lo, hi int) {
		rng := stream.New()
		for k := lo; k < hi; k++ {
			rng.Reseed(seed, uint64(k))
			number := rng.Int64N(before[n])
			u := sort.Search(n, func(u int) bool { return before[u+1] > number })
			pairs[k] = coles.Edge{U: u, V: missing(above(a, u), u+1, int(number-before[u]))}
		}
	})
}

// missing is the k-th number, from 0, of those from lo on that are not listed; listed is ascending
// and starts at lo or later.
func missing(listed []int32, lo, k int) int {
	// Of the numbers before listed[q], listed[q] − lo − q are not listed.
	return lo + k + sort.Search(len(listed), func(q int) bool { return int(listed[q])-lo-q > k })
}

// PairScores returns u·v, the product of rows U and V of x (n × d), for each pair. Contrastive
// losses drive these scores up for positive pairs, and down for negative ones. It takes O(d) a
// pair.
//
// Errors: [coles.ErrShape] also for no pairs, [coles.ErrIndex] also for a pair of a row that x does
// not have, [coles.ErrNotFinite] also for a product that overflows, and ctx's.
func PairScores(ctx context.Context, x mat.Matrix, pairs []coles.Edge) ([]float64, error) {
	f, err := read(ctx, x)
	if err != nil {
		return nil, err
	}
	return pairScores(ctx, f, pairs)
}

func pairScores(ctx context.Context, f *matrix.Matrix[float64], pairs []coles.Edge) ([]float64, error) {
	if len(pairs) == 0 {
		return nil, fmt.Errorf("%w: no pairs", coles.ErrShape)
	}
	if err := matrix.CheckPairs(f.Rows(), pairs, nil); err != nil {
		return nil, err
	}
	scores := make([]float64, len(pairs))
	err := parallel.Ranges(ctx, len(pairs), pairsAtOnce, func(lo, hi int) {
		for q := lo; q < hi; q++ {
			scores[q] = product(f, pairs[q].U, pairs[q].V)
		}
	})
	if err != nil {
		return nil, err
	}
	for q, s := range scores {
		if !matrix.Finite(s) {
			return nil, fmt.Errorf("%w: the product of pair %d, rows %d and %d, overflows", coles.ErrNotFinite, q, pairs[q].U, pairs[q].V)
		}
	}
	return scores, nil
}

// product is the product of two rows.
func product(f *matrix.Matrix[float64], u, v int) float64 {
	uc, uv := f.Row(u)
	vc, vv := f.Row(v)
	if f.Sparse == nil {
		return floats.Dot(uv, vv)
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
