package eval

import (
	"cmp"
	"fmt"
	"slices"

	"coles"
)

// A contingency counts how often two labellings of the same things meet. It holds the pairs that
// occur, and so never takes more memory than the labellings.
type contingency struct {
	n          int
	rows, cols partition
	cells      []cell // by row, then by column
}

// A cell counts the things of part row of the first labelling and part col of the second.
type cell struct{ row, col, count int }

func newContingency(a, b []int) (*contingency, error) {
	if len(a) != len(b) {
		return nil, fmt.Errorf("%w: %d labels against %d", coles.ErrShape, len(a), len(b))
	}
	if len(a) == 0 {
		return nil, fmt.Errorf("%w: no labels to compare", coles.ErrShape)
	}
	t := &contingency{n: len(a), rows: partitionOf(a), cols: partitionOf(b)}
	met := make([]cell, len(a))
	for i := range a {
		met[i] = cell{t.rows.part[i], t.cols.part[i], 1}
	}
	slices.SortFunc(met, func(x, y cell) int { return cmp.Or(x.row-y.row, x.col-y.col) })
	for _, c := range met {
		if last := len(t.cells) - 1; last >= 0 && t.cells[last].row == c.row && t.cells[last].col == c.col {
			t.cells[last].count++
		} else {
			t.cells = append(t.cells, c)
		}
	}
	return t, nil
}

// distinct lists the labels that occur, ascending.
func distinct(labels []int) []int {
	d := slices.Clone(labels)
	slices.Sort(d)
	return slices.Clip(slices.Compact(d))
}

// A partition divides things by their labels, which may be any numbers, into parts numbered from 0.
type partition struct {
	labels []int // of each part, ascending
	part   []int // of each thing
	size   []int // of each part
}

func partitionOf(labels []int) partition {
	p := partition{labels: distinct(labels), part: make([]int, len(labels))}
	number := make(map[int]int, len(p.labels))
	for k, l := range p.labels {
		number[l] = k
	}
	p.size = make([]int, len(p.labels))
	for i, l := range labels {
		p.part[i] = number[l]
		p.size[p.part[i]]++
	}
	return p
}
