package tape

import "gonum.org/v1/gonum/floats"

// Sum is the 1×1 matrix y = Σ x over all entries.
//
// g_x = g in every entry.
func (t *Tape) Sum(x *Value) *Value { return t.weightedSum(x, 1) }

// Mean is the 1×1 matrix y = (1/N)·Σ x over all N > 0 entries.
//
// g_x = g/N in every entry.
func (t *Tape) Mean(x *Value) *Value {
	fit(x.Rows() > 0 && x.Cols() > 0, "Mean", x)
	return t.weightedSum(x, 1/(float64(x.Rows())*float64(x.Cols())))
}

// weightedSum is c·Σ x.
func (t *Tape) weightedSum(x *Value, c float64) *Value {
	sum := t.total(x.data, x.data, func(x, _ []float64) float64 { return floats.Sum(x) })
	y := t.newScalar(c*sum, x)
	y.back = func() {
		g := c * y.grad.Data[0]
		dst := t.gradient(x)
		t.each(dst, dst, dst, func(dst, _, _ []float64) {
			for i := range dst {
				dst[i] += g
			}
		})
	}
	return y
}
