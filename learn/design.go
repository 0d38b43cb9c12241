package learn

import (
	"context"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
)

// A design is the matrix Z of one training set: a row for each sample, and a last column of ones for the intercept.
type design struct{ *matrix.Matrix[float64] }

// trainingSet returns the given rows with a column of ones appended.
func trainingSet(ctx context.Context, f *matrix.Matrix[float64], rows []int) (*matrix.Matrix[float64], error) {
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
	return flipped(ctx, dst, z.Sparse, v)
}

// pulls sets dst = S·Z: each row of S has the factors of the rows of Z in a sum.
func (z design) pulls(ctx context.Context, dst, s kernel.Matrix[float64]) error {
	if z.Sparse == nil {
		return kernel.Gemm(ctx, false, false, 1, s, z.Dense, 0, dst)
	}
	return flipped(ctx, dst, z.Flip(), s)
}

// flipped sets dst = (A·Vᵀ)ᵀ.
func flipped(ctx context.Context, dst kernel.Matrix[float64], a *kernel.CSR[float64], v kernel.Matrix[float64]) error {
	columns, err := kernel.Transposed(ctx, v)
	if err != nil {
		return err
	}
	product := kernel.Unset[float64](dst.Cols, dst.Rows)
	if err := kernel.SpMM(ctx, product, a, columns); err != nil {
		return err
	}
	rows, err := kernel.Transposed(ctx, product)
	kernel.Copy(dst, rows)
	return err
}
