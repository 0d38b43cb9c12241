package alignment

import (
	"cmp"
	"context"
	"math"
	"slices"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/stream"
)

// Names tell nodes apart whatever the order they are numbered in. They begin as given. In each round, hashes take in the names
// of neighbours and the weights, in float32 (Weisfeiler and Leman 1968). Nodes with equal names, as leaves of one node, are
// mostly alike to the graph too, and are counted.
func Names(ctx context.Context, graph *kernel.CSR[float64], names []uint64, rounds int) ([]uint64, error) {
	next := make([]uint64, len(names))
	for range rounds {
		if err := matrix.EachRow(ctx, graph, func(i int) {
			sum := uint64(0)
			cols, weights := graph.Row(i)
			for q, j := range cols {
				w := 1.0
				if weights != nil {
					w = weights[q]
				}
				sum += stream.Seed(names[j], uint64(math.Float32bits(float32(w)))) // which hides rounding
			}
			next[i] = stream.Seed(names[i], sum)
		}); err != nil {
			return nil, err
		}
		names, next = next, names
	}
	order := make([]int, len(names))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(names[a], names[b]), cmp.Compare(a, b)) })
	copy(next, names)
	for k, count := 1, uint64(0); k < len(order); k++ {
		if count++; next[order[k]] != next[order[k-1]] {
			count = 0
		}
		names[order[k]] = stream.Seed(names[order[k]], count)
	}
	return names, ctx.Err()
}
