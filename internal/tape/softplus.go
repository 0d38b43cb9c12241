package tape

import "math"

// Softplus is y = log(1 + eˣ) by entry, of any shape, without overflow.
//
// g_x = g·σ(x).
func (t *Tape) Softplus(x *Value) *Value {
	return t.elementwise(x,
		func(y, x []float64) {
			for i, v := range x {
				y[i] = softplus(v)
			}
		},
		func(g, x, _ []float64) {
			for i, v := range x {
				g[i] *= sigmoid(v)
			}
		})
}

func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }
