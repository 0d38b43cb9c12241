package coles

import (
	"context"
	"fmt"
	"math"

	"coles/internal/eigen"
	"coles/internal/kernel"
	"coles/internal/linear"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/scratch"
	"coles/internal/setting"

	"gonum.org/v1/gonum/mat"
)

// A problem is the search for P, the top d′ eigenvectors of M = XᵀFᵀΔWFX, in numbers of type T.
type problem[T kernel.Float] struct {
	linear.Terms // F, and d′
	x            *matrix.Matrix[T]
	made         bool           // X was made for this fit, and need not be kept
	space        *scratch.Space // of what is larger than memory, nil where nothing is
	room         []T            // for two strips of FX, before these for what needs memory too
	w            matrix.Walk[T] // not looked at by a filter without hops; stored where M is not formed
	stored       *SymCSR        // W in float64, nil where it is a pattern
	dw           matrix.Operator[T]
	bound        float64 // of ‖ΔW‖
	solver       Solver
	seed         uint64

	// direction is W's leading eigenvector, along which the terms of M cancel. exact holds W and ΔW in
	// float64. Both are nil for T = float64.
	direction []float64
	exact     *problem[float64]

	progress Progress
}

// newProblem checks what [Solve] and [SolveImplicit] are given.
func newProblem(ctx context.Context, x mat.Matrix, f Filter, dw *DeltaW, dim int) (*problem[float64], error) {
	source, err := readFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	rows, d := source.Dims()
	if n, _ := dw.Dims(); rows != n {
		return nil, fmt.Errorf("coles: solve: %w: %d feature rows, ΔW of %d nodes", ErrShape, rows, n)
	}
	if dim < 1 || dim > d {
		return nil, fmt.Errorf("coles: solve: %w", setting.Bad("dim", dim, "1 to %d, the number of features", d))
	}
	m, err := matrix.As[float64](ctx, source)
	if err != nil {
		return nil, err
	}
	if err := linear.CheckFilter(ctx, m, f.coef, true); err != nil {
		return nil, fmt.Errorf("coles: %w", err)
	}
	return &problem[float64]{
		Terms: linear.Terms{Filter: f.coef, Dim: dim}, x: m, dw: dw.op, bound: dw.normBound(), seed: stepSeed, progress: func(string, int, int) {},
	}, nil
}

// Solve finds P from filtered features FX (n × d) and ΔW (n × n), by SolverDirect up to 2,000 features and
// by SolverKrylov above. The cost of the former is n·d² + 4d³/3 multiplications and 8·(d² + n·256) bytes; of
// the latter, some 3·d′ columns times 4·n·d.
// Errors: [ErrNotFinite] also where M overflows, [ErrPrecision] where it underflows, a [*ConvergenceError].
func Solve(ctx context.Context, fx mat.Matrix, dw *DeltaW, dim int) (*Projection, error) {
	p, err := newProblem(ctx, fx, SGC(0), dw, dim)
	if err != nil {
		return nil, err
	}
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	p.solver = Solver(0).resolve(p.x.Cols(), dim, false)
	found, _, err := p.solve(ctx)
	return found, err
}

// SolveImplicit finds P from the features X (n × d), W and a filter by SolverKrylov, without ever making FX
// or M: every product with M is y = Xᵀ·F·ΔW·F·X·v on a thin block of vectors, so sparse X stays so. Errors: as [Solve].
func SolveImplicit(ctx context.Context, x mat.Matrix, w *SymCSR, f Filter, dw *DeltaW, dim int) (*Projection, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	p, err := newProblem(ctx, x, f, dw, dim)
	if err != nil {
		return nil, err
	}
	if n := w.SymmetricDim(); n != p.x.Rows() {
		return nil, fmt.Errorf("coles: solve: %w: W of %d nodes, features of %d", ErrShape, n, p.x.Rows())
	}
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	p.w.Stored, p.solver = w.made(), SolverKrylov
	return p.iterate(ctx)
}

// walk sets W for products. W is the pattern of the graph where W and W⁺ share it, up to degrees, and many columns are
// multiplied at a time. Else W is stored, and in float64 too.
func (p *problem[T]) walk(ctx context.Context, g *Graph, c contrasting) (err error) {
	if p.solver == SolverDirect && c.patterned(g) {
		p.w.Pattern = g.adj
		return ctx.Err()
	}
	if p.stored, err = symCSR(matrix.Normalized(ctx, g.adj, true)); err == nil {
		p.w.Stored, err = matrix.ConvertIn[T](ctx, p.stored.m)
	}
	return err
}

// filter is FX for some X, which is lost if it is owned.
func (p *problem[T]) filter(ctx context.Context, x *matrix.Matrix[T]) (matrix.Filtered[T], error) {
	if p.space == nil {
		return matrix.Filter(ctx, p.Filter, p.w, x, p.room)
	}
	return matrix.FilterParts(ctx, p.space, p.Filter, p.w, x, p.room, func(done, total int) { p.progress("filter", done, total) })
}

// setContrast sets ΔW, the identity for features alone.
func (p *problem[T]) setContrast(ctx context.Context, g *Graph, c contrasting) error {
	if p.Alone {
		p.w, p.bound = matrix.Walk[T]{}, 1
		return ctx.Err()
	}
	if p.stored == nil { // and so is W⁺
		p.dw.Coef, p.dw.V, p.bound = p.Coef, p.Negatives(g.degree), 1+math.Abs(p.Coef)
	} else {
		dw, err := c.of(ctx, g)
		if err != nil {
			return err
		}
		sparse, err := matrix.ConvertIn[T](ctx, dw.op.Sparse)
		if err != nil {
			return err
		}
		p.dw, p.bound = matrix.Operator[T]{Sparse: sparse, Coef: dw.op.Coef, V: dw.op.V}, dw.normBound()
		if linear.Single[T]() && p.solver == SolverKrylov {
			if err := p.widen(ctx, g, dw); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// widen gives a problem in float32 the matrices in float64 for the direction that cancels.
func (p *problem[T]) widen(ctx context.Context, g *Graph, dw *DeltaW) (err error) {
	p.exact = &problem[float64]{Terms: p.Terms, w: matrix.Walk[float64]{Stored: p.stored.m}, dw: dw.op}
	p.direction, err = matrix.RowSums(ctx, g.adj, true)
	for i, d := range p.direction { // W·√d̂ = √d̂
		p.direction[i] = math.Sqrt(d)
	}
	return err
}

// solve finds P, and FX where M is formed of it.
func (p *problem[T]) solve(ctx context.Context) (found *Projection, fx matrix.Filtered[T], err error) {
	if p.solver == SolverKrylov {
		found, err = p.iterate(ctx)
		return found, fx, err
	}
	return p.direct(ctx)
}

// direct forms FX and M, decomposes M, and also returns FX. FX takes the place of an X that is not needed again.
func (p *problem[T]) direct(ctx context.Context) (*Projection, matrix.Filtered[T], error) {
	p.progress("filter", 0, 1)
	zero, err := p.zero(ctx) // before X is lost
	if err != nil {
		return nil, matrix.Filtered[T]{}, err
	}
	x := *p.x
	if !p.filtersFirst() {
		x.Owned = false
	}
	fx, err := p.filter(ctx, &x)
	if err != nil {
		return nil, fx, err
	}
	p.progress("filter", 1, 1)
	p.progress("solve", 0, 2)
	m, one, err := p.dw.GramOf(ctx, fx)
	if err != nil {
		return nil, fx, err
	}
	p.Shared(m)
	p.progress("solve", 1, 2)
	find := eigen.Direct
	if linear.Single[T]() {
		find = eigen.DirectSingle
	}
	r, err := find(ctx, m, p.Dim)
	if err != nil {
		return nil, fx, solveError(err, p.Dim)
	}
	found := newProjection(r, SolverDirect)
	found.noise.Zero = zero
	if linear.Single[T]() {
		var squares float64
		squares, err = fx.Squares(ctx)
		linear.AddRounding(&found.noise, found.Lambda, squares, squares, one, p.x.Cols())
	}
	p.progress("solve", 2, 2)
	return found, fx, err
}

// singleTolerance bounds residuals where products are made in float32, relative to λ₁, whose
// rounding is somewhat below 1e-7. With 1e-5, graphs whose eigenvalues hardly fall from the d′-th to
// the next, as coauthor_cs and squirrel, lost 5e-6 of YYᵀ; with 3e-6 they keep all but 1e-6, for some
// 5 % more products.
const singleTolerance = 3e-6

// iterate finds the top of M by products with it.
func (p *problem[T]) iterate(ctx context.Context) (*Projection, error) {
	p.progress("solve", 0, p.Dim)
	m, along, err := p.operator(ctx)
	if err != nil {
		return nil, err
	}
	if p.Alone {
		if m, err = linear.SharedOperator(ctx, p.x, m); err != nil {
			return nil, err
		}
	}
	zero, err := p.zero(ctx)
	if err != nil {
		return nil, err
	}
	o := eigen.KrylovOptions{Zero: zero, Seed: p.seed, Progress: func(done, total int) { p.progress("solve", done, total) }}
	if linear.Single[T]() {
		o.Tol = singleTolerance
	}
	r, err := eigen.Krylov(ctx, p.x.Cols(), p.Dim, m, o)
	if err != nil {
		return nil, solveError(err, p.Dim)
	}
	found := newProjection(r, SolverKrylov)
	found.noise.Zero = zero
	if linear.Single[T]() {
		all, left, err := linear.Squares(ctx, p.x, p.Filter, p.w.Stored, p.seed, along)
		if err != nil {
			return nil, err
		}
		linear.AddRounding(&found.noise, found.Lambda, all, left, 0, p.x.Cols())
	}
	p.progress("solve", p.Dim, p.Dim)
	return found, nil
}

// operator is multiplication by M, and the direction of length 1 that is split off from it, or nil.
//
// FX is often large along one direction, the leading eigenvector v of W. A filter keeps v as it is, and ΔW with degree
// negatives takes it out again. In the space of features it is Xᵀv. On features nearly independent of their graph, splitting
// it off reduces the errors of float32 from 1e-5 of λ₁ to 2e-7.
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
	fu, err := matrix.Horner(ctx, p.Filter, p.w.Stored, matrix.Of(u), y, spare)
	if err != nil {
		return fu, err
	}
	if err := p.dw.Apply(ctx, u, fu); err != nil {
		return fu, err
	}
	return matrix.Horner(ctx, p.Filter, p.w.Stored, matrix.Of(u), y, spare)
}

// zero is how long the product of M with a unit vector may be by rounding alone, with room.
func (p *problem[T]) zero(ctx context.Context) (float64, error) {
	squares, err := p.x.Squares(ctx)
	return p.Zero(squares, p.bound), err
}

// filtersFirst reports whether FXPᵀ is (FX)Pᵀ rather than F(XPᵀ). The K hops run over d columns
// instead of d′ then, but a fit has FX already, and [Model.Embed] must do what the fit did to give
// the same bytes. With sparse X the second form is always the cheap one.
func (p *problem[T]) filtersFirst() bool {
	return p.made || p.x.Sparse == nil && p.x.Cols() <= 3*p.Dim
}
