package edgetext

import (
	"encoding/json"
	"slices"

	"coles"
	"coles/dataset/internal/place"
	"coles/internal/source"
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
	opts   options
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
func (l *edgeFiles) readObjects(t *text.Reader, opts options) {
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
		l.Features = mat.NewDense(rows, o.width, o.vector)
		return
	}
	for k := range o.cells.Columns {
		o.fill(k, rows)
	}
	t.Fail(setKinds(o.cells, opts.Kinds))
	l.Table = o.cells
	if o.words || opts.wantsTable() || opts.Encoder != nil || len(o.cells.Columns) == 0 {
		return
	}
	var all []int // as in other text, numbers are a matrix
	for k, c := range o.cells.Columns {
		all, l.FeatureNames = append(all, k), append(l.FeatureNames, c.Name)
	}
	t.Fail(l.readCells(all, opts))
	l.Table = nil
}

// members are the members of the object on the current line, in order.
func (o *objectReader) members() []source.Member {
	all, err := source.Members([]byte(o.Checked()))
	if err != nil {
		o.Fault(-1, "%w: JSON: %w", coles.ErrFormat, err)
	}
	return all
}

// take takes in the row of an object.
func (o *objectReader) take(members []source.Member) {
	if len(o.cells.Lines) == 0 && len(members) > 0 {
		var names []string
		for _, m := range members {
			names = append(names, m.Name)
		}
		id, _ := text.IDColumn(names, names)
		o.key = names[id]
	}
	row := len(o.cells.Lines)
	o.cells.Lines = append(o.cells.Lines, o.Line)
	id := slices.IndexFunc(members, func(m source.Member) bool { return m.Name == o.key })
	if id < 0 {
		o.Fault(-1, "%w: no member %q to name the node", place.ErrMissing, o.key)
		return
	}
	if members[id].Value[0] == '[' {
		o.Fault(-1, "%w: member %q: a list is no id", coles.ErrFormat, o.key)
	}
	o.Fields = append(o.Fields[:0], o.cell(members[id]))
	if o.nodes.newRow(o.Reader); o.Err != nil {
		return
	}
	members = slices.Delete(members, id, id+1)
	isVector := len(members) == 1 && members[0].Name == "vector" && !o.opts.wantsCells()
	if row == 0 && isVector || o.vector != nil {
		o.takeVector(members)
		return
	}
	for _, m := range members {
		k, known := o.column[m.Name]
		if !known {
			k = len(o.cells.Columns)
			o.column[m.Name], o.cells.Columns = k, append(o.cells.Columns, table.Column{Name: m.Name})
		}
		o.fill(k, row)
		c := &o.cells.Columns[k]
		if len(c.Cells) > row {
			o.Fault(-1, "member %q: %w", m.Name, place.ErrDuplicate)
		}
		c.Cells, o.given = append(c.Cells, o.cell(m)), o.given+1
		o.words = o.words || m.Value[0] > '9' && string(m.Value) != "null" || m.Value[0] == '"'
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
func (o *objectReader) cell(m source.Member) string {
	var cell string
	switch {
	case m.Value[0] == '"':
		json.Unmarshal(m.Value, &cell) // the whole is sound
	case string(m.Value) == "null":
	case m.Value[0] != '{' && m.Value[0] != '[', text.IsList(string(m.Value)):
		cell = string(m.Value)
	case o.opts.Kinds[m.Name] != table.Ignore:
		o.Fault(-1, "%w: member %q is neither text nor a number", coles.ErrFormat, m.Name)
	}
	return cell
}

// takeVector takes in the features of a row.
func (o *objectReader) takeVector(members []source.Member) {
	var row []float64
	if len(members) != 1 || members[0].Name != "vector" {
		o.Fault(-1, "%w: an object has an id and a vector, as the first", coles.ErrFormat)
	} else if json.Unmarshal(members[0].Value, &row) != nil || len(row) == 0 {
		o.Fault(-1, "%w: the vector is not a list of numbers", coles.ErrFormat)
	} else if o.vector != nil && len(row) != o.width {
		o.Fault(-1, "%d values, the lines before have %d: %w", len(row), o.width, coles.ErrShape)
	}
	o.vector, o.width = append(o.vector, row...), len(row)
}
