package eval

import (
	"context"
	"fmt"

	"coles"
	"coles/internal/stream"
)

// HeldOutLinks is a graph without some of its edges, and what to ask about it.
type HeldOutLinks struct {
	Train    *coles.Graph // the graph without the edges held out
	Positive []coles.Edge // the edges held out, each once with U < V, ascending
	Negative []coles.Edge // as many pairs that no edge of the whole graph joins, U < V
}

// HoldOutLinks divides a graph for link prediction: round(share·m) of its m
// edges, but one at least, are held out, and as many [NegativePairs] are drawn.
//
// The nodes stay connected as they were: a spanning forest of each component,
// that of the first edges in a random order that close no cycle, stays in
// Train, and of the other edges those that come last are held out. So a bridge
// never is, and of m edges on n nodes in c components m − n + c can be.
// Weights, self loops and the names of the nodes stay; self loops are no edges.
//
// The same seed gives the same links, and a larger share holds out the edges of
// a smaller one as well. It takes O(m log n) time and a few copies of the graph.
//
// Errors: [ErrParameter] for a share outside (0, 1) or of more edges than the
// forests leave, [ErrEmpty] for a graph without edges, [ErrDense] where every two
// nodes are joined, and ctx.Err().
func HoldOutLinks(ctx context.Context, g *coles.Graph, share float64, seed uint64) (*HeldOutLinks, error) {
	if err := checkContext(ctx); err != nil {
		return nil, err
	}
	if !(share > 0 && share < 1) {
		return nil, fmt.Errorf("%w: a share of %v of the edges, not between 0 and 1", ErrParameter, share)
	}
	edges, err := PositivePairs(g)
	if err != nil {
		return nil, err
	}
	count := max(1, int(share*float64(len(edges))+0.5))
	spare, err := spareEdges(ctx, g.Nodes(), edges, stream.Seed(seed, 0))
	if err != nil {
		return nil, err
	}
	if count > len(spare) {
		return nil, fmt.Errorf("%w: %d of %d edges cannot be held out, the components fall apart without all but %d",
			ErrParameter, count, len(edges), len(spare))
	}
	held := make([]bool, len(edges))
	for _, q := range spare[len(spare)-count:] {
		held[q] = true
	}
	links := &HeldOutLinks{Positive: make([]coles.Edge, 0, count)}
	for q, e := range edges {
		if held[q] {
			links.Positive = append(links.Positive, e)
		}
	}
	if links.Train, err = withoutEdges(g, held); err != nil {
		return nil, err
	}
	links.Negative, err = NegativePairs(ctx, g, count, stream.Seed(seed, 1))
	return links, err
}

// spareEdges goes through the edges in a random order and returns, in that
// order, the numbers of those that close a cycle with edges before them.
func spareEdges(ctx context.Context, nodes int, edges []coles.Edge, seed uint64) ([]int, error) {
	rng := stream.New()
	rng.Reseed(seed, 0)
	order, trees := make([]int, len(edges)), newForest(nodes)
	var spare []int
	for k := range order { // Fisher and Yates' shuffle from the inside out
		if k%pairsAtOnce == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		at := rng.IntN(k + 1)
		order[k], order[at] = order[at], k
	}
	for k, q := range order {
		if k%pairsAtOnce == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !trees.join(edges[q].U, edges[q].V) {
			spare = append(spare, q)
		}
	}
	return spare, nil
}

// withoutEdges is the graph without the edges whose number among its
// [PositivePairs] is held.
func withoutEdges(g *coles.Graph, held []bool) (*coles.Graph, error) {
	raw := g.CSR().RawMatrix()
	var edges []coles.Edge
	var weights []float64
	number := 0
	for u := range raw.I {
		for q := raw.Indptr[u]; q < raw.Indptr[u+1]; q++ {
			v := raw.Ind[q]
			if v > u {
				number++
			}
			if v == u || v > u && !held[number-1] {
				edges, weights = append(edges, coles.Edge{U: u, V: v}), append(weights, raw.Data[q])
			}
		}
	}
	return coles.NewGraph(g.Nodes(), edges, coles.WithEdgeWeights(weights),
		coles.WithIDs(g.IDs()), coles.WithSelfLoopsKept())
}

// A forest is the trees that edges have joined nodes to: each node but the roots
// has one nearer to the root (union by size, Tarjan 1975).
type forest struct{ above, size []int }

func newForest(nodes int) *forest {
	f := &forest{above: make([]int, nodes), size: make([]int, nodes)}
	for i := range nodes {
		f.above[i], f.size[i] = i, 1
	}
	return f
}

// root is the same for all nodes of a tree; the paths to it are halved on the way.
func (f *forest) root(i int) int {
	for f.above[i] != i {
		f.above[i] = f.above[f.above[i]]
		i = f.above[i]
	}
	return i
}

// join makes one tree of those of u and v; it tells whether they were two.
func (f *forest) join(u, v int) bool {
	u, v = f.root(u), f.root(v)
	if u == v {
		return false
	}
	if f.size[u] < f.size[v] {
		u, v = v, u
	}
	f.above[v] = u
	f.size[u] += f.size[v]
	return true
}
