package live

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"coles"
	"coles/internal/kernel"
	"coles/internal/linear"
	"coles/internal/matrix"
)

// An adjacency is an adjacency matrix that gains nodes and edges, and takes the last of them back.
type adjacency struct {
	nodes   []node
	loops   bool    // self loops are kept
	alone   bool    // the identity replaces W⁺
	unit    float64 // of weights, 0 where they are taken as they are
	volume  float64 // Σ degree
	entries int     // of all rows

	before map[int32]node // what the nodes touched by the last change were
	undo   totals
}

// totals are the sums that a change of edges changes, besides the nodes.
type totals struct {
	nodes, entries int
	volume         float64
}

// A node is a row of the adjacency matrix, which is replaced and never written to, and the scales
// that normalise it.
type node struct {
	cols   []int32
	given  []float64 // weights
	vals   []float64 // weights as the model takes them
	degree float64   // weighted, self loops left out
	plus   float64   // 1/√degree, 0 for an isolated node
	filter float64   // 1/√(degree + self loop + 1)
}

func newAdjacency(g *coles.Graph, unit float64) *adjacency {
	a := g.Raw()
	adj := &adjacency{nodes: make([]node, a.Rows), loops: g.KeepsSelfLoops(), entries: a.NNZ(), unit: unit}
	for i := range adj.nodes {
		cols, vals := a.Row(i)
		adj.nodes[i] = node{cols: cols, given: vals}
		adj.weigh(int32(i))
	}
	adj.sumDegrees()
	return adj
}

// weigh sets degree and scales, equal to the byte to a graph built from scratch.
func (adj *adjacency) weigh(i int32) {
	v := &adj.nodes[i]
	if v.vals = v.given; adj.unit > 0 {
		v.vals = make([]float64, len(v.given))
		for q, w := range v.given {
			v.vals[q] = linear.Weight(w, adj.unit)
		}
	}
	degree, loop := matrix.Degree(int(i), v.cols, v.vals)
	v.degree, v.filter, v.plus = degree, 1/math.Sqrt(degree+1+loop), 0
	if v.degree > 0 {
		v.plus = 1 / math.Sqrt(v.degree)
	}
}

// add joins nodes, of which count are new; edges are checked. It returns the nodes whose rows have
// changed, ascending. An error comes from ctx and leaves what is to be taken back.
func (adj *adjacency) add(ctx context.Context, count int, edges []coles.Edge, weights []float64) ([]int32, error) {
	adj.before = make(map[int32]node)
	adj.undo = totals{len(adj.nodes), adj.entries, adj.volume}
	for range count {
		i := int32(len(adj.nodes))
		adj.before[i] = node{}
		adj.nodes = append(adj.nodes, node{})
		adj.weigh(i)
	}
	fresh := adj.entriesOf(edges, weights)
	for len(fresh) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		end := slices.IndexFunc(fresh, func(e entry) bool { return e.row != fresh[0].row })
		if end < 0 {
			end = len(fresh)
		}
		adj.merge(fresh[0].row, fresh[:end])
		fresh = fresh[end:]
	}
	touched := slices.Sorted(maps.Keys(adj.before))
	for _, i := range touched { // in this order: sums depend on theirs
		adj.weigh(i)
		adj.volume += adj.nodes[i].degree - adj.before[i].degree
	}
	return touched, ctx.Err()
}

// An entry of the matrix comes from an edge.
type entry struct {
	row, col int32
	weight   float64
}

// entriesOf are both entries of every edge that counts, row after row, the heavier of equal ones
// first.
func (adj *adjacency) entriesOf(edges []coles.Edge, weights []float64) []entry {
	entries := make([]entry, 0, 2*len(edges))
	for q, e := range edges {
		w := 1.0
		if weights != nil {
			w = weights[q]
		}
		if w == 0 || e.U == e.V && !adj.loops {
			continue
		}
		entries = append(entries, entry{int32(e.U), int32(e.V), w})
		if e.U != e.V {
			entries = append(entries, entry{int32(e.V), int32(e.U), w})
		}
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.col, b.col), cmp.Compare(b.weight, a.weight))
	})
	return entries
}

// merge brings sorted entries into a row, of two at one place the heavier: in one pass, since a hub
// may gain many.
func (adj *adjacency) merge(i int32, fresh []entry) {
	old := adj.nodes[i]
	v := node{cols: make([]int32, 0, len(old.cols)+len(fresh)), given: make([]float64, 0, len(old.cols)+len(fresh))}
	changed, at := false, 0
	for q, e := range fresh {
		if q > 0 && e.col == fresh[q-1].col {
			continue
		}
		to, found := slices.BinarySearch(old.cols[at:], e.col)
		v.cols, v.given = append(v.cols, old.cols[at:at+to]...), append(v.given, old.given[at:at+to]...)
		at += to
		if found {
			e.weight = max(e.weight, old.given[at])
			changed = changed || e.weight > old.given[at]
			at++
		} else {
			changed = true
		}
		v.cols, v.given = append(v.cols, e.col), append(v.given, e.weight)
	}
	if !changed {
		return
	}
	if _, saved := adj.before[i]; !saved { // new nodes are
		adj.before[i] = old
	}
	v.cols, v.given = append(v.cols, old.cols[at:]...), append(v.given, old.given[at:]...)
	adj.entries += len(v.cols) - len(old.cols)
	adj.nodes[i] = v
}

// degrees are the degrees of all nodes.
func (adj *adjacency) degrees() []float64 {
	degrees := make([]float64, len(adj.nodes))
	for i := range adj.nodes {
		degrees[i] = adj.nodes[i].degree
	}
	return degrees
}

// sumDegrees makes the volume what a graph built from scratch has.
func (adj *adjacency) sumDegrees() { adj.volume = matrix.Total(adj.degrees()) }

// rollback undoes the last add.
func (adj *adjacency) rollback() {
	for i, v := range adj.before {
		adj.nodes[i] = v
	}
	adj.nodes = adj.nodes[:adj.undo.nodes]
	adj.entries, adj.volume = adj.undo.entries, adj.undo.volume
	adj.commit()
}

// commit discards the undo log of the last add.
func (adj *adjacency) commit() { adj.before = nil }

// was is the node before the last add.
func (adj *adjacency) was(i int32) *node {
	if v, ok := adj.before[i]; ok {
		return &v
	}
	return &adj.nodes[i]
}

// now is the node after it.
func (adj *adjacency) now(i int32) *node { return &adj.nodes[i] }

// raw is the adjacency matrix.
func (adj *adjacency) raw() *kernel.CSR[float64] {
	n := len(adj.nodes)
	a := &kernel.CSR[float64]{Rows: n, Cols: n, Ptr: make([]int64, n+1), Col: make([]int32, 0, adj.entries), Val: make([]float64, 0, adj.entries)}
	for i, v := range adj.nodes {
		a.Col, a.Val = append(a.Col, v.cols...), append(a.Val, v.given...)
		a.Ptr[i+1] = int64(len(a.Col))
	}
	return a
}

// rows visit row i of a matrix in the order of columns.
type rows func(i int32, visit func(j int32, w float64))

// whole is the matrix of rows.
func (adj *adjacency) whole(ctx context.Context, each rows) (*kernel.CSR[float64], error) {
	n := len(adj.nodes)
	a := &kernel.CSR[float64]{Rows: n, Cols: n, Ptr: make([]int64, n+1)}
	err := matrix.EachRow(ctx, a, func(i int) {
		each(int32(i), func(int32, float64) { a.Ptr[i+1]++ })
	})
	if err != nil {
		return nil, err
	}
	matrix.MakeEntries(a)
	return a, matrix.EachRow(ctx, a, func(i int) {
		cols, vals := a.Row(i)
		q := 0
		each(int32(i), func(j int32, w float64) {
			cols[q], vals[q] = j, w
			q++
		})
	})
}

// filterRows are the rows of W, whose nodes the function of gives. A node that is not there yet has no row.
func filterRows(of func(int32) *node) rows {
	return func(i int32, visit func(j int32, w float64)) {
		v := of(i)
		if v.filter == 0 {
			return
		}
		own := false
		diagonal := func(w float64) {
			own = true
			visit(i, w*(v.filter*v.filter))
		}
		for q, j := range v.cols {
			switch {
			case j == i:
				diagonal(v.vals[q] + 1)
				continue
			case j > i && !own:
				diagonal(1)
			}
			visit(j, v.vals[q]*(v.filter*of(j).filter))
		}
		if !own {
			diagonal(1)
		}
	}
}

// plusRows are the rows of W⁺, or of what stands in its place, likewise.
func (adj *adjacency) plusRows(of func(int32) *node) rows {
	if adj.alone {
		return func(i int32, visit func(j int32, w float64)) { visit(i, 1) }
	}
	return func(i int32, visit func(j int32, w float64)) {
		v := of(i)
		for q, j := range v.cols {
			if j != i {
				visit(j, matrix.Scaled(v.vals[q], v.plus, of(j).plus))
			}
		}
	}
}

// finite refuses weights of some nodes, or of all, that add up to infinity.
func (adj *adjacency) finite(nodes []int32) error {
	for _, i := range nodes {
		if adj.nodes[i].filter == 0 { // its own loop added
			return fmt.Errorf("live: %w: the weights of node %d add up to infinity", coles.ErrNotFinite, i)
		}
	}
	if math.IsInf(adj.volume, 0) {
		return fmt.Errorf("live: %w: the weights of all nodes add up to infinity", coles.ErrNotFinite)
	}
	return nil
}
