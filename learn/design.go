package learn

import (
	"context"

	"coles/internal/eigen"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack/gonum"
)

// A design is the matrix Z of one training set, a row a sample and the last column of ones for the
// intercept. Fewer rows than features come in an orthonormal basis of their span, where the optimum
// lies: X = L·Q with QQᵀ = I turns ½‖w‖² + f(Xw) into ½‖u‖² + f(Lu), w = Qᵀu. L, unlike the Gram
// matrix XXᵀ = LLᵀ, keeps all digits, whatever the rank.
type design struct {
	*matrix.Matrix[float64]
	single  kernel.Matrix[float32] // the same in float32, and its transpose: products with it are faster
	columns kernel.Matrix[float32]
	q       kernel.Matrix[float64] // reflectors whose product is Q, right of the diagonal; empty without
	tau     []float64
}

// maxSingle bounds the features, and C times lengths, of products in float32.
const maxSingle = 1e12

// newDesign is the design of a training set x, which has the column of ones, in O(t²d) for t rows if they
// are fewer than the d features.
func newDesign(ctx context.Context, x *matrix.Matrix[float64]) (z design, err error) {
	t, d := x.Rows(), x.Cols()-1
	if z.Matrix = x; x.Sparse != nil {
		return z, nil
	}
	if t < d {
		z.q, z.tau = kernel.Unset[float64](t, d), make([]float64, t)
		kernel.Copy(z.q, kernel.Columns(x.Dense, 0, d))
		l, err := spanOf(ctx, z.q, z.tau)
		if err != nil {
			return z, err
		}
		z.Matrix = matrix.Of(kernel.Unset[float64](t, t+1))
		for i := range t {
			row := z.Dense.Row(i)
			row[copy(row, l.Row(i))] = 1
		}
	}
	if largest, err := z.Largest(ctx); err != nil || largest > maxSingle {
		return z, err
	}
	z.single = kernel.Unset[float32](z.Dims())
	if err := kernel.Convert(ctx, z.single, z.Dense); err != nil {
		return z, err
	}
	z.columns, err = kernel.Transposed(ctx, z.single)
	return z, err
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

// scores sets dst = V·Zᵀ: a row of coordinates makes a row of scores.
func (z design) scores(ctx context.Context, dst, v kernel.Matrix[float64]) error {
	if z.Sparse == nil {
		return kernel.Gemm(ctx, false, true, 1, v, z.Dense, 0, dst)
	}
	return z.eachPart(ctx, v.Rows, func(q, lo, hi int) {
		from, to := v.Row(q), dst.Row(q)
		for i := lo; i < hi; i++ {
			cols, values := z.Row(i)
			sum := 0.0
			for p, j := range cols {
				sum += values[p] * from[j]
			}
			to[i] = sum
		}
	})
}

// pulls sets dst = S·Z, the sums of the rows of Z with the factors in each row of S.
func (z design) pulls(ctx context.Context, dst, s kernel.Matrix[float64]) error {
	if z.Sparse == nil {
		return kernel.Gemm(ctx, false, false, 1, s, z.Dense, 0, dst)
	}
	for q := range dst.Rows {
		clear(dst.Row(q))
	}
	return z.eachPart(ctx, s.Rows, func(q, lo, hi int) {
		for i := lo; i < hi; i++ {
			z.AddRow(dst.Row(q), i, s.Row(q)[i])
		}
	})
}

// singleScores and singlePulls are scores and pulls in float32.
func (z design) singleScores(ctx context.Context, dst, v kernel.Matrix[float32]) error {
	return kernel.Gemm(ctx, false, false, 1, v, z.columns, 0, dst)
}

func (z design) singlePulls(ctx context.Context, dst, s kernel.Matrix[float32]) error {
	return kernel.Gemm(ctx, false, false, 1, s, z.single, 0, dst)
}

// eachPart calls do for a million entries of the rows at a time, one after the other for each of n
// vectors, so that a product of sparse rows ends with its context.
func (z design) eachPart(ctx context.Context, n int, do func(q, lo, hi int)) error {
	rows := z.Rows()
	part := 4 * (1 + int(float64(rows)*(1<<18)/float64(z.NNZ())))
	return parallel.For(ctx, n, func(q int) {
		for lo := 0; lo < rows && ctx.Err() == nil; lo += part {
			do(q, lo, min(lo+part, rows))
		}
	})
}

// weights returns the coefficients of the features and of the column of ones for the coordinates u,
// in O(td). It may share memory with u, and is not for concurrent use.
func (z design) weights(u []float64) []float64 {
	if z.q.Rows == 0 {
		return u
	}
	w := make([]float64, z.q.Cols+1)
	copy(w, u[:z.q.Rows])
	applyQ(z.q, z.tau, w[:z.q.Cols])
	w[z.q.Cols] = u[z.q.Rows]
	return w
}

// spanOf overwrites x, t × d with t ≤ d, as [factorLQ] does, and returns L alone, t × t: copied, so
// that its numbers stay in the cache.
func spanOf(ctx context.Context, x kernel.Matrix[float64], tau []float64) (kernel.Matrix[float64], error) {
	if err := factorLQ(ctx, x, tau); err != nil {
		return kernel.Matrix[float64]{}, err
	}
	l := kernel.Dense[float64](x.Rows, x.Rows)
	for i := range x.Rows {
		copy(l.Row(i)[:i+1], x.Row(i))
	}
	return l, nil
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
