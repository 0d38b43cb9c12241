package tape

import "math"

// Sigmoid is y = σ(x) = 1/(1 + e⁻ˣ) by entry, of any shape.
//
// g_x = g·y·(1 − y).
func (t *Tape[T]) Sigmoid(x *Value[T]) *Value[T] {
	return t.elementwise(x,
		func(y, x []T) {
			for i, v := range x {
				y[i] = T(sigmoid(float64(v)))
			}
		},
		func(g, _, y []T) {
			for i, v := range y {
				g[i] *= v * (1 - v)
			}
		})
}

// sigmoid takes the exponential of negative numbers only, which cannot overflow.
func sigmoid(x float64) float64 {
	e := math.Exp(-math.Abs(x))
	if x < 0 {
		return e / (1 + e)
	}
	return 1 / (1 + e)
}
