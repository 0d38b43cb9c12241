package gnn

import (
	"math/rand/v2"

	"coles/internal/kernel"
	"coles/internal/stream"
	"coles/internal/tape"
)

// features are the inputs of the first layer with a weight, n×d: sparse or dense.
type features[T kernel.Float] struct {
	sparse *kernel.CSR[T] // nil when they are dense
	// transpose is that of sparse; the value at place q of it is the one at
	// place order[q] of sparse.
	transpose *kernel.CSR[T]
	order     []int32
	dense     kernel.Matrix[T]
}

func newSparseFeatures[T kernel.Float](x *kernel.CSR[T]) features[T] {
	f := features[T]{sparse: x}
	places := *x
	places.Val = nil
	numbered := &kernel.CSR[float64]{Rows: x.Rows, Cols: x.Cols, Ptr: x.Ptr, Col: x.Col, Val: make([]float64, x.NNZ())}
	for q := range numbered.Val {
		numbered.Val[q] = float64(q)
	}
	t := numbered.Transpose()
	f.order = make([]int32, len(t.Val))
	for q, v := range t.Val {
		f.order[q] = int32(v)
	}
	f.transpose = &kernel.CSR[T]{Rows: t.Rows, Cols: t.Cols, Ptr: t.Ptr, Col: t.Col}
	f.transpose.Val = f.transposed(x.Val)
	return f
}

// transposed is values of sparse in the order of the transpose.
func (f features[T]) transposed(values []T) []T {
	t := make([]T, len(values))
	for q, from := range f.order {
		t[q] = values[from]
	}
	return t
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
	c := f
	values := append([]T(nil), f.sparse.Val...)
	for i := range f.sparse.Rows {
		lo, hi := f.sparse.Ptr[i], f.sparse.Ptr[i+1]
		do(i, f.sparse.Col[lo:hi], values[lo:hi])
	}
	c.sparse = withValues(f.sparse, values)
	c.transpose = withValues(f.transpose, f.transposed(values))
	return c
}

func withValues[T kernel.Float](a *kernel.CSR[T], values []T) *kernel.CSR[T] {
	return &kernel.CSR[T]{Rows: a.Rows, Cols: a.Cols, Ptr: a.Ptr, Col: a.Col, Val: values}
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
	return t.SpMM(tape.NewSparse(f.sparse, f.transpose), theta)
}
