package rivals

import (
	"context"

	"coles"
	"coles/gnn/autodiff"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/matrix"

	"github.com/james-bowman/sparse"
)

// sparseMeans is D⁻¹A.
func sparseMeans(ctx context.Context, g *coles.Graph) (*sparse.CSR, error) {
	means, err := matrix.RowMeans[float64](ctx, inside.Adjacency(g))
	return exported(ctx, means, err)
}

// meansBesideOne is (D+I)⁻¹A.
func meansBesideOne(ctx context.Context, g *coles.Graph) (*sparse.CSR, error) {
	a := inside.Adjacency(g)
	sums, err := matrix.RowSums(ctx, a, true)
	if err != nil {
		return nil, err
	}
	for i, sum := range sums {
		sums[i] = 1 / sum
	}
	means, err := matrix.ScaledCSR(ctx, a, sums, nil)
	return exported(ctx, means, err)
}

// exported is an operator of a graph for [custom.Inputs].
func exported(ctx context.Context, a *kernel.CSR[float64], err error) (*sparse.CSR, error) {
	if err != nil {
		return nil, err
	}
	return matrix.ExportCSR(ctx, a)
}

// neighbourProduct is S·H·Θ in the order that takes less multiplications: of many nodes that come in
// and few that come out, S·H first. Sparse features can only be multiplied by Θ.
func neighbourProduct[T autodiff.Float](t *autodiff.Tape[T], s *autodiff.Sparse[T], h, theta *autodiff.Value[T]) *autodiff.Value[T] {
	entries, in, out := float64(s.Matrix().NNZ()), float64(h.Cols()), float64(theta.Cols())
	before := float64(h.Rows())*in*out + entries*out
	behind := entries*in + float64(s.Matrix().Rows)*in*out
	if h.Data().Data != nil && behind < before {
		return t.MatMul(t.SpMM(s, h), theta)
	}
	return t.SpMM(s, t.MatMul(h, theta))
}
