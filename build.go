package coles

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/nearest"
	"coles/internal/parallel"
	"coles/internal/setting"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/mat"
)

// A GraphOption changes how a graph is built.
type GraphOption func(*graphConfig)

type graphConfig struct {
	keepLoops bool
	arcs      bool
	ids       []string
}

// WithSelfLoopsKept keeps self loops in A, where they add to the loop that [Normalize] puts on every node.
// W⁺ never has them.
func WithSelfLoopsKept() GraphOption { return func(c *graphConfig) { c.keepLoops = true } }

// WithArcs has [Fit] take each edge for an arc, from U to V, or from the row of an entry to its column. The graph stays
// undirected for all else. The vectors get columns that tell two roles apart: those of [Graph.Roles]. It is for graphs
// where the two ends of an arc differ in kind: what needs, eats or calls another; elsewhere it may cost a classifier 2 points.
// Errors: [ErrSetting] in a constructor whose input has no direction.
func WithArcs() GraphOption { return func(c *graphConfig) { c.arcs = true } }

// WithIDs names the nodes: one distinct string for each, in row order.
func WithIDs(ids []string) GraphOption { return func(c *graphConfig) { c.ids = slices.Clone(ids) } }

// NewGraph builds a graph of n nodes from its edges, each listed once or in both directions, all of weight
// 1. It takes O(n + m log(max degree)) time on all processors and 8 bytes an edge and 28 bytes a node
// besides the input. Errors: [ErrShape] for no nodes, [ErrIndex], [ErrIDs].
func NewGraph(n int, edges []Edge, opts ...GraphOption) (*Graph, error) {
	return NewWeightedGraph(n, edges, nil, opts...)
}

// NewWeightedGraph is [NewGraph] with one weight per edge, finite and not negative. They take 16 bytes an
// edge more, unless all are 1. Further errors: [ErrNotFinite], [ErrNegative].
func NewWeightedGraph(n int, edges []Edge, weights []float64, opts ...GraphOption) (*Graph, error) {
	return newWeighted(n, edges, weights, true, opts)
}

// newWeighted is NewWeightedGraph where edges may have no direction.
func newWeighted(n int, edges []Edge, weights []float64, directed bool, opts []GraphOption) (*Graph, error) {
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
	var arcs []iter.Seq2[Edge, float64]
	if directed {
		arcs = append(arcs, func(yield func(Edge, float64) bool) {
			for q, e := range edges {
				w := 1.0
				if weights != nil {
					w = weights[q]
				}
				if !yield(e, w) {
					return
				}
			}
		})
	}
	return newGraph(adj, opts, GraphReport{DuplicatesMerged: merged}, arcs)
}

func checkNodes(n int) error {
	if n <= 0 {
		return fmt.Errorf("coles: graph of %d nodes: %w", n, ErrShape)
	}
	const most = min(math.MaxInt32, math.MaxInt/16) // on 32 bits a node may take that many bytes
	if n > most {
		return fmt.Errorf("coles: graph of %d nodes: %w: at most %d", n, ErrTooLarge, most)
	}
	return nil
}

// FromCSR builds a graph from its adjacency matrix. Entries are the weights; an entry stored twice counts
// once, with the larger value. Further errors: [ErrAsymmetric] naming the first pair that differs;
// [FromDirectedCSR] takes such matrices.
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
	parts := matrix.Parts(rows, func(lo, hi int, yield func(Edge, float64) bool) {
		for i := lo; i < hi; i++ {
			for q := raw.Indptr[i]; q < raw.Indptr[i+1]; q++ {
				if !yield(Edge{i, raw.Ind[q]}, raw.Data[q]) {
					return
				}
			}
		}
	})
	if same, _ := matrix.Symmetric(ctx, adj); same {
		return newGraph(adj, opts, report, parts)
	}
	if !directed {
		adj = matrix.Valued(adj)
		if i, j, same := matrix.FirstDifference(adj, adj.Transpose()); !same {
			there, _ := matrix.Entry(adj, i, j)
			back, _ := matrix.Entry(adj, j, i)
			return nil, fmt.Errorf("coles: graph: %w: %v at (%d, %d) but %v at (%d, %d); FromDirectedCSR accepts directed graphs",
				ErrAsymmetric, there, i, j, back, j, i)
		}
		return newGraph(adj, opts, report, parts)
	}
	adj, _, report.MirrorsAdded, _ = matrix.FromEntries(ctx, rows, parts, raw.Indptr[rows], merge != nil)
	return newGraph(adj, opts, report, parts)
}

// newGraph applies what all constructors share to a symmetric matrix without duplicates; arcs are nil where nothing has
// a direction.
func newGraph(adj *kernel.CSR[float64], opts []GraphOption, report GraphReport, arcs []iter.Seq2[Edge, float64]) (*Graph, error) {
	var c graphConfig
	for _, o := range opts {
		if o == nil {
			panic("coles: a nil GraphOption")
		}
		o(&c)
	}
	g := &Graph{keeps: c.keepLoops, ids: c.ids}
	if infinite := g.take(adj, report); infinite < adj.Rows {
		return nil, fmt.Errorf("coles: graph: %w: the weights of node %s add up to infinity", ErrNotFinite, nodeName(g.ids, infinite))
	}
	if err := checkIDs(g.ids, adj.Rows); err != nil {
		return nil, err
	}
	if c.arcs {
		return g, g.keepArcs(arcs)
	}
	return g, nil
}

// take makes g the graph of a symmetric matrix without duplicates, which is g's from here on, and
// returns the first node whose weights add up to infinity, the number of nodes if there is none.
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
		matrix.DropDiagonal(ctx, adj)
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

// KNN builds a graph for rows without: each row of X (n × d), prepared by [PrepareAuto], chooses the k nearest, ties
// the lower rows, by the distance where rows are dense and d < 100, else by the cosine if above 0. An edge weighs ½ for
// each end that chose it. A row that is 0 once prepared has none. The search is exact, in O(n²·d) time, less for sparse
// X, and O(n·(d + k)) memory. Errors: [ErrSetting] unless 1 ≤ k < n.
func KNN(ctx context.Context, x mat.Matrix, k int, opts ...GraphOption) (*Graph, error) {
	source, err := readFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	n := source.Rows()
	if k < 1 || k >= n {
		return nil, fmt.Errorf("coles: nearest neighbours: %w", setting.Bad("k", k, "1 or more, and fewer than the %d rows", n))
	}
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	how, err := PrepareAuto.Fit(ctx, source)
	if err != nil {
		return nil, err
	}
	rows, err := prepared[float64](ctx, how, source)
	if err != nil {
		return nil, err
	}
	space, err := nearest.NewSpace(ctx, rows)
	if err != nil {
		return nil, fmt.Errorf("coles: nearest neighbours: %w", err)
	}
	found, err := space.All(ctx, k)
	if err != nil {
		return nil, fmt.Errorf("coles: nearest neighbours: %w", err)
	}
	edges, weights := make([]Edge, 0, n*k), make([]float64, 0, n*k)
	for i, matches := range found {
		for _, m := range matches {
			both := slices.ContainsFunc(found[m.Row], func(back nearest.Match) bool { return back.Row == i })
			switch {
			case !both:
				edges, weights = append(edges, Edge{i, m.Row}), append(weights, 0.5)
			case i < m.Row:
				edges, weights = append(edges, Edge{i, m.Row}), append(weights, 1)
			}
		}
	}
	return newWeighted(n, edges, weights, false, opts)
}

// FromGonum builds a graph from gonum's. Rows follow ascending node ids, which, as decimals, are the names
// of the nodes unless [WithIDs] gives others. Weights are read where g is a graph.Weighted; absent means 1.
func FromGonum(g graph.Undirected, opts ...GraphOption) (*Graph, error) {
	nodes := graph.NodesOf(g.Nodes())
	ids := make([]int64, len(nodes))
	for i, node := range nodes {
		ids[i] = node.ID()
	}
	slices.Sort(ids)
	names := make([]string, len(ids))
	row := make(map[int64]int, len(ids))
	for i, id := range ids {
		names[i], row[id] = strconv.FormatInt(id, 10), i
	}
	weighted, _ := g.(graph.Weighted)
	var edges []Edge
	var weights []float64
	for i, id := range ids {
		for neighbours := g.From(id); neighbours.Next(); {
			other := neighbours.Node().ID()
			j, ok := row[other]
			if !ok {
				return nil, fmt.Errorf("coles: graph: %w: node %d has the neighbour %d, which the graph does not list", ErrIndex, id, other)
			}
			if j < i {
				continue // seen from the other end
			}
			edges = append(edges, Edge{i, j})
			if weighted != nil {
				w, _ := weighted.Weight(id, other)
				if err := matrix.CheckWeight(w, names[i], names[j]); err != nil {
					return nil, fmt.Errorf("coles: graph: %w", err)
				}
				weights = append(weights, w)
			}
		}
	}
	return newWeighted(len(ids), edges, weights, false, append([]GraphOption{WithIDs(names)}, opts...))
}

// Gonum returns gonum's graph of the row numbers, without self loops.
func (g *Graph) Gonum() *simple.WeightedUndirectedGraph {
	out := simple.NewWeightedUndirectedGraph(0, 0)
	for i := range g.adj.Rows {
		out.AddNode(simple.Node(i))
	}
	for i := range g.adj.Rows {
		cols, vals := g.Raw().Row(i)
		for q, j := range cols {
			if int(j) > i {
				out.SetWeightedEdge(simple.WeightedEdge{F: simple.Node(i), T: simple.Node(j), W: vals[q]})
			}
		}
	}
	return out
}

// Without returns the graph of the same nodes with the edges of g for which drop is false:
//
//	a′_uv = 0 if drop({u, v}), else a_uv.
//
// drop is called once for every edge, in the order of [Graph.Edges], so it may draw at random or count.
// Names, weights and self loops stay, and no arcs; [Graph.Report] counts what is left. It takes O(n + m log(max degree))
// time and, besides the new graph, 16 bytes an edge that stays, 24 if g is weighted.
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
