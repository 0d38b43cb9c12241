package tape

import (
	"coles/internal/parallel"
)

const (
	// scatterColumns is how many columns of a scattered sum one task owns, and
	// scatterRows after how many rows the context is looked at.
	scatterColumns = 64
	scatterRows    = 1 << 14
)

// Gather is the m×d matrix of the given rows, any of them repeatedly, of an n×d
// matrix x: y_k = x_rows[k]. rows must not change before the next Reset.
//
// g_x of row i = Σ g_k over the k with rows[k] = i.
func (t *Tape[T]) Gather(x *Value[T], rows []int) *Value[T] {
	fitIndices("Gather", rows, x.Rows())
	y := t.newValue(len(rows), x.Cols(), x)
	t.eachRow(len(rows), x.Cols(), func(k int) { copy(row(y.data, k), row(x.data, rows[k])) })
	y.back = func() {
		dst := t.gradient(x)
		t.scatter(len(rows), x.Cols(), func(k, lo, hi int) {
			addTo(row(dst, rows[k])[lo:hi], row(y.grad, k)[lo:hi])
		})
	}
	return y
}

// scatter calls add for every k in [0, m) and all columns, in ranges [lo, hi): for
// each of these in the order of k, as two of them may add to the same row.
func (t *Tape[T]) scatter(m, cols int, add func(k, lo, hi int)) {
	for first := 0; first < m && t.err == nil; first += scatterRows {
		t.check(parallel.Ranges(t.ctx, cols, scatterColumns, func(lo, hi int) {
			for k := first; k < min(m, first+scatterRows); k++ {
				add(k, lo, hi)
			}
		}))
	}
}
