package tape

// elementwise is the result of a function of every entry. It is set by value;
// derive multiplies the gradient by the derivative, given x and y.
func (t *Tape[T]) elementwise(x *Value[T], value func(y, x []T), derive func(g, x, y []T)) *Value[T] {
	y := t.newValue(x.Rows(), x.Cols(), x)
	t.each(y.data, x.data, x.data, func(y, x, _ []T) { value(y, x) })
	y.back = func() {
		t.each(y.grad, x.data, y.data, derive)
		t.pass(&y.grad, x)
	}
	return y
}
