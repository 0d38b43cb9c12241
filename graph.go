package coles

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"sync"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/names"
	"coles/internal/parallel"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/graph/simple"
)

// An Edge joins the nodes U and V, numbered from 0, in no direction.
type Edge struct{ U, V int }

// A Graph is an undirected graph with positive edge weights: a symmetric adjacency matrix A (n × n). It is checked once when
// it is built and never changes after, so any number of goroutines may read it.
//
// Every constructor treats its input alike, as [Graph.Report] counts: repeated edges become one, whose weight is the sum
// unless [WithRepeats]; edges of weight zero and, unless [WithSelfLoopsKept], self loops are dropped; nodes without edges stay.
type Graph struct {
	adj    *kernel.CSR[float64] // a pattern where all weights are 1
	loops  bool                 // adj may have diagonal entries
	keeps  bool                 // self loops were not to be dropped
	degree []float64            // weighted, self loops left out
	ids    []string             // nil where nodes are only numbered
	report GraphReport
	roles  *Graph // the double cover, nil unless the graph keeps arcs

	once sync.Once
	rows *names.Index // of ids, made when first needed

	fill   sync.Once
	valued *kernel.CSR[float64] // adj with its values
}

// A GraphReport lists what building a graph found and did.
type GraphReport struct {
	Nodes             int  `json:"nodes"`               // n
	Edges             int  `json:"edges"`               // undirected, self loops left out
	SelfLoops         int  `json:"self_loops"`          // in the graph: 0 unless they were asked to be kept
	DuplicatesMerged  int  `json:"duplicates_merged"`   // edges given again, which became one
	SelfLoopsDropped  int  `json:"self_loops_dropped"`  // edges from a node to itself
	ZeroWeightDropped int  `json:"zero_weight_dropped"` // edges of weight 0
	MirrorsAdded      int  `json:"mirrors_added"`       // entries set from their mirror image to make the matrix symmetric
	Isolated          int  `json:"isolated"`            // nodes without a neighbour
	Weighted          bool `json:"weighted"`            // some weight is not 1
}

func (r GraphReport) String() string {
	counted := func(count int, one, more string) string {
		if count == 1 {
			return "1 " + one
		}
		return fmt.Sprintf("%d %s", count, more)
	}
	s := counted(r.Nodes, "node", "nodes") + ", " + counted(r.Edges, "edge", "edges")
	for _, note := range []struct {
		count     int
		one, more string
	}{
		{r.SelfLoops, "self loop kept", "self loops kept"},
		{r.DuplicatesMerged, "repeat joined", "repeats joined"},
		{r.SelfLoopsDropped, "self loop dropped", "self loops dropped"},
		{r.ZeroWeightDropped, "edge of weight zero dropped", "edges of weight zero dropped"},
		{r.MirrorsAdded, "directed entry mirrored", "directed entries mirrored"},
		{r.Isolated, "isolated node", "isolated nodes"},
	} {
		if note.count > 0 {
			s += ", " + counted(note.count, note.one, note.more)
		}
	}
	if r.Weighted {
		s += ", weighted"
	}
	return s
}

// Nodes is the number of nodes n.
func (g *Graph) Nodes() int { return g.made().adj.Rows }

// made is a graph that a constructor has made: any other is a caller's bug.
func (g *Graph) made() *Graph {
	if g == nil || g.adj == nil {
		panic("coles: a graph that is nil or zero; a constructor such as NewGraph makes one")
	}
	return g
}

// Report lists what building the graph found and did.
func (g *Graph) Report() GraphReport { return g.report }

// String is the report: a graph prints its counts, not its edges.
func (g *Graph) String() string { return g.report.String() }

// Degrees returns the sums of the weights of nodes' edges, no self loops.
func (g *Graph) Degrees() []float64 { return slices.Clone(g.degree) }

// CSR returns a copy of the adjacency matrix A, both triangles stored.
func (g *Graph) CSR() *sparse.CSR { return exported(g.made().adj) }

func exported(a *kernel.CSR[float64]) *sparse.CSR {
	m, _ := matrix.ExportCSR(context.Background(), a) // does not end
	return m
}

// Edges lists every edge once with its weight, as {U, V} with U ≤ V, in the order of U and then of V; a self
// loop that the graph keeps is {U, U}.
func (g *Graph) Edges() iter.Seq2[Edge, float64] {
	return func(yield func(Edge, float64) bool) {
		for u := range g.Nodes() {
			cols, weights := g.adj.Row(u)
			first, _ := slices.BinarySearch(cols, int32(u))
			for q := first; q < len(cols); q++ {
				weight := 1.0
				if weights != nil {
					weight = weights[q]
				}
				if !yield(Edge{u, int(cols[q])}, weight) {
					return
				}
			}
		}
	}
}

// Gonum returns gonum's graph of the row numbers, without self loops.
func (g *Graph) Gonum() *simple.WeightedUndirectedGraph {
	out := simple.NewWeightedUndirectedGraph(0, 0)
	for i := range g.Nodes() {
		out.AddNode(simple.Node(i))
	}
	for i := range g.adj.Rows {
		cols, vals := g.valuedRows().Row(i)
		for q, j := range cols {
			if int(j) > i {
				out.SetWeightedEdge(simple.WeightedEdge{F: simple.Node(i), T: simple.Node(j), W: vals[q]})
			}
		}
	}
	return out
}

// Without returns the graph of the same nodes with the edges for which drop is false, a′_uv = 0 if drop({u, v}), else a_uv.
// drop is called once for every edge, in the order of [Graph.Edges], so it may draw at random or count. Names, weights and
// self loops stay, and no arcs; [Graph.Report] counts what is left. It takes O(n + m log(max degree)) time and
// 16 bytes an edge, 24 if g is weighted.
func (g *Graph) Without(drop func(Edge) bool) *Graph {
	var edges []Edge
	var weights []float64
	for e, w := range g.Edges() {
		if drop(e) {
			continue
		}
		edges = append(edges, e)
		if g.adj.Val != nil {
			weights = append(weights, w)
		}
	}
	adj, _, _ := matrix.FromPairs(context.Background(), g.Nodes(), edges, weights, nil) // does not end
	rest := &Graph{keeps: g.keeps, ids: g.ids}
	rest.take(adj, GraphReport{})
	return rest
}

// Neighbors returns the nodes that edges join to node i, ascending, with i itself for a kept self loop, and the weights of
// these edges. Weights are nil if all of the graph are 1. The slices are the graph's own: do not write to them.
func (g *Graph) Neighbors(i int) (nodes []int32, weights []float64) { return g.made().adj.Row(i) }

// KeepsSelfLoops reports whether the graph was built [WithSelfLoopsKept].
func (g *Graph) KeepsSelfLoops() bool { return g.keeps }

// valuedRows is A with its values, which a graph without weights makes at the first call.
func (g *Graph) valuedRows() *kernel.CSR[float64] {
	g.made().fill.Do(func() { g.valued = matrix.Valued(g.adj) })
	return g.valued
}

// adjacent reports whether an edge joins u and v.
func (g *Graph) adjacent(u, v int) bool {
	_, stored := matrix.Entry(g.adj, u, v)
	return stored
}

// neighbours is the number of nodes an edge joins to u, itself not counted.
func (g *Graph) neighbours(u int) int {
	cols, _ := g.adj.Row(u)
	if g.loops && g.adjacent(u, u) {
		return len(cols) - 1
	}
	return len(cols)
}

// Components labels every node with the number of its connected component, in the order of their first
// nodes, and returns their count, in O((n + m) log n).
func (g *Graph) Components() (label []int, count int) {
	f := make(forest, g.Nodes())
	for i := range f {
		f[i] = int32(i)
		cols, _ := g.adj.Row(i)
		for _, j := range cols {
			if int(j) < i {
				f.join(int32(i), j)
			}
		}
	}
	label = make([]int, g.Nodes())
	for i := range label {
		if root := f.root(int32(i)); int(root) < i {
			label[i] = label[root]
		} else {
			label[i] = count
			count++
		}
	}
	return label, count
}

// A forest joins nodes into trees by the parent of each node. The root, the first node of a tree, is its own parent.
type forest []int32

func (f forest) root(i int32) int32 {
	for f[i] != i {
		f[i] = f[f[i]]
		i = f[i]
	}
	return i
}

func (f forest) join(i, j int32) {
	a, b := f.root(i), f.root(j)
	f[max(a, b)] = min(a, b)
}

// IDs returns the names of the nodes in row order, or their numbers.
func (g *Graph) IDs() []string { return idsOf(g.ids, g.Nodes()) }

func idsOf(ids []string, n int) []string {
	if ids != nil {
		return slices.Clone(ids)
	}
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return names
}

// nodeName is the name of a node, or its number.
func nodeName(ids []string, i int) string {
	if ids == nil {
		return fmt.Sprint(i)
	}
	return fmt.Sprintf("%q", ids[i])
}

// Named reports whether the nodes have names.
func (g *Graph) Named() bool { return g.ids != nil }

// Row finds the row of the node called id.
func (g *Graph) Row(id string) (row int, ok bool) {
	if g.ids == nil {
		row, err := strconv.Atoi(id)
		return row, err == nil && row >= 0 && row < g.Nodes()
	}
	g.once.Do(func() { g.rows = names.Of(g.ids) })
	row = g.rows.Find(g.rows.Hash(id), g.ids, id)
	return max(row, 0), row >= 0
}

// checkIDs demands one distinct id for each of the n nodes, or none.
func checkIDs(ids []string, n int) error {
	if ids == nil {
		return nil
	}
	if len(ids) != n {
		return fmt.Errorf("coles: %w: %d ids for %d nodes", ErrIDs, len(ids), n)
	}
	seen := names.New(n)
	for i, id := range ids {
		hash := seen.Hash(id)
		if first := seen.Find(hash, ids, id); first >= 0 {
			return fmt.Errorf("coles: %w: nodes %d and %d are both called %q", ErrIDs, first, i, id)
		}
		seen.Add(hash, i)
	}
	return nil
}

// take makes a symmetric matrix without duplicates g's own adjacency matrix. It returns the first node whose weights add up to
// infinity, or the number of nodes.
func (g *Graph) take(adj *kernel.CSR[float64], report GraphReport) (infinite int) {
	ctx := context.Background() // which does not end
	if ones, _ := matrix.Ones(ctx, adj); ones {
		adj = &kernel.CSR[float64]{Rows: adj.Rows, Cols: adj.Cols, Ptr: adj.Ptr, Col: adj.Col}
	} else if report.ZeroWeightDropped = countZeros(adj); report.ZeroWeightDropped > 0 {
		matrix.Drop(ctx, adj, func(_, _ int, w float64) bool { return w == 0 })
	}
	seen := g.measure(adj)
	if seen.loops > 0 && !g.keeps {
		report.SelfLoopsDropped = seen.loops
		matrix.Drop(ctx, adj, func(i, j int, _ float64) bool { return i == j })
		seen.loops = 0
	}
	ones, _ := matrix.Ones(ctx, adj) // zeros and loops may have been the only others
	if ones {
		adj.Val = nil
	}
	report.SelfLoops, report.Isolated, report.Weighted = seen.loops, seen.isolated, !ones
	report.Nodes, report.Edges = adj.Rows, (adj.NNZ()-report.SelfLoops)/2
	g.adj, g.loops, g.report = adj, report.SelfLoops > 0, report
	return seen.infinite
}

// measured counts what the rows of an adjacency matrix hold besides edges.
type measured struct {
	loops, isolated int
	infinite        int // the first row that adds up to infinity, or the number of rows
}

// measure sets the degrees and counts.
func (g *Graph) measure(adj *kernel.CSR[float64]) *measured {
	g.degree = make([]float64, adj.Rows)
	seen, _ := parallel.Fold(context.Background(), adj.Rows, // which does not end
		func() *measured { return &measured{infinite: adj.Rows} },
		func(m *measured, lo, hi int) {
			for i := lo; i < hi; i++ {
				cols, vals := adj.Row(i)
				degree, loop := matrix.Degree(i, cols, vals)
				neighbours := len(cols)
				if loop > 0 {
					m.loops++
					neighbours--
				}
				if neighbours == 0 {
					m.isolated++
				}
				if math.IsInf(degree, 0) || g.keeps && math.IsInf(degree+loop, 0) {
					m.infinite = min(m.infinite, i)
				}
				g.degree[i] = degree
			}
		},
		func(m, part *measured) {
			m.loops, m.isolated, m.infinite = m.loops+part.loops, m.isolated+part.isolated, min(m.infinite, part.infinite)
		})
	return seen
}

// countZeros counts the edges of weight zero.
func countZeros(a *kernel.CSR[float64]) int {
	count := 0
	for i := range a.Rows {
		cols, vals := a.Row(i)
		for q, j := range cols {
			if vals[q] != 0 {
				continue
			}
			if _, mirrored := matrix.Entry(a, int(j), i); i <= int(j) || !mirrored {
				count++
			}
		}
	}
	return count
}
