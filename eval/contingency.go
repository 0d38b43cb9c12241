package eval

import (
	"fmt"
	"slices"
)

// contingency counts how often two labellings of the same things meet: only the
// pairs that occur, so that it never takes more than the labellings do.
type contingency struct {
	n                  int
	rows, cols         []int // the distinct labels of each, ascending
	rowTotal, colTotal []int
	cells              []cell // by row, then by column
}

// A cell counts the things of the first labelling's class rows[row] and the
// second's cols[col].
type cell struct{ row, col, count int }

func newContingency(a, b []int) (*contingency, error) {
	if len(a) != len(b) {
		return nil, fmt.Errorf("%w: %d labels against %d", ErrShape, len(a), len(b))
	}
	if len(a) == 0 {
		return nil, fmt.Errorf("%w: no labels to compare", ErrEmpty)
	}
	t := &contingency{n: len(a), rows: distinct(a), cols: distinct(b)}
	t.rowTotal, t.colTotal = make([]int, len(t.rows)), make([]int, len(t.cols))
	row, col := numbersOf(t.rows), numbersOf(t.cols)
	met := make([]cell, len(a))
	for i := range a {
		met[i] = cell{row[a[i]], col[b[i]], 1}
		t.rowTotal[met[i].row]++
		t.colTotal[met[i].col]++
	}
	slices.SortFunc(met, func(x, y cell) int {
		if x.row != y.row {
			return x.row - y.row
		}
		return x.col - y.col
	})
	for _, c := range met {
		if last := len(t.cells) - 1; last >= 0 && t.cells[last].row == c.row && t.cells[last].col == c.col {
			t.cells[last].count++
		} else {
			t.cells = append(t.cells, c)
		}
	}
	return t, nil
}

// distinct is the labels that occur, ascending.
func distinct(labels []int) []int {
	d := slices.Clone(labels)
	slices.Sort(d)
	return slices.Clip(slices.Compact(d))
}

// numbersOf is the position of each label.
func numbersOf(labels []int) map[int]int {
	number := make(map[int]int, len(labels))
	for k, l := range labels {
		number[l] = k
	}
	return number
}
