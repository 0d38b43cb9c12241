// Package networks reads graphs as tools of graphs write them, each format into the same [Network].
//
// Memory follows the bytes that arrive: a number of nodes that a file declares takes none.
package networks

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"coles"
	"coles/internal/text"
)

// A Network is a graph as a file holds it. Nodes and edges are numbered in the order of the file.
type Network struct {
	IDs   []string // of the nodes
	Ends  [][2]int32
	Arcs  []bool  // of edges, whether they have a direction
	Lines []int32 // of edges, in the file
	Sides []bool  // the kind of each node, true for the second; nil for one kind
	// Nodes and Edges are what else the file says of them.
	Nodes, Edges Attributes
	// Unread names what else there is and is not used.
	Unread []string
}

// Attributes are columns with a cell for some nodes, or edges.
type Attributes []*Column

// A Column holds the cells of an attribute, in ascending order of Rows.
type Column struct {
	Name    string
	Rows    []int32
	Cells   []string
	Default string // of all others
}

// Named is the column of a name, nil if there is none.
func (a Attributes) Named(name string) *Column {
	if k := slices.IndexFunc(a, func(c *Column) bool { return c.Name == name }); k >= 0 {
		return a[k]
	}
	return nil
}

// Names are the names of all columns.
func (a Attributes) Names() (names []string) {
	for _, c := range a {
		names = append(names, c.Name)
	}
	return names
}

// All are the cells of n rows, "" for none.
func (c *Column) All(n int) []string {
	all := slices.Repeat([]string{c.Default}, n)
	for k, row := range c.Rows {
		all[row] = c.Cells[k]
	}
	return all
}

// maxColumns bounds how many kinds of attributes a file may have: one is looked for among all.
const maxColumns = 1 << 10

// column is the column of a name, which may be new.
func (a *Attributes) column(name string) (*Column, error) {
	c := a.Named(name)
	if c == nil {
		if len(*a) == maxColumns {
			return nil, fmt.Errorf("more than %d kinds of attributes: %w", maxColumns, coles.ErrTooLarge)
		}
		c = &Column{Name: name}
		*a = append(*a, c)
	}
	return c, nil
}

// set gives a row a cell. A second one of the same row makes a list of both, between bars.
func (a *Attributes) set(row int, name, cell string) error {
	c, err := a.column(name)
	if err != nil {
		return err
	}
	if k := len(c.Rows) - 1; k >= 0 && c.Rows[k] == int32(row) {
		if c.Cells[k] == listStart {
			c.Cells[k] = cell
		} else {
			c.Cells[k] += "|" + cell
		}
		return nil
	}
	c.Rows, c.Cells = append(c.Rows, int32(row)), append(c.Cells, cell)
	return nil
}

// listStart is what NetworkX writes before a list of one item.
const listStart = "_networkx_list_start"

// A builder makes a network from ids, of nodes that may follow their edges.
type builder struct {
	Network
	rows  map[string]int32
	given []bool  // of nodes, whether they are declared
	first []int32 // of nodes, the line that names them first
}

// row is the row of a node, which may be declared later.
func (b *builder) row(id string, line int) int {
	if i, ok := b.rows[id]; ok {
		return int(i)
	}
	if b.rows == nil {
		b.rows = make(map[string]int32)
	}
	i := len(b.IDs)
	b.rows[id] = int32(i)
	b.IDs, b.given, b.first = append(b.IDs, id), append(b.given, false), append(b.first, int32(line))
	return i
}

// node declares a node.
func (b *builder) node(id string, line int) (int, error) {
	if id == "" {
		return 0, at(line, "%w: a node without an id", coles.ErrFormat)
	}
	i := b.row(id, line)
	if b.given[i] {
		return 0, at(line, "%w: node %q twice", coles.ErrIDs, id)
	}
	b.given[i] = true
	return i, nil
}

// edge adds an edge by its ends and returns its number.
func (b *builder) edge(source, target string, line int, arc bool) (int, error) {
	if source == "" || target == "" {
		return 0, at(line, "%w: an edge without a source or a target", coles.ErrFormat)
	}
	return b.join(b.row(source, line), b.row(target, line), line, arc), nil
}

// join adds an edge by the rows of its ends.
func (b *builder) join(u, v, line int, arc bool) int {
	b.Ends, b.Arcs = append(b.Ends, [2]int32{int32(u), int32(v)}), append(b.Arcs, arc)
	b.Lines = append(b.Lines, int32(line))
	return len(b.Ends) - 1
}

// unread notes what is not used, once.
func (b *builder) unread(what string) {
	if !slices.Contains(b.Unread, what) && len(b.Unread) < maxColumns {
		b.Unread = append(b.Unread, what)
	}
}

// declared refuses edges of nodes that the file does not declare.
func (b *builder) declared() (*Network, error) {
	if i := slices.Index(b.given, false); i >= 0 {
		return nil, at(int(b.first[i]), "%w: an edge of a node %q that there is not", coles.ErrIDs, b.IDs[i])
	}
	return &b.Network, nil
}

// The most that a file may declare.
const maxNodes, maxEdges = math.MaxInt32, math.MaxInt32 / 2

// number names the first n nodes of a file that calls them by numbers from 1 on, and may say nothing more of some.
func (b *builder) number(n, line int) error {
	if said := max(len(b.IDs), len(b.Ends)); n > 1<<20+64*said {
		return at(line, "%d nodes, and the file says something of %d: %w", n, said, coles.ErrTooLarge)
	}
	for i := len(b.IDs); i < n; i++ {
		b.IDs = append(b.IDs, strconv.Itoa(i+1))
	}
	return nil
}

// at is a fault on a line, 0 where that is not known.
func at(line int, format string, args ...any) error {
	if line == 0 {
		return fmt.Errorf(format, args...)
	}
	return &text.Error{Line: line, Err: fmt.Errorf(format, args...)}
}

// lines are those of a text, empty or not, without the space around them.
type lines struct {
	*text.Reader
	text   string
	fields []string
	latin  bool // some are not UTF-8, and taken for ISO-8859-1
}

func newLines(r io.Reader) *lines { return &lines{Reader: text.NewReader(r, text.Layout{})} }

// next goes to the next line.
func (l *lines) next() bool {
	if !l.ReadLine() {
		return false
	}
	l.text = strings.TrimSpace(utf8Of(l.Text, &l.latin))
	if l.Line == 1 {
		l.text = strings.TrimPrefix(l.text, "\ufeff")
	}
	l.fields = strings.Fields(l.text)
	return true
}

func (l *lines) fault(format string, args ...any) error { return at(l.Line, format, args...) }

// whole is a field that is a whole number from low to high.
func (l *lines) whole(field string, low, high int) (int, error) {
	v, err := strconv.Atoi(field)
	if err != nil {
		return 0, l.fault("%w: %q is no whole number", coles.ErrFormat, field)
	}
	if v < low || v > high {
		return 0, l.fault("%d of %d to %d: %w", v, low, high, coles.ErrIndex)
	}
	return v, nil
}
