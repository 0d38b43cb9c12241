package tape

import "math"

// ReLU is y = max(x, 0) by entry, of any shape; NaN stays NaN.
//
// g_x = g where x > 0, else 0.
func (t *Tape[T]) ReLU(x *Value[T]) *Value[T] {
	return t.elementwise(x,
		func(y, x []T) {
			for i, v := range x {
				y[i] = max(v, 0)
			}
		},
		func(g, _, y []T) {
			// Without a branch, which would be foreseen in half of the cases
			// only: the bits of a y > 0 are a positive number, those of 0 zero.
			for i, v := range y {
				positive := uint64(-int64(math.Float64bits(float64(v))) >> 63)
				g[i] = T(math.Float64frombits(math.Float64bits(float64(g[i])) & positive))
			}
		})
}
