package main

import (
	"fmt"
	"strconv"
	"strings"

	"coles/dataset"
	"coles/table"

	"gonum.org/v1/gonum/mat"
)

// tellApart leaves out features that are the same for all nodes, which is said.
func (in *inputs) tellApart(d *dataset.Dataset) {
	if d.Features == nil || in.model != nil {
		return
	}
	rows, columns := d.Features.Dims()
	for j := range columns {
		for i := range rows {
			if d.Features.At(i, j) != d.Features.At(0, j) {
				return
			}
		}
	}
	if rows > 1 {
		in.text.Warn(fmt.Errorf("the features are the same for all nodes, and are left out"))
		d.Features, d.FeatureNames, d.Table, d.Encoder, in.text.Encoder = nil, nil, nil, nil, nil
	}
}

// warnOfZeros warns of nodes whose vectors are zero: they are like no other.
func (in *inputs) warnOfZeros(y mat.Matrix, ids []string) {
	rows, columns := y.Dims()
	var zero []int
	for i := range rows {
		j := 0
		for j < columns && y.At(i, j) == 0 {
			j++
		}
		if j == columns {
			zero = append(zero, i)
		}
	}
	if zero != nil {
		in.text.Warn(fmt.Errorf("nodes whose vectors are zero: %d of %d, such as %q", len(zero), rows, rowNames(ids, rows)[zero[0]]))
	}
}

// fewLabels are so few nodes that a feature may say what their labels say by chance.
const fewLabels = 20

// warnOfLabels warns of features that say what the labels say.
func (in *inputs) warnOfLabels(d *dataset.Dataset) {
	var known []int
	for i, class := range knownLabels(d, len(d.Labels)) {
		if class >= 0 {
			known = append(known, i)
		}
	}
	if len(known) < fewLabels || d.NumClasses() < 2 {
		return
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
		in.text.Warn(fmt.Errorf("features that say what the labels say: %s; -ignore leaves them out", strings.Join(columns, ", ")))
	}
}
