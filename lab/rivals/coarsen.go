package rivals

import (
	"context"
	"slices"

	"coles"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/stream"
)

const (
	zoomVectors = 7
	zoomRows    = 1 << 10 // between two looks at the context
)

// Coarsen returns the coarse graph, and for every node the number of the coarse one that it has been
// merged into. For m edges it multiplies 4m·7 times, sorts in O(m log m), and takes 80 bytes for each edge.
//
// Errors: [coles.ErrSetting], and ctx's.
func (z GraphZoom) Coarsen(ctx context.Context, g *coles.Graph) (coarse *coles.Graph, group []int, err error) {
	if err := z.Check(); err != nil {
		return nil, nil, err
	}
	group = upTo(g.Nodes())
	for level := range z.Levels {
		merged, count, err := z.merge(ctx, g, stream.Seed(z.Seed, uint64(level)))
		if err != nil {
			return nil, nil, err
		}
		if g, err = mergedGraph(ctx, g, merged, count); err != nil {
			return nil, nil, err
		}
		for i, k := range group {
			group[i] = merged[k]
		}
	}
	return g, group, ctx.Err()
}

// merge returns the merged node of each node, and their number.
func (z GraphZoom) merge(ctx context.Context, g *coles.Graph, seed uint64) (merged []int, count int, err error) {
	t, err := z.likeness(ctx, g, seed)
	if err != nil {
		return nil, 0, err
	}
	a := inside.Adjacency(g)
	merged = slices.Repeat([]int{-1}, a.Rows)
	for k, i := range byDegree(a) {
		if k%zoomRows == 0 && ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		if merged[i] >= 0 {
			continue
		}
		merged[i] = count
		cols, _ := a.Row(i)
		for _, j := range cols {
			if merged[j] < 0 && alike(t.Row(i), t.Row(int(j))) > z.Threshold {
				merged[j] = count
			}
		}
		count++
	}
	return merged, count, ctx.Err()
}

// likeness has a row of unit length for every node; rows of similar nodes have a large squared cosine.
func (z GraphZoom) likeness(ctx context.Context, g *coles.Graph, seed uint64) (kernel.Matrix[float64], error) {
	t := kernel.Dense[float64](g.Nodes(), zoomVectors)
	mean, err := parallel.Sum(ctx, t.Rows, zoomVectors, func(sum []float64, lo, hi int) {
		rng := stream.New()
		for i := lo; i < hi; i++ {
			rng.Reseed(seed, uint64(i))
			row := t.Row(i)
			for j := range row {
				row[j] = 2*rng.Float64() - 1
				sum[j] += row[j] / float64(t.Rows)
			}
		}
	})
	if err != nil {
		return t, err
	}
	if err := parallel.EachRow(ctx, t.Rows, func(i int) { matrix.AddScaled(t.Row(i), -1, mean) }); err != nil {
		return t, err
	}
	f, err := zoomFilter(ctx, g, z.Lambda)
	if err != nil {
		return t, err
	}
	if t, err = smoothed(ctx, f, t); err != nil {
		return t, err
	}
	return t, parallel.EachRow(ctx, t.Rows, func(i int) {
		if length := matrix.Length(t.Row(i)); length > 0 {
			matrix.Scale(t.Row(i), 1/length)
		}
	})
}

// alike is the squared cosine of two rows of unit length.
func alike(a, b []float64) float64 {
	cosine := 0.0
	for c, v := range a {
		cosine += v * b[c]
	}
	return cosine * cosine
}

// byDegree are the nodes by the number of their neighbours, those with the same one in their order.
func byDegree(a *kernel.CSR[float64]) []int {
	keys, order := make([]int64, a.Rows), make([]int, a.Rows)
	for i := range keys {
		keys[i] = (a.Ptr[i+1]-a.Ptr[i])<<32 | int64(i)
	}
	slices.Sort(keys)
	for k, key := range keys {
		order[k] = int(uint32(key))
	}
	return order
}

// mergedGraph has the sums of the weights between nodes that are not merged into one.
func mergedGraph(ctx context.Context, g *coles.Graph, merged []int, count int) (*coles.Graph, error) {
	var edges []coles.Edge
	var weights []float64
	for i, u := range merged {
		if i%zoomRows == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		cols, vals := inside.Adjacency(g).Row(i)
		for q, j := range cols {
			if v := merged[j]; u < v { // each edge once
				edges, weights = append(edges, coles.Edge{U: u, V: v}), append(weights, vals[q])
			}
		}
	}
	coarse, _, err := matrix.FromPairs(ctx, count, edges, weights, func(x, y float64) float64 { return x + y })
	if err != nil {
		return nil, err
	}
	a, err := matrix.ExportCSR(ctx, coarse)
	if err != nil {
		return nil, err
	}
	return coles.FromCSR(a)
}
