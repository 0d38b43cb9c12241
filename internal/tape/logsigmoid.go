package tape

// LogSigmoid is y = log σ(x) = −log(1 + e⁻ˣ) by entry, of any shape, without
// overflow.
//
// g_x = g·σ(−x).
func (t *Tape) LogSigmoid(x *Value) *Value {
	return t.elementwise(x,
		func(y, x []float64) {
			for i, v := range x {
				y[i] = -softplus(-v)
			}
		},
		func(g, x, _ []float64) {
			for i, v := range x {
				g[i] *= sigmoid(-v)
			}
		})
}
