package tape

import (
	"gonum.org/v1/gonum/floats"

	"coles/internal/parallel"
)

// total adds sum up over corresponding parts of two matrices of one size.
func (t *Tape) total(a, b matrix, sum func(a, b []float64) float64) float64 {
	if a.Rows == 0 || a.Cols == 0 {
		return 0
	}
	return t.reduce(a, b, sum, func(p, q float64) float64 { return p + q })
}

// largest and smallest are the extreme entries of a matrix that has some.
func (t *Tape) largest(x matrix) float64 {
	return t.reduce(x, x, func(x, _ []float64) float64 { return floats.Max(x) }, func(p, q float64) float64 { return max(p, q) })
}

func (t *Tape) smallest(x matrix) float64 {
	return t.reduce(x, x, func(x, _ []float64) float64 { return floats.Min(x) }, func(p, q float64) float64 { return min(p, q) })
}

// reduce joins the values of corresponding parts of two matrices of one size
// with entries: within blocks of rows, then these in their order.
func (t *Tape) reduce(a, b matrix, value func(a, b []float64) float64, join func(p, q float64) float64) float64 {
	whole := joined(a) && joined(b)
	grain := rowsOf(a.Cols)
	parts := t.take(1, (a.Rows+grain-1)/grain)
	defer t.release(&parts)
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
func (t *Tape) dot(a, b matrix) float64 { return t.total(a, b, floats.Dot) }

// columnSums sets sum, of cols numbers, to what add adds to it for the rows in
// [0, rows): within blocks of rows, then these in their order.
func (t *Tape) columnSums(sum []float64, rows int, add func(sum []float64, i int)) {
	grain := max(summedRows, rowsOf(len(sum)))
	parts := t.take((rows+grain-1)/grain, len(sum))
	defer t.release(&parts)
	t.check(parallel.Ranges(t.ctx, rows, grain, func(lo, hi int) {
		part := row(parts, lo/grain)
		clear(part)
		for i := lo; i < hi; i++ {
			add(part, i)
		}
	}))
	clear(sum)
	for block := range parts.Rows {
		floats.Add(sum, row(parts, block))
	}
}
