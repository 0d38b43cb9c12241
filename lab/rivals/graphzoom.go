package rivals

import (
	"context"
	"errors"
	"fmt"
	"math"

	"coles"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/setting"

	"gonum.org/v1/gonum/mat"
)

// GraphZoom embeds a graph by way of a coarse one (Deng, Zhao, Wang, Zhang and Feng, ICLR 2020). Nodes that are alike
// are merged, and [SkipGram] embeds the coarse graph. Every node gets the row of the node that it was merged into.
// These rows are smoothed, E ← F²·E, by
//
//	F = D̃^-½(A+λI)D̃^-½,  D̃ = diag((A+λI)·1).
//
// Merging is the "simple" coarsening of the authors' program, not the closed one (LAMG) of their
// tables, which leaves 68,912 nodes of ogbn-arxiv. To a random vector of seven numbers for every node,
// uniform within ±1 and of mean zero, F² is applied; its rows show which nodes are alike. From the nodes of the
// lowest degree on, each that is not merged yet takes all such neighbours whose row has a squared
// cosine to its own above Threshold. The weights of edges between merged nodes add up; edges within
// are dropped. (Their comment puts hubs first; their code has the order used here.)
//
// Features are left out, as they are for ogbn-arxiv: there the perceptron [MLP] learns from [X | E].
// Fusion, which joins nodes of alike features beforehand, is not here.
//
// The embedding has Dim numbers for every coarse node: with that perceptron 8,963,624 for 68,912 nodes,
// 128 columns and 40 classes.
type GraphZoom struct {
	Levels    int      `json:"levels"`    // how often the graph is coarsened, 0 to 30
	Threshold float64  `json:"threshold"` // of squared cosines, 0 to 1
	Lambda    float64  `json:"lambda"`    // λ, above 0
	Embedding SkipGram `json:"embedding"` // of the coarse graph
	Seed      uint64   `json:"seed"`      // of the vectors that show which nodes are alike
}

// DefaultGraphZoom is one level with the threshold 0.3, λ = 0.1 and [DeepWalk]: the authors' for
// ogbn-arxiv have node2vec with p = q = 1, which is the same.
func DefaultGraphZoom() GraphZoom {
	return GraphZoom{Levels: 1, Threshold: 0.3, Lambda: 0.1, Embedding: DeepWalk(), Seed: 1}
}

// zoomPower is the power of F that smoothes vectors and embeddings.
const zoomPower = 2

// Check returns what is wrong with the settings.
//
// Errors: [coles.ErrSetting].
func (z GraphZoom) Check() error {
	errs := []error{z.Embedding.Check()}
	wrong := func(bad bool, field string, value any, want string) {
		if bad {
			errs = append(errs, fmt.Errorf("rivals: graphzoom: %w", setting.Bad(field, value, "%s", want)))
		}
	}
	wrong(z.Levels < 0 || z.Levels > 30, "Levels", z.Levels, "0 to 30")
	wrong(!(z.Threshold >= 0 && z.Threshold <= 1), "Threshold", z.Threshold, "0 to 1")
	wrong(!(z.Lambda > 0 && matrix.Finite(z.Lambda) && matrix.Finite(1/z.Lambda)), "Lambda", z.Lambda, "more than 0 and finite")
	return errors.Join(errs...)
}

// Refine returns the embedding of g (n × d) from an embedding of the coarse graph, which [SkipGram.Fit] makes with
// the settings z.Embedding, and the groups of [GraphZoom.Coarsen]. It multiplies 4m·d times for m edges.
//
// Errors: [coles.ErrSetting], [coles.ErrShape] where group has another length than n, [coles.ErrIndex] where
// it names a row that y does not have, and ctx's.
func (z GraphZoom) Refine(ctx context.Context, g *coles.Graph, group []int, y *mat.Dense) (*mat.Dense, error) {
	if err := z.Check(); err != nil {
		return nil, err
	}
	if len(group) != g.Nodes() {
		return nil, fmt.Errorf("rivals: graphzoom: %w: groups of %d nodes for %d", coles.ErrShape, len(group), g.Nodes())
	}
	count, _ := y.Dims()
	for i, u := range group {
		if u < 0 || u >= count {
			return nil, fmt.Errorf("rivals: graphzoom: %w: node %d in group %d of %d", coles.ErrIndex, i, u, count)
		}
	}
	small := matrix.Of(kernel.Matrix[float64](y.RawMatrix()))
	rows, err := small.Gather(ctx, group)
	if err != nil {
		return nil, err
	}
	f, err := zoomFilter(ctx, g, z.Lambda)
	if err != nil {
		return nil, err
	}
	e, err := smoothed(ctx, f, rows.Dense)
	if err != nil {
		return nil, err
	}
	return matrix.ToDense(e), nil
}

// zoomFilter is F.
func zoomFilter(ctx context.Context, g *coles.Graph, lambda float64) (*kernel.CSR[float64], error) {
	f, err := matrix.Add(ctx, 1, inside.Adjacency(g), lambda, matrix.Identity(g.Nodes()))
	if err != nil {
		return nil, err
	}
	scale := make([]float64, f.Rows)
	if err := matrix.EachRow(ctx, f, func(i int) {
		_, vals := f.Row(i)
		scale[i] = 1 / math.Sqrt(matrix.Total(vals))
	}); err != nil {
		return nil, err
	}
	return matrix.ScaledCSR(ctx, f, scale, scale)
}

// smoothed is F²·E, in the memory of E and as much again.
func smoothed(ctx context.Context, f *kernel.CSR[float64], e kernel.Matrix[float64]) (kernel.Matrix[float64], error) {
	next := kernel.Unset[float64](e.Rows, e.Cols)
	for range zoomPower {
		if err := kernel.SpMM(ctx, next, f, e); err != nil {
			return e, err
		}
		e, next = next, e
	}
	return e, nil
}
