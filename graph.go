package coles

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"github.com/james-bowman/sparse"
)

// An Edge joins the nodes U and V, numbered from 0. It has no direction: {U, V} and {V, U} are the
// same edge.
type Edge struct{ U, V int }

// A Graph is an undirected graph with positive edge weights: a symmetric adjacency matrix A (n ×
// n), checked once when it is built and never changed after, so that any number of goroutines may
// read it.
//
// Every constructor treats its input alike, and [Graph.Report] says what was done:
//   - edges given more than once become one, of the largest weight given;
//   - self loops are dropped, unless [WithSelfLoopsKept];
//   - edges of weight zero are dropped;
//   - nodes without edges stay.
type Graph struct {
	adj    *kernel.CSR[float64] // a pattern where all weights are 1
	loops  bool                 // adj may have diagonal entries
	keeps  bool                 // self loops were not to be dropped
	degree []float64            // weighted, self loops left out
	ids    []string             // nil where nodes are only numbered
	report GraphReport

	once sync.Once
	rows map[string]int // of ids, made when first needed

	fill   sync.Once
	valued *kernel.CSR[float64] // adj with its values
}

// A GraphReport says what building a graph found and did.
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

// A GraphOption changes how a graph is built.
type GraphOption func(*graphConfig)

type graphConfig struct {
	keepLoops bool
	ids       []string
}

// WithSelfLoopsKept keeps self loops in the adjacency matrix. They then add to the loop that
// [Normalize] puts on every node for filters. The positive graph W⁺ of the contrast never has them.
func WithSelfLoopsKept() GraphOption { return func(c *graphConfig) { c.keepLoops = true } }

// WithIDs names the nodes: one distinct string for each, in row order.
func WithIDs(ids []string) GraphOption { return func(c *graphConfig) { c.ids = slices.Clone(ids) } }

// NewGraph builds a graph of n nodes from its edges, each listed once or in both directions, all of
// weight 1. It takes O(n + m log(max degree)) time on all processors and 8 bytes an edge and 28 bytes
// a node besides the input: the graph keeps no weights.
//
// Errors: [ErrShape] for no nodes, [ErrTooLarge], [ErrIndex], [ErrIDs].
func NewGraph(n int, edges []Edge, opts ...GraphOption) (*Graph, error) {
	return NewWeightedGraph(n, edges, nil, opts...)
}

// NewWeightedGraph is [NewGraph] with one weight per edge, finite and not negative. They take 16 bytes
// an edge more, unless all are 1.
//
// Errors: those of [NewGraph], [ErrShape] also for another number of weights than edges,
// [ErrNotFinite], [ErrNegative].
func NewWeightedGraph(n int, edges []Edge, weights []float64, opts ...GraphOption) (*Graph, error) {
	if err := checkNodes(n); err != nil {
		return nil, err
	}
	if err := matrix.CheckPairs(n, edges, weights); err != nil {
		return nil, fmt.Errorf("coles: graph: %w", err)
	}
	merge := math.Max
	if weights == nil {
		merge = nil
	}
	adj, merged, err := matrix.FromPairs(context.Background(), n, edges, weights, merge)
	if err != nil {
		return nil, err
	}
	return newGraph(adj, opts, GraphReport{DuplicatesMerged: merged})
}

func checkNodes(n int) error {
	if n <= 0 {
		return fmt.Errorf("coles: graph of %d nodes: %w", n, ErrShape)
	}
	if n > math.MaxInt32 {
		return fmt.Errorf("coles: graph of %d nodes: %w: at most %d", n, ErrTooLarge, math.MaxInt32)
	}
	return nil
}

// FromCSR builds a graph from its adjacency matrix. Entries are the weights; an entry stored twice
// counts once, with the larger value.
//
// Errors: those of [NewWeightedGraph], and [ErrAsymmetric] naming the first pair that differs;
// [FromDirectedCSR] takes matrices that are not symmetric.
func FromCSR(a *sparse.CSR, opts ...GraphOption) (*Graph, error) {
	return fromCSR(a, false, opts)
}

// FromDirectedCSR is [FromCSR] for directed graphs, which it makes undirected: a_ij and a_ji both
// become max(a_ij, a_ji).
func FromDirectedCSR(a *sparse.CSR, opts ...GraphOption) (*Graph, error) {
	return fromCSR(a, true, opts)
}

func fromCSR(a *sparse.CSR, directed bool, opts []GraphOption) (*Graph, error) {
	ctx := context.Background() // which does not end
	if err := matrix.CheckCSR(ctx, a); err != nil {
		return nil, fmt.Errorf("coles: graph: %w", err)
	}
	rows, cols := a.Dims()
	if rows != cols {
		return nil, fmt.Errorf("coles: graph: %w: adjacency matrix of %d × %d", ErrShape, rows, cols)
	}
	if err := checkNodes(rows); err != nil {
		return nil, err
	}
	raw, merge := a.RawMatrix(), math.Max
	if ones, _ := matrix.Ones(ctx, &kernel.CSR[float64]{Val: raw.Data[:raw.Indptr[rows]:raw.Indptr[rows]]}); ones {
		merge = nil
	}
	for i := 0; i < rows && merge != nil; i++ {
		for q := raw.Indptr[i]; q < raw.Indptr[i+1]; q++ {
			if err := matrix.CheckWeight(raw.Data[q], i, raw.Ind[q]); err != nil {
				return nil, fmt.Errorf("coles: graph: %w", err)
			}
		}
	}
	adj, merged, _ := matrix.FromCSR(ctx, a, merge)
	report := GraphReport{DuplicatesMerged: merged}
	if same, _ := matrix.Symmetric(ctx, adj); same {
		return newGraph(adj, opts, report)
	}
	adj = matrix.Valued(adj)
	mirror := adj.Transpose()
	if i, j, same := matrix.FirstDifference(adj, mirror); !same {
		if !directed {
			there, _ := matrix.Entry(adj, i, j)
			back, _ := matrix.Entry(adj, j, i)
			return nil, fmt.Errorf("coles: graph: %w: %v at (%d, %d) but %v at (%d, %d); FromDirectedCSR accepts directed graphs",
				ErrAsymmetric, there, i, j, back, j, i)
		}
		both, _ := matrix.Merge(ctx, adj, mirror, math.Max)
		report.MirrorsAdded = countChanged(adj, both)
		adj = both
	}
	return newGraph(adj, opts, report)
}

// countChanged counts the entries of b, whose pattern contains a's, that a lacks or holds another
// value for.
func countChanged(a, b *kernel.CSR[float64]) int {
	changed := 0
	for i := range b.Rows {
		matrix.MergeRow(a, b, i, func(j int32, x, y float64) {
			if _, stored := matrix.Entry(a, i, int(j)); !stored || x != y {
				changed++
			}
		})
	}
	return changed
}

// newGraph applies what all constructors share to a symmetric matrix without duplicates.
func newGraph(adj *kernel.CSR[float64], opts []GraphOption, report GraphReport) (*Graph, error) {
	var c graphConfig
	for _, o := range opts {
		o(&c)
	}
	ctx := context.Background() // which does not end
	if ones, _ := matrix.Ones(ctx, adj); ones {
		adj = &kernel.CSR[float64]{Rows: adj.Rows, Cols: adj.Cols, Ptr: adj.Ptr, Col: adj.Col}
	} else if report.ZeroWeightDropped = countZeros(adj); report.ZeroWeightDropped > 0 {
		adj, _ = matrix.Drop(ctx, adj, func(_, _ int, w float64) bool { return w == 0 })
	}
	g := &Graph{keeps: c.keepLoops, ids: c.ids}
	seen := g.measure(adj)
	if seen.loops > 0 && !c.keepLoops {
		report.SelfLoopsDropped = seen.loops
		weighted := adj.Val != nil
		adj, _ = matrix.Drop(ctx, adj, func(i, j int, _ float64) bool { return i == j })
		if !weighted {
			adj.Val = nil
		}
		seen.loops = 0
	}
	if seen.infinite < adj.Rows {
		return nil, fmt.Errorf("coles: graph: %w: the weights of node %d add up to infinity", ErrNotFinite, seen.infinite)
	}
	ones, _ := matrix.Ones(ctx, adj) // zeros and loops may have been the only others
	if ones {
		adj.Val = nil
	}
	report.SelfLoops, report.Isolated, report.Weighted = seen.loops, seen.isolated, !ones
	report.Nodes, report.Edges = adj.Rows, (adj.NNZ()-report.SelfLoops)/2
	g.adj, g.loops, g.report = adj, report.SelfLoops > 0, report
	if err := checkIDs(g.ids, adj.Rows); err != nil {
		return nil, err
	}
	return g, nil
}

// measured is what the rows of an adjacency matrix hold besides edges.
type measured struct {
	loops, isolated int
	infinite        int // the first row that adds up to infinity, or their number
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
				if math.IsInf(degree, 0) {
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

// patterned reports whether W and ΔW are the pattern of the graph with factors, and of rank one.
func (g *Graph) patterned(s Settings) bool {
	return g.adj.Val == nil && !g.loops && !s.drawsNegatives()
}

// loopedDegrees are the row sums of A + I.
func (g *Graph) loopedDegrees() []float64 {
	all := make([]float64, g.Nodes())
	for i, d := range g.degree {
		all[i] = d + 1
		if g.loops {
			loop, _ := matrix.Entry(g.adj, i, i)
			all[i] += loop
		}
	}
	return all
}

// Nodes is the number of nodes n.
func (g *Graph) Nodes() int { return g.adj.Rows }

// Report says what building the graph found and did.
func (g *Graph) Report() GraphReport { return g.report }

// String is the report: a graph prints its counts, not its edges.
func (g *Graph) String() string { return g.report.String() }

// Degrees returns, for each node, the sum of the weights of its edges, self loops left out.
func (g *Graph) Degrees() []float64 { return slices.Clone(g.degree) }

// CSR returns a copy of the adjacency matrix A, both triangles stored.
func (g *Graph) CSR() *sparse.CSR { return matrix.ExportCSR(g.adj) }

// KeepsSelfLoops reports whether self loops were not to be dropped.
func (g *Graph) KeepsSelfLoops() bool { return g.keeps }

// Raw is the adjacency matrix itself, for the packages of this module. The values of a graph without
// weights are made at the first call, and kept.
func (g *Graph) Raw() *kernel.CSR[float64] {
	g.fill.Do(func() { g.valued = matrix.Valued(g.adj) })
	return g.valued
}

// Grown is a graph that treats self loops as g does, with another adjacency matrix and node ids:
// for the packages of this module.
func (g *Graph) Grown(adj *kernel.CSR[float64], ids []string) (*Graph, error) {
	opts := []GraphOption{WithIDs(ids)}
	if g.keeps {
		opts = append(opts, WithSelfLoopsKept())
	}
	return newGraph(adj, opts, GraphReport{})
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

// Components labels every node with the number of its connected component, numbered in the order of
// their first nodes, and returns their count. It takes O(n + m).
func (g *Graph) Components() (label []int, count int) {
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

// IDs returns the names of the nodes in row order: as given, or else their numbers.
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
	g.once.Do(func() {
		g.rows = make(map[string]int, len(g.ids))
		for i, id := range g.ids {
			g.rows[id] = i
		}
	})
	row, ok = g.rows[id]
	return row, ok
}

// checkIDs demands one distinct id for each of the n nodes, or none.
func checkIDs(ids []string, n int) error {
	if ids == nil {
		return nil
	}
	if len(ids) != n {
		return fmt.Errorf("coles: %w: %d ids for %d nodes", ErrIDs, len(ids), n)
	}
	seen := make(map[string]int, n)
	for i, id := range ids {
		if first, ok := seen[id]; ok {
			return fmt.Errorf("coles: %w: nodes %d and %d are both called %q", ErrIDs, first, i, id)
		}
		seen[id] = i
	}
	return nil
}
