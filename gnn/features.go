package gnn

import (
	"math/rand/v2"
	"slices"

	"coles/internal/kernel"
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

// scaled is a copy in which do has changed the values of every row.
func (f features[T]) scaled(do func(i int, cols []int32, vals []T)) features[T] {
	if f.sparse == nil {
		c := kernel.Dense[T](f.dense.Rows, f.dense.Cols)
		kernel.Copy(c, f.dense)
		for i := range c.Rows {
			do(i, nil, c.Data[i*c.Stride:][:c.Cols])
		}
		return features[T]{dense: c}
	}
	c := *f.sparse
	c.Val = slices.Clone(c.Val)
	for i := range c.Rows {
		cols, vals := c.Row(i)
		do(i, cols, vals)
	}
	return newSparseFeatures(&c)
}

// dropped sets entries to zero with probability rate and divides the others by
// 1 − rate.
func (f features[T]) dropped(rate float64, rnd *rand.Rand) features[T] {
	seed, factor, s := rnd.Uint64(), T(1/(1-rate)), stream.New()
	return f.scaled(func(i int, _ []int32, vals []T) {
		s.Reseed(seed, uint64(i))
		for q := range vals {
			if s.Float64() < rate {
				vals[q] = 0
			} else {
				vals[q] *= factor
			}
		}
	})
}

// masked sets whole columns to zero, each with probability rate.
func (f features[T]) masked(rate float64, rnd *rand.Rand) features[T] {
	if rate == 0 {
		return f
	}
	hidden := make([]bool, f.cols())
	for j := range hidden {
		hidden[j] = rnd.Float64() < rate
	}
	return f.scaled(func(_ int, cols []int32, vals []T) {
		for q := range vals {
			j := q
			if cols != nil {
				j = int(cols[q])
			}
			if hidden[j] {
				vals[q] = 0
			}
		}
	})
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
