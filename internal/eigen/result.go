package eigen

import (
	"errors"
	"fmt"

	"coles/internal/kernel"
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

	// Next is the eigenvalue after the last of these, or Krylov's approximation from below; −Inf where
	// there is none.
	Next float64

	// Vectors is k × n: row i is the eigenvector of Values[i]. The rows are orthonormal.
	Vectors panel

	// Residual bounds ‖A·v − λ·v‖ over the pairs, relative to the largest eigenvalue in magnitude
	// that was seen: it is the largest, or the root of the sum of all squares estimated from random
	// combinations, where that is small enough. Krylov and DirectSingle measure it; Direct leaves it zero.
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
