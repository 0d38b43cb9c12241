package tape

import "math"

// LogSumExp is the 1×1 matrix y = log Σ eˣ over all entries, at least one,
// without overflow.
//
// g_x = g·eˣ/Σ eˣ.
func (t *Tape[T]) LogSumExp(x *Value[T]) *Value[T] {
	fit(x.Rows() > 0 && x.Cols() > 0, "LogSumExp", x)
	peak := t.largest(x.data)
	sum := t.total(x.data, x.data, func(x, _ []T) float64 {
		sum := 0.0
		for _, v := range x {
			sum += math.Exp(float64(v) - peak)
		}
		return sum
	})
	y := t.newScalar(peak+math.Log(sum), x)
	y.back = func() {
		// y itself, if large, has lost digits of the logarithm.
		g := float64(y.grad.Data[0]) / sum
		dst := t.gradient(x)
		t.each(dst, x.data, x.data, func(dst, x, _ []T) {
			for i, v := range x {
				dst[i] += T(g * math.Exp(float64(v)-peak))
			}
		})
	}
	return y
}
