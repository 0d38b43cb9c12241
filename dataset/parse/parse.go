// Package parse says how text is read: its [Options], what was guessed of it ([Layout]), and where reading stopped ([Error]).
// Functions of package dataset take and return these.
//
// Edges are one a line, "u v" or "u v weight" (all lines alike; the weight is 1 where there is none), or a JSON object.
// Features are one node a line, either dense, "id v1 v2 …", or sparse, "id index:value index:value …" with indices from 0.
// Where some of the first 64 kB of dense features are text, they are a [table.Table] of any cells, and so are JSON objects,
// one a line, but those of an id and a "vector"; features are made of them. A cell of a table in quotes may have line ends.
//
// Fields are separated by tabs, commas, semicolons, bars or spaces, whichever gives the first lines of a file equally
// many; double quotes protect a field. Edges may be NetworkX's, "u v {'weight': 2}", or pairs in round or square brackets.
// Lines that start with # or % before the first line with fields are comments, but the last of them is a header if it
// names the ends of an edge. Of edges, what stands behind a # between blanks is a comment, too. Ids are any UTF-8 text but
// [table.IsHole], unless in quotes.
//
// Columns are chosen by their names, if these tell. The ends of an edge are source and target, from and to, user and item
// and their like; its weight is weight, value or count, and never what is called time, year, type or id. The node is id or
// node, and its label is label, class or target. Otherwise the cells of all columns on the first lines tell the ends: they
// have much the same cells. No times, fractions or numbers of lines are ends, and no times are a weight. Where two readings
// are equally good, an error names both.
//
// Ends whose columns are called after two kinds of things, such as user and item, are [Options.Bipartite]. So are ends with
// columns of kinds, such as from_type beside from, and ids of two spaces of Neo4j. A square of numbers is an adjacency
// matrix.
//
// All files name nodes by their ids. If a table of the nodes has a column label, name or title of different words, these
// are the ids of the dataset.
package parse

import (
	"fmt"
	"strconv"
	"strings"

	"coles/internal/setting"
)

// A Layout is how a text file was read.
type Layout struct {
	File      string   `json:"file"`
	Lines     string   `json:"lines"`     // what they are: "edges", "features", "objects" or "labels"
	Separator string   `json:"separator"` // of fields; a space is any run of spaces and tabs; "" for JSON
	Header    []string `json:"header"`    // the names of the columns; nil where the first line is data
	Columns   []string `json:"columns"`   // what each is: "source", "target", "weight", "kind", "id", "label", "feature", or "" for nothing
	Comments  int      `json:"comments"`  // lines that are left out as comments, or of which a part is
	Skipped   int      `json:"skipped"`   // lines that are left out because they say nothing, or name a node that another file lacks
}

// String is the layout on a line.
func (l Layout) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", l.File, l.Lines)
	if l.Separator != "" {
		between := map[string]string{"\t": "tabs", " ": "spaces"}[l.Separator]
		if between == "" {
			between = strconv.Quote(l.Separator)
		}
		first := "no header"
		if l.Header != nil {
			first = "a header"
		}
		fmt.Fprintf(&b, " between %s, %s", between, first)
	}
	var unread []string
	for k := 0; k < len(l.Columns); {
		end := k + 1
		for l.Columns[k] == "feature" && end < len(l.Columns) && l.Columns[end] == "feature" {
			end++
		}
		column := strconv.Itoa(k + 1)
		switch {
		case l.Separator == "" && l.Header != nil: // attributes have no place
			column, end = strconv.Quote(l.Header[k]), k+1
		case end > k+1:
			column += fmt.Sprintf(" to %d", end)
		case k < len(l.Header):
			column += fmt.Sprintf(" %q", l.Header[k])
		}
		if l.Columns[k] == "" {
			unread = append(unread, column)
		} else {
			fmt.Fprintf(&b, ", %s %s", l.Columns[k], column)
		}
		k = end
	}
	if unread != nil {
		fmt.Fprintf(&b, "; not read: %s", strings.Join(unread, ", "))
	}
	if l.Comments > 0 {
		fmt.Fprintf(&b, "; comments on %s", setting.Count(l.Comments, "lines"))
	}
	if l.Skipped > 0 {
		fmt.Fprintf(&b, "; %s left out", setting.Count(l.Skipped, "lines"))
	}
	return b.String()
}

// An Error reports where in which file reading stopped, and why.
type Error struct {
	File   string // file or archive member; a plain word such as "edges" for an unnamed stream
	Line   int    // 1-based; 0 for a binary format
	Column int    // 1-based, in bytes; 0 when the whole line is meant
	Offset int64  // byte offset in a binary file; negative when the place is not one byte
	Err    error  // wraps a named error, or the reader's own
	Advice []Advice
}

// An Advice names an option that decides how such a place is read.
type Advice struct {
	Field string `json:"field"` // of [Options], such as "Header"
	Value string `json:"value"` // that would do, such as "1,2,3"; "" where there is a choice
	Says  string `json:"says"`  // what it says, such as "whether the first line is a header"
}

// Error formats as file:line:column, or file and byte offset, the cause and the advice.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("dataset: ")
	b.WriteString(e.File)
	switch {
	case e.Line > 0 && e.Column > 0:
		fmt.Fprintf(&b, ":%d:%d", e.Line, e.Column)
	case e.Line > 0:
		fmt.Fprintf(&b, ":%d", e.Line)
	case e.Offset >= 0:
		fmt.Fprintf(&b, ": byte %d", e.Offset)
	}
	fmt.Fprintf(&b, ": %v", e.Err)
	for _, a := range e.Advice {
		fmt.Fprintf(&b, "; parse.Options.%s says %s", strings.TrimSpace(a.Field+" "+a.Value), a.Says)
	}
	return b.String()
}

// Unwrap gives the cause to errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.Err }
