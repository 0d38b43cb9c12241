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
	"coles/internal/parallel"
	"coles/internal/setting"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/graph"
)

// A GraphOption changes how a graph is built.
type GraphOption func(*graphConfig)

type graphConfig struct {
	keepLoops, arcs, mirrors bool
	ids                      []string
	weights                  []float64
	repeats                  matrix.Repeats
}

func graphOptions(opts []GraphOption) (c graphConfig) {
	c.repeats = matrix.Added
	for _, o := range opts {
		if o == nil {
			panic("coles: a nil GraphOption")
		}
		o(&c)
	}
	return c
}

// WithSelfLoopsKept keeps self loops in A, where they add to the loop that [Normalize] puts on every node.
// W⁺ never has them.
func WithSelfLoopsKept() GraphOption { return func(c *graphConfig) { c.keepLoops = true } }

// WithArcs makes each edge an arc, from U to V, or from the row of an entry to its column. Only [Fit] reads directions: the
// vectors get columns for two roles, the two kinds of nodes of [Graph.Roles]. It is for graphs where the two ends of an arc
// differ in kind, as needs, eats or calls; elsewhere it may cost a classifier 2 points. Errors: [ErrSetting] for input without
// a direction.
func WithArcs() GraphOption { return func(c *graphConfig) { c.arcs = true } }

// WithIDs names the nodes: one distinct string for each, in row order.
func WithIDs(ids []string) GraphOption { return func(c *graphConfig) { c.ids = slices.Clone(ids) } }

// WithWeights gives each edge of [NewGraph] a weight, finite and not negative; nil is 1 for all. Unless all are 1, they take
// 16 bytes an edge more. Errors: [ErrNotFinite], [ErrNegative], [ErrShape], and [ErrSetting] in other constructors.
func WithWeights(weights []float64) GraphOption { return func(c *graphConfig) { c.weights = weights } }

// WithRepeats says how edges given again in the same direction become one: "sum", the default, adds up their weights, "max"
// takes the largest and "first" the first. Of the two directions the larger counts. But sums that differ by direction are
// added up, as for contacts or payments. Errors: [ErrSetting].
func WithRepeats(how string) GraphOption {
	return func(c *graphConfig) { c.repeats = matrix.Repeats(how) }
}

// WithMirrors lets [FromCSR] make a directed graph undirected: a_ij and a_ji become the larger or the sum, as [WithRepeats] says.
func WithMirrors() GraphOption { return func(c *graphConfig) { c.mirrors = true } }

// NewGraph builds a graph of n nodes from its edges, each listed once or in both directions. Their weight is 1 unless
// [WithWeights]; repeated edges add up unless [WithRepeats]. It takes O(n + m log(max degree)) time on all processors, and 8
// bytes an edge and 28 a node besides the input. Errors: [ErrShape] for no nodes, [ErrIndex], [ErrIDs].
func NewGraph(n int, edges []Edge, opts ...GraphOption) (*Graph, error) {
	c := graphOptions(opts)
	weights := c.weights
	c.weights = nil
	if err := checkNodes(n); err != nil {
		return nil, err
	}
	if err := matrix.CheckPairs(n, edges, weights); err != nil {
		return nil, fmt.Errorf("coles: graph: %w", err)
	}
	g, err := fromParts(n, matrix.PairParts(edges, weights), len(edges), weights != nil, c)
	if err == nil { // of both directions alike
		r := &g.report
		r.DuplicatesMerged = len(edges) - r.Edges - r.SelfLoops - r.SelfLoopsDropped - r.ZeroWeightDropped
		r.MirrorsAdded = 0
	}
	return g, err
}

// fromParts builds a graph from checked entries of its adjacency matrix.
func fromParts(n int, parts []iter.Seq2[Edge, float64], count int, weighted bool, c graphConfig) (*Graph, error) {
	if err := c.checkRepeats(); err != nil {
		return nil, err
	}
	ctx := context.Background() // which does not end
	adj, again, mirrored, _ := matrix.FromEntries(ctx, n, parts, count, weighted, c.repeats)
	return newGraph(adj, c, GraphReport{DuplicatesMerged: again, MirrorsAdded: mirrored}, parts)
}

func (c graphConfig) checkRepeats() error {
	if how := []matrix.Repeats{matrix.Added, matrix.Largest, matrix.First}; !slices.Contains(how, c.repeats) {
		return fmt.Errorf("coles: graph: %w", setting.Bad("WithRepeats", c.repeats, "sum, max or first"))
	}
	return nil
}

// FromGonum builds a graph from gonum's. Rows follow ascending node ids. The ids, as decimals, name the nodes unless [WithIDs]
// gives other names. Weights are read if g is a graph.Weighted; an absent weight is 1.
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
	return fromPairs(len(ids), edges, weights, graphOptions(append([]GraphOption{WithIDs(names)}, opts...)))
}

// fromPairs builds a graph from checked edges that have no direction, each listed once.
func fromPairs(n int, edges []Edge, weights []float64, c graphConfig) (*Graph, error) {
	if err := checkNodes(n); err != nil {
		return nil, err
	}
	adj, _, _ := matrix.FromPairs(context.Background(), n, edges, weights, nil) // does not end
	return newGraph(adj, c, GraphReport{}, nil)
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

// FromCSR builds a graph from its adjacency matrix. Entries are the weights, and entries at one place add up unless
// [WithRepeats]. Errors: as [NewGraph], and [ErrAsymmetric], with a pair that differs, unless [WithMirrors] or [WithArcs].
func FromCSR(a *sparse.CSR, opts ...GraphOption) (*Graph, error) {
	c := graphOptions(opts)
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
	if err := c.checkRepeats(); err != nil {
		return nil, err
	}
	raw := a.RawMatrix()
	ones, _ := matrix.Ones(ctx, &kernel.CSR[float64]{Val: raw.Data[:raw.Indptr[rows]:raw.Indptr[rows]]})
	for i := 0; i < rows && !ones; i++ {
		for q := raw.Indptr[i]; q < raw.Indptr[i+1]; q++ {
			if err := matrix.CheckWeight(raw.Data[q], i, raw.Ind[q]); err != nil {
				return nil, fmt.Errorf("coles: graph: %w", err)
			}
		}
	}
	merge := c.repeats.Merge
	if ones {
		merge = nil
	}
	adj, merged, _ := matrix.FromCSR(ctx, a, merge)
	if ones && merged > 0 && c.repeats == matrix.Added {
		adj, _, _ = matrix.FromCSR(ctx, a, c.repeats.Merge)
	}
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
		return newGraph(adj, c, report, parts)
	}
	if !c.mirrors && !c.arcs {
		if i, j, found := matrix.Unmirrored(adj); found {
			there, _ := matrix.Entry(adj, i, j)
			back, _ := matrix.Entry(adj, j, i)
			return nil, fmt.Errorf("coles: graph: %w: %v at (%d, %d) but %v at (%d, %d); WithMirrors makes directed graphs undirected",
				ErrAsymmetric, there, i, j, back, j, i)
		}
		return newGraph(adj, c, report, parts)
	}
	return fromParts(rows, parts, raw.Indptr[rows], !ones, c)
}

// newGraph applies the steps that all constructors share to a symmetric matrix without duplicates. Without directions arcs are
// nil.
func newGraph(adj *kernel.CSR[float64], c graphConfig, report GraphReport, arcs []iter.Seq2[Edge, float64]) (*Graph, error) {
	if c.weights != nil {
		return nil, fmt.Errorf("coles: graph: %w", setting.Bad("WithWeights", len(c.weights), "NewGraph, since elsewhere the input has the weights"))
	}
	g := &Graph{keeps: c.keepLoops, ids: c.ids}
	if infinite := g.take(adj, report); infinite < adj.Rows {
		return nil, fmt.Errorf("coles: graph: %w: the weights of node %s add up to infinity", ErrNotFinite, nodeName(g.ids, infinite))
	}
	if err := checkIDs(g.ids, adj.Rows); err != nil {
		return nil, err
	}
	if c.arcs {
		return g, g.keepArcs(arcs, c.repeats)
	}
	return g, nil
}

// fromEdges is FromEdges of package inside.
func fromEdges(n int, parts []iter.Seq2[Edge, float64], opts ...GraphOption) (*Graph, error) {
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
	return fromParts(n, parts, count, slices.Contains(weighted, true), graphOptions(opts))
}

// fromRows is FromRows of package inside.
func fromRows(ptr []int64, col []int32, weights []float64, opts ...GraphOption) (*Graph, error) {
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
	if same, _ := matrix.Symmetric(ctx, adj); !same {
		if i, j, found := matrix.Unmirrored(adj); found {
			return nil, fmt.Errorf("coles: graph: %w: the entry at (%d, %d) is not that at (%d, %d)", ErrAsymmetric, i, j, j, i)
		}
	}
	if drops {
		adj.Ptr, adj.Col, adj.Val = slices.Clone(ptr), slices.Clone(col), slices.Clone(weights)
	}
	return newGraph(adj, graphOptions(opts), GraphReport{}, nil)
}

// Roles returns the double cover of a graph built [WithArcs], else nil. It has 2n nodes: 2i is node i as the tail of arcs, and
// 2i + 1 is node i as the head. An arc i → j is an edge of 2i and 2j + 1; loops are left out.
func (g *Graph) Roles() *Graph { return g.made().roles }

// withoutArcs is the same graph without directions.
func (g *Graph) withoutArcs() *Graph {
	if g.roles == nil {
		return g
	}
	return &Graph{adj: g.adj, loops: g.loops, keeps: g.keeps, degree: g.degree, ids: g.ids, report: g.report}
}

// keepArcs makes the double cover.
func (g *Graph) keepArcs(arcs []iter.Seq2[Edge, float64], repeats matrix.Repeats) (err error) {
	if arcs == nil {
		return fmt.Errorf("coles: graph: %w", setting.Bad("WithArcs", true, "NewGraph or FromCSR, whose edges have a direction"))
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
	g.roles, err = NewGraph(2*g.Nodes(), edges, WithWeights(weights), WithIDs(roleIDs(g.ids)), WithRepeats(string(repeats)))
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
