package eval

import (
	"context"
	"fmt"
	"slices"

	"coles"
	"coles/internal/given"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/matrix"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// InducedGraph is a part of a graph with features: some nodes and the edges among them.
type InducedGraph struct {
	Graph    *coles.Graph // row i is node Nodes[i] of the whole
	Features mat.Matrix   // a row for each of Graph; nil for a graph without
	Nodes    []int        // numbers in the whole
}

// Induce makes the graph that some nodes of g induce, with their rows of x (n × d), or without features if x is nil. A
// *coles.Dense32 stays one, a sparse matrix gives a *sparse.CSR, others a *mat.Dense. Weights, self loops and names of the
// nodes stay: Graph.Row finds a node by its name in g, which is its number if g has no names. Nodes without neighbours among
// the others are isolated. It takes a copy of the part of g and of the rows.
//
// A model fitted to the part has seen no feature and no edge of another node, and its Embed embeds all nodes of g.
// That is the paper's protocol for Reddit.
//
// Errors: [coles.ErrSetting] for a graph [coles.WithArcs], [coles.ErrShape] for no nodes, or unless x has a row for each node, [coles.ErrIndex],
// [coles.ErrIDs] for a node given twice, [coles.ErrNotFinite], and ctx's.
func Induce(ctx context.Context, g *coles.Graph, x mat.Matrix, nodes []int) (*InducedGraph, error) {
	if err := checkNodes(g.Nodes(), nodes); err != nil {
		return nil, err
	}
	if g.Roles() != nil {
		return nil, fmt.Errorf("%w: a part of a graph that keeps arcs", coles.ErrSetting)
	}
	part := &InducedGraph{Nodes: slices.Clone(nodes)}
	if x != nil {
		s, err := given.ReadSource(ctx, x)
		if err != nil {
			return nil, err
		}
		if s.Rows() != g.Nodes() {
			return nil, fmt.Errorf("%w: %d rows of features for %d nodes", coles.ErrShape, s.Rows(), g.Nodes())
		}
		_, single := x.(interface{ RawMatrix() blas32.General })
		if part.Features, err = rowsOf(ctx, s, single, nodes); err != nil {
			return nil, err
		}
	}
	adjacency, err := matrix.Induced(ctx, inside.Adjacency(g), nodes)
	if err != nil {
		return nil, err
	}
	names, all := make([]string, len(nodes)), g.IDs()
	for i, u := range nodes {
		names[i] = all[u]
	}
	opts := []coles.GraphOption{coles.WithIDs(names)}
	if g.KeepsSelfLoops() {
		opts = append(opts, coles.WithSelfLoopsKept())
	}
	part.Graph, err = inside.FromRows(adjacency.Ptr, adjacency.Col, adjacency.Val, opts...)
	return part, err
}

// checkNodes wants some of n nodes, each given once.
func checkNodes(n int, nodes []int) error {
	if len(nodes) == 0 {
		return fmt.Errorf("%w: no nodes to induce a graph", coles.ErrShape)
	}
	if err := given.CheckRows(nodes, n, "given"); err != nil {
		return err
	}
	seen := make([]bool, n)
	for _, u := range nodes {
		if seen[u] {
			return fmt.Errorf("%w: node %d is given twice", coles.ErrIDs, u)
		}
		seen[u] = true
	}
	return nil
}

// rowsOf is a copy of some rows, in the form that they have.
func rowsOf(ctx context.Context, s *matrix.Source, single bool, rows []int) (mat.Matrix, error) {
	if !single {
		f, err := gathered[float64](ctx, s, rows)
		if err != nil {
			return nil, err
		}
		return matrix.Export(ctx, f)
	}
	f, err := gathered[float32](ctx, s, rows) // not to be widened as a whole
	if err != nil {
		return nil, err
	}
	return &coles.Dense32{Rows: f.Dense.Rows, Cols: f.Dense.Cols, Stride: f.Dense.Stride, Data: f.Dense.Data}, nil
}

func gathered[T kernel.Float](ctx context.Context, s *matrix.Source, rows []int) (*matrix.Matrix[T], error) {
	f, err := matrix.As[T](ctx, s)
	if err != nil {
		return nil, err
	}
	return f.Gather(ctx, rows)
}
