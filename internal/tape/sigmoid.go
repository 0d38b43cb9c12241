package tape

import "math"

// Sigmoid is y = σ(x) = 1/(1 + e⁻ˣ) by entry, of any shape.
//
// g_x = g·y·(1 − y).
func (t *Tape) Sigmoid(x *Value) *Value {
	return t.elementwise(x,
		func(y, x []float64) {
			for i, v := range x {
				y[i] = sigmoid(v)
			}
		},
		func(g, _, y []float64) {
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
