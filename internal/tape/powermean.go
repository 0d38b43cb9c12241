package tape

import "math"

// PowerMean is the 1×1 power mean of the N > 0 entries of x, which must be
// positive: y = ((1/N)·Σ xᵖ)^(1/p), and for p = 0 the limit, the geometric mean
// e^((1/N)·Σ log x). The powers are those of numbers relative to the largest
// entry, or for p < 0 to the smallest, and so do not overflow. An entry that is
// not positive gives NaN.
//
// g_x = (g/N)·(x/y)^(p−1).
func (t *Tape[T]) PowerMean(x *Value[T], p float64) *Value[T] {
	fit(x.Rows() > 0 && x.Cols() > 0, "PowerMean", x)
	count := float64(x.Rows()) * float64(x.Cols())
	y := t.newScalar(t.powerMean(x.data, p, count), x)
	y.back = func() {
		g, m := float64(y.grad.Data[0])/count, y.Scalar()
		dst := t.gradient(x)
		t.each(dst, x.data, x.data, func(dst, x, _ []T) {
			for i, v := range x {
				dst[i] += T(g * math.Pow(float64(v)/m, p-1))
			}
		})
	}
	return y
}

func (t *Tape[T]) powerMean(x matrix[T], p, count float64) float64 {
	unit := t.smallest(x)
	if !(unit > 0) {
		return math.NaN()
	}
	if p == 0 {
		logs := t.total(x, x, func(x, _ []T) float64 {
			sum := 0.0
			for _, v := range x {
				sum += math.Log(float64(v))
			}
			return sum
		})
		return math.Exp(logs / count)
	}
	if p > 0 {
		unit = t.largest(x)
	}
	powers := t.total(x, x, func(x, _ []T) float64 {
		sum := 0.0
		for _, v := range x {
			sum += math.Pow(float64(v)/unit, p)
		}
		return sum
	})
	return unit * math.Pow(powers/count, 1/p)
}
