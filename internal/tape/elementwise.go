package tape

// elementwise is the result of a function of every entry. It is set by value;
// derive multiplies the gradient by the derivative, given x and y.
func (t *Tape) elementwise(x *Value, value func(y, x []float64), derive func(g, x, y []float64)) *Value {
	y := t.newValue(x.Rows(), x.Cols(), x)
	t.each(y.data, x.data, x.data, func(y, x, _ []float64) { value(y, x) })
	y.back = func() {
		t.each(y.grad, x.data, y.data, derive)
		t.pass(&y.grad, x)
	}
	return y
}
