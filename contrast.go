package coles

import (
	"context"
	"fmt"
	"math"

	"coles/internal/kernel"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// DeltaW is the contrast operator of the paper,
//
//	ΔW = W⁺ − (η′/κ) Σₖ W⁻ₖ + c·I,
//
// kept as one sparse matrix, at most one rank-one part and a multiple of the
// identity: in the limit κ → ∞ the mean of the W⁻ₖ is a rank-one matrix, which
// is never written out. c is 0 unless [DeltaW.Shift] sets it. A DeltaW is immutable.
type DeltaW struct {
	graph  *Graph
	sparse *kernel.CSR // W⁺ less the sampled negative graphs
	drawn  bool        // sparse holds negative graphs
	mean   *rankOne    // the expectation of the negatives, nil when they are drawn
	shift  float64
}

// rankOne is the matrix coef·v·vᵀ.
type rankOne struct {
	coef float64
	v    []float64
}

// Contrast builds ΔW for a graph and a way to draw negatives. Of the options
// it reads [WithKappa] (1), [WithEta] (1) and [WithSeed] (1). κ = 0 gives
// ΔW = W⁺: Laplacian Eigenmaps, or LPP after a filter. A sampler that states
// an expectation is asked once, whatever κ ≥ 1 is: the mean of κ equal parts.
//
// The cost is O(n + m) and that of κ draws.
//
// Errors: [ErrSetting], [ErrShape] where a negative graph is not of n nodes,
// and those of the sampler, [ErrDense] among them.
func Contrast(ctx context.Context, g *Graph, negatives NegativeSampler, opts ...Option) (*DeltaW, error) {
	c, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	if err := g.check(); err != nil {
		return nil, err
	}
	return contrast(ctx, g, negatives, c.Settings)
}

func contrast(ctx context.Context, g *Graph, negatives NegativeSampler, s Settings) (*DeltaW, error) {
	dw := &DeltaW{graph: g, sparse: Normalize(g, NoSelfLoops).m}
	if s.Eta == 0 {
		return dw, ctx.Err()
	}
	for k := range s.Kappa {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		part, err := negatives.sample(ctx, g, streamSeed(s.Seed, uint64(k)))
		if err != nil {
			return nil, err
		}
		if part.Vector != nil && dw.drawn {
			return nil, fmt.Errorf("coles: negatives %v: %w: an expectation after a sampled graph", negatives, ErrSetting)
		}
		if part.Vector != nil {
			dw.mean = &rankOne{-s.Eta, part.Vector}
			break
		}
		if part.Graph != nil {
			dw.sparse = addMatrices(1, dw.sparse, -s.Eta/float64(s.Kappa), part.Graph.m)
			dw.drawn = true
		}
	}
	return dw, ctx.Err()
}

// orEmpty lets the methods of a nil or zero DeltaW see one of no nodes.
func (dw *DeltaW) orEmpty() *DeltaW {
	if dw == nil || dw.sparse == nil {
		return &DeltaW{graph: (*Graph)(nil).orEmpty(), sparse: emptyMatrix()}
	}
	return dw
}

// Dims returns n and n.
func (dw *DeltaW) Dims() (r, c int) { return dw.orEmpty().sparse.Rows, dw.orEmpty().sparse.Cols }

// Shift returns ΔW + c·I. Solving with it adds the share c of the features'
// covariance (FX)ᵀ(FX) to the contrast; [Smoothness] tells when that helps.
func (dw *DeltaW) Shift(c float64) *DeltaW {
	shifted := *dw.orEmpty()
	shifted.shift += c
	return &shifted
}

// Sparse returns a copy of the sparse part: W⁺ less the sampled negative graphs.
func (dw *DeltaW) Sparse() *SymCSR { return &SymCSR{dw.orEmpty().sparse} }

// Apply returns ΔW·X for X of n rows. The cost is O((nnz(ΔW) + n)·columns).
//
// Errors: [ErrShape], [ErrNotFinite], and ctx's.
func (dw *DeltaW) Apply(ctx context.Context, x mat.Matrix) (*mat.Dense, error) {
	f, err := readFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	if n, _ := dw.Dims(); f.rows() != n || n == 0 {
		return nil, fmt.Errorf("coles: ΔW: %w: %d rows for %d nodes", ErrShape, f.rows(), n)
	}
	src := f.panel()
	dst := kernel.Dense(src.Rows, src.Cols)
	if err := dw.apply(ctx, dst, src); err != nil {
		return nil, err
	}
	return denseOf(dst), nil
}

// apply sets dst = ΔW·src.
func (dw *DeltaW) apply(ctx context.Context, dst, src blas64.General) error {
	if err := kernel.SpMM(ctx, dst, dw.sparse, src); err != nil {
		return err
	}
	if r := dw.mean; r != nil {
		t, err := transposeTimes(ctx, src, r.v)
		if err != nil {
			return err
		}
		if err := parallel.Ranges(ctx, dst.Rows, 512, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				addScaled(dst.Data[i*dst.Stride:], r.coef*r.v[i], t)
			}
		}); err != nil {
			return err
		}
	}
	if dw.shift == 0 {
		return nil
	}
	return parallel.Ranges(ctx, dst.Rows, 512, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			addScaled(dst.Data[i*dst.Stride:], dw.shift, src.Data[i*src.Stride:][:src.Cols])
		}
	})
}

// addScaled adds c·x to the first len(x) numbers of y.
func addScaled(y []float64, c float64, x []float64) {
	y = y[:len(x)]
	for j, v := range x {
		y[j] += c * v
	}
}

// transposeTimes returns aᵀ·v, adding up fixed blocks of rows in order, so that
// the sum does not depend on the number of processors.
func transposeTimes(ctx context.Context, a blas64.General, v []float64) ([]float64, error) {
	const block = 1024
	blocks := (a.Rows + block - 1) / block
	partial := make([]float64, blocks*a.Cols)
	err := parallel.Ranges(ctx, a.Rows, block, func(lo, hi int) {
		t := partial[lo/block*a.Cols:][:a.Cols]
		for i := lo; i < hi; i++ {
			addScaled(t, v[i], a.Data[i*a.Stride:][:a.Cols])
		}
	})
	total := make([]float64, a.Cols)
	for b := range blocks {
		addScaled(total, 1, partial[b*a.Cols:][:a.Cols])
	}
	return total, err
}

// gram adds (FX)ᵀ ΔW (FX) to the upper triangle of m. ΔW·FX is made for one
// block of columns at a time, so that beside FX and M only that block is held.
func (dw *DeltaW) gram(ctx context.Context, m, fx blas64.General) error {
	plain := &DeltaW{sparse: dw.sparse, shift: dw.shift}
	const width = 256
	z := kernel.Dense(fx.Rows, min(width, fx.Cols))
	for lo := 0; lo < fx.Cols; lo += width {
		hi := min(lo+width, fx.Cols)
		src := kernel.Columns(fx, lo, hi)
		dst := kernel.Columns(z, 0, hi-lo)
		if err := plain.apply(ctx, dst, src); err != nil {
			return err
		}
		// Rows [0, lo) of these columns are a full product, the block on the diagonal a triangle.
		if lo > 0 {
			if err := kernel.Gemm(ctx, true, false, 1, kernel.Columns(fx, 0, lo), dst, 1, kernel.View(m, 0, lo, lo, hi-lo)); err != nil {
				return err
			}
		}
		if err := kernel.Gram(ctx, 1, src, dst, kernel.View(m, lo, lo, hi-lo, hi-lo)); err != nil {
			return err
		}
	}
	// A rank-one part of ΔW is a rank-one part of M: coef·(XᵀFᵀv)(XᵀFᵀv)ᵀ.
	if r := dw.mean; r != nil {
		t, err := transposeTimes(ctx, fx, r.v)
		if err != nil {
			return err
		}
		for i := range t {
			addScaled(m.Data[i*m.Stride+i:], r.coef*t[i], t[i:])
		}
	}
	return ctx.Err()
}

// Smoothness estimates ρ = Tr(F W⁺ F)/Tr(F F), how much of a filtered signal
// agrees along the edges: 1 on a perfectly homophilous graph, near 0 on a
// random one. It uses Hutchinson's estimator with 32 random sign vectors, so
// it costs as much as filtering 32 columns.
//
// Errors: [ErrShape], ctx's, and those of the filter.
func Smoothness(ctx context.Context, g *Graph, f Filter, seed uint64) (float64, error) {
	if err := g.check(); err != nil {
		return 0, err
	}
	return smoothness(ctx, Normalize(g, SelfLoops), Normalize(g, NoSelfLoops), f, seed)
}

func smoothness(ctx context.Context, w, wplus *SymCSR, f Filter, seed uint64) (float64, error) {
	const probes = 32
	if err := f.check(); err != nil {
		return 0, err
	}
	n := w.m.Rows
	signs := kernel.Dense(n, probes)
	rng := newStream()
	for i := range n {
		rng.reseed(seed, uint64(i))
		bits := rng.Uint64()
		for j := range probes {
			signs.Data[i*probes+j] = 1 - 2*float64(bits>>j&1)
		}
	}
	h, err := f.apply(ctx, w.m, &features{dense: signs})
	if err != nil {
		return 0, err
	}
	wh := kernel.Dense(n, probes)
	if err := kernel.SpMM(ctx, wh, wplus.m, h); err != nil {
		return 0, err
	}
	agree, all := 0.0, 0.0
	for q, v := range h.Data {
		agree += v * wh.Data[q]
		all += v * v
	}
	if all == 0 {
		return 0, nil
	}
	return agree / all, nil
}

// autoShare is c = min(2ρ², 0.4), the rule of [WithAutoCovarianceShare].
func autoShare(rho float64) float64 { return math.Min(2*rho*rho, 0.4) }
