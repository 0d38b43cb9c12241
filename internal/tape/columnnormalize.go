package tape

// ColumnNormalize divides every column of the n×d matrix x by its length:
// y_ij = x_ij/c_j with c_j² = Σ_i x_ij². A column of zeros, or so short that its
// square is below the smallest number, becomes zero and so does its gradient.
//
// g_x of entry (i, j) = (g_ij − y_ij·Σ_k g_kj·y_kj)/c_j.
func (t *Tape[T]) ColumnNormalize(x *Value[T]) *Value[T] {
	y := t.newValue(x.Rows(), x.Cols(), x)
	y.kept = t.take(1, x.Cols())
	inverse := y.kept.Data
	squares := t.wide.take(1, x.Cols())
	defer t.wide.release(&squares)
	t.columnDots(squares.Data, x.data, x.data)
	for j, square := range squares.Data {
		inverse[j] = T(inverseLength(square))
	}
	t.eachRow(x.Rows(), x.Cols(), func(i int) {
		to := row(y.data, i)
		for j, v := range row(x.data, i) {
			to[j] = v * inverse[j]
		}
	})
	y.back = func() {
		dots := t.wide.take(1, x.Cols())
		defer t.wide.release(&dots)
		t.columnDots(dots.Data, y.grad, y.data)
		t.eachRow(x.Rows(), x.Cols(), func(i int) {
			g := row(y.grad, i)
			for j, v := range row(y.data, i) {
				g[j] = (g[j] - v*T(dots.Data[j])) * inverse[j]
			}
		})
		t.pass(&y.grad, x)
	}
	return y
}

// columnDots sets sum[j] to Σ_i a_ij·b_ij.
func (t *Tape[T]) columnDots(sum []float64, a, b matrix[T]) {
	t.columnSums(sum, a.Rows, func(sum []float64, i int) {
		other := row(b, i)
		for j, v := range row(a, i) {
			sum[j] += float64(v) * float64(other[j])
		}
	})
}
