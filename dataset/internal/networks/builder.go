package networks

import (
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"coles"
	"coles/internal/text"

	"golang.org/x/text/encoding/charmap"
)

// A builder makes a network from ids, of nodes that may follow their edges. Its first fault ends the reading: what is
// called behind it changes nothing that anybody sees.
type builder struct {
	Network
	rows  map[string]int32
	given []bool  // of nodes, whether they are declared
	first []int32 // of nodes, the line that names them first
	line  int     // that is read, 0 where that is not known
	latin bool    // some text is not UTF-8, and taken for ISO-8859-1
	err   error   // the first fault
}

// fault is one on the line that is read.
func (b *builder) fault(format string, args ...any) {
	if b.err != nil {
		return
	}
	b.err = fmt.Errorf(format, args...)
	if b.line > 0 {
		b.err = &text.Error{Line: b.line, Err: b.err}
	}
}

// network is the network, unless there is a fault, or an edge of a node that the file does not declare.
func (b *builder) network() (*Network, error) {
	if i := slices.Index(b.given, false); i >= 0 {
		b.line = int(b.first[i])
		b.fault("%w: an edge has the end %q, which is no node of the file", coles.ErrIDs, b.IDs[i])
	}
	if b.latin {
		b.unread("bytes that are not UTF-8, taken for ISO-8859-1")
	}
	return &b.Network, b.err
}

// row is the row of a node, which may be declared later.
func (b *builder) row(id string) int {
	if i, ok := b.rows[id]; ok {
		return int(i)
	}
	i := len(b.IDs)
	b.rows[id] = int32(i)
	b.IDs, b.given, b.first = append(b.IDs, id), append(b.given, false), append(b.first, int32(b.line))
	return i
}

// node declares a node.
func (b *builder) node(id string) int {
	i := b.row(id)
	if id == "" {
		b.fault("%w: a node without an id", coles.ErrFormat)
	} else if b.given[i] {
		b.fault("%w: node %q twice", coles.ErrIDs, id)
	}
	b.given[i] = true
	return i
}

// edge adds an edge by its ends and returns its number.
func (b *builder) edge(source, target string, arc bool) int {
	if source == "" || target == "" {
		b.fault("%w: an edge without a source or a target", coles.ErrFormat)
	}
	return b.join(b.row(source), b.row(target), arc)
}

// join adds an edge by the rows of its ends.
func (b *builder) join(u, v int, arc bool) int {
	b.Ends, b.Arcs = append(b.Ends, [2]int32{int32(u), int32(v)}), append(b.Arcs, arc)
	b.Lines = append(b.Lines, int32(b.line))
	return len(b.Ends) - 1
}

// maxColumns bounds how many kinds of attributes a file may have: one is looked for among all.
const maxColumns = 1 << 10

// column is the column of a name, which may be new.
func (b *builder) column(a *Attributes, name string) *Column {
	c := a.Named(name)
	if c == nil {
		if c = (&Column{Name: name}); len(*a) == maxColumns {
			b.fault("more than %d kinds of attributes: %w", maxColumns, coles.ErrTooLarge)
			return c
		}
		*a = append(*a, c)
	}
	return c
}

// listStart is what NetworkX writes before a list of one item.
const listStart = "_networkx_list_start"

// set gives a row a cell. A second one of the same row makes a list of both, between bars.
func (b *builder) set(a *Attributes, row int, name, cell string) {
	c := b.column(a, name)
	switch k := len(c.Rows) - 1; {
	case k < 0 || c.Rows[k] != int32(row):
		c.Rows, c.Cells = append(c.Rows, int32(row)), append(c.Cells, cell)
	case c.Cells[k] == listStart:
		c.Cells[k] = cell
	default:
		c.Cells[k] += "|" + cell
	}
}

// members are what a file says of a node or an edge, in order.
type members []member

type member struct{ name, cell string }

// value is the first cell under one of these names, "" for none.
func (m members) value(names ...string) string {
	for _, one := range m {
		if slices.Contains(names, one.name) {
			return one.cell
		}
	}
	return ""
}

// setAll gives a row all cells but those under some names.
func (b *builder) setAll(a *Attributes, row int, all members, but ...string) {
	for _, m := range all {
		if !slices.Contains(but, m.name) {
			b.set(a, row, m.name, m.cell)
		}
	}
}

// unread notes what is not used, once.
func (b *builder) unread(what string) {
	if !slices.Contains(b.Unread, what) && len(b.Unread) < maxColumns {
		b.Unread = append(b.Unread, what)
	}
}

// The most that a file may declare.
const maxNodes, maxEdges = math.MaxInt32, math.MaxInt32 / 2

// number names the first n nodes of a file that calls them by numbers from 1 on, and may say nothing more of some.
func (b *builder) number(n int) {
	if said := max(len(b.IDs), len(b.Ends)); n > 1<<20+64*said {
		b.fault("%d nodes, and the file says something of %d: %w", n, said, coles.ErrTooLarge)
	}
	for i := len(b.IDs); i < n && b.err == nil; i++ {
		b.IDs = append(b.IDs, strconv.Itoa(i+1))
	}
}

// lines are those of a text, empty or not, without the space around them, and their fields.
func (b *builder) lines(r io.Reader) iter.Seq2[string, []string] {
	return func(yield func(string, []string) bool) {
		t := text.NewReader(r, text.Layout{})
		for b.err == nil && t.ReadLine() {
			b.line = t.Line
			line := strings.TrimSpace(b.utf8(t.Text))
			if !yield(line, strings.Fields(line)) {
				return
			}
		}
		if b.err == nil {
			b.line, b.err = t.Line, t.Err
		}
	}
}

// whole is a field that is a whole number from low to high.
func (b *builder) whole(field string, low, high int) int {
	v, err := strconv.Atoi(field)
	if err != nil {
		b.fault("%w: %q is no whole number", coles.ErrFormat, field)
	} else if v < low || v > high {
		b.fault("%d of %d to %d: %w", v, low, high, coles.ErrIndex)
	}
	return v
}

// utf8 is text that is UTF-8 or else ISO-8859-1.
func (b *builder) utf8(raw []byte) string {
	if utf8.Valid(raw) {
		return string(raw)
	}
	b.latin = true
	decoded, _ := charmap.ISO8859_1.NewDecoder().Bytes(raw) // it has all bytes
	return string(decoded)
}
