package coles

import (
	"context"
	"fmt"
	"math"
	"slices"

	"coles/internal/kernel"
	"coles/internal/stream"

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
	sparse *kernel.CSR[float64] // W⁺ less the sampled negative graphs
	drawn  bool                 // sparse holds negative graphs
	mean   *rankOne             // the expectation of the negatives, nil when they are drawn
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
// Errors: [ErrEmpty] for a nil graph, [ErrSetting], [ErrShape] where a negative graph is
// not of n nodes, those of the sampler, [ErrDense] among them, and ctx's.
func Contrast(ctx context.Context, g *Graph, negatives NegativeSampler, opts ...Option) (*DeltaW, error) {
	if err := checkContext(ctx); err != nil {
		return nil, err
	}
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
	plus, err := normalize(ctx, g, NoSelfLoops)
	if err != nil {
		return nil, err
	}
	dw := &DeltaW{graph: g, sparse: plus.m}
	if s.Eta == 0 {
		return dw, ctx.Err()
	}
	// Sums of 1, 2, 4, … negatives, the largest first: added to one after the other, the
	// first would be copied κ times.
	var drawn []*kernel.CSR[float64]
	for k := range s.Kappa {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		part, err := negatives.sample(ctx, g, stream.Seed(s.Seed, uint64(k)))
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
			drawn, dw.drawn = append(drawn, part.Graph.m), true
			for count := k + 1; count%2 == 0; count /= 2 {
				if drawn, err = addLast(ctx, drawn); err != nil {
					return nil, err
				}
			}
		}
	}
	for len(drawn) > 1 {
		if drawn, err = addLast(ctx, drawn); err != nil {
			return nil, err
		}
	}
	if len(drawn) == 1 {
		dw.sparse, err = addMatrices(ctx, 1, dw.sparse, -s.Eta/float64(s.Kappa), drawn[0])
	}
	return dw, err
}

// addLast makes one of the last two matrices of a list: their sum.
func addLast(ctx context.Context, list []*kernel.CSR[float64]) ([]*kernel.CSR[float64], error) {
	last := len(list) - 1
	sum, err := addMatrices(ctx, 1, list[last-1], 1, list[last])
	list[last-1] = sum
	return list[:last], err
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

// RankOne returns the rank-one part coef·v·vᵀ of ΔW, v a copy: −η′ times the
// expectation of the negatives, or 0 and nil where they were drawn.
func (dw *DeltaW) RankOne() (coef float64, v []float64) {
	if r := dw.orEmpty().mean; r != nil {
		return r.coef, slices.Clone(r.v)
	}
	return 0, nil
}

// Apply returns ΔW·X for X of n rows. The cost is O((nnz(ΔW) + n)·columns).
//
// Errors: [ErrShape], [ErrEmpty] for a nil matrix, [ErrNotFinite], and ctx's.
func (dw *DeltaW) Apply(ctx context.Context, x mat.Matrix) (*mat.Dense, error) {
	f, err := readFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	if n, _ := dw.Dims(); f.rows() != n || n == 0 {
		return nil, fmt.Errorf("coles: ΔW: %w: %d rows for %d nodes", ErrShape, f.rows(), n)
	}
	s, err := signalOf[float64](ctx, f)
	if err != nil {
		return nil, err
	}
	src, err := s.panel(ctx)
	if err != nil {
		return nil, err
	}
	dst := kernel.Unset[float64](src.Rows, src.Cols)
	if err := contrastOf[float64](dw).apply(ctx, dst, src); err != nil {
		return nil, err
	}
	return finiteDense(ctx, "ΔW·X", dst)
}

// contrasting is ΔW in the numbers that are computed with.
type contrasting[T kernel.Float] struct {
	sparse *kernel.CSR[T]
	mean   *rankOne
	shift  T
}

func contrastOf[T kernel.Float](dw *DeltaW) *contrasting[T] {
	dw = dw.orEmpty()
	return &contrasting[T]{csrOf[T](dw.sparse), dw.mean, T(dw.shift)}
}

// apply sets dst = ΔW·src.
func (dw *contrasting[T]) apply(ctx context.Context, dst, src kernel.Matrix[T]) error {
	if err := dw.applySparse(ctx, dst, dw.sparse, src, src); err != nil {
		return err
	}
	r := dw.mean
	if r == nil {
		return nil
	}
	t, err := transposeTimes(ctx, src, r.v)
	if err != nil {
		return err
	}
	narrow := make([]T, len(t))
	for j, v := range t {
		narrow[j] = T(v)
	}
	return eachBlock(ctx, dst.Rows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			c := T(r.coef * r.v[i])
			row := dst.Data[i*dst.Stride:][:dst.Cols]
			for j, v := range narrow {
				row[j] += c * v
			}
		}
	})
}

// applySparse sets dst = rows·src + shift·own: ΔW·src without its rank-one
// part, for all rows or for some, of which src has the values own.
func (dw *contrasting[T]) applySparse(ctx context.Context, dst kernel.Matrix[T], rows *kernel.CSR[T], src, own kernel.Matrix[T]) error {
	if dw.shift == 0 {
		return kernel.SpMM(ctx, dst, rows, src)
	}
	return kernel.SpMMAdd(ctx, dst, rows, src, dw.shift, own)
}

// transposeTimes returns aᵀ·v.
func transposeTimes[T kernel.Float](ctx context.Context, a kernel.Matrix[T], v []float64) ([]float64, error) {
	return sumRows(ctx, a.Rows, a.Cols, func(sum []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			c := v[i]
			for j, x := range a.Data[i*a.Stride:][:a.Cols] {
				sum[j] += c * float64(x)
			}
		}
	})
}

// gramNumbers numbers of ΔW·FX are made at a time: enough for the products to
// be efficient, few enough to stay in cache until they are used.
const gramNumbers = 1 << 20

// gram returns the upper triangle of M = (FX)ᵀ ΔW (FX), summed in float64. ΔW·FX
// is made for a block of rows at a time and never held as a whole.
func (dw *contrasting[T]) gram(ctx context.Context, fx kernel.Matrix[T]) (kernel.Matrix[float64], error) {
	n, d := fx.Rows, fx.Cols
	m := kernel.Dense[float64](d, d)
	height := min(n, max(256, gramNumbers/d))
	z, release := kernel.Scratch[T](height, d)
	defer release()
	for lo := 0; lo < n; lo += height {
		hi := min(lo+height, n)
		dst, own := kernel.Rows(z, 0, hi-lo), kernel.Rows(fx, lo, hi)
		if err := dw.applySparse(ctx, dst, dw.sparse.Slice(lo, hi), fx, own); err != nil {
			return m, err
		}
		if err := wideGram(ctx, own, dst, m); err != nil {
			return m, err
		}
	}
	// A rank-one part of ΔW is a rank-one part of M: coef·(XᵀFᵀv)(XᵀFᵀv)ᵀ.
	if r := dw.mean; r != nil {
		t, err := transposeTimes(ctx, fx, r.v)
		if err != nil {
			return m, err
		}
		for i := range t {
			addScaled(m.Data[i*m.Stride+i:], r.coef*t[i], t[i:])
		}
	}
	return m, ctx.Err()
}

// Smoothness estimates ρ = Tr(F W⁺ F)/Tr(F F), how much of a filtered signal
// agrees along the edges: 1 on a perfectly homophilous graph, near 0 on a
// random one. It uses Hutchinson's estimator with 32 random sign vectors, so
// it costs as much as filtering 32 columns.
//
// Errors: [ErrEmpty] for a nil graph, ctx's, and those of the filter.
func Smoothness(ctx context.Context, g *Graph, f Filter, seed uint64) (float64, error) {
	if err := checkContext(ctx); err != nil {
		return 0, err
	}
	if err := g.check(); err != nil {
		return 0, err
	}
	w, err := normalize(ctx, g, SelfLoops)
	if err != nil {
		return 0, err
	}
	plus, err := normalize(ctx, g, NoSelfLoops)
	if err != nil {
		return 0, err
	}
	return smoothness(ctx, w, plus, f, seed)
}

func smoothness(ctx context.Context, w, wplus *SymCSR, f Filter, seed uint64) (float64, error) {
	const probes = 32
	if err := f.check(); err != nil {
		return 0, err
	}
	n := w.m.Rows
	signs := kernel.Dense[float64](n, probes)
	rng := stream.New()
	for i := range n {
		rng.Reseed(seed, uint64(i))
		bits := rng.Uint64()
		for j := range probes {
			signs.Data[i*probes+j] = 1 - 2*float64(bits>>j&1)
		}
	}
	h, err := filtered(ctx, f.tamed(), w.m, &signal[float64]{dense: signs})
	if err != nil {
		return 0, err
	}
	wh := kernel.Dense[float64](n, probes)
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
