package plane

import (
	"context"
	"errors"

	"coles/internal/eigen"
	"coles/internal/given"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/setting"

	"gonum.org/v1/gonum/mat"
)

// Above pcaDirectCols columns a dense d × d eigenproblem costs more than an iteration.
const pcaDirectCols = 4096

// pcaRows rows are centred at a time: x itself is not copied.
const pcaRows = 1024

// PCA returns the first k principal components of the rows of x (n × d): the n × k matrix (x − 1x̄ᵀ)V with x̄ the mean
// row. The columns of V are the k leading eigenvectors of the covariance of the columns, each with its largest entry
// positive. Column i has variance λᵢ: it is not scaled. With x the filtered features it is the row PCA-S²GC of the paper's tables.
//
// Up to 4096 columns the covariance is formed, O(nd²/2), and its eigenvectors are exact to
// rounding, O(d³), in about two d × d matrices. Beyond, they come from a Krylov iteration on
// products with x, with residuals below 10⁻⁶·λ₁: O(ndk) each sweep of k and 2.5·k·d numbers of
// memory. A sparse x is transposed once and never made dense as a whole.
//
// Errors: [coles.ErrSetting] for k outside 1..d, [coles.ErrShape], [coles.ErrIndex],
// [coles.ErrNotFinite] also for components that overflow, a [*coles.ConvergenceError] from the
// iteration, and ctx's.
func PCA(ctx context.Context, x mat.Matrix, k int) (*mat.Dense, error) {
	f, scale, err := given.ReadTame(ctx, x)
	if err != nil {
		return nil, err
	}
	if k < 1 || k > f.Cols() {
		return nil, setting.Bad("k", k, "1 to %d, the number of columns", f.Cols())
	}
	mean, err := given.MeanRow(ctx, f)
	if err != nil {
		return nil, err
	}
	pairs, err := leading(ctx, f, mean, k)
	if err != nil {
		return nil, given.EigenError("principal components", err)
	}
	y := kernel.Dense[float64](f.Rows(), k)
	err = eachCentred(ctx, f, mean, func(lo int, block kernel.Matrix[float64]) error {
		return kernel.Gemm(ctx, false, true, 1, block, pairs.Vectors, 0, kernel.Rows(y, lo, lo+block.Rows))
	})
	if err != nil {
		return nil, err
	}
	matrix.Scale(y.Data, 1/scale)
	return matrix.ToFiniteDense(ctx, "a principal component", y)
}

// eachCentred calls do for blocks of the rows less the mean, from row lo on.
func eachCentred(ctx context.Context, f *matrix.Matrix[float64], mean []float64, do func(lo int, block kernel.Matrix[float64]) error) error {
	for lo := 0; lo < f.Rows(); lo += pcaRows {
		block, err := given.Centred(ctx, f, lo, min(f.Rows(), lo+pcaRows), mean)
		if err != nil {
			return err
		}
		if err := do(lo, block); err != nil {
			return err
		}
	}
	return nil
}

// leading returns the k leading eigenpairs of the scatter matrix Σᵢ(xᵢ − x̄)ᵀ(xᵢ − x̄).
func leading(ctx context.Context, f *matrix.Matrix[float64], mean []float64, k int) (*eigen.Result, error) {
	if f.Cols() > pcaDirectCols {
		return leadingOfProducts(ctx, f, mean, k)
	}
	scatter := kernel.Dense[float64](f.Cols(), f.Cols())
	err := eachCentred(ctx, f, mean, func(_ int, block kernel.Matrix[float64]) error {
		return kernel.Gram(ctx, 1, block, block, scatter) // the upper triangle
	})
	if err != nil {
		return nil, err
	}
	return eigen.Direct(ctx, scatter, k)
}

// leadingOfProducts iterates on products with x. Where a mean takes up most of their digits it
// begins again with rows that are centred first: dense ones, block by block.
func leadingOfProducts(ctx context.Context, f *matrix.Matrix[float64], mean []float64, k int) (*eigen.Result, error) {
	r, err := eigen.Krylov(ctx, f.Cols(), k, scatterTimes(f, mean), eigen.KrylovOptions{})
	var stopped *eigen.ConvergenceError
	if !errors.As(err, &stopped) {
		return r, err
	}
	return eigen.Krylov(ctx, f.Cols(), k, func(ctx context.Context, dst, v kernel.Matrix[float64]) error {
		return eachCentred(ctx, f, mean, func(lo int, block kernel.Matrix[float64]) error {
			w := kernel.Dense[float64](block.Rows, v.Cols)
			if err := kernel.Gemm(ctx, false, false, 1, block, v, 0, w); err != nil {
				return err
			}
			return kernel.Gemm(ctx, true, false, 1, block, w, float64(min(lo, 1)), dst)
		})
	}, eigen.KrylovOptions{})
}

// scatterTimes is the product with the scatter matrix as Xᵀ·w for w = (X − 1x̄)·v. The columns of w
// sum to zero, so that Xᵀw needs no centring.
func scatterTimes(f *matrix.Matrix[float64], mean []float64) eigen.Operator[float64] {
	n, d := f.Dims()
	row := kernel.Matrix[float64]{Rows: 1, Cols: d, Stride: d, Data: mean}
	return func(ctx context.Context, dst, v kernel.Matrix[float64]) error {
		w, shift := kernel.Dense[float64](n, v.Cols), kernel.Dense[float64](1, v.Cols)
		if err := f.Times(ctx, w, v); err != nil {
			return err
		}
		if err := kernel.Gemm(ctx, false, false, 1, row, v, 0, shift); err != nil {
			return err
		}
		for i := range n {
			matrix.AddScaled(w.Row(i), -1, shift.Data)
		}
		return f.TransposeTimes(ctx, dst, w)
	}
}
