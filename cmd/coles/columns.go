package main

import (
	"fmt"
	"strings"

	"coles"
	"coles/dataset"
	"coles/table"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// take describes how the features of a dataset, which a file has, were made of a table, and makes others alike.
func (s *session) take(d *dataset.Dataset, file string) error {
	if d.Table == nil {
		switch {
		case d.Features == nil || s.opts.Encoder.AsIs():
		case s.opts.Encoder == nil && d.FeatureNames != nil:
			s.opts.Encoder, _ = table.AsIs(d.FeatureNames, meansOf(d.Features)) // none where two columns have one name
		case s.opts.Encoder != nil:
			s.warn(fmt.Errorf("%s has no columns by name: its numbers are taken for the features that the model makes of columns", file))
		}
		return nil
	}
	e := d.Encoder
	if s.opts.Encoder == nil {
		if s.opts.Encoder = e; s.file != nil {
			return fmt.Errorf("%s: %w: the model knows numbers only, and not all cells are", file, coles.ErrFormat)
		}
		var holes []string
		for _, v := range e.Variables() {
			if v.Number != nil && v.Holes > 0 {
				holes = append(holes, fmt.Sprintf("%d of %q", v.Holes, v.Name))
			}
		}
		if holes != nil && s.opts.Missing == "" {
			s.warn(fmt.Errorf("%s: holes get the mean of their column: %s", file, strings.Join(holes, ", ")))
		}
		return nil
	}
	absent, unknown := e.Unlike(d.Table)
	if len(absent) > 0 {
		s.warn(fmt.Errorf("%s lacks columns of the model: %s", file, strings.Join(absent, ", ")))
	}
	if len(unknown) > 0 {
		s.warn(fmt.Errorf("%s has columns that the model does not know: %s", file, strings.Join(unknown, ", ")))
	}
	var unseen []string
	for _, u := range e.Unseen(d.Table) {
		unseen = append(unseen, fmt.Sprintf("%s %d, such as %q", u.Column, u.Cells, u.Value))
	}
	if len(unseen) > 0 {
		s.warn(fmt.Errorf("%s has cells with values that the model does not know, taken for holes: %s", file, strings.Join(unseen, "; ")))
	}
	return nil
}

// meansOf are the means of the columns of a dense matrix, nil for another.
func meansOf(m mat.Matrix) []float64 {
	x, ok := m.(*mat.Dense)
	if !ok {
		return nil
	}
	rows, columns := x.Dims()
	means, column := make([]float64, columns), make([]float64, rows)
	for j := range means {
		means[j] = stat.Mean(mat.Col(column, j, x), nil)
	}
	return means
}
