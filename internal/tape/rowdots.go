package tape

// RowDots is the n×1 matrix of the products of corresponding rows of two n×d
// matrices: y_i = a_i·b_i.
//
// g_a of row i = g_i·b_i, g_b of row i = g_i·a_i.
func (t *Tape[T]) RowDots(a, b *Value[T]) *Value[T] {
	fit(sameSize(a, b), "RowDots", a, b)
	y := t.newValue(a.Rows(), 1, a, b)
	t.eachRow(a.Rows(), a.Cols(), func(i int) { row(y.data, i)[0] = T(dot(row(a.data, i), row(b.data, i))) })
	y.back = func() {
		t.addRowMultiples(a, y.grad, b)
		t.addRowMultiples(b, y.grad, a)
	}
	return y
}

// addRowMultiples adds c_i·from_i to row i of the gradient of x.
func (t *Tape[T]) addRowMultiples(x *Value[T], c matrix[T], from *Value[T]) {
	if !x.wants {
		return
	}
	dst := t.gradient(x)
	t.eachRow(x.Rows(), x.Cols(), func(i int) { addMultiple(row(dst, i), row(c, i)[0], row(from.data, i)) })
}
