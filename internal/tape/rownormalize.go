package tape

import (
	"math"
)

// RowNormalize divides every row of the n×d matrix x by its length, ‖x_i‖:
// y_i = x_i/‖x_i‖. A row of zeros, or so short that its square is below the
// smallest number, becomes zero and so does its gradient.
//
// g_x of row i = (g_i − (g_i·y_i)·y_i)/‖x_i‖.
func (t *Tape[T]) RowNormalize(x *Value[T]) *Value[T] {
	y := t.newValue(x.Rows(), x.Cols(), x)
	y.kept = t.take(x.Rows(), 1)
	inverse := y.kept.Data
	t.eachRow(x.Rows(), x.Cols(), func(i int) {
		from := row(x.data, i)
		inverse[i] = T(inverseLength(dot(from, from)))
		multiplyTo(row(y.data, i), inverse[i], from)
	})
	y.back = func() {
		t.eachRow(x.Rows(), x.Cols(), func(i int) {
			g, unit := row(y.grad, i), row(y.data, i)
			addMultiple(g, T(-dot(g, unit)), unit)
			multiplyTo(g, inverse[i], g)
		})
		t.pass(&y.grad, x)
	}
	return y
}

// inverseLength is 1/√square, and zero for zero.
func inverseLength(square float64) float64 {
	if square == 0 {
		return 0
	}
	return 1 / math.Sqrt(square)
}
