package eval

import (
	"fmt"

	"coles"
)

// Modularity says how much more weight the clusters of a graph's nodes hold
// inside than a random graph of the same degrees would leave there (Newman 2006):
//
//	Q = (1/2m) Σ_ij (A_ij − k_i·k_j/(2m))·[c_i = c_j],
//
// with k the sums of the weights of a node's edges and 2m theirs. It is 0 for a
// single cluster, below 1, and at least −½. Self loops do not count. It takes
// O(n + m) time and a copy of the graph.
//
// Errors: [ErrShape] unless there is one cluster for each node, [ErrEmpty] for a
// graph without edges.
func Modularity(g *coles.Graph, clusters []int) (float64, error) {
	if len(clusters) != g.Nodes() {
		return 0, fmt.Errorf("%w: %d clusters for %d nodes", ErrShape, len(clusters), g.Nodes())
	}
	if g.Report().Edges == 0 {
		return 0, fmt.Errorf("%w: a graph of %d nodes without edges", ErrEmpty, g.Nodes())
	}
	number := numbersOf(distinct(clusters))
	degree := g.Degrees()
	volume := make([]float64, len(number))
	all := 0.0
	for i, c := range clusters {
		volume[number[c]] += degree[i]
		all += degree[i]
	}
	inside := 0.0
	a := g.CSR().RawMatrix()
	for i, c := range clusters {
		for q := a.Indptr[i]; q < a.Indptr[i+1]; q++ {
			if j := a.Ind[q]; j != i && clusters[j] == c {
				inside += a.Data[q]
			}
		}
	}
	q := inside / all
	for _, v := range volume {
		q -= (v / all) * (v / all)
	}
	return q, nil
}
