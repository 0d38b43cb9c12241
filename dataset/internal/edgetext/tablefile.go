package edgetext

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"coles"
	"coles/dataset/internal/place"
	"coles/dataset/parse"
	"coles/internal/setting"
	"coles/internal/text"
	"coles/table"

	"gonum.org/v1/gonum/mat"
)

// hasText reports whether one of the lines in the next 64 kB, from the current one on, has a value that is neither
// a number nor a gap.
func hasText(t *text.Reader) bool {
	for line, more := t, true; more; more = line.Next() {
		for k, cell := range line.Fields[1:] {
			if !text.IsNumber(cell) && !line.IsMark(k+1) {
				return true
			}
		}
		if line == t {
			line = t.Ahead()
		}
	}
	return false
}

// readTable reads "id cell cell …" into columns that the header names, or else their numbers, from 2 on.
func (l *edgeFiles) readTable(t *text.Reader, opts options) *table.Table {
	width := len(t.Fields)
	names := make([]string, width-1)
	for k := range names {
		names[k] = strconv.Itoa(k + 2)
		if len(t.Header) == width && t.Header[k+1] != "" {
			names[k] = t.Header[k+1]
		}
	}
	read := table.New(names...)
	read.File = l.featuresFile
	for k := range read.Columns {
		read.Columns[k].Exact = true
		if opts.LabelColumn != "" && names[k] == opts.LabelColumn {
			read.Columns[k].Kind = table.Ignore
		}
	}
	for t.Next() {
		l.nodes.newRow(t)
		if len(t.Fields) != width {
			t.Fault(-1, "%s, the lines before have %d: %w", setting.Count(len(t.Fields)-1, "cells"), width-1, coles.ErrShape)
			break
		}
		for k, cell := range t.Fields[1:] {
			if t.IsMark(k + 1) {
				if opts.Missing == "error" && opts.Kinds[names[k]] != table.Ignore {
					t.Fault(k+1, "%w", place.Advise(fmt.Errorf("%w: %q says nothing", coles.ErrFormat, cell), gapAdvice))
				}
				cell = ""
			}
			read.Columns[k].Cells = append(read.Columns[k].Cells, cell)
		}
		read.Lines = append(read.Lines, t.Line)
	}
	t.Fail(setKinds(read, opts.Kinds))
	return read
}

// setKinds sets the kinds that are given; of several columns that are not there the first is the fault.
func setKinds(of *table.Table, kinds map[string]table.Kind) error {
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		if err := of.SetKind(name, kinds[name]); err != nil {
			return err
		}
	}
	return nil
}

// encode sets the features, and their names, to those that the encoder makes of the table, or one that it learns.
// Beside edges a table that tells no rows apart makes one feature, 0, as the same numbers in all rows would.
func (f *Files) encode(e *table.Encoder) error {
	ctx := context.Background() // which does not end
	var err error
	if e == nil {
		e, err = table.Fit(ctx, f.Table)
	}
	if err == nil {
		f.Encoder = e
		f.Features, err = e.Encode(ctx, f.Table)
	}
	var cell *table.CellError
	switch {
	case e == nil && errors.Is(err, coles.ErrShape) && !errors.As(err, &cell) && (f.Undirected != nil || f.Adjacency.NNZ() > 0):
		f.Features, f.Table = mat.NewDense(f.Table.Rows(), 1, nil), nil
		return nil
	case errors.As(err, &cell):
		return &parse.Error{File: cell.File, Line: cell.Line, Err: fmt.Errorf("column %q: %w", cell.Column, cell.Err), Advice: []parse.Advice{kindAdvice}}
	case err != nil:
		return err
	}
	f.FeatureNames = e.Names()
	return nil
}

// arrange puts numbers as they are, in a file with names for them, in the order of an encoder's columns. It makes features of
// the cells of a table.
func (l *edgeFiles) arrange(opts options) error {
	names := l.FeatureNames
	if l.Table != nil {
		names = nil
		for _, c := range l.Table.Columns {
			names = append(names, c.Name)
		}
	}
	wanted := opts.Encoder.Names()
	if names == nil || l.Table == nil && slices.Equal(names, wanted) {
		return nil
	}
	from, err := l.find(wanted, names, opts.Warn)
	if err != nil {
		return err
	}
	if l.Table != nil {
		if err := l.readCells(from, opts); err != nil {
			return err
		}
	} else {
		l.Features = permuted(l.Features, from)
	}
	l.FeatureNames, l.Table = wanted, nil
	return nil
}

// find is where each wanted column stands among those that there are.
func (l *edgeFiles) find(wanted, names []string, warn func(error)) (from []int, err error) {
	at := make(map[string]int)
	for k, name := range names {
		if _, twice := at[name]; twice {
			return nil, place.Fault(l.featuresFile, "column %q: %w", name, place.ErrDuplicate)
		}
		at[name] = k
	}
	for _, name := range wanted {
		k, ok := at[name]
		if !ok {
			return nil, place.Fault(l.featuresFile, "%w: no column %q", place.ErrMissing, name)
		}
		from = append(from, k)
		delete(at, name)
	}
	if len(at) > 0 && warn != nil {
		warn(place.Fault(l.featuresFile, "columns that are left out: %s", strings.Join(slices.Sorted(maps.Keys(at)), ", ")))
	}
	return from, nil
}

// permuted are the columns of x in another order.
func permuted(x mat.Matrix, from []int) mat.Matrix {
	rows, _ := x.Dims()
	y := mat.NewDense(rows, len(from), nil)
	for i := range rows {
		for k, j := range from {
			y.Set(i, k, x.At(i, j))
		}
	}
	return y
}

// readCells makes features of the cells of some columns. A hole is NaN.
func (l *edgeFiles) readCells(from []int, opts options) error {
	x, gaps := mat.NewDense(l.Table.Rows(), len(from), nil), 0
	for k, j := range from {
		c := l.Table.Columns[j]
		for i, cell := range c.Cells {
			v, err := text.Parse(strings.TrimSpace(cell))
			if table.IsHole(cell) {
				if v, err = math.NaN(), nil; opts.Missing == "error" {
					err = place.Advise(fmt.Errorf("%w: %q is not a number", coles.ErrFormat, cell), gapAdvice)
				}
				gaps++
			}
			if err != nil {
				return place.In(l.featuresFile, &text.Error{Line: l.Table.Lines[i], Err: fmt.Errorf("column %q: %w", c.Name, err)})
			}
			x.Set(i, k, v)
		}
	}
	l.Features = x
	l.warnOfGaps(gaps, opts)
	return nil
}
