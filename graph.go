package coles

import (
	"context"
	"fmt"
	"math"
	"slices"

	"coles/internal/input"
	"coles/internal/kernel"

	"github.com/james-bowman/sparse"
)

// An Edge joins the nodes U and V, numbered from 0. It has no direction:
// {U, V} and {V, U} are the same edge.
type Edge struct{ U, V int }

// A Graph is an undirected graph with positive edge weights: a symmetric
// adjacency matrix A (n × n), checked once when it is built and never changed
// after, so that any number of goroutines may read it.
//
// Every constructor treats its input alike, and [Graph.Report] says what was done:
//   - edges given more than once become one, of the largest weight given;
//   - self loops are dropped, unless [WithSelfLoopsKept];
//   - edges of weight zero are dropped;
//   - an asymmetric matrix is refused, unless [WithSymmetrization];
//   - nodes without edges stay.
type Graph struct {
	adj    *kernel.CSR[float64]
	loops  bool      // adj may have diagonal entries
	keeps  bool      // self loops were not to be dropped
	degree []float64 // weighted, self loops left out
	ids    nodeIDs
	report GraphReport
}

// A GraphReport tells what building a graph found and did.
type GraphReport struct {
	Nodes             int  `json:"nodes"`
	Edges             int  `json:"edges"`      // undirected, self loops left out
	SelfLoops         int  `json:"self_loops"` // in the graph: 0 unless they were asked to be kept
	DuplicatesMerged  int  `json:"duplicates_merged"`
	SelfLoopsDropped  int  `json:"self_loops_dropped"`
	ZeroWeightDropped int  `json:"zero_weight_dropped"`
	MirrorsAdded      int  `json:"mirrors_added"` // entries set from their mirror image to make the matrix symmetric
	Isolated          int  `json:"isolated"`      // nodes without a neighbour
	Weighted          bool `json:"weighted"`      // some weight is not 1
}

// String is the report in one line.
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

// A GraphOption changes how a graph is built; a nil one changes nothing.
type GraphOption func(*graphConfig)

type graphConfig struct {
	weights    []float64
	keepLoops  bool
	symmetrize bool
	ids        struct {
		names   []string
		numbers []int64
	}
}

// WithEdgeWeights gives [NewGraph] one weight per edge: finite, not negative.
// Without it every edge weighs 1. The other constructors read their own
// weights and refuse this option.
func WithEdgeWeights(w []float64) GraphOption {
	return func(c *graphConfig) { c.weights = w }
}

// WithSelfLoopsKept keeps self loops in the adjacency matrix. They then add to
// the loop that [Normalize] puts on every node for filters. The positive graph
// W⁺ of the contrast never has them.
func WithSelfLoopsKept() GraphOption {
	return func(c *graphConfig) { c.keepLoops = true }
}

// WithSymmetrization accepts a directed (asymmetric) matrix and makes
// it undirected: a_ij and a_ji both become max(a_ij, a_ji).
func WithSymmetrization() GraphOption {
	return func(c *graphConfig) { c.symmetrize = true }
}

// WithIDs names the nodes: one distinct string for each, in row order.
func WithIDs(ids []string) GraphOption {
	return func(c *graphConfig) { c.ids.names, c.ids.numbers = slices.Clone(ids), nil }
}

// WithIntIDs names the nodes by distinct integers, one for each, in row order.
func WithIntIDs(ids []int64) GraphOption {
	return func(c *graphConfig) { c.ids.names, c.ids.numbers = nil, slices.Clone(ids) }
}

func graphOptions(opts []GraphOption) graphConfig {
	var c graphConfig
	for _, o := range opts {
		if o != nil {
			o(&c)
		}
	}
	return c
}

func checkNodes(n int) error {
	if n <= 0 {
		return fmt.Errorf("coles: graph of %d nodes: %w", n, ErrEmpty)
	}
	if n > math.MaxInt32 {
		return fmt.Errorf("coles: graph of %d nodes: %w: at most %d", n, ErrTooLarge, math.MaxInt32)
	}
	return nil
}

// NewGraph builds a graph of n nodes from its edges, each listed once or in both
// directions. It takes O(n + m log(max degree)) time and about 24 bytes an edge
// and 16 bytes a node beside the input.
//
// Errors: [ErrEmpty], [ErrTooLarge], [ErrIndex], [ErrShape], [ErrNotFinite],
// [ErrNegativeWeight], [ErrIDs].
func NewGraph(n int, edges []Edge, opts ...GraphOption) (*Graph, error) {
	c := graphOptions(opts)
	if err := checkNodes(n); err != nil {
		return nil, err
	}
	if c.weights != nil && len(c.weights) != len(edges) {
		return nil, fmt.Errorf("coles: graph: %w: %d weights for %d edges", ErrShape, len(c.weights), len(edges))
	}
	for q, e := range edges {
		if e.U < 0 || e.U >= n || e.V < 0 || e.V >= n {
			return nil, fmt.Errorf("coles: graph: %w: edge %d joins %d and %d in a graph of %d nodes", ErrIndex, q, e.U, e.V, n)
		}
		if c.weights != nil {
			if err := checkWeight(c.weights[q], e.U, e.V); err != nil {
				return nil, err
			}
		}
	}
	adj, merged, err := symmetricFromPairs(context.Background(), n, edges, c.weights, math.Max)
	if err != nil {
		return nil, err
	}
	return finishGraph(adj, c, GraphReport{DuplicatesMerged: merged})
}

func checkWeight(w float64, u, v int) error {
	if math.IsNaN(w) || math.IsInf(w, 0) {
		return fmt.Errorf("coles: graph: %w: weight %v of the edge between %d and %d", ErrNotFinite, w, u, v)
	}
	if w < 0 {
		return fmt.Errorf("coles: graph: %w: %v between %d and %d", ErrNegativeWeight, w, u, v)
	}
	return nil
}

// FromCSR builds a graph from its adjacency matrix. Entries are the weights;
// an entry stored twice counts once, with the larger value.
//
// Errors: those of [NewGraph], [ErrSetting] for [WithEdgeWeights], and [ErrAsymmetric] naming
// the first pair that differs when the matrix is not symmetric and [WithSymmetrization] is
// not given.
func FromCSR(a *sparse.CSR, opts ...GraphOption) (*Graph, error) {
	c := graphOptions(opts)
	if c.weights != nil {
		return nil, fmt.Errorf("coles: graph: %w: the matrix has its own weights", ErrSetting)
	}
	if err := input.CheckCSR(context.Background(), a); err != nil {
		return nil, inputError("graph", err)
	}
	rows, cols := a.Dims()
	if rows != cols {
		return nil, fmt.Errorf("coles: graph: %w: adjacency matrix of %d × %d", ErrShape, rows, cols)
	}
	if err := checkNodes(rows); err != nil {
		return nil, err
	}
	raw := a.RawMatrix()
	for i := range rows {
		for q := raw.Indptr[i]; q < raw.Indptr[i+1]; q++ {
			if err := checkWeight(raw.Data[q], i, raw.Ind[q]); err != nil {
				return nil, err
			}
		}
	}
	adj, merged := input.Compact(a, math.Max)
	report := GraphReport{DuplicatesMerged: merged}
	mirror := adj.Transpose()
	if i, j, same := firstDifference(adj, mirror); !same {
		if !c.symmetrize {
			return nil, fmt.Errorf("coles: graph: %w: %v at (%d, %d) but %v at (%d, %d); WithSymmetrization accepts directed graphs",
				ErrAsymmetric, entry(adj, i, j), i, j, entry(adj, j, i), j, i)
		}
		both, _ := mergeRows(context.Background(), adj, mirror, math.Max)
		report.MirrorsAdded = countChanged(adj, both)
		adj = both
	}
	return finishGraph(adj, c, report)
}

// firstDifference finds the first place where two matrices of one shape differ;
// a stored zero is no different from an entry that is not there.
func firstDifference(a, b *kernel.CSR[float64]) (i, j int, same bool) {
	difference, _ := addMatrices(context.Background(), 1, a, -1, b)
	for i := range difference.Rows {
		cols, vals := difference.Row(i)
		for q, v := range vals {
			if v != 0 {
				return i, int(cols[q]), false
			}
		}
	}
	return 0, 0, true
}

// entry is a_ij.
func entry(a *kernel.CSR[float64], i, j int) float64 {
	cols, vals := a.Row(i)
	if at, ok := slices.BinarySearch(cols, int32(j)); ok {
		return vals[at]
	}
	return 0
}

// countChanged counts the entries of b, whose pattern contains a's, that a
// lacks or holds another value for.
func countChanged(a, b *kernel.CSR[float64]) int {
	changed := 0
	for i := range b.Rows {
		ac, av := a.Row(i)
		bc, bv := b.Row(i)
		for q, j := range bc {
			if len(ac) == 0 || ac[0] != j {
				changed++
				continue
			}
			if av[0] != bv[q] {
				changed++
			}
			ac, av = ac[1:], av[1:]
		}
	}
	return changed
}

// finishGraph applies what all constructors share to a symmetric matrix
// without duplicates.
func finishGraph(adj *kernel.CSR[float64], c graphConfig, report GraphReport) (*Graph, error) {
	ctx := context.Background() // which does not end
	if report.ZeroWeightDropped = countZeros(adj); report.ZeroWeightDropped > 0 {
		adj, _ = dropEntries(ctx, adj, func(_, _ int, w float64) bool { return w == 0 })
	}
	if !c.keepLoops {
		entries := adj.NNZ()
		adj, _ = dropEntries(ctx, adj, func(i, j int, _ float64) bool { return i == j })
		report.SelfLoopsDropped = entries - adj.NNZ()
	}
	g := &Graph{adj: adj, degree: make([]float64, adj.Rows)}
	for i := range adj.Rows {
		cols, vals := adj.Row(i)
		var loop float64
		g.degree[i], loop = degreeOf(i, cols, vals)
		neighbours := len(cols)
		if loop > 0 {
			report.SelfLoops++
			neighbours--
		}
		if neighbours == 0 {
			report.Isolated++
		}
		report.Weighted = report.Weighted || slices.ContainsFunc(vals, func(w float64) bool { return w != 1 })
		if math.IsInf(g.degree[i], 0) {
			return nil, fmt.Errorf("coles: graph: %w: the weights of node %d add up to infinity", ErrNotFinite, i)
		}
	}
	report.Nodes, report.Edges = adj.Rows, (adj.NNZ()-report.SelfLoops)/2
	g.loops, g.keeps, g.report = report.SelfLoops > 0, c.keepLoops, report
	g.ids.names, g.ids.numbers = c.ids.names, c.ids.numbers
	if err := g.ids.check(adj.Rows); err != nil {
		return nil, err
	}
	return g, nil
}

// countZeros counts the edges of weight zero.
func countZeros(a *kernel.CSR[float64]) int {
	count := 0
	for i := range a.Rows {
		cols, vals := a.Row(i)
		for q, j := range cols {
			if vals[q] == 0 && (i <= int(j) || !stored(a, int(j), i)) {
				count++
			}
		}
	}
	return count
}

// degreeOf sums the weights of row i but that of the self loop, which it returns beside.
func degreeOf(i int, cols []int32, vals []float64) (degree, loop float64) {
	at, found := slices.BinarySearch(cols, int32(i))
	if !found {
		return total(vals), 0
	}
	return total(vals[:at]) + total(vals[at+1:]), vals[at]
}

// loopedDegrees are the row sums of A + I.
func (g *Graph) loopedDegrees() []float64 {
	all := make([]float64, g.Nodes())
	for i, d := range g.degree {
		all[i] = d + 1
		if g.loops {
			all[i] += entry(g.adj, i, i)
		}
	}
	return all
}

// CSR returns a copy of the adjacency matrix A, both triangles stored.
func (g *Graph) CSR() *sparse.CSR { return exportCSR(g.orEmpty().adj) }

// Nodes is the number of nodes n; 0 for a nil or zero Graph.
func (g *Graph) Nodes() int { return g.orEmpty().adj.Rows }

// Report tells what building the graph found and did.
func (g *Graph) Report() GraphReport { return g.orEmpty().report }

// Degrees returns, for each node, the sum of the weights of its edges, self
// loops left out.
func (g *Graph) Degrees() []float64 { return slices.Clone(g.orEmpty().degree) }

// IDs returns the names of the nodes in row order: as given, or else their numbers.
func (g *Graph) IDs() []string { return g.orEmpty().ids.all(g.Nodes()) }

// Row finds the row of the node called id.
func (g *Graph) Row(id string) (row int, ok bool) { return g.orEmpty().ids.row(id, g.Nodes()) }

// adjacent tells whether an edge joins u and v.
func (g *Graph) adjacent(u, v int) bool { return stored(g.adj, u, v) }

// stored tells whether a has an entry at (i, j), be it zero.
func stored(a *kernel.CSR[float64], i, j int) bool {
	cols, _ := a.Row(i)
	_, ok := slices.BinarySearch(cols, int32(j))
	return ok
}

// check refuses a graph that no constructor made.
func (g *Graph) check() error {
	if g == nil || g.adj == nil {
		return fmt.Errorf("coles: graph: %w: graph is nil", ErrEmpty)
	}
	return nil
}

// orEmpty lets the methods of a nil or zero Graph see a graph of no nodes.
func (g *Graph) orEmpty() *Graph {
	if g == nil || g.adj == nil {
		return &Graph{adj: emptyMatrix()}
	}
	return g
}

// Components labels every node with the number of its connected component,
// numbered in the order of their first nodes, and returns their count. It takes O(n + m).
func (g *Graph) Components() (label []int, count int) {
	g = g.orEmpty()
	label = make([]int, g.Nodes())
	for i := range label {
		label[i] = -1
	}
	var stack []int
	for start := range label {
		if label[start] >= 0 {
			continue
		}
		label[start] = count
		stack = append(stack[:0], start)
		for len(stack) > 0 {
			i := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			cols, _ := g.adj.Row(i)
			for _, j := range cols {
				if label[j] < 0 {
					label[j] = count
					stack = append(stack, int(j))
				}
			}
		}
		count++
	}
	return label, count
}

// neighbours is the number of nodes an edge joins to u, itself not counted.
func (g *Graph) neighbours(u int) int {
	cols, _ := g.adj.Row(u)
	if g.loops && g.adjacent(u, u) {
		return len(cols) - 1
	}
	return len(cols)
}
