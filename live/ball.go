package live

import (
	"slices"

	"coles/internal/kernel"
)

// A ball is the nodes around a set, by their distance to it.
type ball struct {
	nodes []int32 // by distance, then by number
	ends  []int   // nodes[:ends[r]] are those within distance r
	place []int32 // of every node of the graph: its place in nodes, −1 outside; lent by the caller
}

// ballAround finds the nodes within some distance of a set, whose slice it takes over. place has an entry −1 for every node of
// the graph, and [ball.release] restores it.
func (adj *adjacency) ballAround(centre []int32, radius int, place []int32) *ball {
	b := &ball{nodes: centre, place: place}
	for q, i := range centre {
		place[i] = int32(q)
	}
	from := 0
	for len(b.ends) < radius {
		reached := len(b.nodes)
		b.ends = append(b.ends, reached)
		for _, i := range b.nodes[from:reached] {
			adj.around(i, func(j int32) {
				if place[j] < 0 {
					place[j] = 0
					b.nodes = append(b.nodes, j)
				}
			})
		}
		from = reached
		slices.Sort(b.nodes[from:])
		for q, j := range b.nodes[from:] {
			place[j] = int32(from + q)
		}
	}
	b.ends = append(b.ends, len(b.nodes))
	return b
}

// release gives the entries of place back.
func (b *ball) release() {
	for _, i := range b.nodes {
		b.place[i] = -1
	}
}

// within is the number of nodes within a distance, at most the radius.
func (b *ball) within(distance int) int { return b.ends[min(distance, len(b.ends)-1)] }

// rows are the rows of a matrix for the first nodes of the ball, with the columns of the ball: entries at
// other nodes are left out.
func (b *ball) rows(count int, each rows) *kernel.CSR[float64] {
	return rowsOf(b.nodes[:count], len(b.nodes), each, func(j int32) int32 { return b.place[j] })
}

// rowsOf are the rows of a matrix for some nodes, with the columns that at does not make negative.
func rowsOf(nodes []int32, cols int, each rows, at func(j int32) int32) *kernel.CSR[float64] {
	a := &kernel.CSR[float64]{Rows: len(nodes), Cols: cols, Ptr: make([]int64, len(nodes)+1)}
	for r, i := range nodes {
		each(i, func(j int32, w float64) {
			if q := at(j); q >= 0 {
				a.Col, a.Val = append(a.Col, q), append(a.Val, w)
			}
		})
		a.Ptr[r+1] = int64(len(a.Col))
	}
	return a
}

// change is the difference that the last change of the adjacency made to a matrix. It touches only the first nodes of the
// ball: rows and columns within distance 1. Entries between unchanged rows are equal and not stored.
func (b *ball) change(now, was rows) *kernel.CSR[float64] {
	count := b.within(1)
	a := &kernel.CSR[float64]{Rows: count, Cols: count, Ptr: make([]int64, count+1)}
	sum := make([]float64, count)
	for r, i := range b.nodes[:count] {
		var cols []int32
		now(i, func(j int32, w float64) {
			if at := b.place[j]; at >= 0 && int(at) < count {
				cols = append(cols, at)
				sum[at] = w
			}
		})
		was(i, func(j int32, w float64) {
			if at := b.place[j]; at >= 0 && int(at) < count {
				cols = append(cols, at)
				sum[at] -= w
			}
		})
		slices.Sort(cols)
		for _, at := range slices.Compact(cols) {
			if sum[at] != 0 {
				a.Col, a.Val = append(a.Col, at), append(a.Val, sum[at])
			}
			sum[at] = 0
		}
		a.Ptr[r+1] = int64(len(a.Col))
	}
	return a
}

// panel has a row for every node of the ball.
func (b *ball) panel(cols int) kernel.Matrix[float64] {
	return kernel.Dense[float64](len(b.nodes), cols)
}
