package coles

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"coles/internal/kernel"
	"coles/internal/linear"
	"coles/internal/matrix"
	"coles/internal/setting"
	"coles/internal/stream"

	"gonum.org/v1/gonum/mat"
)

// Laplacian returns I − W. For W⁺ that is the normalised Laplacian, with eigenvalue 0 once for every component with an edge.
func (w *SymCSR) Laplacian() *SymCSR {
	l, _ := matrix.Add(context.Background(), 1, matrix.Identity(w.made().Rows), -1, w.made()) // does not end
	return &SymCSR{l}
}

// Positive returns the positive graph of the contrast, W⁺ = D^-½ A D^-½ with D = diag(A·1), without A's diagonal, in O(n + m).
// An isolated node has a zero row. Eigenvalues are in [−1, 1].
func (g *Graph) Positive() *SymCSR {
	w, _ := symCSR(matrix.Normalized(context.Background(), g.made().adj, false)) // does not end
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

// DeltaW is the contrast operator of the paper, ΔW = W⁺ − (η′/κ) Σₖ W⁻ₖ, one sparse matrix and at most one rank-one part: the
// mean of the W⁻ₖ for κ → ∞. It is immutable.
type DeltaW struct {
	op    matrix.Operator[float64]
	graph *Graph
	drawn bool // the sparse part holds negative graphs
}

// Contrast builds ΔW for a graph from κ negatives, weighted by η′ in [0, 1]. κ = 0, like η′ = 0, gives ΔW = W⁺: Laplacian
// Eigenmaps, or LPP after a filter. A sampler that states an expectation is asked once, whatever κ ≥ 1 is: the mean of κ equal
// parts. The cost is O(n + m) and κ draws. Errors: the sampler's, [ErrDense] among them.
func Contrast(ctx context.Context, g *Graph, negatives NegativeSampler, kappa int, eta float64, seed uint64) (*DeltaW, error) {
	c := contrasting{negatives, kappa, eta, seed}
	if err := c.check(); err != nil {
		return nil, err
	}
	return c.of(ctx, g)
}

// contrasting holds the choices that make ΔW.
type contrasting struct {
	negatives NegativeSampler
	kappa     int
	eta       float64
	seed      uint64
}

// maxKappa bounds the number of negative graphs.
const maxKappa = 10_000

func (c contrasting) check() error {
	var errs []error
	if c.kappa < 0 || c.kappa > maxKappa {
		errs = append(errs, fmt.Errorf("coles: %w", setting.Bad("Kappa", c.kappa, "0 to %d", maxKappa)))
	}
	if !(c.eta >= 0 && c.eta <= 1) {
		errs = append(errs, fmt.Errorf("coles: %w", setting.Bad("Eta", c.eta, "0 to 1")))
	}
	return errors.Join(append(errs, c.negatives.check())...)
}

// linear reports which negatives of ΔW are drawn, and which have an expectation.
func (c contrasting) linear() (f linear.Terms) {
	if c.kappa == 0 || c.eta == 0 {
		return f
	}
	switch c.negatives.kind {
	case noNegatives:
	case expectedUniform, expectedDegree:
		f.Coef, f.Uniform = -c.eta, c.negatives.kind == expectedUniform
	default:
		f.Drawn = true
	}
	return f
}

// patterned reports whether W and ΔW are the pattern of the graph with factors, and of rank one.
func (c contrasting) patterned(g *Graph) bool {
	return g.adj.Val == nil && !g.loops && !c.linear().Drawn
}

// of is ΔW for a graph.
func (c contrasting) of(ctx context.Context, g *Graph) (*DeltaW, error) {
	plus, err := symCSR(matrix.Normalized(ctx, g.made().adj, false))
	if err != nil {
		return nil, err
	}
	f := c.linear()
	dw := &DeltaW{op: matrix.Operator[float64]{Sparse: plus.m, Coef: f.Coef, V: f.Negatives(g.degree)}, graph: g, drawn: f.Drawn}
	if !f.Drawn {
		return dw, nil
	}
	sum, err := c.sumNegatives(ctx, g)
	if err != nil {
		return nil, err
	}
	dw.op.Sparse, err = matrix.Add(ctx, 1, plus.m, -c.eta/float64(c.kappa), sum)
	return dw, err
}

// sumNegatives draws κ negative graphs and adds them up, in sums of 1, 2, 4, …, the largest first:
// added to one after the other, the first would be copied κ times.
func (c contrasting) sumNegatives(ctx context.Context, g *Graph) (*kernel.CSR[float64], error) {
	var sums []*kernel.CSR[float64]
	join := func() (err error) {
		last := len(sums) - 1
		sums[last-1], err = matrix.Add(ctx, 1, sums[last-1], 1, sums[last])
		sums = sums[:last]
		return err
	}
	for k := range c.kappa {
		minus, err := c.negatives.Sample(ctx, g, stream.Seed(c.seed, uint64(k)))
		if err != nil {
			return nil, err
		}
		sums = append(sums, minus.m)
		for count := k + 1; count%2 == 0; count /= 2 {
			if err := join(); err != nil {
				return nil, err
			}
		}
	}
	for len(sums) > 1 {
		if err := join(); err != nil {
			return nil, err
		}
	}
	return sums[0], nil
}

func (dw *DeltaW) Dims() (r, c int) {
	if dw == nil || dw.op.Sparse == nil {
		panic("coles: a DeltaW that is nil or zero; Contrast makes one")
	}
	return dw.op.Sparse.Rows, dw.op.Sparse.Cols
}

// Sparse returns the sparse part: W⁺ less the sampled negative graphs.
func (dw *DeltaW) Sparse() *SymCSR { return &SymCSR{dw.op.Sparse} }

// RankOne returns the rank-one part coef·v·vᵀ of ΔW, v a copy: −η′ times the expectation of the
// negatives, or 0 and nil where they were drawn.
func (dw *DeltaW) RankOne() (coef float64, v []float64) { return dw.op.Coef, slices.Clone(dw.op.V) }

// Apply returns ΔW·X for X of n rows. The cost is O((nnz(ΔW) + n)·columns).
func (dw *DeltaW) Apply(ctx context.Context, x mat.Matrix) (*mat.Dense, error) {
	source, err := readFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	if n, _ := dw.Dims(); source.Rows() != n {
		return nil, fmt.Errorf("coles: ΔW: %w: %d rows for %d nodes", ErrShape, source.Rows(), n)
	}
	m, err := matrix.As[float64](ctx, source)
	if err != nil {
		return nil, err
	}
	src, err := m.Panel(ctx)
	if err != nil {
		return nil, err
	}
	dst := kernel.Unset[float64](src.Rows, src.Cols)
	if err := dw.op.Apply(ctx, dst, src); err != nil {
		return nil, err
	}
	return matrix.ToFiniteDense(ctx, "ΔW·X", dst)
}

// normBound is a bound on |λ| for ΔW.
func (dw *DeltaW) normBound() float64 {
	bound := 1.0 // ‖W⁺‖
	if dw.drawn {
		// Graphs drawn by the user's function need not be normalised.
		for i := range dw.op.Sparse.Rows {
			_, vals := dw.op.Sparse.Row(i)
			row := 0.0
			for _, v := range vals {
				row += math.Abs(v)
			}
			bound = max(bound, row)
		}
	}
	return bound + math.Abs(dw.op.Coef)*math.Pow(matrix.Length(dw.op.V), 2)
}
