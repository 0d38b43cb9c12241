package tape

// PReLU is y = x where x > 0, else a·x, by entry, for x of any shape and a 1×1
// slope a.
//
// g_x = g where x > 0, else a·g; g_a = Σ g·x over the entries x ≤ 0.
func (t *Tape[T]) PReLU(x, a *Value[T]) *Value[T] {
	fit(a.Rows() == 1 && a.Cols() == 1, "PReLU", x, a)
	slope := a.data.Data[0]
	multiply := func(y, x []T) {
		for i, v := range x {
			if !(v > 0) {
				y[i] *= slope
			}
		}
	}
	y := t.newValue(x.Rows(), x.Cols(), x, a)
	t.each(y.data, x.data, x.data, func(y, x, _ []T) {
		copy(y, x)
		multiply(y, x)
	})
	y.back = func() {
		if a.wants {
			g := t.total(y.grad, x.data, func(g, x []T) float64 {
				sum := 0.0
				for i, v := range x {
					sum += float64(g[i]) * float64(min(v, 0))
				}
				return sum
			})
			t.gradient(a).Data[0] += T(g)
		}
		t.each(y.grad, x.data, x.data, func(g, x, _ []T) { multiply(g, x) })
		t.pass(&y.grad, x)
	}
	return y
}
