package tape

import (
	"fmt"
)

// GatherDots is the m×1 matrix of the products of chosen rows of two matrices
// with d columns: y_k = a_us[k]·b_vs[k]. It is RowDots of two Gathers without
// their 2·m·d numbers. us and vs must not change before the next Reset.
//
// g_a of row i = Σ g_k·b_vs[k] over the k with us[k] = i, and g_b likewise.
func (t *Tape[T]) GatherDots(a *Value[T], us []int, b *Value[T], vs []int) *Value[T] {
	fit(a.Cols() == b.Cols(), "GatherDots", a, b)
	if len(us) != len(vs) {
		panic(fmt.Sprintf("tape: GatherDots of %d and %d rows", len(us), len(vs)))
	}
	fitIndices("GatherDots, us", us, a.Rows())
	fitIndices("GatherDots, vs", vs, b.Rows())
	y := t.newValue(len(us), 1, a, b)
	t.eachRow(len(us), a.Cols(), func(k int) { row(y.data, k)[0] = T(dot(row(a.data, us[k]), row(b.data, vs[k]))) })
	y.back = func() {
		t.scatterMultiples(a, us, y.grad, b, vs)
		t.scatterMultiples(b, vs, y.grad, a, us)
	}
	return y
}

// scatterMultiples adds c_k·from_vs[k] to row us[k] of the gradient of x.
func (t *Tape[T]) scatterMultiples(x *Value[T], us []int, c matrix[T], from *Value[T], vs []int) {
	if !x.wants {
		return
	}
	dst := t.gradient(x)
	t.scatter(len(us), x.Cols(), func(k, lo, hi int) {
		addMultiple(row(dst, us[k])[lo:hi], row(c, k)[0], row(from.data, vs[k])[lo:hi])
	})
}
