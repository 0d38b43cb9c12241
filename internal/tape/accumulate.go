package tape

// The ways for an operation to add to the gradient of one of its inputs x. They
// are for inputs that want one.

// destination is where to write what is added, and beta is 1 if it is to be
// added to what is there and 0 if that means nothing.
func (t *Tape[T]) destination(x *Value[T]) (dst matrix[T], beta T) {
	if x.reached {
		return x.grad, 1
	}
	x.grad, x.reached = t.take(x.Rows(), x.Cols()), true
	return x.grad, 0
}

// gradient is the gradient of x so far, to be added to.
func (t *Tape[T]) gradient(x *Value[T]) matrix[T] {
	dst, beta := t.destination(x)
	if beta == 0 {
		t.fill(dst, 0)
	}
	return dst
}

// pass adds g, of which the memory is no longer needed and given up, if x wants
// it.
func (t *Tape[T]) pass(g *matrix[T], x *Value[T]) {
	switch {
	case !x.wants:
	case !x.reached:
		x.grad, x.reached, *g = *g, true, matrix[T]{}
	default:
		t.addScaled(x.grad, 1, *g)
	}
}
