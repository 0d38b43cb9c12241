package eval

import (
	"context"
	"fmt"
	"slices"

	"coles"
	"coles/internal/kernel"
	"coles/internal/parallel"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// InducedGraph is a part of a graph with features: some nodes and the edges
// among them.
type InducedGraph struct {
	Graph    *coles.Graph
	Features mat.Matrix // nil for a graph without
	Nodes    []int      // row i of Graph and Features is node Nodes[i] of the whole
}

// Induce makes the graph that some nodes of g induce, with their rows of x (n ×
// d), or without features if x is nil. A *coles.Dense32 gives one, a sparse
// matrix a *sparse.CSR, others a *mat.Dense. Weights, self loops and names of the
// nodes stay, so that Graph.Row finds a node by its name in g, which is its
// number if g has no names. Nodes without neighbours among the others are isolated.
//
// It is the inductive protocol: [coles.Fit] sees this graph alone, and
// [coles.Model.Embed] the whole one; see [EmbedInductive]. It takes a copy of g
// and of the rows, and the time of making them.
//
// Errors: [ErrEmpty] for no nodes, [ErrRow], [ErrDuplicate], [ErrShape] also
// unless x has a row for each node, [ErrNotFinite], [ErrCorrupt], and ctx.Err().
func Induce(ctx context.Context, g *coles.Graph, x mat.Matrix, nodes []int) (*InducedGraph, error) {
	if err := checkContext(ctx); err != nil {
		return nil, err
	}
	place, err := places(g.Nodes(), nodes)
	if err != nil {
		return nil, err
	}
	part := &InducedGraph{Nodes: slices.Clone(nodes)}
	if x != nil {
		if part.Features, err = rowsOf(ctx, x, g.Nodes(), nodes); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	raw, names := g.CSR().RawMatrix(), g.IDs()
	var edges []coles.Edge
	var weights []float64
	kept := make([]string, len(nodes))
	for i, u := range nodes {
		if i%scoreRows == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		kept[i] = names[u]
		for q := raw.Indptr[u]; q < raw.Indptr[u+1]; q++ {
			if j := place[raw.Ind[q]]; j >= i {
				edges, weights = append(edges, coles.Edge{U: i, V: j}), append(weights, raw.Data[q])
			}
		}
	}
	part.Graph, err = coles.NewGraph(len(nodes), edges, coles.WithEdgeWeights(weights),
		coles.WithIDs(kept), coles.WithSelfLoopsKept())
	return part, err
}

// places is where each of n nodes is among the given ones, −1 if it is not.
func places(n int, nodes []int) ([]int, error) {
	if len(nodes) == 0 {
		return nil, fmt.Errorf("%w: no nodes to induce a graph", ErrEmpty)
	}
	place := make([]int, n)
	for u := range place {
		place[u] = -1
	}
	for i, u := range nodes {
		if u < 0 || u >= n {
			return nil, fmt.Errorf("%w: node %d of those given is %d, the graph has %d", ErrRow, i, u, n)
		}
		if place[u] >= 0 {
			return nil, fmt.Errorf("%w: node %d at %d and %d", ErrDuplicate, u, place[u], i)
		}
		place[u] = i
	}
	return place, nil
}

// rowsOf is a copy of some rows of x, which has n, in the form that x has.
func rowsOf(ctx context.Context, x mat.Matrix, n int, rows []int) (mat.Matrix, error) {
	if single, ok := x.(*coles.Dense32); ok { // not to be widened as a whole
		return singleRowsOf(ctx, single.RawMatrix(), n, rows)
	}
	f, err := newFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	if f.rows != n {
		return nil, featureRows(f.rows, n)
	}
	if f.sparse == nil {
		dense := kernel.Unset[float64](len(rows), f.cols)
		return mat.NewDense(len(rows), f.cols, dense.Data), parallel.Ranges(ctx, len(rows), scoreRows, func(lo, hi int) {
			for q := lo; q < hi; q++ {
				_, values := f.row(rows[q])
				copy(dense.Data[q*f.cols:], values)
			}
		})
	}
	part := f.gather(rows)
	ptr, col := make([]int, part.rows+1), make([]int, len(part.sparse.Col))
	for i, p := range part.sparse.Ptr {
		ptr[i] = int(p)
	}
	for p, j := range part.sparse.Col {
		col[p] = int(j)
	}
	return sparse.NewCSR(part.rows, part.cols, ptr, col, part.sparse.Val), nil
}

func singleRowsOf(ctx context.Context, x blas32.General, n int, rows []int) (mat.Matrix, error) {
	if x.Rows != n || x.Cols == 0 {
		return nil, featureRows(x.Rows, n)
	}
	data := kernel.Unset[float32](len(rows), x.Cols).Data[:0]
	for q, i := range rows {
		if q%scoreRows == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for j, v := range x.Data[i*x.Stride:][:x.Cols] {
			if v-v != 0 { // NaN or infinite
				return nil, fmt.Errorf("%w: row %d, column %d of the features is %v", ErrNotFinite, i, j, v)
			}
			data = append(data, v)
		}
	}
	return coles.NewDense32(len(rows), x.Cols, data)
}

func featureRows(rows, nodes int) error {
	return fmt.Errorf("%w: %d rows of features for %d nodes", ErrShape, rows, nodes)
}

// EmbedInductive embeds all nodes of a graph with features x (n × d) by a model
// that has seen some only: [coles.Fit] learns from the graph that they [Induce],
// so from no feature and no edge of another node, and the result (n × d′) is
// [coles.Model.Embed] of the whole. The paper's Reddit is measured so. A
// classifier then learns from labelled nodes among those given and is asked
// about others.
//
// Errors: those of [Induce], [coles.Fit] and [coles.Model.Embed].
func EmbedInductive(ctx context.Context, g *coles.Graph, x mat.Matrix, nodes []int, opts ...coles.Option) (*mat.Dense, error) {
	if x == nil {
		return nil, fmt.Errorf("%w: unseen nodes are embedded by their features, and there are none", ErrShape)
	}
	part, err := Induce(ctx, g, x, nodes)
	if err != nil {
		return nil, err
	}
	model, err := coles.Fit(ctx, part.Graph, part.Features, opts...)
	if err != nil {
		return nil, err
	}
	return model.Embed(ctx, g, x)
}
