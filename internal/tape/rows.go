package tape

import (
	"coles/internal/kernel"
	"coles/internal/parallel"
)

const (
	// piece is the number of entries that one task goes through: some tens of
	// microseconds.
	piece = 1 << 14

	// summedRows is the least number of rows that a task sums by column, so that
	// the partial sums are few beside the entries.
	summedRows = 64
)

// row is row i of m. A matrix without columns may have no data at all.
func row[T kernel.Float](m matrix[T], i int) []T {
	if m.Cols == 0 {
		return nil
	}
	return m.Data[i*m.Stride : i*m.Stride+m.Cols]
}

// rowsOf is how many rows of so many columns make a task.
func rowsOf(cols int) int { return max(1, piece/max(1, cols)) }

func joined[T kernel.Float](m matrix[T]) bool { return m.Stride == m.Cols || m.Rows <= 1 }

// each calls do for corresponding parts of three matrices of one size, which
// may be the same one.
func (t *Tape[T]) each(a, b, c matrix[T], do func(a, b, c []T)) {
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
			do(row(a, i), row(b, i), row(c, i))
		}
	})
}

// ranges shares rows of so many columns out.
func (t *Tape[T]) ranges(rows, cols int, do func(lo, hi int)) {
	t.check(parallel.Ranges(t.ctx, rows, rowsOf(cols), do))
}

// eachRow calls do for every row of so many columns.
func (t *Tape[T]) eachRow(rows, cols int, do func(i int)) {
	t.ranges(rows, cols, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			do(i)
		}
	})
}

func (t *Tape[T]) fill(dst matrix[T], c T) {
	t.each(dst, dst, dst, func(dst, _, _ []T) {
		for i := range dst {
			dst[i] = c
		}
	})
}

// addScaled adds c·src to dst.
func (t *Tape[T]) addScaled(dst matrix[T], c T, src matrix[T]) {
	t.each(dst, src, src, func(dst, src, _ []T) {
		for i, v := range src {
			dst[i] += c * v
		}
	})
}

// scale multiplies m by c.
func (t *Tape[T]) scale(m matrix[T], c T) {
	t.each(m, m, m, func(m, _, _ []T) {
		for i := range m {
			m[i] *= c
		}
	})
}
