package dataset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"coles"
	"coles/internal/text"
	"coles/table"

	"gonum.org/v1/gonum/mat"
)

// An objectReader reads features from JSON lines: an object a node, whose member "id" or "node" or, where the first object
// has none, its first member names the node. The others are the cells of a table, or if all are numbers the node's
// features, or one of them, "vector", is a list of these.
type objectReader struct {
	*text.Reader
	nodes  *nodeIDs
	opts   EdgeListOptions
	key    string // that names the node
	cells  *table.Table
	column map[string]int // of a member
	given  int            // cells in the file
	gaps   int            // cells that it does not have
	words  bool           // some cells are text, true or false
	vector []float64      // all rows
	width  int            // of a vector
}

// readObjects reads a whole file, as vectors or a table.
func (l *edgeFiles) readObjects(t *text.Reader, opts EdgeListOptions) {
	o := &objectReader{Reader: t, nodes: l.nodes, opts: opts, cells: table.New(), column: make(map[string]int)}
	o.cells.File = l.featuresFile
	for t.NextLine() {
		if members := o.members(); t.Err == nil {
			o.take(members)
		}
	}
	rows := len(o.cells.Lines)
	if t.Err != nil {
		return
	}
	if o.vector != nil {
		l.features = mat.NewDense(rows, o.width, o.vector)
		return
	}
	for k := range o.cells.Columns {
		o.fill(k, rows)
	}
	setKinds(t, o.cells, opts.Kinds)
	l.table = o.cells
	if o.words || opts.wantsTable() || opts.Encoder != nil || len(o.cells.Columns) == 0 {
		return
	}
	var all []int // as in other text, numbers are a matrix
	for k, c := range o.cells.Columns {
		all, l.names = append(all, k), append(l.names, c.Name)
	}
	t.Fail(l.readCells(all, opts))
	l.table = nil
}

// A property is a name and a value of a JSON object.
type property struct {
	name  string
	value json.RawMessage
}

// members are the members of the object on the current line, in order.
func (o *objectReader) members() (all []property) {
	text := []byte(o.Checked())
	decode := json.NewDecoder(bytes.NewReader(text))
	open, err := decode.Token()
	if err == nil && open != json.Delim('{') {
		err = fmt.Errorf("no object")
	}
	for err == nil && decode.More() {
		var m property
		name, err2 := decode.Token()
		if err = err2; err == nil {
			m.name = name.(string)
			err = decode.Decode(&m.value)
			all = append(all, m)
		}
	}
	if err == nil {
		_, err = decode.Token() // that closes it
	}
	if _, more := decode.Token(); err == nil && more != io.EOF {
		err = fmt.Errorf("text after the object")
	}
	if err != nil {
		o.Fault(-1, "%w: JSON: %w", coles.ErrFormat, err)
	}
	return all
}

// take takes in the row of an object.
func (o *objectReader) take(members []property) {
	if len(o.cells.Lines) == 0 && len(members) > 0 {
		var names []string
		for _, m := range members {
			names = append(names, m.name)
		}
		id, _ := text.IDColumn(names, names)
		o.key = names[id]
	}
	row := len(o.cells.Lines)
	o.cells.Lines = append(o.cells.Lines, o.Line)
	id := slices.IndexFunc(members, func(m property) bool { return m.name == o.key })
	if id < 0 {
		o.Fault(-1, "%w: no member %q to name the node", ErrMissing, o.key)
		return
	}
	if members[id].value[0] == '[' {
		o.Fault(-1, "%w: member %q: a list is no id", coles.ErrFormat, o.key)
	}
	o.Fields = append(o.Fields[:0], o.cell(members[id]))
	if o.nodes.newRow(o.Reader); o.Err != nil {
		return
	}
	members = slices.Delete(members, id, id+1)
	isVector := len(members) == 1 && members[0].name == "vector" && !o.opts.wantsCells()
	if row == 0 && isVector || o.vector != nil {
		o.takeVector(members)
		return
	}
	for _, m := range members {
		k, known := o.column[m.name]
		if !known {
			k = len(o.cells.Columns)
			o.column[m.name], o.cells.Columns = k, append(o.cells.Columns, table.Column{Name: m.name})
		}
		o.fill(k, row)
		c := &o.cells.Columns[k]
		if len(c.Cells) > row {
			o.Fault(-1, "member %q: %w", m.name, ErrDuplicate)
		}
		c.Cells, o.given = append(c.Cells, o.cell(m)), o.given+1
		o.words = o.words || m.value[0] > '9' && string(m.value) != "null" || m.value[0] == '"'
	}
}

// fewGaps is how many gaps there may be besides 64 for every cell that a file has: a member that one object alone
// has takes memory for all.
const fewGaps = 1 << 14

// fill puts gaps into a column up to a row.
func (o *objectReader) fill(column, row int) {
	c := &o.cells.Columns[column]
	gap := max(0, row-len(c.Cells))
	if o.gaps += gap; o.gaps > fewGaps+64*o.given {
		o.Fault(-1, "%d cells of %d columns that %d objects lack: %w", o.gaps, len(o.cells.Columns), row, coles.ErrTooLarge)
		return
	}
	c.Cells = append(c.Cells, make([]string, gap)...)
}

// cell is a member's value as text.
func (o *objectReader) cell(m property) string {
	var cell string
	switch {
	case m.value[0] == '"':
		if err := json.Unmarshal(m.value, &cell); err != nil {
			o.Fault(-1, "%w: member %q: %w", coles.ErrFormat, m.name, err)
		}
	case string(m.value) == "null":
	case m.value[0] != '{' && m.value[0] != '[', text.IsList(string(m.value)):
		cell = string(m.value)
	case o.opts.Kinds[m.name] != table.Ignore:
		o.Fault(-1, "%w: member %q is neither text nor a number", coles.ErrFormat, m.name)
	}
	return cell
}

// takeVector takes in the features of a row.
func (o *objectReader) takeVector(members []property) {
	var row []float64
	if len(members) != 1 || members[0].name != "vector" {
		o.Fault(-1, "%w: an object has an id and a vector, as the first", coles.ErrFormat)
	} else if json.Unmarshal(members[0].value, &row) != nil || len(row) == 0 {
		o.Fault(-1, "%w: the vector is not a list of numbers", coles.ErrFormat)
	} else if o.vector != nil && len(row) != o.width {
		o.Fault(-1, "%d values, the lines before have %d: %w", len(row), o.width, coles.ErrShape)
	}
	o.vector, o.width = append(o.vector, row...), len(row)
}
