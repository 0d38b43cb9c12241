package tape

// LogSigmoid is y = log σ(x) = −log(1 + e⁻ˣ) by entry, of any shape, without
// overflow.
//
// g_x = g·σ(−x).
func (t *Tape[T]) LogSigmoid(x *Value[T]) *Value[T] {
	return t.elementwise(x,
		func(y, x []T) {
			for i, v := range x {
				y[i] = T(-softplus(-float64(v)))
			}
		},
		func(g, x, _ []T) {
			for i, v := range x {
				g[i] *= T(sigmoid(-float64(v)))
			}
		})
}
