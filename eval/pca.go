package eval

import (
	"context"
	"errors"
	"fmt"

	"coles/internal/eigen"
	"coles/internal/kernel"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// pcaDirectCols is the number of columns above which a dense d × d
// eigenproblem costs more than an iteration.
const pcaDirectCols = 4096

// pcaRows is how many rows are centred at a time: x itself is not copied.
const pcaRows = 1024

// PCA returns the first k principal components of the rows of x (n × d): the
// n × k matrix (x − 1x̄ᵀ)V, where x̄ is the mean row and the columns of V are
// the k leading eigenvectors of the covariance of the columns. They are not
// scaled: column i has variance λᵢ. The sign of each is such that the
// largest entry of its eigenvector is positive. With x the filtered features
// it is the row PCA-S²GC of the paper's tables.
//
// Up to 4096 columns the covariance is formed, O(nd²/2), and its eigenvectors
// are exact to rounding, O(d³), in about two d × d matrices. Beyond, they
// come from a Krylov iteration with residuals below 10⁻⁶·λ₁ and 2.5·k·d numbers
// of memory: on the covariance where x is dense and n ≥ d, O(nd²/2) and O(d²k)
// each sweep of k; else on products with x, O(ndk) each sweep, and a sparse x is
// transposed once and never made dense as a whole.
//
// Errors: [ErrDimension] for k outside 1..d, [ErrShape], [ErrCorrupt],
// [ErrNotFinite] also for components that overflow, [ErrConvergence] from the iteration, and ctx.Err().
func PCA(ctx context.Context, x mat.Matrix, k int) (*mat.Dense, error) {
	f, err := newFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	if k < 1 || k > f.cols {
		return nil, fmt.Errorf("%w: %d components of %d columns", ErrDimension, k, f.cols)
	}
	f, scale, err := f.tame(ctx)
	if err != nil {
		return nil, err
	}
	mean, err := f.mean(ctx)
	if err != nil {
		return nil, err
	}
	pairs, err := f.leading(ctx, mean, k)
	if errors.Is(err, eigen.ErrNotFinite) {
		return nil, fmt.Errorf("%w: the covariance overflows: %v", ErrNotFinite, err)
	}
	var unfinished *eigen.ConvergenceError
	if errors.As(err, &unfinished) {
		return nil, fmt.Errorf("%w: principal components: %v", ErrConvergence, err)
	}
	if err != nil {
		return nil, fmt.Errorf("principal components: %w", err)
	}
	y := kernel.Dense[float64](f.rows, k)
	for lo := 0; lo < f.rows; lo += pcaRows {
		hi := min(f.rows, lo+pcaRows)
		block, err := f.centred(ctx, lo, hi, mean)
		if err != nil {
			return nil, err
		}
		if err := kernel.Gemm(ctx, false, true, 1, block, pairs.Vectors, 0, kernel.View(y, lo, 0, hi-lo, k)); err != nil {
			return nil, err
		}
	}
	return untamed(ctx, y, 1/scale)
}

// leading returns the k leading eigenpairs of the scatter matrix
// Σᵢ(xᵢ − x̄)ᵀ(xᵢ − x̄).
func (f *features) leading(ctx context.Context, mean []float64, k int) (*eigen.Result, error) {
	switch {
	case f.cols <= pcaDirectCols:
		return f.leadingDirect(ctx, mean, k)
	case f.sparse == nil && f.rows >= f.cols:
		// One product with the matrix, once it is formed, costs less than two with x.
		return f.leadingFormed(ctx, mean, k)
	}
	return f.leadingKrylov(ctx, mean, k)
}

func (f *features) leadingDirect(ctx context.Context, mean []float64, k int) (*eigen.Result, error) {
	scatter, err := f.scatter(ctx, mean)
	if err != nil {
		return nil, err
	}
	return eigen.Direct(ctx, scatter, k)
}

// leadingFormed iterates on products with the scatter matrix.
func (f *features) leadingFormed(ctx context.Context, mean []float64, k int) (*eigen.Result, error) {
	scatter, err := f.scatter(ctx, mean)
	if err != nil {
		return nil, err
	}
	kernel.MirrorUpper(scatter)
	return eigen.Krylov(ctx, f.cols, k, func(ctx context.Context, dst, v kernel.Matrix[float64]) error {
		return kernel.Gemm(ctx, false, false, 1, scatter, v, 0, dst)
	}, eigen.KrylovOptions{})
}

// scatter forms the upper triangle of the scatter matrix, rows block by block.
func (f *features) scatter(ctx context.Context, mean []float64) (kernel.Matrix[float64], error) {
	scatter := kernel.Dense[float64](f.cols, f.cols)
	for lo := 0; lo < f.rows; lo += pcaRows {
		block, err := f.centred(ctx, lo, min(f.rows, lo+pcaRows), mean)
		if err != nil {
			return scatter, err
		}
		if err := kernel.Gram(ctx, 1, block, block, scatter); err != nil {
			return scatter, err
		}
	}
	return scatter, nil
}

// leadingKrylov iterates on products with x. Where a mean takes up most of its digits they are
// too rough for that, and it begins again with rows that are centred first: dense ones, block
// by block.
func (f *features) leadingKrylov(ctx context.Context, mean []float64, k int) (*eigen.Result, error) {
	r, err := eigen.Krylov(ctx, f.cols, k, f.scatterTimes(mean), eigen.KrylovOptions{})
	var stopped *eigen.ConvergenceError
	if !errors.As(err, &stopped) {
		return r, err
	}
	return eigen.Krylov(ctx, f.cols, k, func(ctx context.Context, dst, v kernel.Matrix[float64]) error {
		for lo := 0; lo < f.rows; lo += pcaRows {
			block, err := f.centred(ctx, lo, min(f.rows, lo+pcaRows), mean)
			if err != nil {
				return err
			}
			w := kernel.Dense[float64](block.Rows, v.Cols)
			if err := kernel.Gemm(ctx, false, false, 1, block, v, 0, w); err != nil {
				return err
			}
			if err := kernel.Gemm(ctx, true, false, 1, block, w, float64(min(lo, 1)), dst); err != nil {
				return err
			}
		}
		return nil
	}, eigen.KrylovOptions{})
}

// scatterTimes is the product with the scatter matrix as Xᵀ·w for w = (X − 1x̄)·v. The
// columns of w sum to zero, so that Xᵀw needs no centring of its own.
func (f *features) scatterTimes(mean []float64) eigen.Operator {
	var transposed *kernel.CSR[float64]
	if f.sparse != nil {
		transposed = f.sparse.Transpose()
	}
	row := kernel.Matrix[float64]{Rows: 1, Cols: f.cols, Stride: f.cols, Data: mean}
	return func(ctx context.Context, dst, v kernel.Matrix[float64]) error {
		w, shift := kernel.Dense[float64](f.rows, v.Cols), kernel.Dense[float64](1, v.Cols)
		if err := f.times(ctx, v, w); err != nil {
			return err
		}
		if err := kernel.Gemm(ctx, false, false, 1, row, v, 0, shift); err != nil {
			return err
		}
		for i := range f.rows {
			axpy(-1, shift.Data, w.Data[i*w.Stride:][:w.Cols])
		}
		if transposed != nil {
			return kernel.SpMM(ctx, dst, transposed, w)
		}
		return kernel.Gemm(ctx, true, false, 1, f.dense, w, 0, dst)
	}
}

// mean is the mean row of f, summed in blocks of rows that are then added in
// their order.
func (f *features) mean(ctx context.Context) ([]float64, error) {
	part := kernel.Dense[float64]((f.rows+pcaRows-1)/pcaRows, f.cols)
	err := parallel.Ranges(ctx, f.rows, pcaRows, func(lo, hi int) {
		sum := part.Data[lo/pcaRows*part.Stride:][:f.cols]
		for i := lo; i < hi; i++ {
			cols, values := f.row(i)
			if f.sparse == nil {
				axpy(1, values, sum)
			}
			for q, j := range cols {
				sum[j] += values[q]
			}
		}
	})
	if err != nil {
		return nil, err
	}
	mean := make([]float64, f.cols)
	for b := range part.Rows {
		axpy(1/float64(f.rows), part.Data[b*part.Stride:][:f.cols], mean)
	}
	return mean, nil
}

// centred is rows [lo, hi) of f less the mean, dense. Subtracting it here and
// not from the finished covariance costs a copy and saves the digits that a
// mean much larger than the spread would take.
func (f *features) centred(ctx context.Context, lo, hi int, mean []float64) (kernel.Matrix[float64], error) {
	block := kernel.Dense[float64](hi-lo, f.cols)
	err := parallel.Ranges(ctx, hi-lo, 64, func(first, last int) {
		for i := first; i < last; i++ {
			row := block.Data[i*block.Stride : i*block.Stride+f.cols]
			cols, values := f.row(lo + i)
			if f.sparse == nil {
				copy(row, values)
			}
			for q, j := range cols {
				row[j] = values[q]
			}
			for j, m := range mean {
				row[j] -= m
			}
		}
	})
	return block, err
}
