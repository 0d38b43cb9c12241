package tape

import "math"

// Softplus is y = log(1 + eˣ) by entry, of any shape, without overflow.
//
// g_x = g·σ(x).
func (t *Tape[T]) Softplus(x *Value[T]) *Value[T] {
	return t.elementwise(x,
		func(y, x []T) {
			for i, v := range x {
				y[i] = T(softplus(float64(v)))
			}
		},
		func(g, x, _ []T) {
			for i, v := range x {
				g[i] *= T(sigmoid(float64(v)))
			}
		})
}

func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }
