package autodiff

import (
	"coles/internal/matrix"
	"coles/internal/parallel"
)

const (
	// piece is the number of entries that one task goes through: some tens of microseconds.
	piece = 1 << 14

	// summedRows is the least number of rows that a task sums by column, so that there are few
	// partial sums for each entry.
	summedRows = 64
)

// rowsOf is the number of rows that make a task.
func rowsOf(cols int) int { return max(1, piece/max(1, cols)) }

// joined reports whether the rows of m follow each other without padding.
func joined[T Float](m Matrix[T]) bool { return m.Stride == m.Cols || m.Rows <= 1 }

// each calls do for corresponding parts of three matrices of one size, which may be the same one.
func (t *Tape[T]) each(a, b, c Matrix[T], do func(a, b, c []T)) {
	if a.Cols == 0 {
		return
	}
	whole := joined(a) && joined(b) && joined(c)
	t.ranges(a.Rows, a.Cols, func(lo, hi int) {
		if whole {
			lo, hi = lo*a.Cols, hi*a.Cols
			do(a.Data[lo:hi], b.Data[lo:hi], c.Data[lo:hi])
			return
		}
		for i := lo; i < hi; i++ {
			do(a.Row(i), b.Row(i), c.Row(i))
		}
	})
}

// ranges calls do for ranges of rows, as tasks.
func (t *Tape[T]) ranges(rows, cols int, do func(lo, hi int)) {
	t.Fail(parallel.Ranges(t.ctx, rows, rowsOf(cols), do))
}

// eachRow calls do for every row.
func (t *Tape[T]) eachRow(rows, cols int, do func(i int)) {
	t.ranges(rows, cols, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			do(i)
		}
	})
}

// zero sets a matrix to zero.
func (t *Tape[T]) zero(dst Matrix[T]) {
	t.each(dst, dst, dst, func(dst, _, _ []T) { clear(dst) })
}

// copy copies src to dst.
func (t *Tape[T]) copy(dst, src Matrix[T]) {
	t.each(dst, src, src, func(dst, src, _ []T) { copy(dst, src) })
}

// addScaled adds c·src to dst.
func (t *Tape[T]) addScaled(dst Matrix[T], c T, src Matrix[T]) {
	t.each(dst, src, src, func(dst, src, _ []T) { matrix.AddScaled(dst, c, src) })
}

// scale multiplies m by c.
func (t *Tape[T]) scale(m Matrix[T], c T) {
	t.each(m, m, m, func(m, _, _ []T) { matrix.Scale(m, c) })
}

// total is the total of sum over corresponding parts of two matrices of one size, 0 of empty ones: first within blocks of
// rows, then the blocks in order.
func (t *Tape[T]) total(a, b Matrix[T], sum func(a, b []T) float64) (total float64) {
	if a.Rows == 0 || a.Cols == 0 {
		return 0
	}
	whole := joined(a) && joined(b)
	grain := rowsOf(a.Cols)
	parts := t.wide.take(1, parallel.Pieces(a.Rows, grain))
	defer t.wide.release(&parts)
	t.ranges(a.Rows, a.Cols, func(lo, hi int) {
		block := lo / grain
		if whole {
			lo, hi = lo*a.Cols, hi*a.Cols
			parts.Data[block] = sum(a.Data[lo:hi], b.Data[lo:hi])
			return
		}
		part := 0.0
		for i := lo; i < hi; i++ {
			part += sum(a.Row(i), b.Row(i))
		}
		parts.Data[block] = part
	})
	for _, part := range parts.Data {
		total += part
	}
	return total
}

// columnSums sets sum, of one number for each column, to the total of what add adds for the rows in [0, rows). It
// sums within blocks of rows, and then the blocks in order.
func (t *Tape[T]) columnSums(sum []float64, rows int, add func(sum []float64, i int)) {
	grain := max(summedRows, rowsOf(len(sum)))
	parts := t.wide.take(parallel.Pieces(rows, grain), len(sum))
	defer t.wide.release(&parts)
	t.Fail(parallel.Ranges(t.ctx, rows, grain, func(lo, hi int) {
		part := parts.Row(lo / grain)
		clear(part)
		for i := lo; i < hi; i++ {
			add(part, i)
		}
	}))
	clear(sum)
	for block := range parts.Rows {
		addTo(sum, parts.Row(block))
	}
}

// columnSumsOf is columnSums as a 1×cols matrix, to be released.
func (t *Tape[T]) columnSumsOf(rows, cols int, add func(sum []float64, i int)) Matrix[T] {
	wide, sums := t.wide.take(1, cols), t.take(1, cols)
	defer t.wide.release(&wide)
	t.columnSums(wide.Data, rows, add)
	clear(sums.Data)
	addTo(sums.Data, wide.Data)
	return sums
}
