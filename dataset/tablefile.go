package dataset

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"coles"
	"coles/table"
)

// openQuote bounds a field in quotes that goes on over several lines: what stands behind a quote that does not
// close is not searched for ever.
const openQuote = 256 << 10

// extend reads one more line behind a quote that is open, and reports whether it could. Places stay those of
// the first line.
func (t *lines) extend() bool {
	line, first := t.whole, t.line
	t.line += t.more
	joined := t.multiline && len(line) < openQuote && t.readLine()
	if joined {
		t.whole = line + "\n" + t.begin()
		t.more = t.line - first
	}
	t.line = first
	return joined && t.err == nil
}

// hasText reports whether one of the lines in the next 64 kB, from the current one on, has a value that is neither
// a number nor a gap.
func (t *lines) hasText() bool {
	isText := func(cell string) bool { return !isValue(cell) }
	if slices.ContainsFunc(t.cols[1:], isText) {
		return true
	}
	head, _ := t.r.Peek(t.r.Size()) // however the bytes come
	ahead := &lines{r: bufio.NewReader(bytes.NewReader(head[:bytes.LastIndexByte(head, '\n')+1])), sep: t.sep, multiline: true}
	for ahead.next() {
		if len(ahead.cols) > 1 && slices.ContainsFunc(ahead.cols[1:], isText) {
			return true
		}
	}
	return false
}

// readTable reads "id cell cell …" into columns that the header names, or else their numbers, from 2 on.
func readTable(t *lines, nodes *nodeIDs, opts EdgeListOptions) *table.Table {
	width := len(t.cols)
	names := make([]string, width-1)
	for k := range names {
		names[k] = strconv.Itoa(k + 2)
		if len(t.header) == width && t.header[k+1] != "" {
			names[k] = t.header[k+1]
		}
	}
	read := table.New(names...)
	read.File = t.file
	t.noComments = true // a name may begin as one does
	for t.next() {
		t.newRow(nodes)
		if len(t.cols) != width {
			t.fault(-1, "%d cells, the lines before have %d: %w", len(t.cols)-1, width-1, coles.ErrShape)
			break
		}
		for k, cell := range t.cols[1:] {
			if opts.Missing == "error" && table.IsHole(cell) && opts.Kinds[names[k]] != table.Ignore {
				t.advised(gapAdvice, k+1, "%w: %q says nothing", coles.ErrFormat, cell)
			}
			read.Columns[k].Cells = append(read.Columns[k].Cells, cell)
		}
		read.Lines = append(read.Lines, t.line)
	}
	t.setKinds(read, opts.Kinds)
	return read
}

// setKinds sets the kinds that are given; of several columns that are not there the first is the fault.
func (t *lines) setKinds(of *table.Table, kinds map[string]table.Kind) {
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		if err := of.SetKind(name, kinds[name]); err != nil {
			t.fail(fault(t.file, "%w", err))
		}
	}
}

// encode sets the features, and their names, to those that the encoder makes of the table, or one that it learns.
func (d *Dataset) encode(e *table.Encoder) error {
	ctx := context.Background() // which does not end
	var err error
	if e == nil {
		e, err = table.Learn(ctx, d.Table)
	}
	if err == nil {
		d.Encoder = e
		d.Features, err = e.Encode(ctx, d.Table)
	}
	var cell *table.CellError
	switch {
	case errors.As(err, &cell):
		return &ParseError{File: cell.File, Line: cell.Line, Err: fmt.Errorf("column %q: %w", cell.Column, cell.Err), Advice: []Advice{kindAdvice}}
	case err != nil:
		return err
	}
	d.FeatureNames = e.Names()
	return nil
}
