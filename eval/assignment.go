package eval

import "math"

// assign gives each row of weight (r × c, row after row) a column of its own
// or, where there are more rows than columns, each column a row, so that the sum
// of the weights is the largest possible. The result has a column for each row,
// −1 for none. Sums of weights must not overflow: these are counts.
//
// It is the Hungarian method by shortest augmenting paths (Kuhn 1955; Jonker and
// Volgenant 1987, without their initialisation): in whole numbers, so exact,
// and of several best assignments always the same. O(m²·M) for m = min(r, c) and
// M = max(r, c).
func assign(weight []int, r, c int) []int {
	if r > c {
		turned := make([]int, r*c)
		for i := range r {
			for j := range c {
				turned[j*r+i] = weight[i*c+j]
			}
		}
		column := filled(r, -1)
		for j, i := range assign(turned, c, r) {
			column[i] = j
		}
		return column
	}
	h := hungarian{weight: weight, cols: c, u: make([]int, r), v: make([]int, c+1), row: filled(c+1, -1),
		reach: make([]int, c), from: make([]int, c), done: make([]bool, c+1)}
	for i := range r {
		h.augment(i)
	}
	column := make([]int, r)
	for j, i := range h.row[:c] {
		if i >= 0 {
			column[i] = j
		}
	}
	return column
}

// hungarian minimises the sum of costs −weight. Column number cols is none of
// the matrix: the row being placed starts from there.
type hungarian struct {
	weight []int
	cols   int
	u, v   []int // potentials: −weight[i, j] − u[i] − v[j] ≥ 0, and 0 where i has j
	row    []int // the row that has column j, −1 for none

	reach []int  // length of the shortest path to column j that is known
	from  []int  // the column before it on that path
	done  []bool // the shortest path to it is found
}

// augment places row i, moving others along the shortest path to a free column.
func (h *hungarian) augment(i int) {
	for j := range h.reach {
		h.reach[j] = math.MaxInt
	}
	clear(h.done)
	at := h.cols
	h.row[at] = i
	for h.row[at] >= 0 {
		at = h.advance(at)
	}
	for at != h.cols {
		h.row[at] = h.row[h.from[at]]
		at = h.from[at]
	}
	h.row[h.cols] = -1
}

// advance looks on from column at and returns the nearest of those not done,
// after lowering potentials such that its path has length zero.
func (h *hungarian) advance(at int) int {
	h.done[at] = true
	i := h.row[at]
	next := -1
	for j := range h.cols {
		if h.done[j] {
			continue
		}
		if length := -h.weight[i*h.cols+j] - h.u[i] - h.v[j]; length < h.reach[j] {
			h.reach[j], h.from[j] = length, at
		}
		if next < 0 || h.reach[j] < h.reach[next] {
			next = j
		}
	}
	step := h.reach[next]
	for j, done := range h.done {
		if done {
			h.u[h.row[j]] += step
			h.v[j] -= step
		} else if j < h.cols {
			h.reach[j] -= step
		}
	}
	return next
}

func filled(n, value int) []int {
	x := make([]int, n)
	for i := range x {
		x[i] = value
	}
	return x
}
