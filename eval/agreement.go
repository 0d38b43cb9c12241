package eval

import (
	"fmt"
	"math"
	"slices"

	"coles"
	"coles/internal/contingency"
)

// NMI is the normalised mutual information of two labellings, 0 to 1,
//
//	I(A; B) / ((H(A) + H(B))/2),
//
// with scikit-learn's arithmetic normalisation. It is 1 if the labellings are equal up to names, two of a single class
// included, and 0 if they are independent. It takes O(n log n).
//
// Errors: [coles.ErrShape] if the lengths differ or are zero.
func NMI(a, b []int) (float64, error) {
	t, err := contingency.Of(a, b)
	if err != nil {
		return 0, err
	}
	if len(t.Rows.Labels) == 1 && len(t.Cols.Labels) == 1 {
		return 1, nil
	}
	n, information := float64(t.N), 0.0
	for _, e := range t.Cells {
		p := float64(e.Count)
		information += p / n * (math.Log(p/float64(t.Rows.Size[e.Row])) + math.Log(n/float64(t.Cols.Size[e.Col])))
	}
	normaliser := (entropyOf(t.Rows.Size, n) + entropyOf(t.Cols.Size, n)) / 2
	return min(1, max(0, information/normaliser)), nil // but for rounding
}

// entropyOf is the entropy of shares counts/n, in nats.
func entropyOf(counts []int, n float64) float64 {
	sum := 0.0
	for _, c := range counts {
		p := float64(c) / n
		sum -= p * math.Log(p)
	}
	return sum
}

// clusterScores are accuracy and macro F1 under the best map: see [Clustering].
func clusterScores(clusters, labels []int) (accuracy, f1 float64, err error) {
	t, err := contingency.Of(labels, clusters)
	if err != nil {
		return 0, 0, err
	}
	r, c := len(t.Rows.Labels), len(t.Cols.Labels)
	const most = 1 << 24 // 128 MB
	if r > most/c {
		return 0, 0, fmt.Errorf("%w: a map between %d clusters and %d labels", coles.ErrTooLarge, c, r)
	}
	weight := make([]int, r*c)
	for _, e := range t.Cells {
		weight[e.Row*c+e.Col] = e.Count
	}
	cluster, right := assign(weight, r, c), 0
	for _, e := range t.Cells {
		if cluster[e.Row] == e.Col {
			right += e.Count
			f1 += 2 * float64(e.Count) / float64(t.Rows.Size[e.Row]+t.Cols.Size[e.Col])
		}
	}
	return float64(right) / float64(t.N), f1 / float64(r), nil
}

// assign gives each row of weight (r × c, row after row) a column of its own, so that the sum of the weights is the
// largest. With more rows than columns, each column gets a row of its own. It returns the column of each row, −1 for
// none.
//
// It is the Hungarian method by shortest augmenting paths (Kuhn 1955; Jonker and Volgenant 1987,
// without their initialisation): in whole numbers exact, of several best always the same, in
// O(m²·M) time for m = min(r, c) and M = max(r, c).
func assign(weight []int, r, c int) []int {
	h := hungarian{weight: weight, rows: r, cols: c, down: c, across: 1}
	if r > c {
		h.rows, h.cols, h.down, h.across = c, r, 1, c // the transpose
	}
	h.u, h.v, h.row = make([]int, h.rows), make([]int, h.cols+1), slices.Repeat([]int{-1}, h.cols+1)
	h.reach, h.from, h.done = make([]int, h.cols), make([]int, h.cols), make([]bool, h.cols+1)
	for i := range h.rows {
		h.augment(i)
	}
	if r > c {
		return h.row[:r]
	}
	column := make([]int, r)
	for j, i := range h.row[:c] {
		if i >= 0 {
			column[i] = j
		}
	}
	return column
}

// A hungarian minimises the sum of costs −weight. It has one column more than the matrix: the row
// being placed starts from there.
type hungarian struct {
	weight       []int
	rows, cols   int
	down, across int   // from an entry of weight to the next of its column, and of its row
	u, v         []int // potentials: −weight[i, j] − u[i] − v[j] ≥ 0, and 0 where i has j
	row          []int // the row that has column j, −1 for none

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

// advance looks on from column at and returns the nearest of the columns not done, after lowering
// potentials such that its path has length zero.
func (h *hungarian) advance(at int) int {
	h.done[at] = true
	i := h.row[at]
	next := -1
	for j := range h.cols {
		if h.done[j] {
			continue
		}
		if length := -h.weight[i*h.down+j*h.across] - h.u[i] - h.v[j]; length < h.reach[j] {
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
