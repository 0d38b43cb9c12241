package coles

import (
	"context"
	"fmt"
	"math"
	"slices"

	"coles/internal/input"
	"coles/internal/kernel"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// A SymCSR is an immutable symmetric sparse matrix with 32-bit column
// numbers: W, W⁺, W⁻ and L are of this type. It is a [mat.Symmetric], for
// printing and checking; the library multiplies with it by kernels of its own.
type SymCSR struct{ m *kernel.CSR[float64] }

// NewSymCSR takes a symmetric matrix from outside. Entries stored twice are added up.
//
// Errors: [ErrEmpty], [ErrShape], [ErrTooLarge], [ErrIndex], [ErrNotFinite],
// [ErrAsymmetric] naming the first pair that differs.
func NewSymCSR(a *sparse.CSR) (*SymCSR, error) {
	if err := input.CheckCSR(context.Background(), a); err != nil {
		return nil, inputError("matrix", err)
	}
	rows, cols := a.Dims()
	if rows != cols {
		return nil, fmt.Errorf("coles: matrix: %w: %d × %d", ErrShape, rows, cols)
	}
	if rows == 0 {
		return nil, fmt.Errorf("coles: matrix: %w: 0 × 0", ErrEmpty)
	}
	m, _ := input.Compact(a, input.Sum)
	if i, j, same := firstDifference(m, m.Transpose()); !same {
		return nil, fmt.Errorf("coles: matrix: %w: %v at (%d, %d) but %v at (%d, %d)",
			ErrAsymmetric, entry(m, i, j), i, j, entry(m, j, i), j, i)
	}
	return &SymCSR{m}, nil
}

// matrix is what w holds: of a nil or zero SymCSR, a matrix of no rows.
func (w *SymCSR) matrix() *kernel.CSR[float64] {
	if w == nil || w.m == nil {
		return emptyMatrix()
	}
	return w.m
}

func emptyMatrix() *kernel.CSR[float64] { return &kernel.CSR[float64]{Ptr: []int64{0}} }

// Dims returns n and n.
func (w *SymCSR) Dims() (r, c int) { return w.matrix().Rows, w.matrix().Cols }

// SymmetricDim returns n.
func (w *SymCSR) SymmetricDim() int { return w.matrix().Rows }

// At returns the entry at row i, column j in O(log degree). Like every
// [mat.Matrix] it panics with mat.ErrRowAccess or mat.ErrColAccess out of range.
func (w *SymCSR) At(i, j int) float64 {
	n := w.SymmetricDim()
	if i < 0 || i >= n {
		panic(mat.ErrRowAccess)
	}
	if j < 0 || j >= n {
		panic(mat.ErrColAccess)
	}
	return entry(w.m, i, j)
}

// T returns the matrix itself.
func (w *SymCSR) T() mat.Matrix { return w }

// CSR returns a copy as a *sparse.CSR.
func (w *SymCSR) CSR() *sparse.CSR { return exportCSR(w.matrix()) }

// NNZ is the number of stored entries.
func (w *SymCSR) NNZ() int { return w.matrix().NNZ() }

// Loops says whether a normalisation gives every node a self loop.
type Loops int

const (
	// NoSelfLoops leaves out the diagonal: the graph of the contrast.
	NoSelfLoops Loops = iota
	// SelfLoops adds 1 to every diagonal entry: the matrix that filters propagate with.
	SelfLoops
)

// Normalize returns the degree-normalised adjacency matrix:
//
//	NoSelfLoops:  W⁺ = D^-½ A D^-½,        D = diag(A·1), without A's diagonal
//	SelfLoops:    W  = D̂^-½ (A+I) D̂^-½,   D̂ = diag((A+I)·1)
//
// An isolated node keeps a zero row in W⁺ and a one on the diagonal of W. Both
// have their eigenvalues in [−1, 1]. The cost is O(n + m).
func Normalize(g *Graph, loops Loops) *SymCSR {
	w, _ := normalize(context.Background(), g, loops) // which does not end
	return w
}

// normalize is [Normalize] until ctx ends.
func normalize(ctx context.Context, g *Graph, loops Loops) (*SymCSR, error) {
	g = g.orEmpty()
	a, degree, err := g.adj, g.degree, ctx.Err()
	switch {
	case loops == SelfLoops:
		a, err = addMatrices(ctx, 1, a, 1, identity(g.Nodes()))
		degree = g.loopedDegrees()
	case g.loops:
		a, err = dropEntries(ctx, a, func(i, j int, _ float64) bool { return i == j })
	}
	if err != nil {
		return nil, err
	}
	w, err := normalized(ctx, a, degree)
	return &SymCSR{w}, err
}

// Laplacian returns the normalised Laplacian L = I − W⁺, or I − W with
// [SelfLoops]. Without self loops its eigenvalue 0 has the multiplicity of
// the components that have an edge; an isolated node has eigenvalue 1.
func Laplacian(g *Graph, loops Loops) *SymCSR {
	l, _ := addMatrices(context.Background(), 1, identity(g.Nodes()), -1, Normalize(g, loops).m)
	return &SymCSR{l}
}

// normalized returns D^-½ A D^-½ with D = diag(degree) in new storage; a row of degree zero
// becomes zero.
func normalized(ctx context.Context, a *kernel.CSR[float64], degree []float64) (*kernel.CSR[float64], error) {
	scale := make([]float64, a.Rows)
	for i, d := range degree {
		if d > 0 {
			scale[i] = 1 / math.Sqrt(d)
		}
	}
	w := &kernel.CSR[float64]{Rows: a.Rows, Cols: a.Cols, Ptr: slices.Clone(a.Ptr), Col: a.Col, Val: kernel.Unset[float64](1, a.NNZ()).Data}
	return w, eachRowOf(ctx, a, func(i int) {
		cols, from := a.Row(i)
		_, to := w.Row(i)
		for q, j := range cols {
			to[q] = scaled(from[q], scale[i], scale[j])
		}
	})
}

// scaled is a weight times the scales of both ends.
func scaled(weight, u, v float64) float64 {
	// The product of the two scales first: it is the same number at (i, j) and (j, i).
	if both := u * v; both <= math.MaxFloat64 {
		return weight * both
	}
	return weight * max(u, v) * min(u, v) // weights below 1e-308
}

func identity(n int) *kernel.CSR[float64] {
	e := &kernel.CSR[float64]{Rows: n, Cols: n, Ptr: make([]int64, n+1), Col: make([]int32, n), Val: make([]float64, n)}
	for i := range n {
		e.Ptr[i+1], e.Col[i], e.Val[i] = int64(i+1), int32(i), 1
	}
	return e
}
