package tape

// Bias is y = x + 1·b: the 1×d matrix b is added to every row of the n×d x.
//
// g_x = g, g_b = 1ᵀ·g.
func (t *Tape[T]) Bias(x, b *Value[T]) *Value[T] {
	fit(b.Rows() == 1 && b.Cols() == x.Cols(), "Bias", x, b)
	y := t.newValue(x.Rows(), x.Cols(), x, b)
	add := row(b.data, 0)
	t.eachRow(x.Rows(), x.Cols(), func(i int) {
		dst := row(y.data, i)
		for j, v := range row(x.data, i) {
			dst[j] = v + add[j]
		}
	})
	y.back = func() {
		if b.wants {
			sums := t.columnSumsOf(y.Rows(), b.Cols(), func(sum []float64, i int) { addTo(sum, row(y.grad, i)) })
			t.pass(&sums, b)
			t.release(&sums)
		}
		t.pass(&y.grad, x)
	}
	return y
}
