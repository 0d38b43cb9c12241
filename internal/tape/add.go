package tape

// Add is y = a + b, of two matrices of one shape.
//
// g_a = g, g_b = g.
func (t *Tape[T]) Add(a, b *Value[T]) *Value[T] {
	fit(sameSize(a, b), "Add", a, b)
	y := t.newValue(a.Rows(), a.Cols(), a, b)
	t.each(y.data, a.data, b.data, func(y, a, b []T) {
		for i, v := range a {
			y[i] = v + b[i]
		}
	})
	y.back = func() {
		if a.wants && b.wants {
			t.addScaled(t.gradient(a), 1, y.grad)
			t.pass(&y.grad, b)
			return
		}
		t.pass(&y.grad, a)
		t.pass(&y.grad, b)
	}
	return y
}
