package eval

import (
	"context"

	"coles/internal/eigen"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/gonum"
)

// design is the matrix Z of one training set, a row a sample and the last column of ones for the
// intercept, in the form with the cheapest products. Both forms give the same optimisation problem.
// The only errors are the context's.
type design interface {
	// size returns the number of rows and of columns.
	size() (rows, cols int)
	// mul sets dst = Z v.
	mul(ctx context.Context, dst, v []float64) error
	// mulTrans sets dst = Zᵀ s.
	mulTrans(ctx context.Context, dst, s []float64) error
	// weights returns the coefficients of the features and of the column of ones for the
	// coordinates u. It may share memory with u. Unlike the products it is not for concurrent use.
	weights(u []float64) []float64
}

// newDesign chooses the form of the training set X̃ with the cheaper products. It may overwrite x.
func newDesign(ctx context.Context, x *matrix.Matrix[float64]) (design, error) {
	if x.Sparse == nil && x.Rows() < x.Cols() {
		return newSpanDesign(ctx, x.Dense)
	}
	return rowsDesign{x}, nil
}

// trainingSet returns X̃, the given rows times scale with a column of ones appended.
func trainingSet(ctx context.Context, f *matrix.Matrix[float64], rows []int, scale float64) (*matrix.Matrix[float64], error) {
	t, d := len(rows), f.Cols()
	x := &matrix.Matrix[float64]{Owned: true}
	if f.Sparse == nil {
		x.Dense = kernel.Unset[float64](t, d+1)
	} else {
		x.Sparse = &kernel.CSR[float64]{Rows: t, Cols: d + 1, Ptr: make([]int64, t+1)}
		for q, i := range rows {
			x.Sparse.Ptr[q+1] = f.Sparse.Ptr[i+1] - f.Sparse.Ptr[i] + 1
		}
		matrix.MakeEntries(x.Sparse)
	}
	return x, parallel.EachRow(ctx, t, func(q int) {
		cols, values := f.Row(rows[q])
		to, kept := x.Row(q)
		n := copy(kept, values)
		matrix.Scale(kept[:n], scale)
		kept[n] = 1
		if to != nil {
			to[copy(to, cols)] = int32(d)
		}
	})
}

// rowsDesign is a training set as it is: of at least as many rows as columns, or sparse.
type rowsDesign struct{ x *matrix.Matrix[float64] }

func (z rowsDesign) size() (int, int) { return z.x.Dims() }

func (z rowsDesign) weights(u []float64) []float64 { return u }

func (z rowsDesign) mul(ctx context.Context, dst, v []float64) error {
	return z.eachPart(ctx, func(lo, hi int) {
		if z.x.Sparse == nil {
			part := blas64.General(kernel.Rows(z.x.Dense, lo, hi))
			blas64.Gemv(blas.NoTrans, 1, part, vector(v), 0, vector(dst[lo:hi]))
			return
		}
		for i := lo; i < hi; i++ {
			cols, values := z.x.Row(i)
			sum := 0.0
			for q, j := range cols {
				sum += values[q] * v[j]
			}
			dst[i] = sum
		}
	})
}

func (z rowsDesign) mulTrans(ctx context.Context, dst, s []float64) error {
	clear(dst)
	return z.eachPart(ctx, func(lo, hi int) {
		if z.x.Sparse == nil {
			part := blas64.General(kernel.Rows(z.x.Dense, lo, hi))
			blas64.Gemv(blas.Trans, 1, part, vector(s[lo:hi]), 1, vector(dst))
			return
		}
		for i := lo; i < hi; i++ {
			z.x.AddRow(dst, i, s[i])
		}
	})
}

// eachPart calls do for a million numbers at a time, so that a product ends with its context. The
// classes of a problem run in parallel, not the parts.
func (z rowsDesign) eachPart(ctx context.Context, do func(lo, hi int)) error {
	rows, cols := z.x.Dims()
	entries := z.x.NNZ()
	if z.x.Sparse == nil {
		entries = rows * cols
	}
	part := 4 * (1 + int(float64(rows)*(1<<18)/float64(entries)))
	for lo := 0; lo < rows; lo += part {
		if err := ctx.Err(); err != nil {
			return err
		}
		do(lo, min(lo+part, rows))
	}
	return nil
}

// spanDesign is a training set with fewer rows than columns, in an orthonormal basis of the span of
// its rows, where the optimum lies: X̃ = L·Q with QQᵀ = I turns ½‖w‖² + f(X̃w) into ½‖u‖² + f(Lu),
// w = Qᵀu. L, unlike the Gram matrix X̃X̃ᵀ = LLᵀ, keeps all digits, whatever the rank.
type spanDesign struct {
	l   blas64.Triangular
	q   kernel.Matrix[float64] // reflectors whose product is Q, right of the diagonal
	tau []float64
}

// newSpanDesign overwrites x, t × d with t ≤ d, in O(t²d).
func newSpanDesign(ctx context.Context, x kernel.Matrix[float64]) (spanDesign, error) {
	tau := make([]float64, x.Rows)
	if err := factorLQ(ctx, x, tau); err != nil {
		return spanDesign{}, err
	}
	// Copied, so that t × t numbers stay in the cache and not t × d.
	l := blas64.Triangular{N: x.Rows, Stride: x.Rows, Uplo: blas.Lower, Diag: blas.NonUnit,
		Data: make([]float64, x.Rows*x.Rows)}
	for i := range x.Rows {
		copy(l.Data[i*l.Stride:i*l.Stride+i+1], x.Data[i*x.Stride:])
	}
	return spanDesign{l: l, q: x, tau: tau}, nil
}

func (z spanDesign) size() (int, int) { return z.l.N, z.l.N }

func (z spanDesign) mul(ctx context.Context, dst, v []float64) error {
	copy(dst, v)
	blas64.Trmv(blas.NoTrans, z.l, vector(dst))
	return ctx.Err()
}

func (z spanDesign) mulTrans(ctx context.Context, dst, s []float64) error {
	copy(dst, s)
	blas64.Trmv(blas.Trans, z.l, vector(dst))
	return ctx.Err()
}

// weights is Qᵀu, in O(td).
func (z spanDesign) weights(u []float64) []float64 {
	w := make([]float64, z.q.Cols)
	copy(w, u)
	applyQ(z.q, z.tau, w)
	return w
}

// lqRows rows are reduced one by one before their reflections are applied to the rest by matrix
// products.
const lqRows = 32

// factorLQ overwrites x, t × d with t ≤ d, by its factors x = L·Q: L on and below the diagonal, the
// reflectors of Q above it and in tau. It is LAPACK's Dgelqf with products that run on every
// processor and end with ctx.
func factorLQ(ctx context.Context, x kernel.Matrix[float64], tau []float64) error {
	var lp gonum.Implementation
	work := make([]float64, x.Rows)
	for i := 0; i < x.Rows; i += lqRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		b, d := min(lqRows, x.Rows-i), x.Cols-i
		panel := kernel.View(x, i, i, b, d)
		lp.Dgelq2(b, d, panel.Data, panel.Stride, tau[i:i+b], work)
		below := x.Rows - i - b
		if below == 0 {
			break
		}
		v := kernel.Dense[float64](b, d)
		for r := range b {
			v.Data[r*v.Stride+r] = 1
			copy(v.Data[r*v.Stride+r+1:(r+1)*v.Stride], panel.Data[r*panel.Stride+r+1:])
		}
		t, err := eigen.BlockFactor(ctx, v, tau[i:i+b])
		if err != nil {
			return err
		}
		rest := kernel.View(x, i+b, i, below, d)
		p, pt := kernel.Dense[float64](below, b), kernel.Dense[float64](below, b)
		if err := kernel.Gemm(ctx, false, true, 1, rest, v, 0, p); err != nil {
			return err
		}
		if err := kernel.Gemm(ctx, false, false, 1, p, t, 0, pt); err != nil {
			return err
		}
		if err := kernel.Gemm(ctx, false, false, -1, pt, v, 1, rest); err != nil {
			return err
		}
	}
	return nil
}

// applyQ sets w = Qᵀw for the reflectors that [factorLQ] leaves in x and tau, one after the other:
// for a single vector blocks of them gain nothing. It writes to the reflectors as it goes along
// them and restores what it finds.
func applyQ(x kernel.Matrix[float64], tau, w []float64) {
	gonum.Implementation{}.Dorml2(blas.Left, blas.Trans, len(w), 1, x.Rows, x.Data, x.Stride, tau, w, 1, make([]float64, 1))
}
