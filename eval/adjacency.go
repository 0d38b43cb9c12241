package eval

import (
	"fmt"
	"slices"
	"sort"

	"coles"
)

// adjacency lists the neighbours of each node, ascending, without self loops.
type adjacency struct {
	ptr, col []int
}

// adjacencyOf copies the pattern of a graph that has edges.
func adjacencyOf(g *coles.Graph) (*adjacency, error) {
	report := g.Report()
	if report.Edges == 0 {
		return nil, fmt.Errorf("%w: a graph of %d nodes without edges", ErrEmpty, report.Nodes)
	}
	raw := g.CSR().RawMatrix()
	a := &adjacency{raw.Indptr, raw.Ind}
	if report.SelfLoops > 0 {
		a.dropLoops()
	}
	return a, nil
}

// dropLoops moves the entries together in place.
func (a *adjacency) dropLoops() {
	kept, lo := 0, 0
	for i := range len(a.ptr) - 1 {
		hi := a.ptr[i+1]
		for _, j := range a.col[lo:hi] {
			if j != i {
				a.col[kept] = j
				kept++
			}
		}
		a.ptr[i+1], lo = kept, hi
	}
	a.col = a.col[:kept]
}

func (a *adjacency) nodes() int { return len(a.ptr) - 1 }

// of is the neighbours of node i.
func (a *adjacency) of(i int) []int { return a.col[a.ptr[i]:a.ptr[i+1]] }

// above is the neighbours of node i with larger numbers: each edge once.
func (a *adjacency) above(i int) []int {
	near := a.of(i)
	at, _ := slices.BinarySearch(near, i)
	return near[at:]
}

// missing is the k-th number, from 0, of those from lo on that are not listed;
// listed is ascending and starts at lo or later.
func missing(listed []int, lo, k int) int {
	// Of the numbers before listed[q], listed[q] − lo − q are not listed.
	before := sort.Search(len(listed), func(q int) bool { return listed[q]-lo-q > k })
	return lo + k + before
}

// ranks are running totals, by which one of all things listed row by row is
// found from its number. Pairs of nodes outnumber an int of 32 bits.
type ranks []int64

// newRanks adds up count(0), …, count(n−1).
func newRanks(n int, count func(i int) int) ranks {
	r := make(ranks, n+1)
	for i := range n {
		r[i+1] = r[i] + int64(count(i))
	}
	return r
}

func (r ranks) total() int64 { return r[len(r)-1] }

// find is the row of thing number k < total, and its number in that row.
func (r ranks) find(k int64) (row, rank int) {
	row = sort.Search(len(r), func(i int) bool { return r[i] > k }) - 1
	return row, int(k - r[row])
}
