package autodiff

import (
	"fmt"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
)

const (
	// scatterColumns is the number of columns of a scattered sum that one task owns, and
	// scatterRows the number of rows between two looks at the context.
	scatterColumns = 64
	scatterRows    = 1 << 14
)

// Gather is the m×d matrix of the given rows of an n×d matrix x, which may repeat: y_k = x_rows[k].
// Of a SparseConstant it is another one, which costs nothing: MatMul gathers rows of the product. g_x of row i = Σ g_k over the k with rows[k] = i.
func (t *Tape[T]) Gather(x *Value[T], rows []int) *Value[T] {
	fitIndices("Gather", rows, x.Rows())
	if x.sparse != nil {
		y := t.SparseConstant(x.sparse)
		y.data.Rows, y.rows = len(rows), rows
		if x.rows != nil {
			y.rows = make([]int, len(rows))
			for k, i := range rows {
				y.rows[k] = x.rows[i]
			}
		}
		return y
	}
	y := t.newValue(len(rows), x.Cols(), x)
	t.eachRow(len(rows), x.Cols(), func(k int) { copy(y.data.Row(k), x.data.Row(rows[k])) })
	y.back = func() {
		dst := t.gradient(x)
		t.scatter(len(rows), x.Cols(), func(k, lo, hi int) {
			addTo(dst.Row(rows[k])[lo:hi], y.grad.Row(k)[lo:hi])
		})
	}
	return y
}

// scatter calls add for every k in [0, m) and for ranges [lo, hi) that cover all columns. Within a range the k are in
// order, since several may add to the same row.
func (t *Tape[T]) scatter(m, cols int, add func(k, lo, hi int)) {
	for first := 0; first < m && t.err == nil; first += scatterRows {
		t.Fail(parallel.Ranges(t.ctx, cols, scatterColumns, func(lo, hi int) {
			for k := first; k < min(m, first+scatterRows); k++ {
				add(k, lo, hi)
			}
		}))
	}
}

// RowDots is the n×1 matrix of the inner products of corresponding rows of two n×d matrices, y_i = a_i·b_i. Then g_a
// of row i = g_i·b_i, g_b of row i = g_i·a_i.
func (t *Tape[T]) RowDots(a, b *Value[T]) *Value[T] {
	fit(sameSize(a, b), "RowDots", a, b)
	y := t.newValue(a.Rows(), 1, a, b)
	t.eachRow(a.Rows(), a.Cols(), func(i int) { y.data.Row(i)[0] = T(matrix.Dot(a.data.Row(i), b.data.Row(i))) })
	y.back = func() {
		t.addRowMultiples(a, y.grad, b)
		t.addRowMultiples(b, y.grad, a)
	}
	return y
}

// addRowMultiples adds c_i·from_i to row i of the gradient of x.
func (t *Tape[T]) addRowMultiples(x *Value[T], c Matrix[T], from *Value[T]) {
	if !x.needsGrad {
		return
	}
	dst := t.gradient(x)
	t.eachRow(x.Rows(), x.Cols(), func(i int) { matrix.AddScaled(dst.Row(i), c.Row(i)[0], from.data.Row(i)) })
}

// GatherDots is the m×1 matrix of the inner products of given rows of two matrices with d columns:
// y_k = a_us[k]·b_vs[k]. It is RowDots of two Gathers without their 2·m·d numbers.
// g_a of row i = Σ g_k·b_vs[k] over the k with us[k] = i, and g_b likewise.
func (t *Tape[T]) GatherDots(a *Value[T], us []int, b *Value[T], vs []int) *Value[T] {
	fit(a.Cols() == b.Cols(), "GatherDots", a, b)
	if len(us) != len(vs) {
		panic(fmt.Sprintf("autodiff: GatherDots of %d and %d rows", len(us), len(vs)))
	}
	fitIndices("GatherDots, us", us, a.Rows())
	fitIndices("GatherDots, vs", vs, b.Rows())
	y := t.newValue(len(us), 1, a, b)
	t.eachRow(len(us), a.Cols(), func(k int) { y.data.Row(k)[0] = T(matrix.Dot(a.data.Row(us[k]), b.data.Row(vs[k]))) })
	y.back = func() {
		t.scatterMultiples(a, us, y.grad, b, vs)
		t.scatterMultiples(b, vs, y.grad, a, us)
	}
	return y
}

// scatterMultiples adds c_k·from_vs[k] to row us[k] of the gradient of x.
func (t *Tape[T]) scatterMultiples(x *Value[T], us []int, c Matrix[T], from *Value[T], vs []int) {
	if !x.needsGrad {
		return
	}
	dst := t.gradient(x)
	t.scatter(len(us), x.Cols(), func(k, lo, hi int) {
		matrix.AddScaled(dst.Row(us[k])[lo:hi], c.Row(k)[0], from.data.Row(vs[k])[lo:hi])
	})
}

// Reshape is the rows×cols matrix y of the entries of x, read row by row. It turns the n·k×1 matrix
// of k products for each of n nodes into one of n×k. g_x is g reshaped to the size of x.
func (t *Tape[T]) Reshape(x *Value[T], rows, cols int) *Value[T] {
	if rows < 0 || cols < 0 || rows*cols != x.Rows()*x.Cols() {
		panic(fmt.Sprintf("autodiff: Reshape of %d×%d to %d×%d", x.Rows(), x.Cols(), rows, cols))
	}
	y := t.newValue(rows, cols, x)
	t.copy(resized(y.data, x.Rows(), x.Cols()), x.data)
	y.back = func() {
		y.grad = resized(y.grad, x.Rows(), x.Cols())
		t.pass(&y.grad, x)
	}
	return y
}

// resized is m, without padding, as a matrix of another size.
func resized[T Float](m Matrix[T], rows, cols int) Matrix[T] {
	return Matrix[T]{Rows: rows, Cols: cols, Stride: max(1, cols), Data: m.Data}
}

// Concat is the n×Σd matrix of n×d matrices side by side: y = [x₁ x₂ …]. The gradient of each is
// its columns of g.
func (t *Tape[T]) Concat(xs ...*Value[T]) *Value[T] {
	cols := 0
	for _, x := range xs {
		fit(x.Rows() == xs[0].Rows(), "Concat", xs...)
		cols += x.Cols()
	}
	y := t.newValue(xs[0].Rows(), cols, xs...)
	eachPart := func(m Matrix[T], do func(x *Value[T], part Matrix[T])) {
		lo := 0
		for _, x := range xs {
			do(x, kernel.Columns(m, lo, lo+x.Cols()))
			lo += x.Cols()
		}
	}
	eachPart(y.data, func(x *Value[T], part Matrix[T]) { t.copy(part, x.data) })
	y.back = func() {
		eachPart(y.grad, func(x *Value[T], part Matrix[T]) { t.addGradient(x, 1, part) })
	}
	return y
}

// Columns is the columns lo to hi − 1 of x. g_x is g in these columns, and 0 in the others.
func (t *Tape[T]) Columns(x *Value[T], lo, hi int) *Value[T] {
	if lo < 0 || hi < lo || hi > x.Cols() {
		panic(fmt.Sprintf("autodiff: Columns %d to %d of %d×%d", lo, hi, x.Rows(), x.Cols()))
	}
	y := t.newValue(x.Rows(), hi-lo, x)
	t.copy(y.data, kernel.Columns(x.data, lo, hi))
	y.back = func() { t.addScaled(kernel.Columns(t.gradient(x), lo, hi), 1, y.grad) }
	return y
}
