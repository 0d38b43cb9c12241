package coles

import (
	"context"
	"errors"
	"fmt"

	"coles/internal/eigen"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/setting"
	"coles/internal/spectral"

	"gonum.org/v1/gonum/mat"
)

// Solver says how the eigenvectors of M are found. The zero value, "auto", is SolverKrylov above
// 2,000 features and, where [Fit] has sparse features, from 8·d′ features on; SolverDirect
// otherwise.
type Solver int

const (
	// SolverDirect forms M (d × d) and reduces it to tridiagonal form: residuals at the level of
	// rounding, in a fit in Float32 up to 1e-5 of the largest |λ| for all columns together (some 1e-6);
	// O(n·d² + d³) time, 8·d² bytes, 12·d² in Float32.
	SolverDirect Solver = iota + 1
	// SolverKrylov multiplies blocks of vectors by M without forming it: residuals up to 1e-6 of
	// λ₁; for Float32 near 3e-6, measured and at most 3e-5. The way for wide sparse features.
	SolverKrylov
)

var solverNames = []string{"auto", "direct", "krylov"}

// String is the name that UnmarshalText reads.
func (s Solver) String() string { return setting.Name(s, solverNames) }

// MarshalText gives the name that UnmarshalText reads.
func (s Solver) MarshalText() ([]byte, error) { return setting.Marshal(s, solverNames) }

// UnmarshalText reads a name such as "direct".
func (s *Solver) UnmarshalText(text []byte) error { return setting.Unmarshal(s, text, solverNames) }

const (
	// directLimit is the number of features up to which forming M pays.
	directLimit = 2000

	// krylovShare is how many times more features than columns there must be for products with
	// sparse X to beat forming M below that limit: at 11 times (Cora, d′ = 128) they take half the
	// time, at 7 they still win, at 6 not.
	krylovShare = 8

	// stepSeed starts the iterations of functions that take no seed: what they converge to does not
	// depend on it.
	stepSeed = 1
)

func (s Solver) resolve(d, dim int, sparse bool) Solver {
	switch {
	case s != 0:
		return s
	case d > directLimit, sparse && d >= krylovShare*dim:
		return SolverKrylov
	}
	return SolverDirect
}

// A Projection is the solution of linear COLES,
//
//	max Tr(P XᵀFᵀ ΔW FX Pᵀ)  subject to  P Pᵀ = I:
//
// the rows of P are the eigenvectors of M = XᵀFᵀΔWFX with the largest eigenvalues. M is symmetric
// but not positive semi-definite. In every row the entry of largest magnitude (the first of them,
// up to rounding) is positive.
type Projection struct {
	P      *mat.Dense // d′ × d
	Lambda []float64  // d′ eigenvalues of M, descending
	Solver Solver     // how they were found

	products int            // of vectors with M that SolverKrylov took
	noise    spectral.Noise // of all that were found
}

// Truncate returns the projection without the rows of negative eigenvalues.
func (p *Projection) Truncate() *Projection {
	keep := len(p.Lambda)
	for keep > 0 && p.Lambda[keep-1] < 0 {
		keep--
	}
	rows := kernel.Matrix[float64](p.P.RawMatrix())
	return &Projection{matrix.ToDense(kernel.View(rows, 0, 0, keep, rows.Cols)), p.Lambda[:keep], p.Solver, p.products, p.noise}
}

// above is P with one more row below it, unless that is nil.
func (p *Projection) above(row []float64) *mat.Dense {
	if row == nil {
		return p.P
	}
	rows := kernel.Dense[float64](len(p.Lambda)+1, len(row))
	if !p.P.IsEmpty() {
		kernel.Copy(rows, kernel.Matrix[float64](p.P.RawMatrix()))
	}
	copy(rows.Data[len(p.Lambda)*rows.Stride:], row)
	return matrix.ToDense(rows)
}

// Solve finds P from filtered features FX (n × d) and ΔW (n × n), by SolverDirect up to 2,000
// features and by SolverKrylov above. The cost of the former is n·d² + 4d³/3 multiplications and
// 8·(d² + n·256) bytes; of the latter, some 3·d′ columns times 4·n·d.
//
// Errors: [ErrShape]; [ErrSetting] unless 1 ≤ d′ ≤ d; [ErrNotFinite] also where M overflows,
// [ErrPrecision] where it underflows; a [*ConvergenceError]; and ctx's.
func Solve(ctx context.Context, fx mat.Matrix, dw *DeltaW, dim int) (*Projection, error) {
	p, err := newProblem(ctx, fx, SGC(0), dw, dim)
	if err != nil {
		return nil, err
	}
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	if p.x.Cols() > directLimit {
		return p.iterate(ctx)
	}
	panel, err := p.x.Panel(ctx)
	if err != nil {
		return nil, err
	}
	m, err := p.dw.Gram(ctx, panel)
	if err != nil {
		return nil, err
	}
	return decompose(ctx, m, dim, eigen.Direct)
}

// SolveImplicit finds P from the features X (n × d), W and a filter by SolverKrylov, without ever
// making FX or M: every product with M is y = Xᵀ·F·ΔW·F·X·v on a thin block of vectors, so sparse X
// stays sparse.
//
// Errors: those of [Solve], and [ErrSetting] for a filter that makes no sense.
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
	p.w.Stored = w.m
	return p.iterate(ctx)
}

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

// CheckMagnitude refuses features up to a magnitude whose squares, filtered, vanish: for the packages
// of this module.
func (f Filter) CheckMagnitude(largest float64) error {
	if gain := matrix.Magnitude(f.coef); largest > 0 && gain > 0 && largest*gain < leastFeature {
		return fmt.Errorf("coles: %w: features up to %.3g, whose squares in M = XᵀFᵀΔWFX underflow; scale them", ErrPrecision, largest*gain)
	}
	return nil
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

// SolveM finds P for an M (of the given norm, overwritten) that package live has: directly up to
// 2,000 features, above by products with it, to the accuracy of the direct solver.
func (s Settings) SolveM(ctx context.Context, m kernel.Matrix[float64], norm float64) (*Projection, error) {
	var found *Projection
	var err error
	if m.Rows <= directLimit {
		found, err = decompose(ctx, m, s.Dim, eigen.Direct)
	} else {
		kernel.MirrorUpper(m)
		found, err = krylov(ctx, m.Rows, s.Dim, func(ctx context.Context, dst, src kernel.Matrix[float64]) error {
			return kernel.Gemm(ctx, false, false, 1, m, src, 0, dst)
		}, eigen.KrylovOptions{Seed: s.Seed, Tol: 1e-12, Zero: 1e-14 * norm})
	}
	if err == nil && s.Truncate {
		found = found.Truncate()
	}
	return found, err
}

// solveError gives the errors of the eigensolvers the names of this package.
func solveError(err error, wanted int) error {
	var stopped *eigen.ConvergenceError
	switch {
	case errors.As(err, &stopped):
		out := &ConvergenceError{Wanted: wanted, Converged: stopped.Converged, Residual: stopped.Residual}
		if r := stopped.Result; r != nil && len(r.Values) > 0 {
			out.Partial = &Projection{P: matrix.ToDense(r.Vectors), Lambda: r.Values, Solver: SolverKrylov}
		}
		return out
	case errors.Is(err, eigen.ErrNotFinite):
		return fmt.Errorf("coles: solve: %w: M = XᵀFᵀΔWFX overflows; scale the features", ErrNotFinite)
	}
	return err
}
