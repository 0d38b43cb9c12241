package edgetext

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"coles"
	"coles/dataset/internal/bounds"
	"coles/dataset/internal/edgeset"
	"coles/dataset/parse"
	"coles/internal/setting"
	"coles/internal/text"
	"coles/table"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// options say how text is read.
type options struct{ parse.Options }

// check checks the settings.
func (o options) check() error {
	if how := []string{"", "error", "zero", "mean", "drop"}; !slices.Contains(how, o.Missing) {
		return setting.Bad("Missing", o.Missing, "error, zero, mean or drop")
	} else if !slices.Contains(how, o.MissingRows) {
		return setting.Bad("MissingRows", o.MissingRows, "error, zero, mean or drop")
	}
	if !slices.Contains([]string{"", "sum", "max", "first"}, o.Repeats) {
		return setting.Bad("Repeats", o.Repeats, "sum, max or first")
	}
	if o.Rows < 0 || o.Rows > bounds.Dim {
		return setting.Bad("Rows", o.Rows, "0 to %d", bounds.Dim)
	}
	if o.Width < 0 || o.Width > bounds.Dim {
		return setting.Bad("Width", o.Width, "0 to %d", bounds.Dim)
	}
	if len(o.Columns) == 0 {
		return nil
	}
	columns := slices.Sorted(slices.Values(o.Columns))
	if len(columns) < 2 || len(columns) > 3 || columns[0] < 1 || len(slices.Compact(columns)) < len(o.Columns) {
		return setting.Bad("Columns", o.Columns, "two for the ids and perhaps one for the weight, counted from 1")
	}
	return nil
}

func (o options) wantsTable() bool { return o.Kinds != nil || o.wantsCells() }

// wantsCells reports whether there is an encoder of cells.
func (o options) wantsCells() bool { return o.Encoder != nil && !o.Encoder.AsIs() }

// Files is what files of text hold; slices with an entry a node are in the order of the nodes.
type Files struct {
	Adjacency    *sparse.CSR
	Kinds        map[string]*sparse.COO
	Undirected   *coles.Graph // instead, where the options ask for it
	Features     mat.Matrix   // while they are read, dense ones are NaN at a gap, and nodes after the last row have none
	FeatureNames []string
	Table        *table.Table
	Encoder      *table.Encoder
	Class        []string // "" for none; nil without labels
	IDs          []string
	Wanted       int    // nodes, the first, that Only names
	Sides        []bool // of two kinds, whether it is of the second; nil for one
	Layouts      []parse.Layout
	Release      func() error // gives back what lies in files; nil for nothing
}

// edgeFiles are Files that are being read.
type edgeFiles struct {
	Files
	nodes   *nodeIDs
	edges   edgeset.Set
	byKind  map[string]*edgeset.Set // of the edges; nil where they have none
	leaves  []bool                  // are not wanted, and have one neighbour or none
	only    []bool                  // is wanted; nil where all are
	oneKind bool                    // the names of the columns say that both ends are of one

	featuresFile, edgesFile, labelsFile string // in errors

	names       []string // of nodes beside their labels, "" for none
	namesColumn string

	told func(error) // what may be misread; nil where nobody listens
}

// nameNodes numbers nodes that are all there are, perhaps of two kinds.
func (l *edgeFiles) nameNodes(ids []string, rows int, kinds bool) error {
	switch {
	case ids == nil && rows == 0:
		return nil
	case ids != nil && rows > 0 || l.Features != nil || l.Table != nil:
		return setting.Bad("Nodes", nil, "only one of Nodes, Rows and a file of features, which name the nodes")
	}
	l.nodes.span = rows
	for i, id := range ids {
		if row, _ := l.nodes.number(id); row < i || id == "" || !utf8.ValidString(id) {
			return fmt.Errorf("%w: node %d, %q, is empty, given twice or not UTF-8", coles.ErrIDs, i, id)
		}
	}
	if l.nodes.closed = "unknown node"; kinds {
		l.nodes.alias()
	}
	return nil
}

// isCSV reports whether a file is called so, gzipped or not.
func isCSV(file string) bool {
	return strings.HasSuffix(strings.TrimSuffix(strings.ToLower(file), ".gz"), ".csv")
}

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
