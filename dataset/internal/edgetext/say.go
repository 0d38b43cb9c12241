package edgetext

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"coles/dataset/parse"
	"coles/internal/text"
)

// What to do about a gap, a node without features and a cell that does not fit.
var (
	gapAdvice     = parse.Advice{Field: "Missing", Says: "what to do with gaps"}
	kindAdvice    = parse.Advice{Field: "Kinds", Says: "what a column is"}
	unknownAdvice = parse.Advice{Field: "SkipUnknown", Says: "that such lines are skipped"}
	nodeAdvice    = parse.Advice{Field: "MissingRows", Says: "what to do with such nodes"}
	marksAdvice   = parse.Advice{Field: "MissingMarks", Says: "what stands for nothing"}
	repeatsAdvice = parse.Advice{Field: "Repeats", Says: "what becomes of them"}

	unweightedAdvice = parse.Advice{Field: "Unweighted", Says: "that every edge weighs 1"}
)

func columnsAdvice(columns string) parse.Advice {
	return parse.Advice{Field: "Columns", Value: columns, Says: "which columns an edge is in"}
}

// say warns of a line of a file, or of the file.
func (l *edgeFiles) say(file string, line int, advice []parse.Advice, format string, args ...any) {
	if l.told != nil {
		l.told(&parse.Error{File: file, Line: line, Offset: -1, Err: fmt.Errorf(format, args...), Advice: advice})
	}
}

// warnOfComments warns of comments at the head of a file that may be data.
func (l *edgeFiles) warnOfComments(t *text.Reader, file string) {
	if t.CommentIsAlike() {
		l.say(file, 0, nil, "lines that start with # or %% are left out as comments: %d, the last %q", t.Skipped, t.Comment)
	}
}

// opened keeps how a file is read, whose columns have these roles.
func (l *edgeFiles) opened(t *text.Reader, file, lines string, roles []string) {
	layout := parse.Layout{File: file, Lines: lines, Header: t.Header, Columns: roles}
	if t.Separator != 0 && roles != nil {
		if layout.Separator = string(t.Separator); t.Separator == ':' {
			layout.Separator = "::"
		}
	}
	l.Layouts = append(l.Layouts, layout)
}

// closed counts what was left out of a file that was opened.
func (l *edgeFiles) closed(t *text.Reader, file string, skipped int) {
	for k := range l.Layouts {
		if layout := &l.Layouts[k]; layout.File == file {
			layout.Comments, layout.Skipped = t.Skipped+t.Commented, skipped
		}
	}
}

// sayUnread warns of columns that have a name and are not read.
func (l *edgeFiles) sayUnread(t *text.Reader, file string, is func(k int) bool) {
	var unread []string
	for k, name := range t.Header {
		if is(k) {
			unread = append(unread, strconv.Quote(name))
		}
	}
	if unread != nil {
		l.say(file, t.First, nil, "columns that are not read: %s", strings.Join(unread, ", "))
	}
}

// pick has each line consist of the fields that have a role, the one of that role first.
func (l *edgeFiles) pick(t *text.Reader, file, lines, first string, roles []string) {
	l.opened(t, file, lines, roles)
	at := slices.Index(roles, first)
	if at == 0 && !slices.Contains(roles, "") {
		return
	}
	columns := []int{at}
	for k, role := range roles {
		if k != at && role != "" {
			columns = append(columns, k)
		}
	}
	t.Pick(columns)
}
