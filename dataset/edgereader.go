package dataset

import (
	"fmt"
	"math"
	"slices"
	"strings"

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
	read    byte
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
func (e *edgeReader) warnOfHeader(warn func(string)) {
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
	warn(fmt.Sprintf("%s:%d: %q and %q occur on no other line: they are taken for nodes, not for a header; %s", e.file, e.firstAt, e.first[0], e.first[1], headerAdvice))
}

// warnOfTimes warns of weights that are whole numbers from 10⁸ (1973 in seconds) to 10¹³ (2286 in
// milliseconds), and not all the same.
func (e *edgeReader) warnOfTimes(warn func(string)) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, w := range e.edges.all() {
		if w != math.Trunc(w) || w < 1e8 || w > 1e13 {
			return
		}
		low, high = min(low, w), max(high, w)
	}
	if low < high {
		warn(fmt.Sprintf("%s: the weights look like times: whole numbers from %.0f to %.0f", e.file, low, high))
	}
}
