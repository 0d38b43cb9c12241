package tape

import "coles/internal/kernel"

// Value is a matrix on a tape, valid until the tape is Reset.
type Value[T kernel.Float] struct {
	data    matrix[T]
	grad    matrix[T] // lent by the tape, or the caller's for a Variable
	kept    matrix[T] // what back needs besides data and grad
	wants   bool      // depends on a Variable
	reached bool      // grad holds a part of the gradient
	owned   bool      // data and grad are memory of the tape
	back    func()    // adds to the gradients of the inputs; may overwrite grad and kept
}

// Data is the matrix, not to be written to.
func (v *Value[T]) Data() matrix[T] { return v.data }

// Grad is the gradient of a Variable, in the caller's memory. Those of other
// values are handed on and overwritten by Backward: for them it is empty.
func (v *Value[T]) Grad() matrix[T] { return v.grad }

// Rows is the number of rows.
func (v *Value[T]) Rows() int { return v.data.Rows }

// Cols is the number of columns.
func (v *Value[T]) Cols() int { return v.data.Cols }

// Scalar is the one entry of a 1×1 value.
func (v *Value[T]) Scalar() float64 {
	fit(v.Rows() == 1 && v.Cols() == 1, "Scalar", v)
	return float64(v.data.Data[0])
}

// Constant is m, with respect to which nothing is differentiated. It is not
// copied and must not change before the next Reset.
func (t *Tape[T]) Constant(m matrix[T]) *Value[T] {
	v := t.node()
	v.data = m
	return v
}

// Variable is m, to be differentiated by: Backward adds to grad, of the same
// size. Neither is copied; m must not change before the next Reset.
func (t *Tape[T]) Variable(m, grad matrix[T]) *Value[T] {
	v := t.node()
	v.data, v.grad = m, grad
	fit(m.Rows == grad.Rows && m.Cols == grad.Cols, "Variable", v, &Value[T]{data: grad})
	v.wants, v.reached = true, true
	return v
}

// node is the next node of the record, empty.
func (t *Tape[T]) node() *Value[T] {
	if t.used == len(t.nodes) {
		t.nodes = append(t.nodes, new(Value[T]))
	}
	t.used++
	return t.nodes[t.used-1]
}

// newValue is the result of an operation, its entries not yet set.
func (t *Tape[T]) newValue(rows, cols int, inputs ...*Value[T]) *Value[T] {
	v := t.node()
	v.data, v.owned = t.take(rows, cols), true
	for _, x := range inputs {
		v.wants = v.wants || x.wants
	}
	return v
}

// newScalar is a 1×1 result.
func (t *Tape[T]) newScalar(s float64, x *Value[T]) *Value[T] {
	v := t.newValue(1, 1, x)
	v.data.Data[0] = T(s)
	return v
}
