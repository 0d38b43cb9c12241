package edgetext

import (
	"bufio"
	"io"
	"slices"
	"strconv"
	"strings"

	"coles"
	"coles/dataset/internal/place"
	"coles/dataset/parse"
	"coles/internal/text"
)

// How a list of edges begins says its form: lines of fields, JSON objects, a matrix.

// startEdges goes to the first edge behind the header.
func (l *edgeFiles) startEdges(t *text.Reader, opts options) *edgeReader {
	e := &edgeReader{Reader: t, edgeFiles: l, columns: []int{0, 1, 2}, kindAt: -1, chosen: len(opts.Columns) > 0, skips: opts.SkipUnknown}
	if e.chosen {
		e.named, e.columns = true, slices.Clone(opts.Columns)
		for k := range e.columns {
			e.columns[k]--
		}
	}
	if opts.Unweighted {
		e.columns = e.columns[:2]
	}
	if t.StartsWith('{') {
		e.some = t.NextLine() && e.startObjects(opts)
		return e
	}
	e.some = start(t, opts.Header, e.isHeader)
	if e.width = len(t.Fields); e.some && t.Header == nil && opts.Header == parse.DetectHeader {
		if names := t.CommentNames(); names != nil {
			if _, _, ok := text.EndColumns(names); ok {
				t.Header, t.Guessed, t.Comment = names, false, nil
			}
		}
	}
	if e.above {
		e.say(e.edgesFile, e.First, []parse.Advice{place.Header}, "%q is taken for a header, as the cells below it are numbers or have some", strings.Join(t.Header, " "))
	}
	return e
}

// namesTwoKinds reports whether the header names two kinds of things as the ends of edges.
func (e *edgeReader) namesTwoKinds() bool {
	ends, ok := e.columns, e.chosen
	if !ok {
		ends, ok = text.EdgeColumns(e.Header)
	}
	if !ok || max(ends[0], ends[1]) >= len(e.Header) {
		return false
	}
	if !e.objects {
		e.types = e.typeColumns(ends)
	}
	return e.types != nil || text.TwoKinds(e.Header[ends[0]], e.Header[ends[1]])
}

// typeColumns are the columns that say of what kind the ends are, such as from_type and to_type; nil for none.
func (e *edgeReader) typeColumns(ends []int) (columns []int) {
	for _, end := range ends[:2] {
		k := slices.IndexFunc(e.Header, func(name string) bool { return strings.EqualFold(name, e.Header[end]+"_type") })
		if k < 0 {
			return nil
		}
		columns = append(columns, k)
	}
	return columns
}

// readEdges reads edges, with the kind before each id if there are two.
func (e *edgeReader) readEdges(opts options, twoKinds bool) {
	t, l := e.Reader, e.edgeFiles
	if twoKinds {
		e.kinds = [2]string{"1:", "2:"}
	}
	if e.some && !e.chosen && !e.objects && !twoKinds && e.isMatrix() {
		e.readMatrix()
		return
	}
	if e.some && !e.objects {
		if tuples(t.Fields) {
			t.Fault(-1, "%w: nodes are tuples, which hold what separates nodes; NetworkX's write_edgelist writes them apart with delimiter=\"\\t\"", coles.ErrFormat)
		}
		e.findKind(opts)
		e.choose(opts)
	}
	e.settleKind()
	if e.width < 3 && !e.chosen { // of a header alone, too
		e.columns = e.columns[:2]
	}
	e.open()
	e.warnOfComments(t, e.edgesFile)
	if twoKinds && t.Header != nil && e.types == nil {
		e.nameKinds()
	}
	if e.some && t.Err == nil && e.objects {
		e.readObjects()
	} else if e.some && t.Err == nil {
		e.readRows()
	}
	e.sayKinds()
	for side, k := range e.columns[:2] {
		checkGuess(t, l.nodes, k, e.kinds[side])
	}
	l.closed(t, l.edgesFile, e.nothing.lines+e.unknown.lines)
	if t.Err == nil {
		e.warn()
		e.dropTimes()
	}
	_, _, named := text.EndColumns(t.Header)
	l.oneKind = l.oneKind || named && !twoKinds
}

// tuples reports whether the nodes of a line are such as (0, 1), cut into fields.
func tuples(fields []string) bool {
	return len(fields) > 2 && strings.HasPrefix(fields[0], "(") && !strings.Contains(fields[0], ")") && strings.Contains(fields[1], ")")
}

// open keeps how the edges are read.
func (e *edgeReader) open() {
	roles := make([]string, max(e.width, len(e.Header)))
	for at, k := range e.columns {
		if k < len(roles) {
			roles[k] = [3]string{"source", "target", "weight"}[at]
		}
	}
	for _, k := range append(slices.Clone(e.types), e.kindAt) {
		if k >= 0 {
			roles[k] = "kind"
		}
	}
	e.opened(e.Reader, e.edgesFile, "edges", roles)
	if e.objects {
		e.Layouts[len(e.Layouts)-1].Separator = ""
	}
}

// nameKinds calls the two kinds of nodes what the header does, if that keeps their ids apart.
func (e *edgeReader) nameKinds() {
	if max(e.columns[0], e.columns[1]) >= len(e.Header) {
		return
	}
	u, v := e.Header[e.columns[0]], e.Header[e.columns[1]]
	if of, and := text.Space(u), text.Space(v); of != "" && and != "" {
		u, v = of, and
	}
	if u != v && u != "" && v != "" && !strings.Contains(u+v, ":") {
		e.kinds = [2]string{u + ":", v + ":"}
	}
}

// startObjects finds the ends of an edge, and its weight, among the members of the first object, and reports whether they are
// there.
func (e *edgeReader) startObjects(opts options) bool {
	e.Guessed, e.First = false, e.Line
	for _, m := range (&objectReader{Reader: e.Reader}).members() {
		e.Header = append(e.Header, m.Name)
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
			if at := slices.Index(names, m.Name); at >= 0 {
				fields[e.columns[at]] = o.cell(m)
				found++
			}
		}
		if found < len(names) {
			e.Fault(-1, "%w: an object without the members %q", place.ErrMissing, names)
		}
		if e.Give(fields); e.Err == nil {
			e.take()
		}
	}
}

// isMatrix reports whether the first lines, all there are or very long ones, are an adjacency matrix: they begin with the
// names in the header, or are as many as their fields, nothing but numbers, symmetric or for a fourth zeros.
func (e *edgeReader) isMatrix() bool {
	if e.width < 4 {
		return false
	}
	rows := [][]string{slices.Clone(e.Fields)}
	for ahead := e.Ahead(); ahead.Next(); rows = append(rows, slices.Clone(ahead.Fields)) {
		if len(ahead.Fields) != e.width {
			return false
		}
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
	e.corner = named
	all := len(rows) == cells
	return (named || all && same || 4*zeros >= len(rows)*cells) && (all || len(rows) < cells && cells > 2*shown)
}

// readMatrix takes in an adjacency matrix, of which the current line is the first row, or the names of the columns.
func (e *edgeReader) readMatrix() {
	before := 0 // the rows
	if e.corner {
		before = 1
	}
	nodes := make([]int32, e.width-before)
	for k := range nodes {
		id := strconv.Itoa(k)
		if len(e.Header) == e.width {
			id = e.Header[before+k]
		}
		i, err := e.nodes.number(id)
		e.Fail(err)
		nodes[k] = int32(i)
	}
	e.opened(e.Reader, e.edgesFile, "a matrix", []string{})
	row := 0
	for ; e.Next() && e.Err == nil; row++ {
		if row == 0 && e.Fields[0] == "" && before == 1 {
			row-- // the names
			continue
		}
		if len(e.Fields) != e.width || row >= len(nodes) {
			e.Fault(-1, "%w: a line of %d numbers in a matrix of %d columns, row %d", coles.ErrShape, len(e.Fields)-before, len(nodes), row+1)
			return
		}
		for k, to := range nodes {
			if w := e.Number(before + k); w != 0 && e.Err == nil {
				e.Fail(e.edges.Add(nodes[row], to, w))
			}
		}
	}
	if row < len(nodes) {
		e.Fault(-1, "%w: a matrix of %d rows and %d columns is no graph", coles.ErrShape, row, len(nodes))
	}
	e.say(e.edgesFile, 0, []parse.Advice{columnsAdvice("1,2")}, "%d lines of as many numbers are taken for an adjacency matrix, whose rows are nodes", row)
	e.oneKind = true
}

// asKONECT sets the options that the first line of a file of KONECT stands for, where nobody has said otherwise, such as
// "% bip weighted": whether the ends are of two kinds, and whether there are weights behind them. Times may follow.
func (l *edgeFiles) asKONECT(r io.Reader, opts *options) io.Reader {
	const looked = 1 << 10
	begun := bufio.NewReaderSize(r, looked)
	if first, _ := begun.Peek(1); string(first) != "%" { // an error is for the reader
		return begun
	}
	head, _ := begun.Peek(looked)
	lines := strings.Split(string(head), "\n")
	says := strings.Fields(lines[0][1:])
	if len(lines) < 2 || len(says) != 2 || !slices.Contains([]string{"sym", "asym", "bip"}, says[0]) {
		return begun
	}
	opts.Bipartite = opts.Bipartite || says[0] == "bip"
	k := slices.IndexFunc(lines, func(line string) bool { return !strings.HasPrefix(line, "%") })
	fields := len(strings.Fields(lines[max(k, 0)]))
	if opts.Columns != nil || fields < 3 {
		return begun
	}
	if opts.Columns = []int{1, 2, 3}; says[1] == "unweighted" {
		opts.Columns = opts.Columns[:2]
	}
	if fields > 3 {
		l.say(l.edgesFile, 0, nil, "a file of KONECT: the fourth column, times, is not read")
	}
	return begun
}
