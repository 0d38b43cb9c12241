package rivals

import (
	"context"
	"math"
	"slices"
	"sort"

	"coles"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/stream"
)

// A walker draws random walks of second order. A walk that came from v to u goes on to a neighbour
// x of u in proportion to
//
//	w(u, x)/p  for x = v
//	w(u, x)    for another neighbour x of v
//	w(u, x)/q  for any other x
//
// The first step, and every step where p = q = 1, is in proportion to w(u, x) alone.
//
// Steps are drawn by rejection, which is exact: a neighbour is proposed in proportion to its weight
// and kept with its factor over the largest of the three. It takes no memory beyond the graph and
// the sums of its weights; tables of all steps would take Σ deg² numbers.
type walker struct {
	adj *kernel.CSR[float64]
	// upTo holds the running sums of the weights of each row, nil where all weights of the graph are 1. They are
	// divided by the largest weight of the row, so that none overflows.
	upTo      []float64
	back, far float64 // 1/p and 1/q
	most      float64 // the largest factor of a step
}

func newWalker(ctx context.Context, g *coles.Graph, p, q float64) (*walker, error) {
	w := &walker{adj: inside.Adjacency(g), back: 1 / p, far: 1 / q}
	w.most = max(1, w.back, w.far)
	if !g.Report().Weighted {
		return w, nil
	}
	w.upTo = make([]float64, w.adj.NNZ())
	return w, matrix.EachRow(ctx, w.adj, func(u int) {
		if _, weights := w.adj.Row(u); len(weights) > 0 {
			addUp(w.upTo[w.adj.Ptr[u]:], weights)
		}
	})
}

// addUp writes the running sums of weights over the largest weight. They may be one slice.
func addUp(sums, weights []float64) {
	largest, sum := slices.Max(weights), 0.0
	for i, v := range weights {
		sum += v / largest
		sums[i] = sum
	}
}

// drawSum draws the number of a term of running sums in proportion to the terms.
func drawSum(rng stream.Stream, sums []float64) int {
	x := rng.Float64() * sums[len(sums)-1] // less than the last sum: Float64 is at most 1 − 2⁻⁵³
	return sort.Search(len(sums), func(i int) bool { return sums[i] > x })
}

// walk fills path with a walk from a node that has neighbours, or a part of it once ctx is done.
func (w *walker) walk(ctx context.Context, rng stream.Stream, from int32, path []int32) {
	path[0] = from
	for k := 1; k < len(path) && ctx.Err() == nil; k++ {
		if k == 1 || w.back == 1 && w.far == 1 {
			path[k] = w.neighbour(rng, path[k-1])
		} else {
			path[k] = w.next(rng, path[k-2], path[k-1])
		}
	}
}

// neighbour draws a neighbour of u in proportion to the weights.
func (w *walker) neighbour(rng stream.Stream, u int32) int32 {
	lo, hi := w.adj.Ptr[u], w.adj.Ptr[u+1]
	if w.upTo == nil {
		return w.adj.Col[lo:hi][rng.IntN(int(hi-lo))]
	}
	return w.adj.Col[lo:hi][drawSum(rng, w.upTo[lo:hi])]
}

// next draws the node after u on a walk that came from v.
func (w *walker) next(rng stream.Stream, v, u int32) int32 {
	cols, weights := w.adj.Row(int(u))
	for range max(64, min(len(cols), 4096), len(cols)/8) { // at a hub, one takes as long as 8 factors in their order
		x := w.neighbour(rng, u)
		if factor := w.factor(v, x); factor == w.most || rng.Float64()*w.most < factor {
			return x
		}
	}
	// Almost every proposal is refused, so all factors are computed. The draw stays exact: those
	// refused before do not depend on what it gives.
	// Weights times factors may leave the range of the numbers: their powers of two are added up.
	sums, powers := make([]float64, len(cols)), make([]int, len(cols))
	for i, x := range cols {
		weight, power := math.Frexp(weights[i])
		factor, more := math.Frexp(w.factor(v, x))
		sums[i], powers[i] = weight*factor, power+more
	}
	most := slices.Max(powers)
	for i, power := range powers {
		sums[i] = math.Ldexp(sums[i], power-most)
	}
	addUp(sums, sums)
	return cols[drawSum(rng, sums)]
}

// factor is 1/p, 1 or 1/q for a step to x on a walk that came from v.
func (w *walker) factor(v, x int32) float64 {
	if x == v {
		return w.back
	}
	cols, _ := w.adj.Row(int(v))
	if _, near := slices.BinarySearch(cols, x); near {
		return 1
	}
	return w.far
}
