package gnn

import (
	"context"
	"math/rand/v2"

	"coles/internal/kernel"
	"coles/internal/parallel"
	"coles/internal/stream"
	"coles/internal/tape"
)

// features are the inputs of the first layer with a weight, n×d: sparse or dense.
type features[T kernel.Float] struct {
	sparse *kernel.CSR[T]  // nil when they are dense
	factor *tape.Sparse[T] // sparse for the tape
	dense  kernel.Matrix[T]
}

func newSparseFeatures[T kernel.Float](x *kernel.CSR[T]) features[T] {
	return features[T]{sparse: x, factor: tape.NewSparse(x, false)}
}

func (f features[T]) rows() int {
	if f.sparse != nil {
		return f.sparse.Rows
	}
	return f.dense.Rows
}

func (f features[T]) cols() int {
	if f.sparse != nil {
		return f.sparse.Cols
	}
	return f.dense.Cols
}

// changed is a copy in which the functions that do makes, one for every task, have changed
// the values of every row.
func (f features[T]) changed(ctx context.Context, do func() func(i int, cols []int32, vals []T)) (features[T], error) {
	var c features[T]
	if f.sparse == nil {
		c.dense = kernel.Unset[T](f.dense.Rows, f.dense.Cols)
	} else {
		c.sparse = withValues[T](f.sparse)
	}
	err := parallel.Ranges(ctx, f.rows(), rowsAtOnce, func(lo, hi int) {
		change := do()
		for i := lo; i < hi; i++ {
			_, from := f.row(i)
			cols, to := c.row(i)
			copy(to, from)
			change(i, cols, to)
		}
	})
	if c.sparse != nil && err == nil {
		c = newSparseFeatures(c.sparse)
	}
	return c, err
}

// withValues is a matrix with entries where a has them, their values not yet set.
func withValues[T, S kernel.Float](a *kernel.CSR[S]) *kernel.CSR[T] {
	return &kernel.CSR[T]{Rows: a.Rows, Cols: a.Cols, Ptr: a.Ptr, Col: a.Col, Val: kernel.Unset[T](1, len(a.Val)).Data}
}

// rowsAtOnce rows are worked on between two looks at the context.
const rowsAtOnce = 256

// row is row i: its columns, nil where all are stored, and its values.
func (f features[T]) row(i int) ([]int32, []T) {
	if f.sparse != nil {
		return f.sparse.Row(i)
	}
	return nil, f.dense.Data[i*f.dense.Stride:][:f.dense.Cols]
}

// dropped sets entries to zero with probability rate and divides the others by
// 1 − rate.
func (f features[T]) dropped(ctx context.Context, rate float64, rnd *rand.Rand) (features[T], error) {
	seed, factor := rnd.Uint64(), T(1/(1-rate))
	return f.changed(ctx, func() func(int, []int32, []T) {
		s := stream.New()
		return func(i int, _ []int32, vals []T) {
			s.Reseed(seed, uint64(i))
			for q := range vals {
				if s.Float64() < rate {
					vals[q] = 0
				} else {
					vals[q] *= factor
				}
			}
		}
	})
}

// masked sets whole columns to zero, each with probability rate.
func (f features[T]) masked(ctx context.Context, rate float64, rnd *rand.Rand) (features[T], error) {
	if rate == 0 {
		return f, nil
	}
	hidden := make([]bool, f.cols())
	for j := range hidden {
		hidden[j] = rnd.Float64() < rate
	}
	hide := func(_ int, cols []int32, vals []T) {
		for q := range vals {
			j := q
			if cols != nil {
				j = int(cols[q])
			}
			if hidden[j] {
				vals[q] = 0
			}
		}
	}
	return f.changed(ctx, func() func(int, []int32, []T) { return hide })
}

// at is the rows of some nodes.
func (f features[T]) at(rows []int) features[T] {
	if f.sparse == nil {
		c := kernel.Dense[T](len(rows), f.dense.Cols)
		for k, i := range rows {
			copy(c.Data[k*c.Stride:][:c.Cols], f.dense.Data[i*f.dense.Stride:][:c.Cols])
		}
		return features[T]{dense: c}
	}
	c := &kernel.CSR[T]{Rows: len(rows), Cols: f.sparse.Cols, Ptr: make([]int64, 1, len(rows)+1)}
	for _, i := range rows {
		cols, vals := f.sparse.Row(i)
		c.Col, c.Val = append(c.Col, cols...), append(c.Val, vals...)
		c.Ptr = append(c.Ptr, int64(len(c.Col)))
	}
	return newSparseFeatures(c)
}

// times is X·Θ.
func (f features[T]) times(t *tape.Tape[T], theta *tape.Value[T]) *tape.Value[T] {
	if f.sparse == nil {
		return t.MatMul(t.Constant(f.dense), theta)
	}
	return t.SpMM(f.factor, theta)
}
