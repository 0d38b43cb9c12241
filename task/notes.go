package task

import (
	"fmt"
	"strconv"
	"strings"

	"coles/dataset"
	"coles/dataset/parse"
	"coles/table"

	"gonum.org/v1/gonum/mat"
)

// leaveOutAlike leaves out features alike for all nodes, and reports it.
func leaveOutAlike(d *dataset.Dataset) bool {
	if d.Features == nil {
		return false
	}
	rows, columns := d.Features.Dims()
	for j := range columns {
		for i := range rows {
			if d.Features.At(i, j) != d.Features.At(0, j) {
				return false
			}
		}
	}
	if rows > 1 {
		d.Features, d.FeatureNames, d.Table, d.Encoder = nil, nil, nil, nil
	}
	return rows > 1
}

// ZeroRows notes nodes whose vectors are zero, as they are like no other.
func ZeroRows(y mat.Matrix, ids []string) (notes []Note) {
	rows, columns := y.Dims()
	count, first := 0, 0
	for i := rows - 1; i >= 0; i-- {
		j := 0
		for j < columns && y.At(i, j) == 0 {
			j++
		}
		if j == columns {
			count, first = count+1, i
		}
	}
	if count > 0 {
		notes = append(notes, Note{Text: fmt.Sprintf("nodes whose vectors are zero: %d of %d, such as %q", count, rows, Names(ids, rows)[first])})
	}
	return notes
}

// fewLabels is the number of nodes below which a feature may agree with the labels by chance.
const fewLabels = 20

// labelsInFeatures notes columns of the features that give away the labels.
func labelsInFeatures(d *dataset.Dataset) (notes []Note) {
	var known []int
	for i, class := range Known(d, len(d.Labels)) {
		if class >= 0 {
			known = append(known, i)
		}
	}
	if len(known) < fewLabels || d.NumClasses() < 2 {
		return nil
	}
	var columns []string
	look := func(name string, cell func(i int) any) {
		class, cells := make(map[any]int), make(map[int]any)
		for _, i := range known {
			v, label := cell(i), d.Labels[i]
			c, ok := class[v]
			w, again := cells[label]
			if ok && c != label || again && w != v {
				return
			}
			class[v], cells[label] = label, v
		}
		columns = append(columns, strconv.Quote(name))
	}
	if d.Table != nil {
		for _, c := range d.Table.Columns {
			if c.Kind != table.Ignore {
				look(c.Name, func(i int) any { return c.Cells[i] })
			}
		}
	} else if x, ok := d.Features.(*mat.Dense); ok {
		for j, name := range d.FeatureNames {
			look(name, func(i int) any { return x.At(i, j) })
		}
	}
	if columns != nil {
		notes = append(notes, Note{"features that say what the labels say: " + strings.Join(columns, ", "), []parse.Advice{{Field: "Ignore", Says: "leaves them out"}}})
	}
	return notes
}
