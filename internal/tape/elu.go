package tape

import "math"

// ELU is y = x where x > 0, else eˣ − 1, by entry, of any shape.
//
// g_x = g where x > 0, else g·eˣ = g·(y + 1).
func (t *Tape[T]) ELU(x *Value[T]) *Value[T] {
	return t.elementwise(x,
		func(y, x []T) {
			for i, v := range x {
				if y[i] = v; !(v > 0) {
					y[i] = T(math.Expm1(float64(v)))
				}
			}
		},
		func(g, x, y []T) {
			for i, v := range x {
				if !(v > 0) {
					g[i] *= y[i] + 1
				}
			}
		})
}
