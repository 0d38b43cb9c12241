package tape

// Scale is y = c·x for a number c and a matrix of any shape.
//
// g_x = c·g.
func (t *Tape) Scale(x *Value, c float64) *Value {
	return t.elementwise(x,
		func(y, x []float64) {
			for i, v := range x {
				y[i] = c * v
			}
		},
		func(g, _, _ []float64) {
			for i := range g {
				g[i] *= c
			}
		})
}
