package dataset

import (
	"fmt"
	"slices"
	"strconv"

	"coles"
	"coles/internal/text"
)

// Edges come in other forms than a line of ends: as JSON objects, and as a matrix.

// startObjects finds the ends of an edge, and its weight, among the members of the first object, and reports whether they are
// there.
func (e *edgeReader) startObjects(opts EdgeListOptions) bool {
	e.Guessed, e.First = false, e.Line
	for _, m := range (&objectReader{Reader: e.Reader}).members() {
		e.Header = append(e.Header, m.name)
	}
	columns, ok := text.EdgeColumns(e.Header)
	if e.chosen {
		columns, ok = e.columns, slices.Max(e.columns) < len(e.Header)
	}
	if !ok && e.Err == nil {
		e.Fault(-1, "%w: members %q, of which no two are the ends of an edge by their names, such as source and target", coles.ErrFormat, e.Header)
	}
	if e.Err != nil {
		return false
	}
	if e.columns, e.named = columns, len(columns) > 2; opts.Unweighted {
		e.columns = columns[:2]
	}
	e.width, e.objects = len(e.Header), true
	return true
}

// readObjects takes in the edges of objects from the current line on.
func (e *edgeReader) readObjects() {
	o := &objectReader{Reader: e.Reader}
	var names []string
	for _, k := range e.columns {
		names = append(names, e.Header[k])
	}
	fields := make([]string, e.width)
	for more := true; more && e.Err == nil; more = e.NextLine() {
		clear(fields)
		found := 0
		for _, m := range o.members() {
			if at := slices.Index(names, m.name); at >= 0 {
				fields[e.columns[at]] = o.cell(m)
				found++
			}
		}
		if found < len(names) {
			e.Fault(-1, "%w: an object without the members %q", ErrMissing, names)
		}
		if e.Give(fields); e.Err == nil {
			e.take()
		}
	}
}

// isMatrix reports whether the first lines, all there are or very long ones, are an adjacency matrix: they begin with the
// names in the header, or are as many as their fields, nothing but numbers, symmetric or for a fourth zeros.
func (e *edgeReader) isMatrix() bool {
	var rows [][]string
	for ahead, next := e.Ahead(), true; next; next = ahead.Next() {
		fields := ahead.Fields
		if rows == nil {
			fields = e.Fields
		}
		if len(fields) != e.width {
			return false
		}
		rows = append(rows, slices.Clone(fields))
	}
	if e.width < 4 {
		return false
	}
	e.corner = rows[0][0] == "" || len(e.Header) == e.width && e.Header[0] == ""
	named := e.corner || !text.IsNumber(rows[0][0])
	if rows[0][0] == "" {
		e.Header, rows = rows[0], rows[1:]
	}
	cells := e.width
	if named {
		cells--
	}
	zeros, same := 0, true
	for i, row := range rows {
		if named && (len(e.Header) != e.width || i >= cells || row[0] != e.Header[i+1]) {
			return false
		}
		for k, cell := range row[e.width-cells:] {
			if !text.IsNumber(cell) {
				return false
			}
			if cell == "0" || cell == "0.0" {
				zeros++
			}
			same = same && (k >= len(rows) || i >= cells || cell == rows[k][e.width-cells+i])
		}
	}
	if e.corner = named; named {
		return len(rows) == cells || len(rows) < cells && cells > 2*shown
	}
	return (len(rows) == cells && same || 4*zeros >= len(rows)*cells) && (len(rows) == cells || len(rows) < cells && cells > 2*shown)
}

// readMatrix takes in an adjacency matrix, of which the current line is the first row, or the names of the columns.
func (e *edgeReader) readMatrix() {
	before := 0 // the rows
	if e.corner {
		before = 1
	}
	ids := make([]string, e.width-before)
	for k := range ids {
		if ids[k] = strconv.Itoa(k); len(e.Header) == e.width {
			ids[k] = e.Header[before+k]
		}
		e.Fail(second(e.nodes.number(ids[k])))
	}
	e.opened(e.Reader, e.edgesFile, "a matrix", []string{})
	row := 0
	for ; e.Next() && e.Err == nil; row++ {
		if row == 0 && e.Fields[0] == "" && before == 1 {
			row-- // the names
			continue
		}
		if len(e.Fields) != e.width || row >= len(ids) {
			e.Fault(-1, "%w: a line of %d numbers in a matrix of %d columns, row %d", coles.ErrShape, len(e.Fields)-before, len(ids), row+1)
			return
		}
		for k, to := range ids {
			if w := e.Number(before + k); w != 0 && e.Err == nil {
				u, _ := e.nodes.number(ids[row])
				v, _ := e.nodes.number(to)
				e.Fail(e.edges.add(int32(u), int32(v), w))
			}
		}
	}
	if e.Err == nil && row < len(ids) {
		e.Fault(-1, "%w: a matrix of %d rows and %d columns is no graph", coles.ErrShape, row, len(ids))
	}
	e.say(e.edgesFile, 0, []Advice{columnsAdvice("1,2")}, "%d lines of as many numbers are taken for an adjacency matrix, whose rows are nodes", row)
	e.oneKind = true
}

func second[T any](_ T, err error) error { return err }

// takeBaskets takes in lines of items that come together, each line a node that is joined to its items.
func (l *edgeFiles) takeBaskets(t *text.Reader) error {
	for n := 1; t.Next(); n++ {
		u, err := l.nodes.number(fmt.Sprint("basket:", n))
		for k := 0; k < len(t.Fields) && err == nil; k++ {
			if !t.IsMark(k) { // such as behind a separator at the end
				err = l.edges.add(int32(u), int32(l.nodes.named(t, k)))
			}
		}
		t.Fail(err)
	}
	for _, id := range l.nodes.ids {
		l.sides = append(l.sides, len(id) < 8 || id[:7] != "basket:")
	}
	return t.Err
}
