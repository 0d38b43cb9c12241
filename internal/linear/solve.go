package linear

import (
	"context"
	"errors"
	"fmt"

	"coles/internal/eigen"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/spectral"
)

// DirectLimit is the number of features up to which M is decomposed as a whole.
const DirectLimit = 2000

// Solve finds the k largest eigenvalues of M (upper triangle, overwritten) and their eigenvectors, to the accuracy of
// the direct solver: directly up to 2,000 features, above by products with M. norm is the size of the terms that M is
// the sum of.
//
// Errors: as [Failed].
func Solve(ctx context.Context, m kernel.Matrix[float64], k int, seed uint64, norm float64) (*eigen.Result, error) {
	if m.Rows <= DirectLimit {
		r, err := eigen.Direct(ctx, m, k)
		return r, Failed(err)
	}
	kernel.MirrorUpper(m)
	r, err := eigen.Krylov(ctx, m.Rows, k, func(ctx context.Context, dst, src kernel.Matrix[float64]) error {
		return kernel.Gemm(ctx, false, false, 1, m, src, 0, dst)
	}, eigen.KrylovOptions{Seed: seed, Tol: 1e-12, Zero: 1e-14 * norm})
	return r, Failed(err)
}

// Zero is the size up to which eigenvalues of M are rounding in float64, for prepared features with this sum of
// squares and ΔW with this bound of its norm. ‖FX‖²·‖ΔW‖ bounds ‖M‖, and the products of ΔW with FX may cancel all of
// it.
func (f Terms) Zero(squares, contrast float64) float64 {
	gain := Gain(f.Filter)
	zero := 1e-14 * gain * gain * squares * contrast
	if !matrix.Finite(zero) { // M will be found to overflow, too, or is far from zero
		return 0
	}
	return zero
}

// Shared halves the diagonal of M = XᵀX of features alone. The part of a column that it shares with no other, the
// unique variance of factor analysis, would otherwise outweigh the part that many columns share.
func (f Terms) Shared(m kernel.Matrix[float64]) {
	if f.Alone {
		for i := range m.Rows {
			m.Row(i)[i] /= 2
		}
	}
}

// SharedOperator is multiplication by M as [Terms.Shared] leaves it, from multiplication by XᵀX.
func SharedOperator[T kernel.Float](ctx context.Context, x *matrix.Matrix[T], m eigen.Operator[T]) (eigen.Operator[T], error) {
	own, err := matrix.ColumnSquares(ctx, x)
	return func(ctx context.Context, dst, src kernel.Matrix[T]) error {
		if err := m(ctx, dst, src); err != nil {
			return err
		}
		for j, square := range own {
			matrix.AddScaled(dst.Row(j), T(-square/2), src.Row(j))
		}
		return nil
	}, err
}

// NoiseOf says how far eigenpairs in float64 are known, where eigenvalues up to zero are rounding. To truncate, it leaves out
// pairs that are not above zero.
func NoiseOf(r *eigen.Result, zero float64, truncate bool) spectral.Noise {
	n := spectral.Noise{Pairs: r.Residuals, Next: r.Next, Zero: zero}
	if all := r.Values; truncate {
		r.Values = all[:n.Positive(all)]
		r.Vectors = kernel.Rows(r.Vectors, 0, len(r.Values))
		n.Keep(all, len(r.Values))
	}
	return n
}

// Failed names the error of an eigensolver on M: [matrix.ErrNotFinite] where that overflows. Others
// stay, an [eigen.ConvergenceError] among them.
func Failed(err error) error {
	if errors.Is(err, eigen.ErrNotFinite) {
		return fmt.Errorf("%w: M = XᵀFᵀΔWFX overflows; scale the features", matrix.ErrNotFinite)
	}
	return err
}
