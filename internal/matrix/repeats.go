package matrix

import (
	"context"
	"iter"

	"coles/internal/kernel"
)

// Repeats say how entries given again are joined.
type Repeats string

// They add up, or the largest or the first of them counts.
const (
	Added   Repeats = "sum"
	Largest Repeats = "max"
	First   Repeats = "first"
)

// Merge joins two entries, the earlier one first.
func (r Repeats) Merge(x, y float64) float64 {
	switch r {
	case Added:
		return x + y
	case Largest:
		return max(x, y)
	}
	return x
}

// FromEntries builds a symmetric matrix a from count entries of a square one, in any order. s_uv joins the entries at (u, v),
// and a_uv is max(s_uv, s_vu). But if s is a sum of repeats and not symmetric, a_uv is s_uv + s_vu, and s_uu on the diagonal.
// Without weights it makes a pattern, unless repeats add up. It returns how many entries were given again, and how many
// entries of the matrix had a larger mirror image. The parts of the entries are run twice, and twice more if repeats add up,
// concurrently. The only errors come from ctx and its space.
func FromEntries[E ~struct{ U, V int }](ctx context.Context, n int, parts []iter.Seq2[E, float64], count int, weighted bool, repeats Repeats) (a *kernel.CSR[float64], again, mirrored int, err error) {
	g := gathering{n: n, entries: count, valued: weighted, apart: true}
	larger := func(x, y float64) float64 { return max(x, y) }
	if repeats != Added {
		a, counts, err := gather(ctx, g, parts, repeats.joining(larger))
		return a, counts[0], counts[1], err
	}
	once, stop := context.WithCancel(ctx) // at the first that is given again
	defer stop()
	join := Largest.joining(larger)
	a, counts, err := gather(once, g, parts, func(i int, row, mirror *rowPart, out rowPart) (int, [2]int) {
		kept, counts := join(i, row, mirror, out)
		if counts[0] > 0 {
			stop()
		}
		return kept, counts
	})
	if once.Err() == nil || ctx.Err() != nil {
		return a, counts[0], counts[1], err
	}
	g.valued = true
	if a, counts, err = gather(ctx, g, parts, Added.joining(Added.Merge)); err == nil && counts[1] == 0 {
		err = EachRow(ctx, a, func(i int) { halve(a, i) }) // each was added to its equal
	}
	return a, counts[0], counts[1], err
}

// halve halves a row but for its entry on the diagonal.
func halve(a *kernel.CSR[float64], i int) {
	cols, vals := a.Row(i)
	for q, j := range cols {
		if int(j) != i {
			vals[q] /= 2
		}
	}
}

// joining joins the entries of each direction, and then both directions by both.
func (r Repeats) joining(both func(there, back float64) float64) joining {
	return func(_ int, row, mirror *rowPart, out rowPart) (kept int, counts [2]int) {
		counts[0] = len(row.cols)
		row.join(r.Merge)
		mirror.join(r.Merge)
		counts[0] -= len(row.cols)
		p, q := 0, 0
		for ; p < len(row.cols) || q < len(mirror.cols); kept++ {
			fromRow := q == len(mirror.cols) || p < len(row.cols) && row.cols[p] <= mirror.cols[q]
			fromMirror := p == len(row.cols) || q < len(mirror.cols) && mirror.cols[q] <= row.cols[p]
			there, back := 0.0, 0.0
			if fromRow {
				out.cols[kept], there = row.cols[p], row.value(p)
				p++
			}
			if fromMirror {
				out.cols[kept], back = mirror.cols[q], mirror.value(q)
				q++
			}
			if back > there {
				counts[1]++
			}
			if out.vals != nil {
				out.vals[kept] = both(there, back)
			}
		}
		return kept, counts
	}
}
