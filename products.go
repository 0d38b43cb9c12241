package coles

import (
	"context"
	"math"

	"coles/internal/eigen"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/spectral"
)

// krylov finds the top of an operator on d features.
func krylov[T kernel.Float](ctx context.Context, d, dim int, m eigen.Operator[T], o eigen.KrylovOptions) (*Projection, error) {
	r, err := eigen.Krylov(ctx, d, dim, m, o)
	if err != nil {
		return nil, solveError(err, dim)
	}
	return &Projection{matrix.ToDense(r.Vectors), r.Values, SolverKrylov, r.Applied, spectral.Noise{Pairs: r.Residuals, Next: r.Next}}, nil
}

// singleTolerance is that of residuals where products are made in float32, relative to λ₁, whose
// rounding is somewhat below 1e-7. With 1e-5, graphs whose eigenvalues hardly fall from the d′-th to
// the next, as coauthor_cs and squirrel, lost 5e-6 of YYᵀ; with 3e-6 they keep all but 1e-6, for some
// 5 % more products.
const singleTolerance = 3e-6

// iterate finds the top of M by products with it.
func (p *problem[T]) iterate(ctx context.Context) (*Projection, error) {
	p.progress("solve", 0, p.vectors())
	m, along, err := p.operator(ctx)
	if err != nil {
		return nil, err
	}
	zero, err := p.rounding(ctx)
	if err != nil {
		return nil, err
	}
	o := eigen.KrylovOptions{Zero: zero, Seed: p.seed, Progress: func(done, total int) { p.progress("solve", done, total) }}
	if p.single() {
		o.Tol = singleTolerance
	}
	found, err := krylov(ctx, p.x.Cols(), p.vectors(), m, o)
	if err != nil {
		return nil, err
	}
	if p.single() {
		all, left, err := p.squares(ctx, along)
		if err != nil {
			return nil, err
		}
		found.rounded(all, left, 0, p.x.Cols())
	}
	p.progress("solve", p.vectors(), p.vectors())
	return found, nil
}

// operator is multiplication by M, and the direction of length 1 that is split off from it, or nil.
//
// FX is often large along one direction, that of the leading eigenvector v of W, which a filter
// keeps as it is and ΔW with degree negatives takes out again. In the space of features it is Xᵀv.
// On features that say little of their graph, splitting it off takes the errors of float32 from
// 1e-5 of λ₁ to 2e-7.
func (p *problem[T]) operator(ctx context.Context) (op eigen.Operator[T], along []float64, err error) {
	m := p.product()
	if p.exact == nil {
		return m, nil, nil
	}
	c, err := matrix.TransposeTimes(ctx, p.x, p.direction)
	if err != nil {
		return nil, nil, err
	}
	length := matrix.Length(c)
	if length == 0 {
		return m, nil, nil
	}
	matrix.Scale(c, 1/length)
	v, err := matrix.TimesVector(ctx, p.x, c)
	if err != nil {
		return nil, nil, err
	}
	panel := func(data []float64) kernel.Matrix[float64] {
		return kernel.Matrix[float64]{Rows: len(v), Cols: 1, Stride: 1, Data: data}
	}
	u, err := p.exact.contrast(ctx, panel(v), panel(make([]float64, len(v))), panel(make([]float64, len(v))))
	if err != nil {
		return nil, nil, err
	}
	image, err := matrix.TransposeTimes(ctx, p.x, u.Data)
	return eigen.Split(m, c, image), c, err
}

// widen makes of a problem in float32 what the direction that cancels needs.
func (p *problem[T]) widen(g *Graph, w *SymCSR, dw *DeltaW) {
	p.exact = &problem[float64]{w: matrix.Walk[float64]{Stored: w.m}, filter: p.filter, dw: dw.op}
	p.direction = g.loopedDegrees() // W·√d̂ = √d̂
	for i, d := range p.direction {
		p.direction[i] = math.Sqrt(d)
	}
}

// product is v ↦ Xᵀ F ΔW F X v. It keeps three n × b panels.
func (p *problem[T]) product() eigen.Operator[T] {
	var u, y, spare kernel.Buffer[T]
	return func(ctx context.Context, dst, src kernel.Matrix[T]) error {
		n, b := p.x.Rows(), src.Cols
		u, y, spare := u.Sized(n, b), y.Sized(n, b), spare.Sized(n, b)
		if err := p.x.Times(ctx, u, src); err != nil {
			return err
		}
		fu, err := p.contrast(ctx, u, y, spare)
		if err != nil {
			return err
		}
		return p.x.TransposeTimes(ctx, dst, fu)
	}
}

// contrast is F ΔW F u, in one of the other panels. It overwrites u.
func (p *problem[T]) contrast(ctx context.Context, u, y, spare kernel.Matrix[T]) (kernel.Matrix[T], error) {
	fu, err := matrix.Horner(ctx, p.filter.coef, p.w.Stored, matrix.Of(u), y, spare)
	if err != nil {
		return fu, err
	}
	if err := p.dw.Apply(ctx, u, fu); err != nil {
		return fu, err
	}
	return matrix.Horner(ctx, p.filter.coef, p.w.Stored, matrix.Of(u), y, spare)
}

// rounding is how long the product of M with a unit vector may be by rounding alone, with room:
// ‖FX‖²·‖ΔW‖ bounds ‖M‖, of which the products of ΔW with FX may cancel all.
func (p *problem[T]) rounding(ctx context.Context) (float64, error) {
	squares, err := p.x.Squares(ctx)
	gain := p.filter.Gain()
	zero := 1e-14 * gain * gain * squares * p.bound
	if !matrix.Finite(zero) { // M will be found to overflow, too, or is far from zero
		zero = 0
	}
	return zero, err
}
