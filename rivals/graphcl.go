package rivals

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"coles"
	"coles/gnn"

	"gonum.org/v1/gonum/mat"
)

// GraphCL is graph contrastive learning with augmentations (You, Chen, Sui, Chen, Wang and Shen,
// NeurIPS 2020), as the authors run it on the nodes of one graph: [DGI] with the summaries c₁ and
// c₂ of two augmented graphs in the place of that of the graph itself. A node is scored by s(v) =
// vᵀM(c₁ + c₂) + 2b. The augmented graphs are drawn once, before the training.
//
// There is one setting for every graph: that of DGI with [Subgraphs] of 80 % of the nodes, which is
// what the authors print for Citeseer, their only one. In their code a subgraph ends with its
// component, which on Citeseer may be a few nodes; here it goes on in another one. They also train
// a second M without use; the parameters here are those of DGI. An epoch costs twice as much.
func GraphCL(dataset string) gnn.Settings {
	s := DGI(dataset)
	s.Augmentation = Subgraphs(0.2)
	return s
}

// DroppedNodes are two views of the graph, each without a share of the nodes, drawn at random, and
// their edges. The nodes stay as isolated ones with features of zero, which [GraphCL] leaves out of
// its summaries.
func DroppedNodes(share float64) gnn.Augmentation {
	return twice("dropped-nodes", share, func(_ context.Context, g *coles.Graph, rnd *rand.Rand) (*gnn.View, error) {
		n := g.Nodes()
		return without(g, but(n, rnd.Perm(n)[:portion(n, share)]))
	})
}

// Subgraphs are two views like those of [DroppedNodes], whose remaining nodes hold together: from a
// random node on, the next is drawn from the neighbours of those taken, or from all others where
// there is none.
func Subgraphs(share float64) gnn.Augmentation {
	return twice("subgraphs", share, func(ctx context.Context, g *coles.Graph, rnd *rand.Rand) (*gnn.View, error) {
		n := g.Nodes()
		adjacency := g.CSR().RawMatrix()
		order := rnd.Perm(n) // where to begin, again and again
		taken, seen := make([]bool, n), make([]bool, n)
		var frontier []int
		for range n - portion(n, share) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if len(frontier) == 0 {
				for seen[order[0]] {
					order = order[1:]
				}
				frontier = append(frontier, order[0])
				seen[order[0]] = true
			}
			k, last := rnd.IntN(len(frontier)), len(frontier)-1
			next := frontier[k]
			frontier[k] = frontier[last]
			frontier = frontier[:last]
			taken[next] = true
			for _, v := range adjacency.Ind[adjacency.Indptr[next]:adjacency.Indptr[next+1]] {
				if !seen[v] {
					seen[v] = true
					frontier = append(frontier, v)
				}
			}
		}
		return without(g, taken)
	})
}

// MaskedRows are two views of the graph, each with features of zero for a share of the nodes.
func MaskedRows(share float64) gnn.Augmentation {
	return twice("masked-rows", share, func(_ context.Context, g *coles.Graph, rnd *rand.Rand) (*gnn.View, error) {
		n := g.Nodes()
		return &gnn.View{Rows: rowsOf(but(n, rnd.Perm(n)[:portion(n, share)]))}, nil
	})
}

// ChangedEdges are two views of the graph, each with a quarter of that share of the edges taken out
// and as many put in, of weight 1, between nodes that no edge joins, all drawn at random. So much
// do the authors change for a share.
func ChangedEdges(share float64) gnn.Augmentation {
	return twice("changed-edges", share, func(_ context.Context, g *coles.Graph, rnd *rand.Rand) (*gnn.View, error) {
		n := g.Nodes()
		edges, weights := edgesOf(g)
		joined := make(map[coles.Edge]bool, len(edges))
		for _, e := range edges {
			joined[e] = true
		}
		room := int64(n)*int64(n-1)/2 - int64(len(edges))
		changed := min(int64(portion(len(edges), share/4)), room)
		for _, at := range rnd.Perm(len(edges))[:max(0, changed)] {
			e := coles.Edge{}
			for e.U >= e.V || joined[e] {
				e = coles.Edge{U: rnd.IntN(n), V: rnd.IntN(n)}
			}
			joined[e] = true
			edges[at], weights[at] = e, 1
		}
		changedGraph, err := coles.NewWeightedGraph(n, edges, weights, coles.WithSelfLoopsKept())
		return &gnn.View{Graph: changedGraph}, err
	})
}

// twice draws two views, before the training.
func twice(name string, share float64, draw func(ctx context.Context, g *coles.Graph, rnd *rand.Rand) (*gnn.View, error)) gnn.Augmentation {
	name = fmt.Sprintf("%s %v", name, share)
	return gnn.NewAugmentation(name, true, func(ctx context.Context, g *coles.Graph, _ mat.Matrix, rnd *rand.Rand) ([]*gnn.View, error) {
		if !(share >= 0 && share < 1) {
			return nil, fmt.Errorf("rivals: %s: %w: want a share of 0 to less than 1", name, coles.ErrSetting)
		}
		first, err := draw(ctx, g, rnd)
		if err != nil {
			return nil, err
		}
		second, err := draw(ctx, g, rnd)
		return []*gnn.View{first, second}, err
	})
}

// portion is a share of n, rounded down.
func portion(n int, share float64) int { return int(share * float64(n)) }

// but is true of all nodes except some.
func but(n int, some []int) []bool {
	kept := slices.Repeat([]bool{true}, n)
	for _, i := range some {
		kept[i] = false
	}
	return kept
}

// rowsOf gives the nodes that are kept their features.
func rowsOf(kept []bool) []int {
	rows := make([]int, len(kept))
	for i, k := range kept {
		if rows[i] = i; !k {
			rows[i] = -1
		}
	}
	return rows
}

// without is the graph with the features and edges of the nodes that are kept.
func without(g *coles.Graph, kept []bool) (*gnn.View, error) {
	edges, weights := edgesOf(g)
	left := 0
	for q, e := range edges {
		if kept[e.U] && kept[e.V] {
			edges[left], weights[left] = e, weights[q]
			left++
		}
	}
	rest, err := coles.NewWeightedGraph(g.Nodes(), edges[:left], weights[:left], coles.WithSelfLoopsKept())
	return &gnn.View{Graph: rest, Rows: rowsOf(kept)}, err
}

// remaining are the nodes that have their features and their edges in a view; nil for all.
func remaining(v *gnn.View) (nodes []int) {
	if v.Graph == nil {
		return nil
	}
	for i, r := range v.Rows {
		if r >= 0 {
			nodes = append(nodes, i)
		}
	}
	return nodes
}

// edgesOf lists every edge once, from its lower to its higher node.
func edgesOf(g *coles.Graph) (edges []coles.Edge, weights []float64) {
	g.CSR().DoNonZero(func(u, v int, w float64) {
		if u <= v {
			edges, weights = append(edges, coles.Edge{U: u, V: v}), append(weights, w)
		}
	})
	return edges, weights
}
