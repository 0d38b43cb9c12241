package learn

import (
	"context"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
)

// A design is the matrix Z of one training set, a row a sample and the last column of ones for the intercept.
type design struct{ *matrix.Matrix[float64] }

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
