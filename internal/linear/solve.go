package linear

import (
	"context"
	"errors"
	"fmt"

	"coles/internal/eigen"
	"coles/internal/kernel"
	"coles/internal/matrix"
)

// DirectLimit is the number of features up to which M is decomposed as a whole.
const DirectLimit = 2000

// Solve finds the k largest eigenvalues of M (upper triangle, overwritten) and their eigenvectors, to
// the accuracy of the direct solver: directly up to 2,000 features; above, by products with it. norm
// is the size of what M was summed from.
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

// Shared halves the diagonal of M = XᵀX of features alone: what a column shares with no other, the unique
// variance of factor analysis, would otherwise outweigh what many columns share.
func (f Fit) Shared(m kernel.Matrix[float64]) {
	if f.Alone {
		for i := range m.Rows {
			m.Row(i)[i] /= 2
		}
	}
}

// SharedOperator is multiplication by M as [Fit.Shared] leaves it, from multiplication by XᵀX.
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

// Failed names the error of an eigensolver on M: [matrix.ErrNotFinite] where that overflows. Others
// stay, an [eigen.ConvergenceError] among them.
func Failed(err error) error {
	if errors.Is(err, eigen.ErrNotFinite) {
		return fmt.Errorf("%w: M = XᵀFᵀΔWFX overflows; scale the features", matrix.ErrNotFinite)
	}
	return err
}
