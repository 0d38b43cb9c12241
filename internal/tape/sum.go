package tape

// Sum is the 1×1 matrix y = Σ x over all entries.
//
// g_x = g in every entry.
func (t *Tape[T]) Sum(x *Value[T]) *Value[T] { return t.weightedSum(x, 1) }

// Mean is the 1×1 matrix y = (1/N)·Σ x over all N > 0 entries.
//
// g_x = g/N in every entry.
func (t *Tape[T]) Mean(x *Value[T]) *Value[T] {
	fit(x.Rows() > 0 && x.Cols() > 0, "Mean", x)
	return t.weightedSum(x, 1/(float64(x.Rows())*float64(x.Cols())))
}

// weightedSum is c·Σ x.
func (t *Tape[T]) weightedSum(x *Value[T], c float64) *Value[T] {
	all := t.total(x.data, x.data, func(x, _ []T) float64 { return sum(x) })
	y := t.newScalar(c*all, x)
	y.back = func() {
		g := T(c * float64(y.grad.Data[0]))
		dst := t.gradient(x)
		t.each(dst, dst, dst, func(dst, _, _ []T) {
			for i := range dst {
				dst[i] += g
			}
		})
	}
	return y
}
