package gnn

import (
	"context"
	"math/rand/v2"

	"coles"
	"coles/internal/kernel"
	"coles/internal/tape"

	"github.com/james-bowman/sparse"
)

// blocks shares the nodes out to blocks of at most size nodes that hold together:
// pieces of the order in which a breadth-first search from random nodes meets
// them. Nodes drawn one by one would have next to no edges among them.
func blocks(a *sparse.CSR, size int, rnd *rand.Rand) [][]int {
	raw := a.RawMatrix()
	n := raw.I
	order := make([]int, 0, n)
	seen := make([]bool, n)
	for _, root := range rnd.Perm(n) {
		if seen[root] {
			continue
		}
		seen[root] = true
		order = append(order, root)
		for head := len(order) - 1; head < len(order); head++ {
			u := order[head]
			first := len(order)
			for _, v := range raw.Ind[raw.Indptr[u]:raw.Indptr[u+1]] {
				if !seen[v] {
					seen[v] = true
					order = append(order, v)
				}
			}
			next := order[first:]
			rnd.Shuffle(len(next), func(i, j int) { next[i], next[j] = next[j], next[i] })
		}
	}
	count := (n + size - 1) / size
	parts := make([][]int, count)
	for k := range parts {
		parts[k] = order[k*n/count : (k+1)*n/count]
	}
	return parts
}

// surroundings is the view of a block: its nodes first, then those up to so many
// hops away, which their output depends on. W keeps the degrees of the whole
// graph, so the output is what the whole graph would give.
func (d *data[T]) surroundings(block []int, hops int) *view[T] {
	place := make(map[int]int, 4*len(block))
	nodes := append([]int(nil), block...)
	for k, i := range nodes {
		place[i] = k
	}
	rows := make([]int, len(block))
	for k := range rows {
		rows[k] = k
	}
	ring := nodes
	for range hops {
		first := len(nodes)
		for _, i := range ring {
			cols, _ := d.w.Row(i)
			for _, j := range cols {
				if _, ok := place[int(j)]; !ok {
					place[int(j)] = len(nodes)
					nodes = append(nodes, int(j))
				}
			}
		}
		ring = nodes[first:]
	}
	v := &view[T]{x: d.whole.x.at(nodes), w: tape.NewSparse(restricted(d.w, nodes, place), true), rows: rows}
	if d.means != nil {
		v.means = tape.NewSparse(restricted(d.means, nodes, place), false)
	}
	return v
}

// restricted is the rows and columns of some nodes, which are now numbered by place.
func restricted[T kernel.Float](a *kernel.CSR[T], nodes []int, place map[int]int) *kernel.CSR[T] {
	r := &kernel.CSR[T]{Rows: len(nodes), Cols: len(nodes), Ptr: make([]int64, 1, len(nodes)+1)}
	for _, i := range nodes {
		cols, vals := a.Row(i)
		for q, j := range cols {
			if k, ok := place[int(j)]; ok {
				r.Col, r.Val = append(r.Col, int32(k)), append(r.Val, vals[q])
			}
		}
		r.Ptr = append(r.Ptr, int64(len(r.Col)))
	}
	// The new numbers of a row are in no order.
	return r.Transpose().Transpose()
}

// induced is the graph of a block: its nodes and the edges among them.
func induced(ctx context.Context, a *sparse.CSR, block []int) (*coles.Graph, error) {
	raw := a.RawMatrix()
	place := make(map[int]int, len(block))
	for k, i := range block {
		place[i] = k
	}
	var edges []coles.Edge
	var weights []float64
	for k, i := range block {
		for q := raw.Indptr[i]; q < raw.Indptr[i+1]; q++ {
			if l, ok := place[raw.Ind[q]]; ok && k < l {
				edges, weights = append(edges, coles.Edge{U: k, V: l}), append(weights, raw.Data[q])
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return coles.NewGraph(len(block), edges, coles.WithEdgeWeights(weights))
}
