package dataset

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"coles"
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
	if many && named || onlyHeaderWords(used) || len(used) == 3 && !isValue(used[2]) && !isDate(used[2]) {
		return true
	}
	second := e.Ahead()
	if len(e.Fields) <= len(e.columns) || !second.Next() {
		return false
	}
	for k, field := range e.Fields[:min(len(e.Fields), len(second.Fields))] {
		if (many || !slices.Contains(e.columns, k)) && !isValue(field) && text.IsNumber(second.Fields[k]) {
			return !many || !slices.ContainsFunc(e.Fields, text.IsNumber)
		}
	}
	return false
}

// dates are times as people write them.
var dates = regexp.MustCompile(`^(\d{4}[-/]\d\d?[-/]\d\d?([T ].*)?|\d\d?[./]\d\d?[./]\d{4}.*)$`)

func isDate(field string) bool { return dates.MatchString(field) }

// choose says which columns an edge is in, as far as the caller has not: by their names, or by their places where there
// are no more than three, or by the ids that are known.
func (e *edgeReader) choose(opts EdgeListOptions) {
	columns, ok := text.EdgeColumns(e.Header)
	ok = ok && len(e.Header) == e.width
	weightless := opts.Unweighted
	switch {
	case e.chosen || e.Err != nil:
		return
	case ok:
		e.columns, e.named = columns, true
	case e.width < 2:
		e.Fault(-1, "%w: %d field, an edge has 2", coles.ErrFormat, e.width)
		return
	case e.width == 2:
		weightless = true
	case e.width == 3 && isDate(e.Fields[2]):
		weightless = true
		e.say(e.edgesFile, e.Line, nil, "the third column is a date, such as %q, and no weight", e.Fields[2])
	case e.width == 3:
		if len(e.Header) == 3 && !weightless {
			e.say(e.edgesFile, e.First, []Advice{columnsAdvice("1,2")}, "the column %q is taken for the weight", e.Header[2])
		}
	default:
		e.columns = e.among()
	}
	if weightless {
		e.columns = e.columns[:2]
	}
	var unread []string
	for k, name := range e.Header {
		if ok && !slices.Contains(e.columns, k) && !(opts.Unweighted && slices.Contains(columns, k)) {
			unread = append(unread, strconv.Quote(name))
		}
	}
	if unread != nil {
		e.say(e.edgesFile, e.First, nil, "columns that are not read: %s", strings.Join(unread, ", "))
	}
}

// among are the columns of the ends, among four or more without names, where the known ids tell them. Where they do
// not, it is a fault that shows what the first line has.
func (e *edgeReader) among() []int {
	for ahead := e.Ahead(); ahead.Next(); {
		if len(ahead.Fields) != len(e.Fields) {
			e.Fault(-1, "%w: lines of %d and %d fields; a node and all its neighbours on a line are of the format adjacency", coles.ErrFormat, len(e.Fields), len(ahead.Fields))
			return e.columns[:2]
		}
	}
	pairs := e.alike()
	if len(pairs) == 1 && e.nodes.count() > 0 {
		e.say(e.edgesFile, 0, []Advice{columnsAdvice("1,2")}, "columns %d and %d hold ids of %s: they are taken for the ends of an edge", pairs[0][0]+1, pairs[0][1]+1, e.featuresFile)
		return pairs[0]
	}
	var fields, choices []string
	for k, field := range e.Fields[:min(len(e.Fields), shown)] {
		if len(field) > 20 {
			field = strings.ToValidUTF8(field[:20], "") + "…"
		}
		fields = append(fields, fmt.Sprintf("%d %q", k+1, field))
	}
	for _, p := range pairs {
		choices = append(choices, fmt.Sprintf("%d,%d", p[0]+1, p[1]+1))
	}
	if choices == nil {
		if choices = []string{"1,2"}; text.IsNumber(e.Fields[2]) {
			choices[0] = "1,2,3"
		}
	}
	var advice []Advice
	for _, choice := range choices {
		advice = append(advice, columnsAdvice(choice))
	}
	e.Fail(e.At(-1, &advised{fmt.Errorf("%w: %d columns, and no names tell the ends of an edge: %s", coles.ErrFormat, len(e.Fields), strings.Join(fields, ", ")), advice}))
	return e.columns[:2]
}

// shown are the columns that are compared and that an error shows.
const shown = 20

// alike are the pairs of the first columns that have much the same values on the first lines, as the two ends of edges
// have, and not far fewer than another pair. Of a graph whose nodes are known they are ids of nodes.
func (e *edgeReader) alike() (pairs [][]int) {
	values := make([]map[string]bool, min(shown, len(e.Fields)))
	for k := range values {
		values[k] = map[string]bool{e.Fields[k]: true}
	}
	for ahead := e.Ahead(); ahead.Next(); {
		for k := range min(len(ahead.Fields), len(values)) {
			values[k][ahead.Fields[k]] = true
		}
	}
	most := 0
	common := make(map[int]int) // of two columns
	for k := range values {
		for j := range k {
			n := 0
			for v := range values[k] {
				if values[j][v] && (e.nodes.count() == 0 || e.nodes.has(v)) {
					n++
				}
			}
			if all := len(values[j]) + len(values[k]) - n; 2*n >= all {
				common[j*len(values)+k], most = n, max(most, n)
			}
		}
	}
	for _, at := range slices.Sorted(maps.Keys(common)) {
		if 2*common[at] >= most && common[at] > 1 {
			pairs = append(pairs, []int{at / len(values), at % len(values)})
		}
	}
	return pairs
}

// warn says what was guessed, and what was left out.
func (e *edgeReader) warn() {
	e.warnOfHeader()
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
	if e.told == nil || !e.Guessed || e.Header != nil || e.edges.count < 2 || text.IsNumber(e.first[0]) || text.IsNumber(e.first[1]) {
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
	e.say(e.edgesFile, e.firstAt, []Advice{headerAdvice}, "%q and %q occur on no other line: they are taken for nodes, not for a header", e.first[0], e.first[1])
}

// dropTimes leaves out weights that are times: seconds, milli-, micro- or nanoseconds from 1973 to 2128, not all the
// same. What a name or the caller calls weights stays.
func (e *edgeReader) dropTimes() {
	low, high := math.Inf(1), math.Inf(-1)
	units := []float64{1, 1e3, 1e6, 1e9}
	for _, w := range e.edges.all() {
		units = slices.DeleteFunc(units, func(unit float64) bool { return w < 1e8*unit || w > 5e9*unit })
		if len(units) == 0 {
			return
		}
		low, high = min(low, w), max(high, w)
	}
	if low >= high {
		return
	}
	if e.named {
		e.say(e.edgesFile, 0, nil, "the weights look like times, from %.15g to %.15g", low, high)
		return
	}
	for k := range e.edges.blocks {
		e.edges.blocks[k].weights = nil
	}
	e.say(e.edgesFile, 0, []Advice{columnsAdvice("1,2,3")}, "the third column looks like times, from %.15g to %.15g, and is no weight", low, high)
}
