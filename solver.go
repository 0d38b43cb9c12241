package coles

import (
	"context"
	"errors"
	"fmt"
	"math"

	"coles/internal/eigen"
	"coles/internal/enum"
	"coles/internal/kernel"

	"gonum.org/v1/gonum/mat"
)

// Solver says how the eigenvectors of M are found.
type Solver int

const (
	// SolverAuto is SolverKrylov above 2,000 features and, where [Fit] has
	// sparse features, from 8·d′ features on; SolverDirect otherwise.
	SolverAuto Solver = iota
	// SolverDirect forms M (d × d) and reduces it to tridiagonal form:
	// residuals at the level of rounding, O(n·d² + d³) time, 8·d² bytes.
	SolverDirect
	// SolverKrylov multiplies blocks of vectors by M without forming it:
	// residuals up to 1e-6 of λ₁. The way for wide sparse features.
	SolverKrylov
)

var solverNames = []string{"auto", "direct", "krylov"}

// String is the name that UnmarshalText reads.
func (s Solver) String() string { return enum.Name(s, solverNames) }

// MarshalText gives the name that UnmarshalText reads.
func (s Solver) MarshalText() ([]byte, error) { return enum.Marshal(s, solverNames, ErrSetting) }

// UnmarshalText reads a name such as "direct".
func (s *Solver) UnmarshalText(text []byte) error {
	return enum.Unmarshal(s, text, solverNames, ErrSetting)
}

const (
	// directLimit is the number of features up to which forming M pays.
	directLimit = 2000

	// krylovShare is how many times more features than columns there must be
	// for products with sparse X to beat forming M below that limit: at 11 times
	// (Cora, d′ = 128) they take half the time, at 7 they still win, at 6 not.
	krylovShare = 8
)

func (s Solver) resolve(d, dim int, sparse bool) Solver {
	switch {
	case s != SolverAuto:
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
// the rows of P are the eigenvectors of M = XᵀFᵀΔWFX with the largest
// eigenvalues. M is symmetric but not positive semi-definite. In every row the
// entry of largest magnitude (the first of them, up to rounding) is positive.
type Projection struct {
	P      *mat.Dense // d′ × d
	Lambda []float64  // d′ eigenvalues of M, descending
	Solver Solver     // how they were found; not SolverAuto
}

// Solve finds P from filtered features FX (n × d) and ΔW (n × n). Of the options
// it reads [WithSolver], [WithSeed], [WithTruncation] and [WithProgress]. The
// cost of SolverDirect is n·d² + 4d³/3 multiplications and 8·(d² + n·256) bytes;
// of SolverKrylov, some 3·d′ columns times 4·n·d.
//
// Errors: [ErrShape]; [ErrEmpty] for a nil matrix; [ErrDim] unless 1 ≤ d′ ≤ d;
// [ErrNotFinite] also where M overflows; [ErrSetting]; a [*ConvergenceError]; and ctx's.
func Solve(ctx context.Context, fx mat.Matrix, dw *DeltaW, dim int, opts ...Option) (*Projection, error) {
	c, err := newConfig(append(append([]Option(nil), opts...), WithDim(dim)))
	if err != nil {
		return nil, err
	}
	f, err := readFeatures(ctx, fx)
	if err != nil {
		return nil, err
	}
	if err := checkProblem(f, dw, dim); err != nil {
		return nil, err
	}
	x, err := signalOf[float64](ctx, f)
	if err != nil {
		return nil, err
	}
	if err := checkUnderflow(ctx, x, Identity()); err != nil {
		return nil, err
	}
	if c.Solver.resolve(f.cols(), dim, false) == SolverDirect {
		return c.solveDirect(ctx, x, dw)
	}
	zero, err := roundingOfM(ctx, x, Identity(), dw)
	if err != nil {
		return nil, err
	}
	return c.solveKrylov(ctx, f.cols(), formed(x, contrastOf[float64](dw)), zero)
}

// SolveImplicit finds P from the features X (n × d), W and a filter, without
// ever making FX or M: every product with M is y = Xᵀ·F·ΔW·F·X·v on a thin
// block of vectors, so sparse X stays sparse. Options and errors are those of
// [Solve], and it always works by SolverKrylov.
func SolveImplicit(ctx context.Context, x mat.Matrix, w *SymCSR, filter Filter, dw *DeltaW, dim int, opts ...Option) (*Projection, error) {
	c, err := newConfig(append(append([]Option(nil), opts...), WithDim(dim), WithFilter(filter)))
	if err != nil {
		return nil, err
	}
	f, err := readFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	if err := checkProblem(f, dw, dim); err != nil {
		return nil, err
	}
	if n := w.SymmetricDim(); n != f.rows() {
		return nil, fmt.Errorf("coles: solve: %w: W of %d nodes, features of %d", ErrShape, n, f.rows())
	}
	s, err := signalOf[float64](ctx, f)
	if err != nil {
		return nil, err
	}
	if err := checkUnderflow(ctx, s, filter); err != nil {
		return nil, err
	}
	zero, err := roundingOfM(ctx, s, filter, dw)
	if err != nil {
		return nil, err
	}
	return c.solveKrylov(ctx, f.cols(), implicit(s, w.matrix(), filter, contrastOf[float64](dw)), zero)
}

func checkProblem(f *features, dw *DeltaW, dim int) error {
	if n, _ := dw.Dims(); f.rows() != n || n == 0 {
		return fmt.Errorf("coles: solve: %w: %d feature rows, ΔW of %d nodes", ErrShape, f.rows(), n)
	}
	if dim > f.cols() {
		return fmt.Errorf("coles: solve: %w: d′ = %d of %d features", ErrDim, dim, f.cols())
	}
	return nil
}

// solveDirect forms M and decomposes it.
func (c config) solveDirect(ctx context.Context, fx *signal[float64], dw *DeltaW) (*Projection, error) {
	p, err := fx.panel(ctx)
	if err != nil {
		return nil, err
	}
	m, err := contrastOf[float64](dw).gram(ctx, p)
	if err != nil {
		return nil, err
	}
	c.report("solve", 1, 2)
	return c.decompose(ctx, m)
}

// decompose finds the top of M, which it overwrites.
func (c config) decompose(ctx context.Context, m kernel.Matrix[float64]) (*Projection, error) {
	r, err := eigen.Direct(ctx, m, c.Dim)
	if err != nil {
		return nil, solveError(err, c.Dim)
	}
	c.report("solve", 2, 2)
	return c.projection(r, SolverDirect), nil
}

// roundingOfM is how long the product of M with a unit vector may be by rounding alone, with
// room: ‖FX‖²·‖ΔW‖ bounds ‖M‖, of which the products of ΔW with FX may cancel all.
func roundingOfM[T kernel.Float](ctx context.Context, x *signal[T], f Filter, dw *DeltaW) (float64, error) {
	gain := 0.0 // ‖F‖ at most, as ‖W‖ = 1
	for _, a := range f.coef {
		gain += math.Abs(a)
	}
	squares, err := x.squares(ctx)
	dw = dw.orEmpty()
	zero := 1e-14 * gain * gain * squares * (dw.normBound() + math.Abs(dw.shift))
	if !finite(zero) { // squares beyond the numbers: M will be found to be, too, or is far from zero
		zero = 0
	}
	return zero, err
}

// solveKrylov finds the top of M by products with it, of which lengths up to zero are rounding.
func (c config) solveKrylov(ctx context.Context, d int, m eigen.Operator, zero float64) (*Projection, error) {
	r, err := eigen.Krylov(ctx, d, c.Dim, m, eigen.KrylovOptions{
		Zero:     zero,
		Seed:     c.Seed,
		Tol:      c.Precision.tolerance(),
		Progress: func(done, total int) { c.report("solve", done, total) },
	})
	if err != nil {
		return nil, solveError(err, c.Dim)
	}
	return c.projection(r, SolverKrylov), nil
}

// projection cuts off negative eigenvalues if asked to.
func (c config) projection(r *eigen.Result, by Solver) *Projection {
	keep := len(r.Values)
	for c.Truncate && keep > 0 && r.Values[keep-1] < 0 {
		keep--
	}
	return &Projection{P: denseOf(kernel.View(r.Vectors, 0, 0, keep, r.Vectors.Cols)), Lambda: r.Values[:keep], Solver: by}
}

// solveError gives the errors of the eigensolvers the names of this package.
func solveError(err error, wanted int) error {
	var stopped *eigen.ConvergenceError
	switch {
	case errors.As(err, &stopped):
		out := &ConvergenceError{Wanted: wanted, Converged: stopped.Converged, Residual: stopped.Residual}
		if r := stopped.Result; r != nil && len(r.Values) > 0 {
			out.Partial = &Projection{P: denseOf(r.Vectors), Lambda: r.Values, Solver: SolverKrylov}
		}
		return out
	case errors.Is(err, eigen.ErrNotFinite):
		return fmt.Errorf("coles: solve: %w: M = XᵀFᵀΔWFX overflows; scale the features", ErrNotFinite)
	}
	return err
}
