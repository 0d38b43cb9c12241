package eval

import (
	"context"
	"fmt"
	"slices"

	"coles"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// InducedGraph is a part of a graph with features: some nodes and the edges among them.
type InducedGraph struct {
	Graph    *coles.Graph
	Features mat.Matrix // nil for a graph without
	Nodes    []int      // row i of Graph and Features is node Nodes[i] of the whole
}

// Induce makes the graph that some nodes of g induce, with their rows of x (n × d), or without
// features if x is nil. A *coles.Dense32 gives one, a sparse matrix a *sparse.CSR, others a
// *mat.Dense. Weights, self loops and names of the nodes stay, so that Graph.Row finds a node by its
// name in g, which is its number if g has no names. Nodes without neighbours among the others are
// isolated.
//
// It is the inductive protocol: [coles.Fit] sees this graph alone, and [coles.Model.Embed] the
// whole one; see [EmbedInductive]. It takes a copy of the part of g and of the rows, and the time
// of making them.
//
// Errors: [coles.ErrShape] for no nodes, or unless x has a row for each node, [coles.ErrIndex],
// [coles.ErrIDs] for a node given twice, [coles.ErrNotFinite], and ctx's.
func Induce(ctx context.Context, g *coles.Graph, x mat.Matrix, nodes []int) (*InducedGraph, error) {
	var s *matrix.Source
	if x != nil {
		var err error
		if s, err = readSource(ctx, x); err != nil {
			return nil, err
		}
	}
	return induce(ctx, g, s, isSingle(x), nodes)
}

// isSingle reports whether a matrix is one of float32.
func isSingle(x mat.Matrix) bool {
	_, single := x.(interface{ RawMatrix() blas32.General })
	return single
}

// induce is Induce of a checked matrix, nil for none.
func induce(ctx context.Context, g *coles.Graph, s *matrix.Source, single bool, nodes []int) (*InducedGraph, error) {
	place, err := places(g.Nodes(), nodes)
	if err != nil {
		return nil, err
	}
	part := &InducedGraph{Nodes: slices.Clone(nodes)}
	if s != nil {
		if s.Rows() != g.Nodes() {
			return nil, fmt.Errorf("%w: %d rows of features for %d nodes", coles.ErrShape, s.Rows(), g.Nodes())
		}
		if part.Features, err = rowsOf(ctx, s, single, nodes); err != nil {
			return nil, err
		}
	}
	raw, names := g.Raw(), g.IDs()
	var edges []coles.Edge
	var weights []float64
	kept := make([]string, len(nodes))
	for i, u := range nodes {
		if i%parallel.RowsAtOnce == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		kept[i] = names[u]
		cols, values := raw.Row(u)
		for q, v := range cols {
			if j := place[v]; j >= i {
				edges, weights = append(edges, coles.Edge{U: i, V: j}), append(weights, values[q])
			}
		}
	}
	part.Graph, err = coles.NewWeightedGraph(len(nodes), edges, weights, coles.WithIDs(kept), coles.WithSelfLoopsKept())
	return part, err
}

// places is where each of n nodes is among the given ones, −1 if it is not.
func places(n int, nodes []int) ([]int, error) {
	if len(nodes) == 0 {
		return nil, fmt.Errorf("%w: no nodes to induce a graph", coles.ErrShape)
	}
	place := make([]int, n)
	for u := range place {
		place[u] = -1
	}
	for i, u := range nodes {
		if u < 0 || u >= n {
			return nil, fmt.Errorf("%w: node %d of those given is %d, the graph has %d", coles.ErrIndex, i, u, n)
		}
		if place[u] >= 0 {
			return nil, fmt.Errorf("%w: node %d is given at %d and %d", coles.ErrIDs, u, place[u], i)
		}
		place[u] = i
	}
	return place, nil
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

// EmbedInductive embeds all nodes of a graph with features x (n × d) by a model that has seen some
// only: [coles.Fit] learns from the graph that they [Induce], so from no feature and no edge of
// another node, and the result (n × d′) is [coles.Model.Embed] of the whole. The paper's Reddit is
// measured so. A classifier then learns from labelled nodes among those given and is asked about
// others.
//
// Errors: those of [Induce], [coles.Fit] and [coles.Model.Embed].
func EmbedInductive(ctx context.Context, g *coles.Graph, x mat.Matrix, nodes []int, opts ...coles.Option) (*mat.Dense, error) {
	s, err := readSource(ctx, x)
	if err != nil {
		return nil, err
	}
	part, err := induce(ctx, g, s, isSingle(x), nodes)
	if err != nil {
		return nil, err
	}
	model, err := coles.Fit(ctx, part.Graph, part.Features, opts...)
	if err != nil {
		return nil, err
	}
	return model.Embed(ctx, g, s)
}
