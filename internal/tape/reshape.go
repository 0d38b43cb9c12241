package tape

import (
	"fmt"

	"coles/internal/kernel"
)

// Reshape is the rows×cols matrix y of the entries of x, as many, read row by
// row: such as the k products that belong to each of n nodes, from an n·k×1 matrix.
//
// g_x is g reshaped to the size of x.
func (t *Tape[T]) Reshape(x *Value[T], rows, cols int) *Value[T] {
	if rows < 0 || cols < 0 || rows*cols != x.Rows()*x.Cols() {
		panic(fmt.Sprintf("tape: Reshape of %d×%d to %d×%d", x.Rows(), x.Cols(), rows, cols))
	}
	y := t.newValue(rows, cols, x)
	t.each(resized(y.data, x.Rows(), x.Cols()), x.data, x.data, func(y, x, _ []T) { copy(y, x) })
	y.back = func() {
		y.grad = resized(y.grad, x.Rows(), x.Cols())
		t.pass(&y.grad, x)
	}
	return y
}

// resized is m, without padding, as a matrix of another size.
func resized[T kernel.Float](m matrix[T], rows, cols int) matrix[T] {
	return matrix[T]{Rows: rows, Cols: cols, Stride: max(1, cols), Data: m.Data}
}
