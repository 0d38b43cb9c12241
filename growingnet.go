package coles

import (
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
	net := &growingNet{nodes: make([]growingNode, g.Nodes()), loops: g.loops, entries: g.adj.NNZ()}
	for i := range net.nodes {
		cols, vals := g.adj.Row(i)
		// Capped: what is appended to a row is written elsewhere, not into the graph.
		net.nodes[i] = growingNode{cols: slices.Clip(cols), vals: slices.Clip(vals)}
		net.nodes[i].weigh(int32(i))
		net.volume += net.nodes[i].degree
	}
	return net
}

// weigh sets degree and scales, summed in the order in which a graph built from
// scratch sums them.
func (v *growingNode) weigh(i int32) {
	all := 0.0
	v.degree = 0
	own := false
	for q, j := range v.cols {
		w := v.vals[q]
		if j == i {
			own = true
			w++
		} else {
			v.degree += w
		}
		if j > i && !own {
			own = true
			all++
		}
		all += w
	}
	if !own {
		all++
	}
	v.filter, v.plus = 1/math.Sqrt(all), 0
	if v.degree > 0 {
		v.plus = 1 / math.Sqrt(v.degree)
	}
}

// add joins nodes, of which count are new; edges are checked. It returns the nodes whose
// rows have changed, ascending.
func (net *growingNet) add(count int, edges []Edge, weights []float64) []int32 {
	net.before = make(map[int32]growingNode)
	net.undo = growingTotals{len(net.nodes), net.entries, net.volume}
	for range count {
		i := int32(len(net.nodes))
		net.before[i] = growingNode{}
		net.nodes = append(net.nodes, growingNode{})
		net.nodes[i].weigh(i)
	}
	for q, e := range edges {
		w := 1.0
		if weights != nil {
			w = weights[q]
		}
		if w == 0 || e.U == e.V && !net.loops {
			continue
		}
		net.set(int32(e.U), int32(e.V), w)
		if e.U != e.V {
			net.set(int32(e.V), int32(e.U), w)
		}
	}
	touched := make([]int32, 0, len(net.before))
	for i, old := range net.before {
		v := &net.nodes[i]
		v.weigh(i)
		net.volume += v.degree - old.degree
		touched = append(touched, i)
	}
	slices.Sort(touched)
	return touched
}

// set makes the entry (i, j) w, if it is not larger.
func (net *growingNet) set(i, j int32, w float64) {
	v := &net.nodes[i]
	at, found := slices.BinarySearch(v.cols, j)
	if found && v.vals[at] >= w {
		return
	}
	if _, saved := net.before[i]; !saved {
		net.before[i] = *v
		v.cols, v.vals = slices.Clone(v.cols), slices.Clone(v.vals)
	}
	if found {
		v.vals[at] = w
		return
	}
	v.cols, v.vals = slices.Insert(v.cols, at, j), slices.Insert(v.vals, at, w)
	net.entries++
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
			visit(j, v.vals[q]*(v.plus*node(j).plus))
		}
	}
}
