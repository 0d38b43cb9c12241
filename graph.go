package coles

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"sync"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/names"
	"coles/internal/parallel"
	"coles/internal/setting"

	"github.com/james-bowman/sparse"
)

// An Edge joins the nodes U and V, numbered from 0, in no direction.
type Edge struct{ U, V int }

// A Graph is an undirected graph with positive edge weights: a symmetric adjacency matrix A (n ×
// n), checked once when it is built and never changed after, so that any number of goroutines may
// read it.
//
// Every constructor treats its input alike, and [Graph.Report] counts the changes: edges given more than
// once become one, of the largest weight given; edges of weight zero and, unless [WithSelfLoopsKept], self
// loops are dropped; nodes without edges stay.
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
		{r.DuplicatesMerged, "duplicate merged", "duplicates merged"},
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
func (g *Graph) CSR() *sparse.CSR { return exported(g.adj) }

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

// FromEdges builds a graph of n nodes from the entries of an adjacency matrix: {U, V} with its weight is
// a_uv, as [Graph.Edges] yields. It is undirected as by [FromDirectedCSR]. The entries come in parts, which
// several goroutines read. Each part is run three times, and must yield the same each time. It takes O(n + m
// log(max degree)) time and, for m entries, 12 bytes an entry and 36 bytes a node besides the input, of
// which the graph keeps 8 and 16; and 16 bytes an entry more unless all weights are 1. Errors: as
// [NewWeightedGraph].
func FromEdges(n int, parts []iter.Seq2[Edge, float64], opts ...GraphOption) (*Graph, error) {
	if err := checkNodes(n); err != nil {
		return nil, err
	}
	ctx := context.Background() // which does not end
	counts, weighted, bad := make([]int, len(parts)), make([]bool, len(parts)), make([]func(at int) error, len(parts))
	parallel.For(ctx, len(parts), func(k int) {
		for e, w := range parts[k] {
			if w == 1 && uint(e.U) < uint(n) && uint(e.V) < uint(n) {
				counts[k]++
				continue
			}
			if matrix.CheckPair(n, 0, e, w) != nil {
				bad[k] = func(at int) error { return matrix.CheckPair(n, at, e, w) }
				return
			}
			counts[k], weighted[k] = counts[k]+1, true
		}
	})
	count := 0
	for k := range parts {
		if count += counts[k]; bad[k] != nil {
			return nil, fmt.Errorf("coles: graph: %w", bad[k](count))
		}
	}
	adj, again, mirrored, _ := matrix.FromEntries(ctx, n, parts, count, slices.Contains(weighted, true))
	return newGraph(adj, opts, GraphReport{DuplicatesMerged: again, MirrorsAdded: mirrored}, parts)
}

// FromRows builds a graph from its adjacency matrix in compressed rows: nodes col[ptr[i]:ptr[i+1]],
// ascending, are the neighbours of node i, and weights the weights of their edges, nil where all are 1. The
// graph keeps the slices, which must stay as they are and may be read-only, such as a mapped file; they are
// copied only where a self loop or an edge of weight zero is to be dropped. Else it takes 8 bytes a node,
// and two passes over the rows.
// Errors: as [NewWeightedGraph], [ErrIndex] also for columns that do not ascend, and [ErrAsymmetric], which
// is overlooked once in 2⁶⁴ such matrices.
func FromRows(ptr []int64, col []int32, weights []float64, opts ...GraphOption) (*Graph, error) {
	n := len(ptr) - 1
	if err := checkNodes(n); err != nil {
		return nil, err
	}
	if ptr[0] != 0 || ptr[n] != int64(len(col)) || !slices.IsSorted(ptr) || weights != nil && len(weights) != len(col) {
		return nil, fmt.Errorf("coles: graph: %w: row pointers from %d to %d, %d columns, %d weights", ErrShape, ptr[0], ptr[n], len(col), len(weights))
	}
	ctx := context.Background() // which does not end
	adj := &kernel.CSR[float64]{Rows: n, Cols: n, Ptr: ptr, Col: col, Val: weights}
	drops, err := matrix.CheckRows(ctx, adj)
	if err != nil {
		return nil, fmt.Errorf("coles: graph: %w", err)
	}
	if same, _ := matrix.Mirrored(ctx, adj); !same {
		i, j := matrix.Unmirrored(adj)
		return nil, fmt.Errorf("coles: graph: %w: the entry at (%d, %d) is not that at (%d, %d)", ErrAsymmetric, i, j, j, i)
	}
	if drops {
		adj.Ptr, adj.Col, adj.Val = slices.Clone(ptr), slices.Clone(col), slices.Clone(weights)
	}
	return newGraph(adj, opts, GraphReport{}, nil)
}

// Roles returns the double cover of a graph built [WithArcs], else nil. It has 2n nodes: node i of g is 2i as the tail of
// arcs, and 2i + 1 as the head of others. An arc i → j is an edge of 2i and 2j + 1; loops are left out.
func (g *Graph) Roles() *Graph { return g.made().roles }

// withoutArcs is the graph as it would be if its edges were no arcs.
func (g *Graph) withoutArcs() *Graph {
	if g.roles == nil {
		return g
	}
	return &Graph{adj: g.adj, loops: g.loops, keeps: g.keeps, degree: g.degree, ids: g.ids, report: g.report}
}

// keepArcs makes the double cover.
func (g *Graph) keepArcs(arcs []iter.Seq2[Edge, float64]) (err error) {
	if arcs == nil {
		return fmt.Errorf("coles: graph: %w", setting.Bad("WithArcs", true, "a constructor from edges or from an adjacency matrix that may be asymmetric"))
	}
	var edges []Edge
	var weights []float64
	for _, part := range arcs {
		for e, w := range part {
			if e.U != e.V {
				edges, weights = append(edges, Edge{2 * e.U, 2*e.V + 1}), append(weights, w)
			}
		}
	}
	g.roles, err = NewWeightedGraph(2*g.Nodes(), edges, weights, WithIDs(roleIDs(g.ids)))
	return err
}

// roleIDs names the nodes of the double cover.
func roleIDs(ids []string) []string {
	if ids == nil {
		return nil
	}
	roles := make([]string, 0, 2*len(ids))
	for _, id := range ids {
		roles = append(roles, id+">", id+"<")
	}
	return roles
}

// Neighbors returns the nodes that edges join to node i, ascending, a kept self loop among them, and the
// weights of these edges, nil where all weights of the graph are 1. The slices are the graph's own: do not
// write to them.
func (g *Graph) Neighbors(i int) (nodes []int32, weights []float64) { return g.adj.Row(i) }

// KeepsSelfLoops reports whether the graph was built [WithSelfLoopsKept].
func (g *Graph) KeepsSelfLoops() bool { return g.keeps }

// Raw is A itself, for the packages of this module. The values of a graph without weights are made at the
// first call.
func (g *Graph) Raw() *kernel.CSR[float64] {
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
// nodes, and returns their count, in O((n + m) log n), near O(n) where most nodes are in one.
func (g *Graph) Components() (label []int, count int) {
	f := make(forest, g.Nodes())
	for i := range f {
		f[i] = int32(i)
	}
	// Two neighbours of each node join most of what hangs together (Sutton, Ben-Nun and Barak 2018). Then
	// edges within the component that most nodes are in need no look.
	const few = 2
	join := func(i int, cols []int32) {
		for _, j := range cols {
			f.join(int32(i), j)
		}
	}
	for i := range g.Nodes() {
		cols, _ := g.adj.Row(i)
		join(i, cols[:min(few, len(cols))])
	}
	largest := f.largest()
	for i := range g.Nodes() {
		if cols, _ := g.adj.Row(i); len(cols) > few && f.root(int32(i)) != largest {
			join(i, cols[few:])
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

// A forest joins nodes into trees: it has the parent of each, itself for the root, which is the first
// node of its tree.
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

// largest is the root of a largest tree.
func (f forest) largest() int32 {
	size, best := make([]int32, len(f)), int32(0)
	for i := range f {
		root := f.root(int32(i))
		if size[root]++; size[root] > size[best] {
			best = root
		}
	}
	return best
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
