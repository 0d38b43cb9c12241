package dataset

import (
	"slices"
	"strings"

	"coles"
	"coles/internal/text"
	"coles/table"
)

// headerWords are the column names that DetectHeader recognises, in lower case.
var headerWords = strings.Fields(`id ids node node_id nodeid name node1 node2 node_1 node_2 id1 id2 id_1 id_2
	source target src dst dest destination from to fromnodeid tonodeid weight label labels class
	user user_id userid item item_id itemid product product_id productid`)

func isHeaderWord(s string) bool { return slices.Contains(headerWords, strings.ToLower(s)) }

// isValue reports whether a field stands where a number should: a line of such fields is no header,
// and its reader reports the first that is none.
func isValue(s string) bool { return text.IsNumber(s) || table.IsHole(s) }

// start goes to the first data line after the header, see [text.Reader.Start].
func (m HeaderMode) start(t *text.Reader, isHeader func() bool) bool {
	if m != DetectHeader {
		isHeader = func() bool { return m == WithHeader }
	}
	return t.Start(m == DetectHeader, isHeader)
}

// onlyHeaderWords reports whether fields, more than one, are nothing but the words of headers.
func onlyHeaderWords(fields []string) bool {
	return len(fields) > 1 && !slices.ContainsFunc(fields, func(c string) bool { return !isHeaderWord(c) })
}

// checkGuess makes sure that a line which was taken for a header does not have the id of a node in
// the field for an id.
func checkGuess(t *text.Reader, nodes *nodeIDs, k int) {
	if t.Guessed && k < len(t.Header) && nodes.has(t.Header[k]) {
		t.Line = t.First
		t.Fault(-1, "%w", headerAdvice.on("%w: looks like a header, but %q (field %d) is a node", coles.ErrFormat, t.Header[k], k+1))
	}
}
