package eval

import (
	"context"
	"fmt"

	"coles/internal/kernel"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// choleskyRows is the number of rows of a factor that are found at a time, the
// rest being brought up to date by products.
const choleskyRows = 64

// cholesky overwrites the upper triangle of a symmetric positive definite
// matrix by R, a = RᵀR, in n³/3 operations. It is LAPACK's Dpotrf with products
// that run on every processor and end with ctx.
func cholesky(ctx context.Context, a kernel.Matrix[float64]) error {
	n := a.Rows
	for i := 0; i < n; i += choleskyRows {
		b := min(choleskyRows, n-i)
		diagonal, ok := lapack64.Potrf(upper(a, i, b))
		if !ok {
			return fmt.Errorf("%w: the equations are singular to working precision", ErrConvergence)
		}
		rest := n - i - b
		if rest == 0 {
			break
		}
		right := kernel.View(a, i, i+b, b, rest)
		blas64.Trsm(blas.Left, blas.Trans, 1, diagonal, blas64.General(right))
		if err := kernel.Gram(ctx, -1, right, right, kernel.View(a, i+b, i+b, rest, rest)); err != nil {
			return err
		}
	}
	return nil
}

// choleskySolve overwrites y by the x of RᵀR·x = y.
func choleskySolve(ctx context.Context, r, y kernel.Matrix[float64]) error {
	n := r.Rows
	for i := 0; i < n; i += choleskyRows {
		b := min(choleskyRows, n-i)
		part := kernel.Rows(y, i, i+b)
		blas64.Trsm(blas.Left, blas.Trans, 1, triangle(r, i, b), blas64.General(part))
		if i+b < n {
			below := kernel.Rows(y, i+b, n)
			if err := kernel.Gemm(ctx, true, false, -1, kernel.View(r, i, i+b, b, n-i-b), part, 1, below); err != nil {
				return err
			}
		}
	}
	for i := (n - 1) / choleskyRows * choleskyRows; i >= 0; i -= choleskyRows {
		b := min(choleskyRows, n-i)
		part := kernel.Rows(y, i, i+b)
		if i+b < n {
			below := kernel.Rows(y, i+b, n)
			if err := kernel.Gemm(ctx, false, false, -1, kernel.View(r, i, i+b, b, n-i-b), below, 1, part); err != nil {
				return err
			}
		}
		blas64.Trsm(blas.Left, blas.NoTrans, 1, triangle(r, i, b), blas64.General(part))
	}
	return nil
}

// upper is the b × b block on the diagonal of a from row i on.
func upper(a kernel.Matrix[float64], i, b int) blas64.Symmetric {
	return blas64.Symmetric{N: b, Stride: a.Stride, Data: kernel.View(a, i, i, b, b).Data, Uplo: blas.Upper}
}

func triangle(a kernel.Matrix[float64], i, b int) blas64.Triangular {
	return blas64.Triangular{N: b, Stride: a.Stride, Data: kernel.View(a, i, i, b, b).Data, Uplo: blas.Upper, Diag: blas.NonUnit}
}
