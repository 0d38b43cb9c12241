package tape

import (
	"coles/internal/parallel"
)

// total adds sum up over corresponding parts of two matrices of one size.
func (t *Tape[T]) total(a, b matrix[T], sum func(a, b []T) float64) float64 {
	if a.Rows == 0 || a.Cols == 0 {
		return 0
	}
	return t.reduce(a, b, sum, func(p, q float64) float64 { return p + q })
}

// largest and smallest are the extreme entries of a matrix that has some.
func (t *Tape[T]) largest(x matrix[T]) float64 {
	return t.reduce(x, x, func(x, _ []T) float64 { return float64(largest(x)) }, func(p, q float64) float64 { return max(p, q) })
}

func (t *Tape[T]) smallest(x matrix[T]) float64 {
	return t.reduce(x, x, func(x, _ []T) float64 { return float64(smallest(x)) }, func(p, q float64) float64 { return min(p, q) })
}

// reduce joins the values of corresponding parts of two matrices of one size
// with entries: within blocks of rows, then these in their order.
func (t *Tape[T]) reduce(a, b matrix[T], value func(a, b []T) float64, join func(p, q float64) float64) float64 {
	whole := joined(a) && joined(b)
	grain := rowsOf(a.Cols)
	parts := t.wide.take(1, (a.Rows+grain-1)/grain)
	defer t.wide.release(&parts)
	t.ranges(a.Rows, a.Cols, func(lo, hi int) {
		block := lo / grain
		if whole {
			lo, hi = lo*a.Cols, hi*a.Cols
			parts.Data[block] = value(a.Data[lo:hi], b.Data[lo:hi])
			return
		}
		part := value(row(a, lo), row(b, lo))
		for i := lo + 1; i < hi; i++ {
			part = join(part, value(row(a, i), row(b, i)))
		}
		parts.Data[block] = part
	})
	result := parts.Data[0]
	for _, part := range parts.Data[1:] {
		result = join(result, part)
	}
	return result
}

// dot is the sum of the products of corresponding entries.
func (t *Tape[T]) dot(a, b matrix[T]) float64 { return t.total(a, b, dot) }

// columnSums sets sum, of cols numbers, to what add adds to it for the rows in
// [0, rows): within blocks of rows, then these in their order.
func (t *Tape[T]) columnSums(sum []float64, rows int, add func(sum []float64, i int)) {
	grain := max(summedRows, rowsOf(len(sum)))
	parts := t.wide.take((rows+grain-1)/grain, len(sum))
	defer t.wide.release(&parts)
	t.check(parallel.Ranges(t.ctx, rows, grain, func(lo, hi int) {
		part := row(parts, lo/grain)
		clear(part)
		for i := lo; i < hi; i++ {
			add(part, i)
		}
	}))
	clear(sum)
	for block := range parts.Rows {
		addTo(sum, row(parts, block))
	}
}

// columnSumsOf is the 1×cols matrix of columnSums, lent by the tape.
func (t *Tape[T]) columnSumsOf(rows, cols int, add func(sum []float64, i int)) matrix[T] {
	wide, sums := t.wide.take(1, cols), t.take(1, cols)
	defer t.wide.release(&wide)
	t.columnSums(wide.Data, rows, add)
	clear(sums.Data)
	addTo(sums.Data, wide.Data)
	return sums
}
