package autodiff

// Recomputed is y = f(inputs) of which y alone is kept: Backward computes f once more to differentiate it. A deep
// network of such parts takes the memory of their results and of one part, and a second forward pass (Chen, Xu, Zhang
// and Guestrin, 2016). The function f records operations on the tape that it is given, on those inputs alone. It must
// compute the same every time: its draws come from a seed drawn before.
func (t *Tape[T]) Recomputed(f func(t *Tape[T], inputs []*Value[T]) *Value[T], inputs ...*Value[T]) *Value[T] {
	if t.inner == nil {
		t.inner = New[T](t.ctx)
	}
	// on records f, on variables where back is to differentiate.
	on := func(differentiated bool) *Value[T] {
		t.inner.Reset(t.ctx)
		inside := make([]*Value[T], len(inputs))
		for k, x := range inputs {
			if inside[k] = t.inner.Constant(x.data); differentiated && x.needsGrad {
				inside[k] = t.inner.Variable(x.data, t.gradient(x))
			}
		}
		return f(t.inner, inside)
	}
	fitDense(inputs...)
	result := on(false)
	y := t.newValue(result.Rows(), result.Cols(), inputs...)
	t.copy(y.data, result.data)
	t.Fail(t.inner.err)
	t.inner.Reset(t.ctx)
	y.back = func() {
		if again := on(true); again.needsGrad {
			t.inner.addScaled(t.inner.gradient(again), 1, y.grad)
			t.Fail(t.inner.sweep())
		}
		t.inner.Reset(t.ctx)
	}
	return y
}

// Forget ends the recording but for one value, which becomes a Constant with the data that it has: the
// memory of all others is for what is recorded next. Other values become invalid. It is for passes
// without a gradient, which then take no more memory than their largest part.
func (t *Tape[T]) Forget(but *Value[T]) *Value[T] {
	kept, err := *but, t.err
	but.owned = false // so that its data stay
	t.Reset(t.ctx)
	t.err = err
	v := t.node()
	v.data, v.sparse, v.rows, v.owned = kept.data, kept.sparse, kept.rows, kept.owned
	return v
}
