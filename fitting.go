package coles

import (
	"context"

	"coles/internal/eigen"
	"coles/internal/kernel"

	"gonum.org/v1/gonum/mat"
)

// fitting is the course of a fit with features, from M to the embedding.
type fitting[T kernel.Float] struct {
	config
	clock *stopwatch
	w     *kernel.CSR[T]
	dw    *contrasting[T]
	x     *signal[T]
	fx    kernel.Matrix[T] // kept where the embedding is made from it
	exact *exact           // where M is not formed in float32
	zero  float64          // see roundingOfM
}

// exact is what a product with M in float64 takes beside X.
type exact struct {
	trivial []float64
	w       *kernel.CSR[float64]
	dw      *contrasting[float64]
}

// usesKrylov tells how P will be found.
func (f *fitting[T]) usesKrylov() bool {
	return f.Solver.resolve(f.x.cols(), f.Dim, f.x.sparse != nil) == SolverKrylov
}

// solve finds P the way the settings or the number of features say.
func (f *fitting[T]) solve(ctx context.Context) (*Projection, error) {
	if f.usesKrylov() {
		m, err := f.operator(ctx)
		if err != nil {
			return nil, err
		}
		return f.solveKrylov(ctx, f.x.cols(), m, f.zero)
	}
	m, err := f.formM(ctx)
	if err != nil {
		return nil, err
	}
	return f.decompose(ctx, m)
}

// operator is multiplication by M.
func (f *fitting[T]) operator(ctx context.Context) (eigen.Operator, error) {
	m := implicit(f.x, f.w, f.Filter, f.dw)
	if f.exact == nil {
		return m, nil
	}
	x, err := widened(ctx, f.x)
	if err != nil {
		return nil, err
	}
	v := kernel.Matrix[float64]{Rows: x.rows(), Cols: 1, Stride: 1, Data: f.exact.trivial}
	c := kernel.Dense[float64](x.cols(), 1)
	if err := x.transposeTimes(ctx, c, v); err != nil {
		return nil, err
	}
	return withoutTrivial(ctx, m, implicit(x, f.exact.w, f.Filter, f.exact.dw), c.Data)
}

// formM makes FX, which it keeps if it is needed again, and M.
func (f *fitting[T]) formM(ctx context.Context) (kernel.Matrix[float64], error) {
	f.report("filter", 0, 1)
	x := *f.x
	keep := filtersFirst(&x, f.Dim)
	if !keep {
		x.owned = false // X is needed again
	}
	fx, err := filtered(ctx, f.Filter, f.w, &x)
	if err != nil {
		return kernel.Matrix[float64]{}, err
	}
	if keep {
		f.fx, f.x = fx, nil
	}
	f.report("filter", 1, 1)
	f.clock.lap(f.clock.filter)
	f.report("solve", 0, 2)
	m, err := f.dw.gram(ctx, fx)
	f.report("solve", 1, 2)
	return m, err
}

// embed returns FXPᵀ.
func (f *fitting[T]) embed(ctx context.Context, p *mat.Dense) (kernel.Matrix[float64], error) {
	if f.x == nil {
		return times(ctx, f.fx, p)
	}
	return project(ctx, f.w, f.Settings, f.x, p)
}

// filtersFirst tells whether FXPᵀ is (FX)Pᵀ rather than F(XPᵀ). The K hops run
// over d columns instead of d′ then, but a fit has FX already, and [Model.Embed]
// must do what the fit did to give the same bytes. With sparse X the
// second form is always the cheap one.
func filtersFirst[T kernel.Float](x *signal[T], dim int) bool {
	return x.sparse == nil && x.cols() <= 3*dim
}

// project returns FXPᵀ for the projection P (d′ × d, or fewer rows where
// truncation has left them), with d′ and the filter of the settings.
func project[T kernel.Float](ctx context.Context, w *kernel.CSR[T], s Settings, x *signal[T], p *mat.Dense) (kernel.Matrix[float64], error) {
	if p.IsEmpty() {
		return kernel.Matrix[float64]{Rows: x.rows()}, ctx.Err()
	}
	if filtersFirst(x, s.Dim) {
		fx, err := filtered(ctx, s.Filter, w, x)
		if err != nil {
			return kernel.Matrix[float64]{}, err
		}
		return times(ctx, fx, p)
	}
	v, err := transposedAs[T](ctx, p)
	if err != nil {
		return kernel.Matrix[float64]{}, err
	}
	if err := checkPanel(x.rows(), v.Cols); err != nil {
		return kernel.Matrix[float64]{}, err
	}
	xv := kernel.Unset[T](x.rows(), v.Cols)
	if err := x.times(ctx, xv, v); err != nil {
		return kernel.Matrix[float64]{}, err
	}
	y, err := filtered(ctx, s.Filter, w, &signal[T]{dense: xv, owned: true})
	if err != nil {
		return kernel.Matrix[float64]{}, err
	}
	return widen(ctx, y)
}

// times returns FX·Pᵀ.
func times[T kernel.Float](ctx context.Context, fx kernel.Matrix[T], p *mat.Dense) (kernel.Matrix[float64], error) {
	if p.IsEmpty() {
		return kernel.Matrix[float64]{Rows: fx.Rows}, ctx.Err()
	}
	v, err := transposedAs[T](ctx, p)
	if err != nil {
		return kernel.Matrix[float64]{}, err
	}
	y := kernel.Unset[float64](fx.Rows, v.Cols)
	return y, wideProduct(ctx, fx, v, y)
}

// transposedAs returns Pᵀ in numbers of type T.
func transposedAs[T kernel.Float](ctx context.Context, p *mat.Dense) (kernel.Matrix[T], error) {
	v, err := kernel.Transposed(ctx, kernel.Matrix[float64](p.RawMatrix()))
	if err != nil {
		return kernel.Matrix[T]{}, err
	}
	s, err := viewOrConvert[T](ctx, v)
	return s.dense, err
}
