// Package contingency counts how labellings of the same things meet.
package contingency

import (
	"cmp"
	"fmt"
	"slices"

	"coles"
)

// A Table counts how often two labellings of the same things meet. It holds the pairs that
// occur, and so never takes more memory than the labellings.
type Table struct {
	N          int
	Rows, Cols Partition
	Cells      []Cell // by row, then by column
}

// A Cell counts the things of part row of the first labelling and part col of the second.
type Cell struct{ Row, Col, Count int }

// Of counts two labellings of the same things.
//
// Errors: [coles.ErrShape] if their lengths differ or are zero.
func Of(a, b []int) (*Table, error) {
	if len(a) != len(b) {
		return nil, fmt.Errorf("%w: %d labels against %d", coles.ErrShape, len(a), len(b))
	}
	if len(a) == 0 {
		return nil, fmt.Errorf("%w: no labels to compare", coles.ErrShape)
	}
	t := &Table{N: len(a), Rows: PartitionOf(a), Cols: PartitionOf(b)}
	met := make([]Cell, len(a))
	for i := range a {
		met[i] = Cell{t.Rows.Part[i], t.Cols.Part[i], 1}
	}
	slices.SortFunc(met, func(x, y Cell) int { return cmp.Or(x.Row-y.Row, x.Col-y.Col) })
	for _, c := range met {
		if last := len(t.Cells) - 1; last >= 0 && t.Cells[last].Row == c.Row && t.Cells[last].Col == c.Col {
			t.Cells[last].Count++
		} else {
			t.Cells = append(t.Cells, c)
		}
	}
	return t, nil
}

// Distinct lists the labels that occur, ascending.
func Distinct(labels []int) []int {
	d := slices.Clone(labels)
	slices.Sort(d)
	return slices.Clip(slices.Compact(d))
}

// A Partition divides things by their labels, which may be any numbers, into parts numbered from 0.
type Partition struct {
	Labels []int // of each part, ascending
	Part   []int // of each thing
	Size   []int // of each part
}

// PartitionOf divides things by their labels, in O(n log n).
func PartitionOf(labels []int) Partition {
	p := Partition{Labels: Distinct(labels), Part: make([]int, len(labels))}
	number := make(map[int]int, len(p.Labels))
	for k, l := range p.Labels {
		number[l] = k
	}
	p.Size = make([]int, len(p.Labels))
	for i, l := range labels {
		p.Part[i] = number[l]
		p.Size[p.Part[i]]++
	}
	return p
}
