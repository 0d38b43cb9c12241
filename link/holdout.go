package link

import (
	"context"
	"slices"

	"coles"
	"coles/internal/given"
	"coles/internal/matrix"
	"coles/internal/setting"
	"coles/internal/stream"
)

// HeldOut is a graph without some of its edges.
type HeldOut struct {
	Train *coles.Graph // the graph without the edges held out
	Edges []coles.Edge // the edges held out, each once with U < V, ascending
}

// HoldOut divides a graph for link prediction: round(share·m) of its m edges, but one at
// least, are held out. Self loops are no edges and stay, as weights and the names of the nodes do.
//
// The nodes stay connected as they were: Train keeps a spanning forest, the first edges in a random
// order that close no cycle; of the other edges the last in that order are held out. So a bridge
// never is, and of m edges on n nodes in c components m − n + c can be.
//
// The same seed gives the same links, and a larger share holds out the edges of a smaller one as
// well. It takes O(m log n) time and memory for a few copies of the graph.
//
// Errors: [coles.ErrSetting] for a share outside (0, 1) or of more edges than the forests leave,
// [coles.ErrShape] for a graph without edges, and ctx's.
func HoldOut(ctx context.Context, g *coles.Graph, share float64, seed uint64) (*HeldOut, error) {
	if !(share > 0 && share < 1) {
		return nil, setting.Bad("share", share, "more than 0 and less than 1")
	}
	if err := given.CheckEdges(g); err != nil {
		return nil, err
	}
	edges := edgesOf(g)
	count := max(1, int(share*float64(len(edges))+0.5))
	spare, err := spareEdges(ctx, g.Nodes(), edges, stream.Seed(seed, 0))
	if err != nil {
		return nil, err
	}
	if count > len(spare) {
		return nil, setting.Bad("share", share, "at most %d of %d edges, without which no component falls apart", len(spare), len(edges))
	}
	held := spare[len(spare)-count:]
	slices.Sort(held)
	links := &HeldOut{Edges: make([]coles.Edge, count)}
	for q, e := range held {
		links.Edges[q] = edges[e]
	}
	next := 0 // the edges held out come in the order of the graph's
	links.Train = g.Without(func(e coles.Edge) bool {
		if next == count || links.Edges[next] != e {
			return false
		}
		next++
		return true
	})
	return links, nil
}

// edgesOf are the edges of a graph that are no loops.
func edgesOf(g *coles.Graph) (edges []coles.Edge) {
	for e := range g.Edges() {
		if e.U != e.V {
			edges = append(edges, e)
		}
	}
	return edges
}

// edgesAtOnce are looked at before the context is asked again.
const edgesAtOnce = 1024

// spareEdges goes through the edges in a random order and returns, in that order, the numbers of
// those that close a cycle with edges before them.
func spareEdges(ctx context.Context, nodes int, edges []coles.Edge, seed uint64) ([]int, error) {
	rng := stream.New()
	rng.Reseed(seed, 0)
	order, trees, spare := make([]int, len(edges)), forest(matrix.UpTo(nodes)), []int(nil)
	for k := range order { // Fisher and Yates' shuffle from the inside out
		if k%edgesAtOnce == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		at := rng.IntN(k + 1)
		order[k], order[at] = order[at], k
	}
	for k, q := range order {
		if k%edgesAtOnce == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !trees.join(edges[q].U, edges[q].V) {
			spare = append(spare, q)
		}
	}
	return spare, nil
}

// A forest holds the trees that edges have joined nodes to: each node but the roots has one nearer
// to the root.
type forest []int

// root is the same for all nodes of a tree; the paths to it are halved on the way.
func (f forest) root(i int) int {
	for f[i] != i {
		f[i] = f[f[i]]
		i = f[i]
	}
	return i
}

// join makes one tree of the trees of u and v; it reports whether they were two.
func (f forest) join(u, v int) bool {
	u, v = f.root(u), f.root(v)
	f[u] = v
	return u != v
}
