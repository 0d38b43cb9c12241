package edgetext

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"coles"
	"coles/dataset/internal/place"
	"coles/dataset/parse"
	"coles/internal/setting"
	"coles/internal/text"
)

// isHeader reports whether the first line is a header: by the names of the ends, by the fields that are used or, where
// all these could be an edge's, if a field that is not used is text there and a number in the second line.
func (e *edgeReader) isHeader() bool {
	var used []string
	for _, k := range e.columns {
		if k < len(e.Fields) {
			used = append(used, e.Fields[k])
		}
	}
	many := !e.chosen && len(e.Fields) > 3
	if many {
		used = used[:0]
	}
	_, _, named := text.EndColumns(e.Fields)
	if !many && !onlyHeaderWords(used) && e.isAboveOthers(used) {
		e.above = !named
		return true
	}
	if (many || !e.chosen && len(e.Fields) == 3) && named && !slices.ContainsFunc(e.Fields, text.IsNumber) || onlyHeaderWords(used) {
		return true
	}
	second := e.Ahead()
	more := second.Next()
	if len(used) == 3 && !isValue(used[2]) && !isDate(used[2]) { // a weight, or the last of three that are all ids
		if !more || len(second.Fields) < 2 {
			return true
		}
		return len(second.Fields) > e.columns[2] && (isValue(second.Fields[e.columns[2]]) || isDate(second.Fields[e.columns[2]]))
	}
	if len(e.Fields) <= len(e.columns) || !more {
		return false
	}
	for k, field := range e.Fields[:min(len(e.Fields), len(second.Fields))] {
		if (many || !slices.Contains(e.columns, k)) && !isValue(field) && text.IsNumber(second.Fields[k]) {
			return !many || !slices.ContainsFunc(e.Fields, text.IsNumber)
		}
	}
	return false
}

// isAboveOthers reports whether the ends on the first line are words above columns of nothing but whole numbers, or of ids
// that all have digits, and recur in neither.
func (e *edgeReader) isAboveOthers(used []string) bool {
	if len(used) < 2 || len(e.columns) < 2 || max(e.columns[0], e.columns[1]) >= len(e.Fields) {
		return false
	}
	lines, ahead := 0, e.Ahead()
	for ; ahead.Next(); lines++ {
		for side, k := range e.columns[:2] {
			if k >= len(ahead.Fields) {
				return false
			}
			_, whole := text.Integer(ahead.Fields[k])
			hasDigits := strings.ContainsAny(used[side], digits)
			if !whole && (hasDigits || !strings.ContainsAny(ahead.Fields[k], digits)) || text.IsNumber(used[side]) || text.IsMark(used[side]) {
				return false
			}
		}
	}
	return lines > 1
}

const digits = "0123456789"

// choose says which columns an edge is in, as far as the caller has not: by their names, or by the cells of all.
func (e *edgeReader) choose(opts options) {
	columns, ok := text.EdgeColumns(e.Header)
	ok = ok && len(e.Header) == e.width
	weightless := opts.Unweighted
	switch {
	case e.chosen || e.Err != nil:
		return
	case ok:
		e.columns, e.named = columns, true
	case e.width < 2:
		if ahead := e.Ahead(); ahead.Next() && len(ahead.Fields) > 1 {
			e.uneven(e.width, len(ahead.Fields))
		}
		e.Fault(-1, "%w: %s, an edge has 2", coles.ErrFormat, setting.Count(e.width, "fields"))
		return
	case e.width == 2:
		weightless = true
	case e.width == 3 && e.kindAt >= 0:
		e.columns = slices.DeleteFunc([]int{0, 1, 2}, func(k int) bool { return k == e.kindAt })
	case e.width == 3 && opts.Unweighted:
	default:
		weight := -1
		if len(e.Header) == e.width && len(columns) == 3 {
			weight = columns[2]
		}
		e.columns = e.among(weight)
		if e.named = weight >= 0; len(e.Header) == 3 && len(e.columns) == 3 && e.columns[2] == 2 && weight < 0 {
			e.say(e.edgesFile, e.First, []parse.Advice{columnsAdvice("1,2")}, "the column %q is taken for the weight", e.Header[2])
		}
	}
	if weightless {
		e.columns = e.columns[:2]
	}
	e.warnOfNodes()
	if ok {
		e.sayUnread(e.Reader, e.edgesFile, func(k int) bool {
			return !slices.Contains(e.columns, k) && !slices.Contains(e.types, k) && k != e.kindAt && !(opts.Unweighted && slices.Contains(columns, k))
		})
	}
}

// warnOfNodes warns of a header that a table of nodes has.
func (e *edgeReader) warnOfNodes() {
	if _, _, ends := text.EndColumns(e.Header); ends || len(e.Header) < 2 {
		return
	}
	id, _ := text.IDColumn(e.Header, e.Fields)
	k := slices.IndexFunc(e.Header, func(name string) bool { return text.NameKind(name) != "" || text.LabelColumn([]string{name}) == 0 })
	if k >= 0 && k != id && text.IsIDName(e.Header[id]) {
		e.say(e.edgesFile, e.First, nil, "columns %q and %q are of nodes, not of edges: a table of nodes goes beside a file of edges, as features or labels", e.Header[id], e.Header[k])
	}
}

// warn says what was guessed, and what was left out.
func (e *edgeReader) warn() {
	e.warnOfHeader()
	if n := e.nodes.count(); n > 6 && n == 2*e.edges.Count {
		e.say(e.edgesFile, 0, []parse.Advice{columnsAdvice("")}, "no two edges have a node in common")
	}
	if e.Commented > 0 {
		e.say(e.edgesFile, e.CommentedAt, nil, "text behind # and a blank is taken for a comment; lines that have some: %d", e.Commented)
	}
	if e.nothing.lines > 0 {
		e.say(e.edgesFile, 0, nil, "edges that are skipped because an end says nothing, such as %q: %d", e.nothing.id, e.nothing.lines)
	}
	if e.unknown.lines > 0 {
		e.say(e.edgesFile, 0, nil, "edges that are skipped because there is %s: %d, such as of %q", e.nodes.closed, e.unknown.lines, e.unknown.id)
	}
}

// warnOfHeader warns of a first line whose ids are text and occur nowhere else.
func (e *edgeReader) warnOfHeader() {
	e.warnOfSizes()
	if e.told == nil || !e.Guessed || e.Header != nil || e.edges.Count < 2 || text.IsNumber(e.first[0]) || text.IsNumber(e.first[1]) {
		return
	}
	u, v := e.edges.First()
	known := 0
	if e.Features != nil {
		known, _ = e.Features.Dims()
	}
	if min(u, v) < known {
		return
	}
	others := -1 // the first edge is the line's
	for b := range e.edges.All() {
		if others++; others > 0 && (b.U == u || b.U == v || b.V == u || b.V == v) {
			return
		}
	}
	e.say(e.edgesFile, e.firstAt, []parse.Advice{place.Header}, "%q and %q occur on no other line: they are taken for nodes, not for a header", e.first[0], e.first[1])
}

// warnOfSizes warns of a first line that may say how many nodes and edges there are: as many lines follow, and their ids
// are words, or numbers up to the first.
func (e *edgeReader) warnOfSizes() {
	nodes, ok := text.Integer(e.first[0])
	edges, also := text.Integer(e.first[1])
	follow := uint64(e.edges.Count) - 1
	if !ok || !also || e.told == nil || e.Header != nil || e.edges.Count < 3 || follow != edges && (follow != nodes || edges < nodes/2) {
		return
	}
	words := 0
	for _, id := range e.nodes.ids {
		if v, whole := text.Integer(id); !whole {
			words++
		} else if v > nodes && id != e.first[1] {
			return
		}
	}
	if words > 0 && (follow != edges || e.nodes.count()-words > 2) {
		return
	}
	metis := ""
	if follow == nodes && words == 0 {
		metis = "; so begins a file of the format metis, too"
	}
	e.say(e.edgesFile, e.firstAt, []parse.Advice{place.Header}, "%s %s may be the numbers of nodes and edges, as %d lines follow%s", e.first[0], e.first[1], follow, metis)
}

// dropTimes leaves out weights that are times, not all the same. What a name or the caller calls weights stays.
func (e *edgeReader) dropTimes() {
	low, high := math.Inf(1), math.Inf(-1)
	for _, w := range e.edges.All() {
		if low, high = min(low, w), max(high, w); !areTimes(low, high) {
			return
		}
	}
	if low >= high {
		return
	}
	if e.named {
		e.say(e.edgesFile, 0, nil, "the weights look like times, from %.15g to %.15g", low, high)
		return
	}
	e.edges.Unweigh()
	if columns := e.Layouts[len(e.Layouts)-1].Columns; e.columns[2] < len(columns) {
		columns[e.columns[2]] = ""
	}
	e.say(e.edgesFile, 0, []parse.Advice{columnsAdvice("1,2,3")}, "the third column looks like times, from %.15g to %.15g, and is no weight", low, high)
}

// start goes to the first data line after the header, see [text.Reader.Start].
func start(t *text.Reader, m parse.HeaderMode, isHeader func() bool) bool {
	if m != parse.DetectHeader {
		isHeader = func() bool { return m == parse.WithHeader }
	}
	return t.Start(m == parse.DetectHeader, isHeader)
}

// onlyHeaderWords reports whether fields, more than one, are nothing but the words of headers.
func onlyHeaderWords(fields []string) bool {
	return len(fields) > 1 && !slices.ContainsFunc(fields, func(c string) bool { return !text.IsColumnName(c) })
}

// checkGuess makes sure that a line taken for a header has no node's id, with its kind before it, in the field for an id.
func checkGuess(t *text.Reader, nodes *nodeIDs, k int, kind string) {
	if t.Guessed && k < len(t.Header) && nodes.has(kind+t.Header[k]) {
		t.Line = t.First
		t.Fault(-1, "%w", place.Advise(fmt.Errorf("%w: looks like a header, but %q (field %d) is a node", coles.ErrFormat, kind+t.Header[k], k+1), place.Header))
	}
}
