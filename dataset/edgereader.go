package dataset

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"coles"
)

// An edgeReader collects the edges of lines.
type edgeReader struct {
	*lines
	*edgeFiles
	columns []int     // fields of the ids and, if there is one, the weight
	chosen  bool      // by the caller: lines may have other fields
	width   int       // fields of the first line
	kinds   [2]string // what the ids of each column begin with, if they are of two kinds
	first   [2]string // the ids on the first line
	firstAt int
	id      []byte // storage of one
	hashes  [512]uint32
	read    byte // what nobody needs, so that it is read
}

func (l *edgeFiles) readEdges(t *lines, opts EdgeListOptions) {
	e := &edgeReader{lines: t, edgeFiles: l, columns: []int{0, 1, 2}, chosen: len(opts.Columns) > 0}
	if e.chosen {
		e.columns = slices.Clone(opts.Columns)
		for k := range e.columns {
			e.columns[k]--
		}
	}
	if opts.Unweighted {
		e.columns = e.columns[:2]
	}
	if opts.Bipartite {
		e.kinds = [2]string{"1:", "2:"}
	}
	some := t.start(opts.Header, e.isHeader)
	t.held = false
	if e.width = len(t.cols); !e.chosen && e.width == 2 {
		e.columns = e.columns[:2]
	}
	if some && opts.Header == DetectHeader && !t.guessed && e.width > len(e.columns) {
		some = e.compareLines()
	}
	if opts.Bipartite && t.header != nil {
		e.nameKinds()
	}
	if some {
		e.take()
		e.readBlocks()
	}
	if l.nodes.count() == 0 {
		t.fail(fault(t.file, "%w: no edge, and no features to name the nodes", ErrMissing))
	}
	for side, k := range e.columns[:2] {
		if k < len(t.header) {
			t.header[k] = e.kinds[side] + t.header[k] // as it would be were it a node
		}
		t.checkGuess(l.nodes, k)
	}
	if opts.Warn != nil && t.err == nil {
		if opts.Header == DetectHeader && !t.guessed {
			e.warnOfHeader(opts.Warn)
		}
		e.warnOfTimes(opts.Warn)
	}
}

// isHeader reports whether the current line is a header by the fields that are used.
func (e *edgeReader) isHeader() bool {
	var used []string
	for _, k := range e.columns {
		if k < len(e.cols) {
			used = append(used, e.cols[k])
		}
	}
	return onlyHeaderWords(used) || len(used) == 3 && !isValue(used[2])
}

// compareLines goes to the second line. The first is a header if a field that is not used is text
// there and a number in the second, and else an edge, which it takes in.
func (e *edgeReader) compareLines() bool {
	cols, at, line := slices.Clone(e.cols), slices.Clone(e.at), e.line
	some := e.lines.next()
	for k := range cols {
		if some && !slices.Contains(e.columns, k) && k < len(e.cols) && !isValue(cols[k]) && isNumber(e.cols[k]) {
			e.header, e.headerAt, e.guessed = cols, line, true
			return true
		}
	}
	swap := func() {
		e.cols, e.at, e.line, cols, at, line = cols, at, line, e.cols, e.at, e.line
	}
	swap()
	e.take()
	swap()
	return some
}

// nameKinds calls the two kinds of nodes what the header does, if that keeps their ids apart.
func (e *edgeReader) nameKinds() {
	if max(e.columns[0], e.columns[1]) >= len(e.header) {
		return
	}
	u, v := e.header[e.columns[0]], e.header[e.columns[1]]
	if u != v && u != "" && v != "" && !strings.Contains(u+v, ":") {
		e.kinds = [2]string{u + ":", v + ":"}
	}
}

// form is the form of most lines.
func (e *edgeReader) form() edgeForm {
	f := edgeForm{sep: e.sep, fields: e.width, named: e.kinds[0] != "", longest: maxLine, roles: make([]role, slices.Max(e.columns)+1)}
	if e.chosen {
		f.fields = 0
	}
	for k, column := range e.columns {
		f.roles[column] = role(k + 1)
	}
	return f
}

// readBlocks takes in the edges on all lines that are left. Blocks are read and taken in by the caller,
// one after the other, and parsed between by all processors.
func (e *edgeReader) readBlocks() {
	stream, form := e.r, e.form()
	e.r = bufio.NewReaderSize(nil, stream.Size())
	ring := make([]textBlock, runtime.GOMAXPROCS(0)+2)
	var rest []byte // the beginning of a line
	var failed error
	read, taken := 0, 0
	for (failed == nil || taken < read) && e.err == nil {
		if failed == nil && read-taken < len(ring) {
			b := &ring[read%len(ring)]
			if rest, failed = b.read(stream, rest, maxLine); len(b.text) > 0 {
				b.parsed.Add(1)
				go func() {
					defer b.parsed.Done()
					form.parse(b)
				}()
				read++
			}
			continue
		}
		b := &ring[taken%len(ring)]
		b.parsed.Wait()
		e.takeBlock(b)
		taken++
	}
	for ; taken < read; taken++ { // of which no goroutine may stay
		ring[taken%len(ring)].parsed.Wait()
	}
	if failed != nil && failed != io.EOF {
		e.takeLines(io.MultiReader(bytes.NewReader(rest), failing{failed}))
	}
}

// failing is a stream that gives nothing but an error.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// takeBlock takes in the edges of a block, in the order of its lines.
func (e *edgeReader) takeBlock(b *textBlock) {
	before, edge := e.line, 0
	for _, o := range append(b.others, otherLines{edges: len(b.ends) / 2, line: b.lines}) {
		if e.takePlain(b, edge, o.edges); e.err != nil { // which line that was the long way says
			e.err, e.line = nil, before
			e.takeLines(bytes.NewReader(b.text))
			return
		}
		e.line, edge = before+o.line, o.edges
		if o.hi > o.lo {
			e.takeLines(bytes.NewReader(b.text[o.lo:o.hi]))
		}
	}
	e.line = before + b.lines
}

// takePlain takes in edges lo to hi of a block.
func (e *edgeReader) takePlain(b *textBlock, lo, hi int) {
	ends := b.ends[2*lo : 2*hi]
	for part := range slices.Chunk(ends, len(e.hashes)) {
		e.look(b, part)
		direct := e.nodes.direct
		for k, end := range part {
			// Most are numbers that are known. Their rows are read without waiting for one another.
			if end < uint64(len(direct)) && direct[end] > 0 {
				part[k] = uint64(direct[end] - 1)
				continue
			}
			var i int
			var err error
			if end&nameBit == 0 {
				i, err = e.nodes.numberOf(end)
			} else {
				i, err = e.nodes.numberOfName(e.hashes[k], e.nameOf(b, k, end))
			}
			if err != nil {
				e.fail(err)
				return
			}
			part[k], direct = uint64(i), e.nodes.direct
		}
	}
	weights := b.weights
	if len(weights) > 0 {
		weights = weights[lo:hi]
	}
	e.edges.addRows(ends, weights)
}

// look hashes the names among the ends, and reads what they will be compared with.
func (e *edgeReader) look(b *textBlock, ends []uint64) {
	named := false
	for k, end := range ends {
		if end&nameBit != 0 {
			named, e.hashes[k] = true, e.nodes.rows.Hash(e.nameOf(b, k, end))
		}
	}
	if named {
		e.read = e.nodes.rows.Look(e.hashes[:len(ends)], e.nodes.ids)
	}
}

// nameOf is the id that an end has, valid until the next.
func (e *edgeReader) nameOf(b *textBlock, side int, end uint64) string {
	name := b.name(end)
	if kind := e.kinds[side%2]; kind != "" {
		e.id = append(append(e.id[:0], kind...), name...)
		name = e.id
	}
	return unsafe.String(unsafe.SliceData(name), len(name))
}

// takeLines takes in the lines of a part of the file, one by one.
func (e *edgeReader) takeLines(text io.Reader) {
	for e.r.Reset(text); e.next(); {
		e.take()
	}
}

// take takes in the edge of the current line.
func (e *edgeReader) take() {
	if most := slices.Max(e.columns); e.chosen && len(e.cols) <= most {
		e.fault(-1, "%w: %d fields, and column %d is asked for", coles.ErrFormat, len(e.cols), most+1)
	} else if !e.chosen && (len(e.cols) < 2 || len(e.cols) > 3 || len(e.cols) != e.width) {
		e.fault(-1, "%w: %d fields, an edge has 2 or, on every line, 3", coles.ErrFormat, len(e.cols))
	}
	if e.err != nil {
		return
	}
	if e.edges.count == 0 {
		e.first, e.firstAt = [2]string{e.cols[e.columns[0]], e.cols[e.columns[1]]}, e.line
	}
	i, j := int32(e.end(0)), int32(e.end(1))
	if len(e.columns) == 3 {
		e.edges.add(i, j, e.number(e.columns[2]))
	} else {
		e.edges.add(i, j)
	}
}

// end is the row of the node at an end of the current line's edge.
func (e *edgeReader) end(side int) int {
	k := e.columns[side]
	if e.cols[k] != "" {
		e.cols[k] = e.kinds[side] + e.cols[k]
	}
	return e.node(k, e.nodes)
}

// warnOfHeader warns of a first line whose ids are text and occur nowhere else.
func (e *edgeReader) warnOfHeader(warn func(error)) {
	if e.edges.count < 2 || isNumber(e.first[0]) || isNumber(e.first[1]) {
		return
	}
	u, v := int(e.edges.blocks[0].from[0]), int(e.edges.blocks[0].to[0])
	known := 0
	if e.features != nil {
		known, _ = e.features.Dims()
	}
	if min(u, v) < known {
		return
	}
	others := -1 // the first edge is the line's
	for b := range e.edges.all() {
		if others++; others > 0 && (b.U == u || b.U == v || b.V == u || b.V == v) {
			return
		}
	}
	err := fmt.Errorf("%q and %q occur on no other line: they are taken for nodes, not for a header", e.first[0], e.first[1])
	warn(&ParseError{File: e.file, Line: e.firstAt, Err: err, Advice: []Advice{headerAdvice}})
}

// warnOfTimes warns of weights that are whole numbers from 10⁸ (1973 in seconds) to 10¹³ (2286 in
// milliseconds), and not all the same.
func (e *edgeReader) warnOfTimes(warn func(error)) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, w := range e.edges.all() {
		if w != math.Trunc(w) || w < 1e8 || w > 1e13 {
			return
		}
		low, high = min(low, w), max(high, w)
	}
	if low < high {
		warn(fault(e.file, "the weights look like times: whole numbers from %.0f to %.0f", low, high))
	}
}
