package nearest

import (
	"cmp"
	"math"
	"slices"

	"coles/internal/kernel"
)

// A group has at most groupRows rows with heads near to each other.
const groupRows = 128

// Lines are the unit rows one after the other, in groups of near ones, for searches for few queries.
type lines struct {
	rows   []int32 // of the index, in the order of the lines
	units  kernel.Matrix[float32]
	rests  []float32 // lengths behind the head
	heads  []float32 // of each group, transposed
	groups []group
}

// A group bounds the product of a unit query (h, t) with its rows by c·h + r·‖h‖ + s·‖t‖.
type group struct {
	centre       []float64  // c of the heads
	radius, rest float64    // r around it, and the largest s behind the heads
	lengths      [2]float64 // the least and the largest of a row before
}

// inLines has room for n rows of d columns, in whole lines of the caches.
func inLines(n, d int) kernel.Matrix[float32] {
	a := kernel.Dense[float32](n, (d+kernel.RowLine-1)/kernel.RowLine*kernel.RowLine)
	a.Cols = d
	return a
}

// newLines makes the lines of rows of d columns and these lengths. unit writes the first columns of a row.
func newLines(d, head int, lengths []float64, unit func(i int, to []float32)) *lines {
	n := len(lengths)
	heads := kernel.Dense[float32](n, head)
	l := &lines{rows: make([]int32, n), units: inLines(n, d), rests: make([]float32, n), heads: make([]float32, n*head)}
	for i := range l.rows {
		l.rows[i] = int32(i)
		unit(i, heads.Row(i))
	}
	divide(l.rows, heads)
	for lo := 0; lo < n; lo += groupRows {
		hi := min(n, lo+groupRows)
		g := group{centre: make([]float64, head), lengths: [2]float64{math.Inf(1), 0}}
		for q := lo; q < hi; q++ {
			row := l.units.Row(q)
			unit(int(l.rows[q]), row)
			l.rests[q] = behind(row, head)
			for j, v := range row[:head] {
				l.heads[lo*head+j*(hi-lo)+q-lo] = v
				g.centre[j] += float64(v) / float64(hi-lo)
			}
			length := lengths[l.rows[q]]
			g.rest, g.lengths = max(g.rest, float64(l.rests[q])), [2]float64{min(g.lengths[0], length), max(g.lengths[1], length)}
		}
		for q := lo; q < hi; q++ {
			apart := 0.0
			for j, v := range l.units.Row(q)[:head] {
				apart += (float64(v) - g.centre[j]) * (float64(v) - g.centre[j])
			}
			g.radius = max(g.radius, math.Sqrt(apart))
		}
		l.groups = append(l.groups, g)
	}
	return l
}

// divide orders rows such that every groupRows of them have heads near to each other: by the column of the largest
// variance, and then each half.
func divide(rows []int32, heads kernel.Matrix[float32]) {
	if len(rows) <= groupRows {
		return
	}
	widest, most := 0, -1.0
	for j := range heads.Cols {
		sum, squares := 0.0, 0.0
		for _, i := range rows {
			v := float64(heads.Row(int(i))[j])
			sum += v
			squares += v * v
		}
		if variance := squares - sum*sum/float64(len(rows)); variance > most {
			widest, most = j, variance
		}
	}
	slices.SortFunc(rows, func(a, b int32) int {
		return cmp.Or(cmp.Compare(heads.Row(int(a))[widest], heads.Row(int(b))[widest]), cmp.Compare(a, b))
	})
	half := (len(rows)/groupRows + 1) / 2 * groupRows
	divide(rows[:half], heads)
	divide(rows[half:], heads)
}

// A bound is above all products of a query with rows of a group, but for rounding.
type bound struct {
	group int
	most  float64
}

// bounds are the bounds of the groups, the largest first.
func (l *lines) bounds(unit []float32, head int, rest float64) []bound {
	all, length := make([]bound, len(l.groups)), float64(behind(unit[:head], 0))
	for q, g := range l.groups {
		most := g.radius*length + g.rest*rest
		for j, v := range unit[:head] {
			most += float64(v) * g.centre[j]
		}
		all[q] = bound{q, most}
	}
	slices.SortFunc(all, func(a, b bound) int { return cmp.Or(cmp.Compare(b.most, a.most), a.group-b.group) })
	return all
}
