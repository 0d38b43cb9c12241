package rivals

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"coles"
	"coles/gnn"
	"coles/gnn/custom"
	"coles/internal/inside"

	"gonum.org/v1/gonum/mat"
)

// GraphCL is graph contrastive learning with augmentations (You, Chen, Sui, Chen, Wang and Shen,
// NeurIPS 2020), as the authors run it on the nodes of one graph: [DGI] with the summaries c₁ and
// c₂ of two augmented graphs instead of the summary of the graph itself. A node is scored by s(v) =
// vᵀM(c₁ + c₂) + 2b. The augmented graphs are drawn once, before the training.
//
// There is one setting for every graph: DGI with subgraphs of 80 % of the nodes. The authors print it for Citeseer,
// their only one. (Their other augmentations drop nodes, features or edges at random.) In their code a subgraph ends
// with its component, which on Citeseer may be a few nodes. Here it goes on in another component. They also train a
// second M without use; the parameters here equal DGI's. An epoch costs twice as much.
func GraphCL(dataset string) gnn.Settings {
	s := DGI(dataset)
	s.Augmentation = subgraphs(0.2)
	return s
}

// subgraphs are two views of the graph, drawn before the training, each without a share of the nodes
// and their edges. From a random node on, the next that stays is drawn from the neighbours of those
// that do, or from all others where there is none. What does not stay is isolated and has features of
// zero; [GraphCL] leaves it out of its summaries.
func subgraphs(share float64) gnn.Augmentation {
	name := fmt.Sprint("subgraphs ", share)
	return gnn.NewAugmentation(name, true, func(ctx context.Context, g *coles.Graph, _ mat.Matrix, rnd *rand.Rand) ([]*custom.View, error) {
		var views []*custom.View
		for range 2 {
			v, err := subgraph(ctx, g, share, rnd)
			if err != nil {
				return nil, err
			}
			views = append(views, v)
		}
		return views, nil
	})
}

func subgraph(ctx context.Context, g *coles.Graph, share float64, rnd *rand.Rand) (*custom.View, error) {
	n := g.Nodes()
	order := rnd.Perm(n) // where to begin, again and again
	rows, seen := slices.Repeat([]int{-1}, n), make([]bool, n)
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
		rows[next] = next
		neighbours, _ := inside.Adjacency(g).Row(next)
		for _, v := range neighbours {
			if !seen[v] {
				seen[v] = true
				frontier = append(frontier, int(v))
			}
		}
	}
	left := g.Without(func(e coles.Edge) bool { return rows[e.U] < 0 || rows[e.V] < 0 })
	return &custom.View{Graph: left, Rows: rows}, nil
}

// portion is a share of n, rounded down.
func portion(n int, share float64) int { return int(share * float64(n)) }

// remaining are the nodes that have their features and their edges in a view; nil for all.
func remaining(v *custom.View) (nodes []int) {
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
