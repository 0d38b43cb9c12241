package matrix

import (
	"context"
	"fmt"

	"coles/internal/kernel"
	"coles/internal/parallel"
	"coles/internal/scratch"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// unset is numbers of any values, in a space if there is one.
func unset[T kernel.Float](space *scratch.Space, n int) ([]T, error) {
	if space == nil {
		return kernel.Unset[T](1, n).Data, nil
	}
	return scratch.Make[T](space, n)
}

// DenseIn is a matrix of any values in the space of the context.
func DenseIn[T kernel.Float](ctx context.Context, rows, cols int) (kernel.Matrix[T], error) {
	data, err := unset[T](scratch.Of(ctx), rows*cols)
	return kernel.Matrix[T]{Rows: rows, Cols: cols, Stride: max(1, cols), Data: data}, err
}

// ToDense wraps a panel as a *mat.Dense without copying. gonum has no empty dense matrix with a
// shape, so a panel without entries becomes the empty one.
func ToDense(p kernel.Matrix[float64]) *mat.Dense {
	if p.Rows == 0 || p.Cols == 0 {
		return &mat.Dense{}
	}
	d := new(mat.Dense)
	d.SetRawMatrix(blas64.General(p))
	return d
}

// ToFiniteDense is ToDense, or an error where an entry of what has overflowed.
func ToFiniteDense(ctx context.Context, what string, p kernel.Matrix[float64]) (*mat.Dense, error) {
	if p.Cols > 0 {
		if err := CheckOverflow(ctx, what, Of(p)); err != nil {
			return nil, err
		}
	}
	return ToDense(p), nil
}

// CheckOverflow fails if a result has left the range of its numbers.
func CheckOverflow[T kernel.Float](ctx context.Context, what string, m *Matrix[T]) error {
	most, err := m.Largest(ctx)
	if err != nil {
		return err
	}
	if !Finite(most) {
		return fmt.Errorf("%w: %s overflows; scale the features", ErrNotFinite, what)
	}
	return nil
}

// Clear sets a panel to zero.
func Clear[T kernel.Float](ctx context.Context, p kernel.Matrix[T]) error {
	return parallel.EachRow(ctx, p.Rows, func(i int) {
		clear(p.Row(i))
	})
}

// ScaleColumns multiplies every column of a panel by its factor.
func ScaleColumns[T kernel.Float](ctx context.Context, p kernel.Matrix[T], factors []float64) error {
	if p.Cols == 0 {
		return ctx.Err()
	}
	return parallel.EachRow(ctx, p.Rows, func(i int) {
		row := p.Row(i)
		for j, f := range factors {
			row[j] = T(float64(row[j]) * f)
			if f == 0 { // and not −0
				row[j] = 0
			}
		}
	})
}

// TimesVector returns a·v, summed in float64.
func TimesVector[T kernel.Float](ctx context.Context, a *Matrix[T], v []float64) ([]float64, error) {
	out := make([]float64, a.Rows())
	return out, parallel.EachRow(ctx, len(out), func(i int) {
		cols, vals := a.Row(i)
		sum := 0.0
		for q, x := range vals {
			sum += float64(x) * v[Column(cols, q)]
		}
		out[i] = sum
	})
}

// TransposeTimes returns aᵀ·v, summed in float64.
func TransposeTimes[T kernel.Float](ctx context.Context, a *Matrix[T], v []float64) ([]float64, error) {
	return parallel.Sum(ctx, a.Rows(), a.Cols(), func(sum []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			c := v[i]
			cols, vals := a.Row(i)
			if cols == nil {
				for j, x := range vals {
					sum[j] += c * float64(x)
				}
				continue
			}
			for q, j := range cols {
				sum[j] += c * float64(vals[q])
			}
		}
	})
}
