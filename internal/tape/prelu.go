package tape

// PReLU is y = x where x > 0, else a·x, by entry, for x of any shape and a 1×1
// slope a.
//
// g_x = g where x > 0, else a·g; g_a = Σ g·x over the entries x ≤ 0.
func (t *Tape) PReLU(x, a *Value) *Value {
	fit(a.Rows() == 1 && a.Cols() == 1, "PReLU", x, a)
	slope := a.Scalar()
	multiply := func(y, x []float64) {
		for i, v := range x {
			if !(v > 0) {
				y[i] *= slope
			}
		}
	}
	y := t.newValue(x.Rows(), x.Cols(), x, a)
	t.each(y.data, x.data, x.data, func(y, x, _ []float64) {
		copy(y, x)
		multiply(y, x)
	})
	y.back = func() {
		if a.wants {
			g := t.total(y.grad, x.data, func(g, x []float64) float64 {
				sum := 0.0
				for i, v := range x {
					sum += g[i] * min(v, 0)
				}
				return sum
			})
			t.gradient(a).Data[0] += g
		}
		t.each(y.grad, x.data, x.data, func(g, x, _ []float64) { multiply(g, x) })
		t.pass(&y.grad, x)
	}
	return y
}
