package edgetext

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"coles"
	"coles/dataset/internal/place"
	"coles/dataset/parse"
	"coles/internal/text"
)

// Columns without names tell by their cells what they are: the ends of edges have much the same cells, and no end is a time,
// a fraction, the same on all lines or the number of its line.

// isValue reports whether a field stands where a number should: a line of such fields is no header,
// and its reader reports the first that is none.
func isValue(s string) bool { return text.IsNumber(s) || text.IsMark(s) }

// shown are the columns that are compared and that an error shows.
const shown = 20

// A column has these cells on the first lines.
type column struct {
	values        map[string]bool
	all           []byte // of them, in order
	lines         int
	numbers       bool // all are
	some          bool // some stand where a number should
	whole         bool // all are whole numbers
	dates         bool // all are
	rising        bool // none is below the one before
	counts        bool // each is one more than the one before
	first, last   float64
	lowest, above float64 // the range of numbers
}

func (c *column) add(field string) {
	v, err := text.Parse(field)
	_, whole := text.Integer(field)
	c.some = c.some || isValue(field)
	c.numbers, c.whole, c.dates = c.numbers && err == nil, c.whole && whole, c.dates && isDate(field)
	if c.lines > 0 {
		c.rising, c.counts = c.rising && v >= c.last, c.counts && v == c.last+1
	} else {
		c.first = v
	}
	c.lowest, c.above, c.last = min(c.lowest, v), max(c.above, v), v
	c.values[field] = true
	c.all = append(append(c.all, field...), 0)
	c.lines++
}

// isTime reports whether the column has dates, or seconds and the like that never fall.
func (c *column) isTime() bool {
	return c.dates || c.numbers && c.rising && len(c.values) > 1 && areTimes(c.lowest, c.above)
}

func (c *column) isEmpty() bool { return len(c.values) == 1 && c.values[""] }

func (c *column) numbersLines() bool { return c.whole && c.counts && c.lines > 3 && c.first <= 1 }

// sample are the cells of the first columns, on the current line and the whole lines ahead that have as many fields.
func (e *edgeReader) sample() []*column {
	columns := make([]*column, min(shown, len(e.Fields)))
	for k := range columns {
		columns[k] = &column{values: map[string]bool{}, numbers: true, whole: true, dates: true, rising: true, counts: true, lowest: math.Inf(1), above: math.Inf(-1)}
		columns[k].add(e.Fields[k])
	}
	mayDiffer := e.width == 3 && isValue(e.Fields[2]) // the reader reports the line
	for ahead := e.Ahead(); ahead.Next(); {
		if same := len(ahead.Fields) == len(e.Fields); same {
			for k, c := range columns {
				c.add(ahead.Fields[k])
			}
		} else if !mayDiffer {
			e.uneven(len(e.Fields), len(ahead.Fields))
		}
	}
	return columns
}

// alike is the share of the cells of two columns that both have, 0 for a single one, and for one column that is there twice.
func alike(a, b *column) float64 {
	n := 0
	if bytes.Equal(a.all, b.all) {
		return 0
	}
	for v := range a.values {
		if b.values[v] {
			n++
		}
	}
	if n < 2 {
		return 0
	}
	return float64(n) / float64(len(a.values)+len(b.values)-n)
}

const (
	muchAlike = .5 // so many cells in common, two columns are the ends, whatever they look like
	someAlike = .1 // and so many if no other two columns have more than a few
)

// endsOfThree are the ends among three columns, of which the third may be a weight: the first two, unless the first is
// beside an edge or two others are plainly more alike. Where that may be chance they are nil, and both choices are returned.
func endsOfThree(columns []*column) (ends []int, choices [][]int) {
	u, v, w := columns[0], columns[1], columns[2]
	first, last, outer := alike(u, v), alike(v, w), alike(u, w)
	many := len(u.values) > shown && len(w.values) > shown && len(v.values) > shown
	switch {
	case u.dates, (u.isTime() || u.numbersLines()) && last > first:
		return []int{1, 2}, nil
	case !v.numbers && first == 0 && outer >= someAlike:
		return []int{0, 2}, nil
	case u.numbers && w.whole && first < someAlike/2 && max(last, outer) >= muchAlike:
		best := []int{1, 2}
		if outer > last {
			best[0] = 0
		}
		if many {
			return best, nil
		}
		return nil, [][]int{{0, 1}, best}
	}
	return []int{0, 1}, nil
}

// A pair of columns has a share of its cells in common.
type pair struct {
	ends  []int
	share float64
}

// mostAlike are the pairs of some columns, the most alike first, and two at least, none of which is alike.
func mostAlike(columns []*column, of []int) []pair {
	pairs := []pair{{}, {}}
	for i, k := range of {
		for _, j := range of[i+1:] {
			pairs = append(pairs, pair{[]int{k, j}, alike(columns[k], columns[j])})
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.share, a.share) })
	return pairs
}

// endsOfMore are the ends among columns: the two that can be, or that are plainly more alike than others. Else they are nil,
// and the choices are those that are as good.
func endsOfMore(columns []*column) (ends []int, choices [][]int) {
	var may, words []int
	for k, c := range columns {
		number := c.numbersLines() && !slices.ContainsFunc(columns, func(other *column) bool { return other != c && alike(c, other) >= muchAlike })
		if c.isTime() || c.numbers && !c.whole || number || c.isEmpty() || k > 1 && len(c.values) == 1 && c.lines > 2 {
			continue
		}
		if may = append(may, k); !c.numbers {
			words = append(words, k)
		}
	}
	pairs := mostAlike(columns, may)
	best := pairs[0].share
	switch {
	case len(may) == 2:
		return may, nil
	case best >= someAlike && best >= 2*pairs[1].share:
		return pairs[0].ends, nil
	case best == 0 && len(columns) == 3 && len(words) == 2:
		return words, nil
	}
	for _, p := range pairs {
		if p.share >= someAlike && 2*p.share >= best {
			choices = append(choices, p.ends)
		}
	}
	slices.SortFunc(choices, slices.Compare)
	return nil, choices
}

// among finds the columns of an edge by the cells of all columns, and says so. Where the cells do not tell, it is a fault,
// which shows the first line and how to choose.
func (e *edgeReader) among(weight int) []int {
	columns := e.sample()
	if e.Err != nil {
		return e.columns[:2]
	}
	if known := e.known(columns); len(known) == 2 {
		e.say(e.edgesFile, 0, []parse.Advice{columnsAdvice("1,2")}, "columns %d and %d hold ids of %s: they are taken for the ends of an edge", known[0]+1, known[1]+1, e.featuresFile)
		return known
	}
	of := endsOfMore
	third := len(columns) == 3 && columns[2].some && !columns[2].isEmpty()
	if third {
		of = endsOfThree
	}
	ends, choices := of(columns)
	if ends == nil {
		e.Fail(e.At(-1, e.unclear(columns, choices)))
		return e.columns[:2]
	}
	if third && ends[1] == 1 {
		e.doubt(columns)
		return []int{0, 1, 2}
	}
	return e.withWeight(columns, ends, weight)
}

// withWeight are the columns of the ends and, where it is given or one of the others can be it, of the weight, as is said.
func (e *edgeReader) withWeight(columns []*column, ends []int, weight int) []int {
	var may []int
	if weight >= 0 {
		may = []int{weight}
	}
	var rest []string
	said := fmt.Sprintf("columns %d and %d are taken for the ends of an edge", ends[0]+1, ends[1]+1)
	if len(columns) == 3 && e.Header == nil && ends[1] == 2 && !e.asked && !columns[1].numbers && alike(columns[0], columns[2]) > 0 {
		e.kindAt, said = 1, said+", column 2 for its kind"
	}
	for k, c := range columns {
		name := fmt.Sprint(k + 1)
		if k < len(e.Header) && e.Header[k] != "" {
			name = strconv.Quote(e.Header[k])
		}
		switch {
		case k == weight || k == e.kindAt || slices.Contains(ends, k):
			continue
		case c.isTime():
			name += ", which looks like times"
		case c.numbersLines():
			name += ", which numbers the lines"
		case weight < 0 && c.numbers && len(c.values) > 1:
			may, name = append(may, k), fmt.Sprintf("%s, which may be the weight", name)
		}
		rest = append(rest, name)
	}
	if len(may) == 1 {
		rest = slices.DeleteFunc(rest, func(name string) bool { return strings.HasSuffix(name, "be the weight") })
		said += fmt.Sprintf(", column %d for the weight", may[0]+1)
		ends = append(slices.Clone(ends), may[0])
	}
	if len(rest) > 0 {
		said += "; not read: " + strings.Join(rest, "; ")
	}
	e.say(e.edgesFile, e.First, []parse.Advice{columnsAdvice("")}, "%s", said)
	return ends
}

// doubt warns of a third column that may be no weight.
func (e *edgeReader) doubt(columns []*column) {
	u, v, w := columns[0], columns[1], columns[2]
	few := len(w.values) > 2 && w.whole
	switch {
	case few && w.rising && w.lines > 4:
		e.say(e.edgesFile, 0, []parse.Advice{columnsAdvice("1,2")}, "the third column never falls, as times do, and is taken for the weight")
	case few && w.lowest >= 1900 && w.above <= 2100:
		e.say(e.edgesFile, 0, []parse.Advice{columnsAdvice("1,2")}, "the third column may be years, from %.15g to %.15g, and is taken for the weight", w.lowest, w.above)
	case w.whole && w.lines > 3 && len(w.values) > 1 && !u.numbers && !v.numbers && 2*len(v.values) <= v.lines && len(v.values) < len(w.values) && alike(u, v) == 0:
		e.say(e.edgesFile, 0, []parse.Advice{columnsAdvice("1,3")}, "the third column is taken for the weight, and the second, of %d different cells, for an end", len(v.values))
	}
}

// known are the columns of the ids of nodes that are known: of more than two the pair that is plainly more alike than others.
func (e *edgeReader) known(columns []*column) (ends []int) {
	if e.nodes.count() == 0 || len(columns) < 4 {
		return nil
	}
	for k, c := range columns {
		n := 0
		for v := range c.values {
			if e.nodes.has(v) {
				n++
			}
		}
		if 2*n > len(c.values) {
			ends = append(ends, k)
		}
	}
	if len(ends) > 2 {
		if pairs := mostAlike(columns, ends); pairs[0].share > 0 && pairs[0].share >= 2*pairs[1].share {
			return pairs[0].ends
		}
	}
	return ends
}

// mostChoices are as many as an error shows.
const mostChoices = 3

// unclear is the error of columns that do not tell the ends.
func (e *edgeReader) unclear(columns []*column, choices [][]int) error {
	var fields []string
	for k := range columns {
		field := e.Fields[k]
		if len(field) > 20 {
			field = strings.ToValidUTF8(field[:20], "") + "…"
		}
		fields = append(fields, fmt.Sprintf("%d %q", k+1, field))
	}
	err := fmt.Errorf("%w: %d columns, and neither names nor cells tell the ends of an edge: %s", coles.ErrFormat, len(e.Fields), strings.Join(fields, ", "))
	if len(choices) == 0 || len(choices) > mostChoices {
		return place.Advise(err, columnsAdvice(""))
	}
	var advice []parse.Advice
	for _, p := range choices {
		of := fmt.Sprintf("%d,%d", p[0]+1, p[1]+1)
		if len(columns) == 3 && p[1] == 1 {
			of += ",3"
		}
		advice = append(advice, parse.Advice{Field: "Columns", Value: of, Says: fmt.Sprintf("that columns %d and %d are the ends of an edge", p[0]+1, p[1]+1)})
	}
	return place.Advise(err, advice...)
}

// dates are times as people write them.
var dates = regexp.MustCompile(`^(\d{4}[-/]\d\d?[-/]\d\d?([T ].*)?|\d\d?[./]\d\d?[./]\d{4}.*)$`)

func isDate(field string) bool { return dates.MatchString(field) }

// areTimes reports whether numbers from low to high are times from 1973 to 2128, in seconds, milli-, micro- or nanoseconds
// since 1970.
func areTimes(low, high float64) bool {
	return slices.ContainsFunc([]float64{1, 1e3, 1e6, 1e9}, func(unit float64) bool { return low >= 1e8*unit && high <= 5e9*unit })
}
