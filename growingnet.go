package coles

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"coles/internal/kernel"
)

// A growingNet is an adjacency matrix that gains nodes and edges, and takes the
// last of them back.
type growingNet struct {
	nodes   []growingNode
	loops   bool    // self loops are kept
	volume  float64 // Σ degree
	entries int     // of all rows

	before map[int32]growingNode // what the nodes touched by the last change were
	undo   growingTotals
}

// growingTotals are what a change of edges changes beside the nodes.
type growingTotals struct {
	nodes, entries int
	volume         float64
}

// A growingNode is a row of the adjacency matrix and the scales of
// [Normalize] for it.
type growingNode struct {
	cols   []int32
	vals   []float64
	degree float64 // weighted, self loops left out
	plus   float64 // 1/√degree, 0 for an isolated node
	filter float64 // 1/√(degree + self loop + 1)
}

func newGrowingNet(g *Graph) *growingNet {
	net := &growingNet{nodes: make([]growingNode, g.Nodes()), loops: g.keeps, entries: g.adj.NNZ()}
	for i := range net.nodes {
		cols, vals := g.adj.Row(i)
		// Capped: what is appended to a row is written elsewhere, not into the graph.
		net.nodes[i] = growingNode{cols: slices.Clip(cols), vals: slices.Clip(vals)}
		net.nodes[i].weigh(int32(i))
	}
	net.sumDegrees()
	return net
}

// weigh sets degree and scales, to the byte those of a graph built from scratch.
func (v *growingNode) weigh(i int32) {
	degree, loop := degreeOf(int(i), v.cols, v.vals)
	v.degree, v.filter, v.plus = degree, 1/math.Sqrt(degree+1+loop), 0
	if v.degree > 0 {
		v.plus = 1 / math.Sqrt(v.degree)
	}
}

// add joins nodes, of which count are new; edges are checked. It returns the nodes whose
// rows have changed, ascending. An error is that of ctx and leaves what is to be taken back.
func (net *growingNet) add(ctx context.Context, count int, edges []Edge, weights []float64) ([]int32, error) {
	net.before = make(map[int32]growingNode)
	net.undo = growingTotals{len(net.nodes), net.entries, net.volume}
	for range count {
		i := int32(len(net.nodes))
		net.before[i] = growingNode{}
		net.nodes = append(net.nodes, growingNode{})
		net.nodes[i].weigh(i)
	}
	fresh := net.entriesOf(edges, weights)
	for len(fresh) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		end := slices.IndexFunc(fresh, func(e growingEntry) bool { return e.row != fresh[0].row })
		if end < 0 {
			end = len(fresh)
		}
		net.merge(fresh[0].row, fresh[:end])
		fresh = fresh[end:]
	}
	touched := slices.Sorted(maps.Keys(net.before))
	for _, i := range touched { // in this order: sums depend on theirs
		v := &net.nodes[i]
		v.weigh(i)
		net.volume += v.degree - net.before[i].degree
	}
	return touched, ctx.Err()
}

// A growingEntry is an entry of the matrix.
type growingEntry struct {
	row, col int32
	weight   float64
}

// entriesOf are both entries of every edge that counts, row after row, the heavier of equal
// ones first.
func (net *growingNet) entriesOf(edges []Edge, weights []float64) []growingEntry {
	entries := make([]growingEntry, 0, 2*len(edges))
	for q, e := range edges {
		w := 1.0
		if weights != nil {
			w = weights[q]
		}
		if w == 0 || e.U == e.V && !net.loops {
			continue
		}
		entries = append(entries, growingEntry{int32(e.U), int32(e.V), w})
		if e.U != e.V {
			entries = append(entries, growingEntry{int32(e.V), int32(e.U), w})
		}
	}
	slices.SortFunc(entries, func(a, b growingEntry) int {
		if at := cmp.Compare(int64(a.row)<<32|int64(a.col), int64(b.row)<<32|int64(b.col)); at != 0 {
			return at
		}
		return cmp.Compare(b.weight, a.weight)
	})
	return entries
}

// merge brings sorted entries into a row, of two at one place the heavier: in one
// pass, since a hub may gain many.
func (net *growingNet) merge(i int32, fresh []growingEntry) {
	old := net.nodes[i]
	v := growingNode{cols: make([]int32, 0, len(old.cols)+len(fresh)), vals: make([]float64, 0, len(old.cols)+len(fresh))}
	changed, at := false, 0
	for q, e := range fresh {
		if q > 0 && e.col == fresh[q-1].col {
			continue
		}
		to, found := slices.BinarySearch(old.cols[at:], e.col)
		v.cols, v.vals = append(v.cols, old.cols[at:at+to]...), append(v.vals, old.vals[at:at+to]...)
		at += to
		if found {
			e.weight = max(e.weight, old.vals[at])
			changed = changed || e.weight > old.vals[at]
			at++
		} else {
			changed = true
		}
		v.cols, v.vals = append(v.cols, e.col), append(v.vals, e.weight)
	}
	if !changed {
		return
	}
	if _, saved := net.before[i]; !saved { // new nodes are
		net.before[i] = old
	}
	v.cols, v.vals = append(v.cols, old.cols[at:]...), append(v.vals, old.vals[at:]...)
	net.entries += len(v.cols) - len(old.cols)
	net.nodes[i] = v
}

// sumDegrees makes the volume what a graph built from scratch has.
func (net *growingNet) sumDegrees() {
	net.volume = total(net.degrees())
}

func (net *growingNet) degrees() []float64 {
	degrees := make([]float64, len(net.nodes))
	for i := range net.nodes {
		degrees[i] = net.nodes[i].degree
	}
	return degrees
}

// takeBack undoes the last add.
func (net *growingNet) takeBack() {
	for i, v := range net.before {
		net.nodes[i] = v
	}
	clear(net.nodes[net.undo.nodes:])
	net.nodes = net.nodes[:net.undo.nodes]
	net.entries, net.volume = net.undo.entries, net.undo.volume
	net.keep()
}

// keep forgets what the nodes were before the last add.
func (net *growingNet) keep() { net.before = nil }

// was is the node before the last add.
func (net *growingNet) was(i int32) *growingNode {
	if v, ok := net.before[i]; ok {
		return &v
	}
	return &net.nodes[i]
}

// now is the node after it.
func (net *growingNet) now(i int32) *growingNode { return &net.nodes[i] }

// adjacency is the matrix as a graph keeps it.
func (net *growingNet) adjacency() *kernel.CSR[float64] {
	n := len(net.nodes)
	a := &kernel.CSR[float64]{Rows: n, Cols: n, Ptr: make([]int64, n+1), Col: make([]int32, 0, net.entries), Val: make([]float64, 0, net.entries)}
	for i, v := range net.nodes {
		a.Col, a.Val = append(a.Col, v.cols...), append(a.Val, v.vals...)
		a.Ptr[i+1] = int64(len(a.Col))
	}
	return a
}

// eachFilter visits row i of W in the order of columns; node tells of its columns. A
// node that is not there yet has no row.
func (v *growingNode) eachFilter(i int32, node func(int32) *growingNode, visit func(j int32, w float64)) {
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
		visit(j, v.vals[q]*(v.filter*node(j).filter))
	}
	if !own {
		diagonal(1)
	}
}

// eachPlus visits row i of W⁺ likewise.
func (v *growingNode) eachPlus(i int32, node func(int32) *growingNode, visit func(j int32, w float64)) {
	for q, j := range v.cols {
		if j != i {
			visit(j, scaled(v.vals[q], v.plus, node(j).plus))
		}
	}
}
