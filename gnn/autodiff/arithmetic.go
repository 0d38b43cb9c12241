package autodiff

import (
	"math"

	"coles/internal/matrix"
)

// elementwise is y = f(x) by entry. value sets y; derive multiplies the gradient g by f′, given x
// and y.
func (t *Tape[T]) elementwise(x *Value[T], value func(y, x []T), derive func(g, x, y []T)) *Value[T] {
	y := t.newValue(x.Rows(), x.Cols(), x)
	t.each(y.data, x.data, x.data, func(y, x, _ []T) { value(y, x) })
	y.back = func() {
		t.each(y.grad, x.data, y.data, derive)
		t.pass(&y.grad, x)
	}
	return y
}

// byEntry is elementwise for functions that cost more than a call: f, and its derivative given x and
// y.
func (t *Tape[T]) byEntry(x *Value[T], f func(x T) T, derivative func(x, y T) T) *Value[T] {
	return t.elementwise(x,
		func(y, x []T) {
			for i, v := range x {
				y[i] = f(v)
			}
		},
		func(g, x, y []T) {
			for i, v := range x {
				g[i] *= derivative(v, y[i])
			}
		})
}

// Add is y = a + b, of two matrices of one shape. g_a = g, g_b = g.
func (t *Tape[T]) Add(a, b *Value[T]) *Value[T] {
	fit(sameSize(a, b), "Add", a, b)
	y := t.newValue(a.Rows(), a.Cols(), a, b)
	t.each(y.data, a.data, b.data, func(y, a, b []T) {
		for i, v := range a {
			y[i] = v + b[i]
		}
	})
	y.back = func() {
		if b.needsGrad {
			t.addGradient(a, 1, y.grad)
			t.pass(&y.grad, b)
			return
		}
		t.pass(&y.grad, a)
	}
	return y
}

// Scale is y = c·x for a number c and a matrix of any shape. g_x = c·g.
func (t *Tape[T]) Scale(x *Value[T], c float64) *Value[T] {
	factor := T(c)
	return t.elementwise(x,
		func(y, x []T) { multiplyTo(y, factor, x) },
		func(g, _, _ []T) { matrix.Scale(g, factor) })
}

// Bias is y = x + 1·b: the 1×d matrix b is added to every row of the n×d x. g_x = g, g_b = 1ᵀ·g.
func (t *Tape[T]) Bias(x, b *Value[T]) *Value[T] {
	fit(b.Rows() == 1 && b.Cols() == x.Cols(), "Bias", x, b)
	y := t.newValue(x.Rows(), x.Cols(), x, b)
	add := b.data.Row(0)
	t.eachRow(x.Rows(), x.Cols(), func(i int) {
		dst := y.data.Row(i)
		for j, v := range x.data.Row(i) {
			dst[j] = v + add[j]
		}
	})
	y.back = func() {
		t.addColumnSums(b, y.grad)
		t.pass(&y.grad, x)
	}
	return y
}

// addColumnSums adds 1ᵀ·g to the gradient of b, if it needs one.
func (t *Tape[T]) addColumnSums(b *Value[T], g Matrix[T]) {
	if b.needsGrad {
		sums := t.columnSumsOf(g.Rows, g.Cols, func(sum []float64, i int) { addTo(sum, g.Row(i)) })
		t.pass(&sums, b)
		t.release(&sums)
	}
}

// Mul is y = a∘b, the product by entry of an n×d matrix a and of b. b is n×d, or is repeated to n×d from 1×d, n×1 or
// 1×1. g_a = g∘b and g_b = g∘a, summed over the rows and columns that repeat b.
func (t *Tape[T]) Mul(a, b *Value[T]) *Value[T] {
	byRow, byColumn := b.Rows() == a.Rows(), b.Cols() == a.Cols()
	fit((byRow || b.Rows() == 1) && (byColumn || b.Cols() == 1), "Mul", a, b)
	factors := func(i int) []T {
		if byRow {
			return b.data.Row(i)
		}
		return b.data.Row(0)
	}
	y := t.newValue(a.Rows(), a.Cols(), a, b)
	t.eachRow(a.Rows(), a.Cols(), func(i int) {
		clear(y.data.Row(i))
		addProducts(y.data.Row(i), a.data.Row(i), factors(i))
	})
	y.back = func() {
		if a.needsGrad {
			dst := t.gradient(a)
			t.eachRow(a.Rows(), a.Cols(), func(i int) { addProducts(dst.Row(i), y.grad.Row(i), factors(i)) })
		}
		switch {
		case !b.needsGrad:
		case byRow && byColumn:
			dst := t.gradient(b)
			t.eachRow(a.Rows(), a.Cols(), func(i int) { addProducts(dst.Row(i), y.grad.Row(i), a.data.Row(i)) })
		case byRow:
			dst := t.gradient(b)
			t.eachRow(a.Rows(), a.Cols(), func(i int) { dst.Row(i)[0] += T(matrix.Dot(y.grad.Row(i), a.data.Row(i))) })
		default:
			sums := t.wide.take(1, a.Cols())
			defer t.wide.release(&sums)
			t.columnDots(sums.Data, y.grad, a.data)
			if dst := t.gradient(b).Row(0); byColumn {
				addTo(dst, sums.Data)
			} else {
				dst[0] += T(matrix.Sum(sums.Data))
			}
		}
	}
	return y
}

// addProducts adds x∘c to dst; c may be one number.
func addProducts[T Float](dst, x, c []T) {
	if len(c) == 1 {
		matrix.AddScaled(dst, c[0], x)
		return
	}
	dst, c = dst[:len(x)], c[:len(x)]
	for j, v := range x {
		dst[j] += v * c[j]
	}
}

// Reciprocal is y = 1/x by entry. g_x = −g·y².
func (t *Tape[T]) Reciprocal(x *Value[T]) *Value[T] {
	return t.byEntry(x, func(x T) T { return 1 / x }, func(_, y T) T { return -y * y })
}

// Pow is y = xᵖ by entry, for x ≥ 0 of any shape and p ≠ 0. g_x = g·p·xᵖ⁻¹.
func (t *Tape[T]) Pow(x *Value[T], p float64) *Value[T] {
	return t.byEntry(x,
		func(x T) T { return T(math.Pow(float64(x), p)) },
		func(x, _ T) T { return T(p * math.Pow(float64(x), p-1)) })
}

// Exp is y = eˣ by entry. g_x = g·y.
func (t *Tape[T]) Exp(x *Value[T]) *Value[T] {
	return t.byEntry(x, func(x T) T { return T(exp[T](float64(x))) }, func(_, y T) T { return y })
}
