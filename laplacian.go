package coles

import (
	"context"

	"coles/internal/kernel"
	"coles/internal/linear"
	"coles/internal/matrix"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// A SymCSR is an immutable symmetric sparse matrix with 32-bit column numbers: W, W⁺, W⁻ and L are
// of this type. It is a [mat.Symmetric], for printing and checking; the library multiplies with its
// own kernels.
type SymCSR struct{ m *kernel.CSR[float64] }

func (w *SymCSR) Dims() (r, c int) { return w.m.Rows, w.m.Cols }

func (w *SymCSR) SymmetricDim() int { return w.m.Rows }

// NNZ is the number of stored entries.
func (w *SymCSR) NNZ() int { return w.m.NNZ() }

// At takes O(log degree).
func (w *SymCSR) At(i, j int) float64 {
	if i < 0 || i >= w.m.Rows {
		panic(mat.ErrRowAccess)
	}
	if j < 0 || j >= w.m.Cols {
		panic(mat.ErrColAccess)
	}
	v, _ := matrix.Entry(w.m, i, j)
	return v
}

func (w *SymCSR) T() mat.Matrix { return w }

// ToCSR returns a copy as a *sparse.CSR.
func (w *SymCSR) ToCSR() *sparse.CSR { return exported(w.m) }

// Raw is the matrix itself, for the packages of this module.
func (w *SymCSR) Raw() *kernel.CSR[float64] { return w.m }

// Laplacian returns I − W: of W⁺ the normalised Laplacian, with eigenvalue 0 once for every component that
// has an edge.
func (w *SymCSR) Laplacian() *SymCSR {
	l, _ := matrix.Add(context.Background(), 1, matrix.Identity(w.m.Rows), -1, w.m) // does not end
	return &SymCSR{l}
}

// Normalize returns the matrix that filters propagate with, the adjacency matrix with a self loop of weight
// 1 more on every node, normalised by degrees:
//
//	W = D̂^-½ (A+I) D̂^-½,  D̂ = diag((A+I)·1),
//
// in O(n + m). An isolated node keeps a one. The eigenvalues are in [−1, 1].
func Normalize(g *Graph) *SymCSR {
	w, _ := symmetric(matrix.Normalized(context.Background(), g.made().adj, true)) // does not end
	return w
}

// Positive returns the positive graph of the contrast,
//
//	W⁺ = D^-½ A D^-½,  D = diag(A·1), without A's diagonal,
//
// in O(n + m). An isolated node has a zero row. Eigenvalues are in [−1, 1].
func (g *Graph) Positive() *SymCSR {
	w, _ := symmetric(matrix.Normalized(context.Background(), g.made().adj, false)) // does not end
	return w
}

// weighed is the graph with the weights that a fit with this WeightSpan takes, and their unit.
func (g *Graph) weighed(ctx context.Context, span float64) (*Graph, float64, error) {
	unit, err := linear.WeightUnit(ctx, g.made().adj.Val, span)
	if err != nil {
		return nil, 0, err
	}
	g, err = g.in(ctx, unit)
	return g, unit, err
}

// in is the graph with weights in a unit, itself for 0.
func (g *Graph) in(ctx context.Context, unit float64) (*Graph, error) {
	if unit == 0 || g == nil {
		return g, nil
	}
	adj, err := linear.Weighed(ctx, matrix.Valued(g.adj), unit)
	if err != nil {
		return nil, err
	}
	weighed := &Graph{adj: adj, loops: g.loops, keeps: g.keeps, ids: g.ids, report: g.report, roles: g.roles}
	weighed.measure(adj)
	return weighed, nil
}

func symmetric(m *kernel.CSR[float64], err error) (*SymCSR, error) {
	if err != nil {
		return nil, err
	}
	return &SymCSR{m}, nil
}
