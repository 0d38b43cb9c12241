package dataset

import (
	"slices"
	"strings"

	"coles"
	"coles/table"
)

// HeaderMode says whether text files begin with a line of column names.
type HeaderMode int

const (
	// DetectHeader takes the first data line for a header if its weight (in an edge list) or all
	// its values (in a features file) are not numbers, if a field of an edge that is not used is
	// text there and a number in the line after, or if the fields used are all among the words that
	// headers use: id, node, source, target, src, dst, from, to, user, item, weight, label, class
	// and their like. Should a word of such a line turn out to be a node's id, that is
	// coles.ErrFormat: nothing is lost to a wrong guess. The first line of labels is a header, too, if
	// its id is no node's and those of all other lines are, none of which has its label.
	DetectHeader HeaderMode = iota
	// NoHeader takes every line for data.
	NoHeader
	// WithHeader skips the first data line of every file.
	WithHeader
)

// headerWords are the column names that DetectHeader knows, in lower case.
var headerWords = strings.Fields(`id ids node node_id nodeid name node1 node2 node_1 node_2 id1 id2 id_1 id_2
	source target src dst dest destination from to fromnodeid tonodeid weight label labels class
	user user_id userid item item_id itemid product product_id productid`)

func isHeaderWord(s string) bool { return slices.Contains(headerWords, strings.ToLower(s)) }

// isValue reports whether a field stands where a number should: a line of such fields is no header,
// and its reader says where the first is that is none.
func isValue(s string) bool { return isNumber(s) || table.IsHole(s) }

// What to do about a first line, a gap, a node without features and a cell that does not fit.
var (
	headerAdvice = Advice{"Header", "whether the first line is a header"}
	gapAdvice    = Advice{"Missing", "what to do with gaps"}
	nodeAdvice   = Advice{"Missing", "what to do with such nodes"}
	kindAdvice   = Advice{"Kinds", "what a column is"}
)

// start goes to the first data line after the header, where next stays then, and reports whether
// there is one and no fault.
func (t *lines) start(mode HeaderMode, isHeader func() bool) bool {
	some := t.next()
	if some && (mode == WithHeader || mode == DetectHeader && isHeader()) {
		t.header, t.headerAt, t.guessed = slices.Clone(t.cols), t.line, mode == DetectHeader
		some = t.next()
	} else if mode == DetectHeader {
		t.unsure = t.line
	}
	t.held = some
	return some
}

// onlyHeaderWords reports whether fields, more than one, are nothing but the words of headers.
func onlyHeaderWords(fields []string) bool {
	return len(fields) > 1 && !slices.ContainsFunc(fields, func(c string) bool { return !isHeaderWord(c) })
}

// checkGuess makes sure that a line which was taken for a header does not have the id of a node in
// the fields for ids.
func (t *lines) checkGuess(nodes *nodeIDs, fields ...int) {
	for _, k := range fields {
		if t.guessed && k < len(t.header) && nodes.has(t.header[k]) {
			t.line = t.headerAt
			t.advised(headerAdvice, -1, "%w: looks like a header, but %q (field %d) is a node", coles.ErrFormat, t.header[k], k+1)
		}
	}
}
