package near

import (
	"context"
	"math"
	"sync"

	"coles"
	"coles/internal/given"
	"coles/internal/nearest"
	"coles/internal/parallel"
)

// Alike finds, for each of the given nodes, the k others whose circles are most alike, best first, the lower node
// first among equal scores. It is for graphs without features, where the nearest vectors of a node are often its own leaves.
// The circle N[u] of a node u of degree d_u is u and its neighbours, and
//
//	score(u, v) = |N[u] ∩ N[v]|/√((d_u + 1)·(d_v + 1)) · d_v/(d_v + 1).
//
// This is the cosine of the rows of A + I, lower for nodes of few edges by the last factor. The circle of a leaf is part
// of a hub's circle: its score is divided by n, so that leaves come last. Weights are not read. A node with fewer than k
// others within two steps gets fewer.
//
// It takes, for each node, its neighbours' degrees in steps, and 9·n bytes for each processor.
//
// Errors: [coles.ErrSetting] for k outside 1 … n − 1, [coles.ErrIndex], and ctx's.
func Alike(ctx context.Context, g *coles.Graph, nodes []int, k int) ([][]Match, error) {
	n := g.Nodes()
	if err := given.CheckRows(nodes, n, "given"); err != nil {
		return nil, err
	}
	if err := checkCount(k, n-1); err != nil {
		return nil, err
	}
	size := make([]float64, n) // of each circle
	for v := range size {
		size[v]++
		near, _ := g.Neighbors(v)
		for _, i := range near {
			if int(i) != v {
				size[v]++
			}
		}
	}
	result := make([][]Match, len(nodes))
	counters := sync.Pool{New: func() any { c := make([]float64, n); return &c }}
	err := parallel.For(ctx, len(nodes), func(q int) {
		lent, u := counters.Get().(*[]float64), nodes[q]
		defer counters.Put(lent)
		count := *lent
		var met []int
		meet := func(v int) {
			if count[v] == 0 {
				met = append(met, v)
			}
			count[v]++
		}
		circle := func(i int, visit func(v int)) {
			visit(i)
			near, _ := g.Neighbors(i)
			for _, v := range near {
				if int(v) != i {
					visit(int(v))
				}
			}
		}
		circle(u, func(i int) { circle(i, meet) })
		best := nearest.NewBest(k)
		for _, v := range met {
			if v != u {
				score := count[v] / math.Sqrt(size[u]*size[v]) * (size[v] - 1) / size[v]
				if size[v] == 2 {
					score /= float64(n)
				}
				best.Add(nearest.Match{Row: v, Score: score})
			}
			count[v] = 0
		}
		for _, m := range best.Ranked() {
			result[q] = append(result[q], Match(m))
		}
	})
	return result, err
}
