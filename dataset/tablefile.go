package dataset

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"coles"
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
func (l *edgeFiles) readTable(t *text.Reader, opts EdgeListOptions) *table.Table {
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
			t.Fault(-1, "%d cells, the lines before have %d: %w", len(t.Fields)-1, width-1, coles.ErrShape)
			break
		}
		for k, cell := range t.Fields[1:] {
			if t.IsMark(k + 1) {
				if opts.Missing == "error" && opts.Kinds[names[k]] != table.Ignore {
					t.Fault(k+1, "%w", gapAdvice.on("%w: %q says nothing", coles.ErrFormat, cell))
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
func (d *Dataset) encode(e *table.Encoder) error {
	ctx := context.Background() // which does not end
	var err error
	if e == nil {
		e, err = table.Fit(ctx, d.Table)
	}
	if err == nil {
		d.Encoder = e
		d.Features, err = e.Encode(ctx, d.Table)
	}
	var cell *table.CellError
	switch {
	case e == nil && errors.Is(err, coles.ErrShape) && !errors.As(err, &cell) && (d.Undirected != nil || d.Adjacency.NNZ() > 0):
		d.Features, d.Table = mat.NewDense(d.Table.Rows(), 1, nil), nil
		return nil
	case errors.As(err, &cell):
		return &ParseError{File: cell.File, Line: cell.Line, Err: fmt.Errorf("column %q: %w", cell.Column, cell.Err), Advice: []Advice{kindAdvice}}
	case err != nil:
		return err
	}
	d.FeatureNames = e.Names()
	return nil
}
