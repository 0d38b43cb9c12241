package coles

import (
	"errors"
	"fmt"

	"coles/internal/eigen"
	"coles/internal/kernel"
	"coles/internal/linear"
	"coles/internal/matrix"
	"coles/internal/setting"
	"coles/internal/spectral"

	"gonum.org/v1/gonum/mat"
)

// Solver is the method for the eigenvectors of M. The zero value, "auto", is SolverKrylov above
// 2,000 features and, where [Fit] has sparse features, from 8·d′ features on; SolverDirect
// otherwise.
type Solver int

const (
	// SolverDirect forms M (d × d) and reduces it to tridiagonal form: residuals at the level of rounding, in Float32 up to
	// 1e-5 of the largest |λ| for all columns together (some 1e-6); O(n·d² + d³) time, 8·d² bytes, 12·d² in Float32.
	SolverDirect Solver = iota + 1
	// SolverKrylov multiplies blocks of vectors by M without forming it: residuals up to 1e-6 of
	// λ₁; for Float32 near 3e-6, measured and at most 3e-5. The way for wide sparse features.
	SolverKrylov
)

var solverNames = []string{"auto", "direct", "krylov"}

// A ConvergenceError reports that an iterative solver stopped too early.
type ConvergenceError struct {
	Wanted    int         // eigenpairs asked for
	Converged int         // eigenpairs within the bound
	Residual  float64     // largest ‖Mv − λv‖ / max|λ| among those asked for
	Partial   *Projection // the converged pairs, in descending order; nil when there are none, and from [Eigenmaps]
}

func (e *ConvergenceError) Error() string {
	return fmt.Sprintf("coles: %d of %d eigenpairs converged, residual %.2g", e.Converged, e.Wanted, e.Residual)
}

// tooCoarse reports whether float32 may cause the error. Where few nodes have edges, M is far smaller than (FX)ᵀ(FX), to whose
// size float32 rounds.
func tooCoarse(err error) bool {
	var stopped *ConvergenceError
	return errors.Is(err, ErrPrecision) || errors.As(err, &stopped)
}

func (s Solver) String() string                   { return setting.Name(s, solverNames) }
func (s Solver) MarshalText() ([]byte, error)     { return setting.Marshal(s, solverNames) }
func (s *Solver) UnmarshalText(text []byte) error { return setting.Unmarshal(s, text, solverNames) }

const (
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
	case d > linear.DirectLimit, sparse && d >= krylovShare*dim:
		return SolverKrylov
	}
	return SolverDirect
}

// A Projection is the solution of linear COLES, max Tr(P XᵀFᵀ ΔW FX Pᵀ) subject to P Pᵀ = I: the rows of P are the
// eigenvectors of M = XᵀFᵀΔWFX with the largest eigenvalues. In every row the entry of largest magnitude (the first, up to
// rounding) is positive.
type Projection struct {
	P      *mat.Dense // d′ × d
	Lambda []float64  // d′ eigenvalues of M, descending
	Solver Solver     // how they were found

	products int            // of vectors with M that SolverKrylov took
	noise    spectral.Noise // of all that were found
}

// Truncate drops rows of eigenvalues that are negative, or 0 but for rounding.
func (p *Projection) Truncate() *Projection {
	if p.P == nil {
		return p
	}
	keep := p.noise.Positive(p.Lambda)
	rows := kernel.Matrix[float64](p.P.RawMatrix())
	return &Projection{matrix.ToDense(kernel.View(rows, 0, 0, keep, rows.Cols)), p.Lambda[:keep], p.Solver, p.products, p.noise}
}

// newProjection is the projection of eigenpairs.
func newProjection(r *eigen.Result, how Solver) *Projection {
	return &Projection{matrix.ToDense(r.Vectors), r.Values, how, r.Applied, spectral.Noise{Pairs: r.Residuals, Next: r.Next}}
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
		return fmt.Errorf("coles: solve: %w", linear.Failed(err))
	}
	return err
}
