package tape

// Scale is y = c·x for a number c and a matrix of any shape.
//
// g_x = c·g.
func (t *Tape[T]) Scale(x *Value[T], c float64) *Value[T] {
	factor := T(c)
	return t.elementwise(x,
		func(y, x []T) {
			for i, v := range x {
				y[i] = factor * v
			}
		},
		func(g, _, _ []T) {
			for i := range g {
				g[i] *= factor
			}
		})
}
