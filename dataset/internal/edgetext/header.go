package edgetext

import (
	"fmt"
	"slices"

	"coles"
	"coles/dataset/internal/place"
	"coles/dataset/parse"
	"coles/internal/text"
)

// isValue reports whether a field stands where a number should: a line of such fields is no header,
// and its reader reports the first that is none.
func isValue(s string) bool { return text.IsNumber(s) || text.IsMark(s) }

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

// checkGuess makes sure that a line which was taken for a header does not have the id of a node in
// the field for an id, with its kind before it.
func checkGuess(t *text.Reader, nodes *nodeIDs, k int, kind string) {
	if t.Guessed && k < len(t.Header) && nodes.has(kind+t.Header[k]) {
		t.Line = t.First
		t.Fault(-1, "%w", place.Advise(fmt.Errorf("%w: looks like a header, but %q (field %d) is a node", coles.ErrFormat, kind+t.Header[k], k+1), place.Header))
	}
}
