package coles

import (
	"context"
	"fmt"
	"math"
	"slices"

	"coles/internal/eigen"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/spectral"
	"coles/internal/stream"

	"gonum.org/v1/gonum/mat"
)

// A problem is the search for P, the top d′ eigenvectors of M = XᵀFᵀΔWFX, in numbers of type T.
type problem[T kernel.Float] struct {
	x      *matrix.Matrix[T]
	room   []T            // for two strips of FX, before these for what needs memory too
	w      matrix.Walk[T] // not looked at by a filter without hops; stored where M is not formed
	filter Filter
	dw     matrix.Operator[T]
	bound  float64 // of ‖ΔW‖
	dim    int
	degree []float64 // direction of the last column, that of degrees; nil where all are of P
	// degrees finds that direction, where it is not known, when there is FX; nil for nothing to find.
	degrees func(ctx context.Context, fx matrix.Filtered[T]) error
	seed    uint64

	// direction is a vector on the nodes along which M cancels, and exact the problem in float64
	// but for X; both nil where T is that.
	direction []float64
	exact     *problem[float64]

	progress func(stage string, done, total int)
}

// newProblem is that of [Solve] and [SolveImplicit].
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
		return nil, fmt.Errorf("coles: solve: %w: d′ = %d of %d features", ErrSetting, dim, d)
	}
	m, err := matrix.As[float64](ctx, source)
	if err != nil {
		return nil, err
	}
	p := &problem[float64]{x: m, filter: f, dw: dw.op, bound: dw.normBound(), dim: dim, seed: stepSeed, progress: func(string, int, int) {}}
	return p, checkUnderflow(ctx, m, f)
}

// single reports whether the numbers are float32.
func (p *problem[T]) single() bool {
	_, single := any(p.x).(*matrix.Matrix[float32])
	return single
}

// vectors is the number of eigenvectors to be found.
func (p *problem[T]) vectors() int {
	if p.degree != nil {
		return p.dim - 1
	}
	return p.dim
}

// leastFeature is the magnitude below which M, made of squares of FX, loses digits to numbers that
// float64 cannot hold: 2⁻⁹⁰⁰ is 2⁻¹²² above the smallest it holds in full.
const leastFeature = 0x1p-450

// checkUnderflow refuses features whose squares, filtered, vanish.
func checkUnderflow[T kernel.Float](ctx context.Context, x *matrix.Matrix[T], f Filter) error {
	largest, err := x.Largest(ctx)
	if err != nil {
		return err
	}
	return f.CheckMagnitude(largest)
}

// direct forms FX, which it also returns, and M, and decomposes that. FX takes the place of an X
// that is not needed again.
func (p *problem[T]) direct(ctx context.Context) (*Projection, matrix.Filtered[T], error) {
	p.progress("filter", 0, 1)
	x := *p.x
	if !filtersFirst(p.x, p.dim) {
		x.Owned = false
	}
	fx, err := matrix.Filter(ctx, p.filter.coef, p.w, &x, p.room)
	if err == nil && p.degrees != nil {
		err = p.degrees(ctx, fx)
	}
	if err != nil {
		return nil, fx, err
	}
	p.progress("filter", 1, 1)
	p.progress("solve", 0, 2)
	m, one, err := p.dw.GramOf(ctx, fx)
	if err != nil {
		return nil, fx, err
	}
	p.progress("solve", 1, 2)
	find := eigen.Direct
	if p.single() {
		find = eigen.DirectSingle
	}
	found, err := decompose(ctx, m, p.vectors(), find)
	if err == nil && p.single() {
		var squares float64
		squares, err = fx.Squares(ctx)
		found.rounded(squares, squares, one, p.x.Cols())
	}
	p.progress("solve", 2, 2)
	return found, fx, err
}

// decompose finds the top of M, which it overwrites.
func decompose(ctx context.Context, m kernel.Matrix[float64], dim int, find func(ctx context.Context, m kernel.Matrix[float64], k int) (*eigen.Result, error)) (*Projection, error) {
	r, err := find(ctx, m, dim)
	if err != nil {
		return nil, solveError(err, dim)
	}
	return &Projection{matrix.ToDense(r.Vectors), r.Values, SolverDirect, 0, spectral.Noise{Pairs: r.Residuals, Next: r.Next}}, nil
}

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

// What float32 makes of an entry of M, in any basis, in units of ‖FX‖²/d and, where sums grow
// steadily, of ‖M‖/d, both of what M is before anything is taken out of it; and of a column FXp with
// |p| = 1, in units of ‖FX‖/√d. Measured on spectra of fourteen kinds: the entries are a fifth of the
// estimate to twice it.
const (
	randomRounding = 4e-8
	steadyRounding = 2e-7
	columnRounding = 6e-8
)

// rounded adds what float32 makes of M to what is not known of its eigenpairs. squares is ‖FX‖², left
// what it is without the direction that is split off, and one the norm of what is taken out of M.
func (found *Projection) rounded(squares, left, one float64, d int) {
	n, side := &found.noise, math.Sqrt(float64(d))
	entry := (randomRounding*left + steadyRounding*(matrix.Length(found.Lambda)+one)) / float64(d)
	n.Total, n.Column = squares, columnRounding*math.Sqrt(squares)/side
	for j, r := range n.Pairs {
		n.Pairs[j] = math.Hypot(entry, r/side)
	}
}

// squares estimates ‖FX‖² from products with vectors of random signs (Hutchinson's estimator), and
// what it is without a direction, of length 1 or nil.
func (p *problem[T]) squares(ctx context.Context, along []float64) (all, left float64, err error) {
	const probes = 16
	n, d := p.x.Dims()
	draw := stream.New()
	draw.Reseed(p.seed, 0)
	r := kernel.Unset[float64](d, probes)
	var shares [probes]float64
	for j := range d {
		row, bits := r.Data[j*probes:][:probes], draw.Uint64()
		for c := range row {
			row[c] = 1 - 2*float64(bits>>c&1)
			if along != nil {
				shares[c] += along[j] * row[c]
			}
		}
	}
	random := probes
	if along != nil { // the first is that direction, the others have nothing of it
		random--
		shares[0] = 0
		for j, v := range along {
			row := r.Data[j*probes:][:probes]
			row[0] = v
			matrix.AddScaled(row, -v, shares[:])
		}
	}
	in, err := matrix.Convert[T](ctx, matrix.Of(r))
	if err != nil {
		return 0, 0, err
	}
	u, y, spare := kernel.Unset[T](n, probes), kernel.Unset[T](n, probes), kernel.Unset[T](n, probes)
	if err := p.x.Times(ctx, u, in.Dense); err != nil {
		return 0, 0, err
	}
	fu, err := matrix.Horner(ctx, p.filter.coef, p.w.Stored, matrix.Of(u), y, spare)
	if err != nil {
		return 0, 0, err
	}
	if left, err = matrix.Of(kernel.Columns(fu, probes-random, probes)).Squares(ctx); err != nil {
		return 0, 0, err
	}
	left /= float64(random)
	if along == nil {
		return left, left, nil
	}
	all, err = matrix.Of(kernel.Columns(fu, 0, 1)).Squares(ctx)
	return all + left, left, err
}

// checkFilter refuses a filter whose products with prepared features leave the range of their
// numbers.
func checkFilter[T kernel.Float](ctx context.Context, x *matrix.Matrix[T], f Filter, p *Preparer) error {
	largest := matrix.Magnitude(f.coef)
	if _, single := any(x).(*matrix.Matrix[float32]); single {
		if err := checkSingle("filter coefficients", largest); err != nil {
			return err
		}
	}
	if p.how != PrepareNone && largest >= leastFeature { // X is near 1
		return nil
	}
	return checkUnderflow(ctx, x, f)
}

// findDegrees sets the direction v = (FX)ᵀs/‖(FX)ᵀs‖ (d) of the degree column FXv, with s the vector of
// √degree, or finds that there is none: at once, or once FX is formed.
func (p *problem[T]) findDegrees(ctx context.Context, settings Settings, g *Graph, w *SymCSR) error {
	n := p.x.Rows()
	s := kernel.Dense[float64](n, 1)
	for i, degree := range g.degree {
		s.Data[i] = math.Sqrt(degree)
	}
	if length := matrix.Length(s.Data); length > 0 {
		matrix.Scale(s.Data, 1/length)
	}
	squares, err := p.x.Squares(ctx)
	if err != nil {
		return err
	}
	set := func(sum []float64, magnitude float64) error {
		p.degree = settings.DegreeDirection(sum, magnitude)
		noise := columnRounding * magnitude / math.Sqrt(float64(n)) // of every sum, and √d of them
		if p.single() && settings.DegreeShare > 0 && p.dim > 1 && mostDoubt*matrix.Length(sum) < noise && slices.Min(g.degree) < slices.Max(g.degree) {
			return fmt.Errorf("coles: fit: the column of degrees: %w: rounding in float32 may change it; use Float64 or no such column", ErrPrecision)
		}
		return nil
	}
	if w == nil {
		p.degrees = func(ctx context.Context, fx matrix.Filtered[T]) error {
			v, err := fx.TransposeTimes(ctx, s.Data)
			if err != nil {
				return err
			}
			return set(v, p.filter.Gain()*math.Sqrt(squares))
		}
		return nil
	}
	f := p.filter
	f.coef = f.Tamed()
	fs, err := matrix.Horner(ctx, f.coef, w.m, matrix.Of(s), kernel.Unset[float64](n, 1), kernel.Unset[float64](n, 1))
	if err != nil {
		return err
	}
	v, err := matrix.TransposeTimes(ctx, p.x, fs.Data)
	if err != nil {
		return err
	}
	return set(v, f.Gain()*math.Sqrt(squares))
}

// walk is W for products: the pattern of the graph where that is W and W⁺ alike, up to degrees, and
// is multiplied with many columns at a time; or else stored, and in float64 too.
func walk[T kernel.Float](ctx context.Context, s Settings, g *Graph, x *matrix.Matrix[T]) (matrix.Walk[T], *SymCSR, error) {
	direct := s.Solver.resolve(x.Cols(), s.DimOf(x.Cols()), x.Sparse != nil) == SolverDirect
	if direct && g.patterned(s) {
		return matrix.Walk[T]{Pattern: g.adj}, nil, ctx.Err()
	}
	w, err := g.NormalizedUntil(ctx)
	if err != nil {
		return matrix.Walk[T]{}, nil, err
	}
	return matrix.Walk[T]{Stored: matrix.ConvertCSR[T](w.m)}, w, nil
}

// featuresAlone makes the problem that of a [FeatureModel].
func (p *problem[T]) featuresAlone() {
	p.filter, p.w, p.bound = SGC(0), matrix.Walk[T]{}, 1
}

// contrasting makes the problem that of a [GraphModel].
func (p *problem[T]) contrasting(ctx context.Context, f *fitting, w *SymCSR) error {
	if err := checkFilter(ctx, p.x, p.filter, f.prepare); err != nil {
		return err
	}
	if w == nil { // and so is W⁺
		p.dw.Coef, p.dw.V = f.expected(f.g)
	} else {
		dw, err := f.contrast(ctx, f.g)
		if err != nil {
			return err
		}
		p.dw, p.bound = matrix.ConvertOperator[T](dw.op), dw.normBound()
		if f.Precision == Float32 && f.Solver.resolve(p.x.Cols(), p.dim, p.x.Sparse != nil) == SolverKrylov {
			p.widen(f.g, w, dw)
		}
	}
	if f.DegreeShare > 0 {
		return p.findDegrees(ctx, f.Settings, f.g, w)
	}
	return ctx.Err()
}

// filtersFirst reports whether FXPᵀ is (FX)Pᵀ rather than F(XPᵀ). The K hops run over d columns
// instead of d′ then, but a fit has FX already, and [Model.Embed] must do what the fit did to give
// the same bytes. With sparse X the second form is always the cheap one.
func filtersFirst[T kernel.Float](x *matrix.Matrix[T], dim int) bool {
	return x.Sparse == nil && x.Cols() <= 3*dim
}

// embed returns FXVᵀ for directions V (d′ × d, or fewer rows where truncation has left them). fx is
// FX where it is there already; it is lost.
func (p *problem[T]) embed(ctx context.Context, fx matrix.Filtered[T], directions *mat.Dense) (kernel.Matrix[T], error) {
	n := p.x.Rows()
	if directions.IsEmpty() {
		return kernel.Matrix[T]{Rows: n}, ctx.Err()
	}
	wide, err := kernel.Transposed(ctx, kernel.Matrix[float64](directions.RawMatrix()))
	if err != nil {
		return kernel.Matrix[T]{}, err
	}
	narrow, err := matrix.Convert[T](ctx, matrix.Of(wide))
	if err != nil {
		return kernel.Matrix[T]{}, err
	}
	v := narrow.Dense
	if err := matrix.CheckSize(n, v.Cols); err != nil {
		return v, err
	}
	if filtersFirst(p.x, p.dim) {
		if fx.Rows == 0 {
			if fx, err = matrix.Filter(ctx, p.filter.coef, p.w, p.x, nil); err != nil {
				return v, err
			}
		}
		y := kernel.Columns(fx.Matrix, 0, v.Cols)
		if fx.Cols > 2*v.Cols { // too much to keep
			y = kernel.Unset[T](n, v.Cols)
		}
		return y, fx.Times(ctx, y, v)
	}
	xv := &matrix.Matrix[T]{Dense: kernel.Unset[T](n, v.Cols), Owned: true}
	if err := p.x.Times(ctx, xv.Dense, v); err != nil {
		return v, err
	}
	y, err := matrix.Filter(ctx, p.filter.coef, p.w, xv, nil)
	if err != nil {
		return v, err
	}
	return y.Whole(ctx)
}
