// Package eigen finds the k algebraically largest eigenpairs of a symmetric matrix, with
// orthonormal eigenvectors.
//
// [Direct] takes the matrix itself and is exact to rounding: Householder reduction to a tridiagonal
// matrix, bisection, twisted factors or inverse iteration, and the reflections applied back.
// [DirectSingle] does the reduction and the way back in float32, with a measured residual.
// [Krylov] takes only the product with a block of vectors: a block Lanczos iteration with full
// orthogonalisation and thick restarts, which also searches for the copies of a multiple eigenvalue
// that such an iteration overlooks. [Top] gives it Chebyshev polynomials of an operator whose largest
// eigenvalues are close together.
//
// Both give the same bytes for every GOMAXPROCS, return within 100 ms of the end of their context,
// and choose the sign of each eigenvector as [FixSigns] says.
//
// Sources: Golub and Van Loan, Matrix Computations, 4th ed., sections 8.3 (tridiagonal reduction),
// 8.4 (bisection), 5.2.2 (products of reflections) and 10.1-10.3 (Lanczos); Wu and Simon,
// Thick-restart Lanczos method, SIAM J. Matrix Anal. Appl. 22 (2000); Stathopoulos and Wu, A block
// orthogonalization procedure with constant synchronization requirements, SIAM J. Sci. Comput. 23
// (2002), for the orthogonalisation; Fernando, On computing an eigenvector of a tridiagonal matrix,
// SIAM J. Matrix Anal. Appl. 18 (1997), for the twisted factors; Fang and Saad, A filtered Lanczos
// procedure for extreme and interior eigenvalue problems, SIAM J. Sci. Comput. 34 (2012), for the filter.
package eigen

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"coles/internal/kernel"
	"coles/internal/matrix"
)

var (
	// ErrNotFinite says that the matrix or a product with it has an entry that is NaN or infinite.
	ErrNotFinite = errors.New("eigen: not a finite number")

	// ErrShape says that sizes do not fit together or lie outside their range.
	ErrShape = errors.New("eigen: sizes do not fit")
)

// A panel is a dense matrix of the numbers that this package computes with.
type panel = kernel.Matrix[float64]

// Result is k eigenpairs of a symmetric n × n matrix.
type Result struct {
	// Values are the eigenvalues, descending.
	Values []float64

	// Next is the eigenvalue after the last of these; −Inf if there is none. Krylov and Top approximate it from
	// below, and take it for the last if copies of that may be missing.
	Next float64

	// Vectors is k × n: row i is the eigenvector of Values[i]. The rows are orthonormal.
	Vectors panel

	// Residual bounds ‖A·v − λ·v‖ over the pairs, relative to the largest eigenvalue in magnitude
	// that was seen: it is the largest, or the root of the sum of all squares estimated from random
	// combinations, where that is small enough. Krylov and DirectSingle measure it; Direct leaves
	// it zero.
	Residual float64

	// Residuals are ‖A·v − λ·v‖ of each pair, but for rounding: from the last Rayleigh-Ritz step of
	// Krylov, or equal shares of all together from DirectSingle.
	Residuals []float64

	// Applied is the number of vectors that Krylov multiplied by the matrix.
	Applied int
}

// ConvergenceError says that Krylov used up its work before all pairs had converged.
type ConvergenceError struct {
	// Converged is the number of leading pairs, of those wanted, whose residual is within the bound.
	Converged, Wanted int

	// Residual is the largest relative residual among all wanted pairs.
	Residual float64

	// Result holds the pairs that converged.
	Result *Result
}

func (e *ConvergenceError) Error() string {
	return fmt.Sprintf("eigen: %d of %d eigenpairs converged, largest relative residual %.2g", e.Converged, e.Wanted, e.Residual)
}

// checkSizes refuses a k outside 0 … n.
func checkSizes(n, k int) error {
	if n < 0 || k < 0 || k > n {
		return fmt.Errorf("%w: %d eigenpairs of a matrix of order %d", ErrShape, k, n)
	}
	return nil
}

// nearTie is how far, as a share of the largest, an entry may lie below it and still count as
// equal. Symmetric problems have eigenvectors with entries of equal magnitude, which rounding would
// choose between differently on every kind of processor.
const nearTie = 1e-6

// FixSigns turns each row of v so that its entry of largest magnitude is positive; of several such
// entries, up to rounding, the first decides. An eigenvector is determined up to its sign only, and
// this makes results comparable.
func FixSigns(v panel) {
	for i := range v.Rows {
		r := v.Row(i)
		largest := matrix.Magnitude(r)
		lead := slices.IndexFunc(r, func(x float64) bool { return math.Abs(x) >= (1-nearTie)*largest })
		if lead >= 0 && r[lead] < 0 {
			matrix.Scale(r, -1)
		}
	}
}
