package parse

import (
	"fmt"
	"strconv"
	"strings"
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
		fmt.Fprintf(&b, "; comments on %d lines", l.Comments)
	}
	if l.Skipped > 0 {
		fmt.Fprintf(&b, "; %d lines are left out", l.Skipped)
	}
	return b.String()
}
