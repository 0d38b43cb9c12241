package live

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"coles"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/linear"
	"coles/internal/matrix"
)

// An adjacency is an adjacency matrix whose nodes and edges change. It can take the last change back.
type adjacency struct {
	nodes   []node
	loops   bool    // self loops are kept
	unit    float64 // of weights, 0 where they are taken as they are
	volume  float64 // Σ degree
	peak    float64 // the largest there has been since it was summed
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
	a := inside.Adjacency(g)
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

// join adds count new nodes, and joins nodes by checked edges. The weight of an edge that is there grows or, if exact is set,
// becomes the given one, where 0 is no edge. It returns the nodes whose rows changed, ascending. An error comes from ctx and
// leaves a change to be rolled back.
func (adj *adjacency) join(ctx context.Context, count int, edges []coles.Edge, weights []float64, exact bool) ([]int32, error) {
	adj.begin()
	for range count {
		i := int32(len(adj.nodes))
		adj.before[i] = node{}
		adj.nodes = append(adj.nodes, node{})
		adj.weigh(i)
	}
	fresh := adj.entriesOf(edges, weights, exact)
	for len(fresh) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		end := slices.IndexFunc(fresh, func(e entry) bool { return e.row != fresh[0].row })
		if end < 0 {
			end = len(fresh)
		}
		adj.merge(fresh[0].row, fresh[:end], exact)
		fresh = fresh[end:]
	}
	touched := slices.Sorted(maps.Keys(adj.before))
	for _, i := range touched { // in this order: sums depend on theirs
		adj.weigh(i)
		adj.volume += adj.nodes[i].degree - adj.before[i].degree
	}
	return touched, ctx.Err()
}

// begin begins a change.
func (adj *adjacency) begin() {
	adj.before = make(map[int32]node)
	adj.undo = totals{len(adj.nodes), adj.entries, adj.volume}
}

// An entry of the matrix comes from an edge.
type entry struct {
	row, col int32
	weight   float64
}

// entriesOf are both entries of every edge that counts, row after row. Equal entries end with the heavier one or, if exact is
// set, with the one given last.
func (adj *adjacency) entriesOf(edges []coles.Edge, weights []float64, exact bool) []entry {
	entries := make([]entry, 0, 2*len(edges))
	for q, e := range edges {
		w := 1.0
		if weights != nil {
			w = weights[q]
		}
		if w == 0 && !exact || e.U == e.V && !adj.loops {
			continue
		}
		entries = append(entries, entry{int32(e.U), int32(e.V), w})
		if e.U != e.V {
			entries = append(entries, entry{int32(e.V), int32(e.U), w})
		}
	}
	slices.SortStableFunc(entries, func(a, b entry) int {
		place := cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.col, b.col))
		if place == 0 && !exact {
			return cmp.Compare(a.weight, b.weight)
		}
		return place
	})
	return entries
}

// merge brings sorted entries into a row, the last of several at one place. It takes one pass, since a hub may gain many.
func (adj *adjacency) merge(i int32, fresh []entry, exact bool) {
	old := adj.nodes[i]
	v := node{cols: make([]int32, 0, len(old.cols)+len(fresh)), given: make([]float64, 0, len(old.cols)+len(fresh))}
	changed, at := false, 0
	for q, e := range fresh {
		if q+1 < len(fresh) && e.col == fresh[q+1].col {
			continue
		}
		to, found := slices.BinarySearch(old.cols[at:], e.col)
		v.cols, v.given = append(v.cols, old.cols[at:at+to]...), append(v.given, old.given[at:at+to]...)
		at += to
		was := 0.0
		if found {
			was = old.given[at]
			at++
		}
		if !exact {
			e.weight = max(e.weight, was)
		}
		if changed = changed || e.weight != was; e.weight > 0 {
			v.cols, v.given = append(v.cols, e.col), append(v.given, e.weight)
		}
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

// sumDegrees gives the volume the same bytes as in a graph built from scratch.
func (adj *adjacency) sumDegrees() {
	adj.volume = matrix.Total(adj.degrees())
	adj.peak = adj.volume
}

// renumber gives the number i, of a node without edges, to the last node.
func (adj *adjacency) renumber(i int32) {
	last := int32(len(adj.nodes) - 1)
	for _, j := range adj.nodes[last].cols {
		v := &adj.nodes[j]
		from, _ := slices.BinarySearch(v.cols, last)
		to, _ := slices.BinarySearch(v.cols, i)
		weight := v.given[from]
		v.cols, v.given = slices.Concat(v.cols[:to], []int32{i}, v.cols[to:from], v.cols[from+1:]), slices.Concat(v.given[:to], []float64{weight}, v.given[to:from], v.given[from+1:])
		adj.weigh(j)
	}
	adj.nodes[i] = adj.nodes[last]
	adj.nodes = adj.nodes[:last]
}

// around visits the neighbours of a node, before and after the last change; some twice.
func (adj *adjacency) around(i int32, visit func(j int32)) {
	for _, j := range adj.nodes[i].cols {
		visit(j)
	}
	for _, j := range adj.before[i].cols {
		visit(j)
	}
}

// rollback undoes the last change.
func (adj *adjacency) rollback() {
	for i, v := range adj.before {
		adj.nodes[i] = v
	}
	adj.nodes = adj.nodes[:adj.undo.nodes]
	adj.entries, adj.volume = adj.undo.entries, adj.undo.volume
	adj.commit()
}

// commit discards the undo log of the last change.
func (adj *adjacency) commit() { adj.before, adj.peak = nil, max(adj.peak, adj.volume) }

// was is the node before the last change.
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

// filterRows are the rows of W for the nodes that of returns. A node that is not there yet has no row.
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

// plusRows are the rows of W⁺ for the nodes that of returns.
func plusRows(of func(int32) *node) rows {
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
		v := &adj.nodes[i]
		if degree, loop := matrix.Degree(int(i), v.cols, v.given); math.IsInf(degree+loop+1, 0) { // as given, be they taken by their logarithms
			return fmt.Errorf("live: %w: the weights of node %d add up to infinity", coles.ErrNotFinite, i)
		}
	}
	if math.IsInf(adj.volume, 0) {
		return fmt.Errorf("live: %w: the weights of all nodes add up to infinity", coles.ErrNotFinite)
	}
	return nil
}
