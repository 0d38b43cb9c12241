package edgetext

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"coles"
	"coles/dataset/internal/place"
	"coles/dataset/parse"
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
			t.Fault(-1, "%d cells, the lines before have %d: %w", len(t.Fields)-1, width-1, coles.ErrShape)
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
