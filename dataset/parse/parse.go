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
	"io"
	"strconv"
	"strings"

	"coles/internal/setting"
	"coles/table"
)

// Options say how the text of a graph is read. The zero value works.
type Options struct {
	// Labels, when not nil, holds lines "id, label", of any text, or is the file of a graph tool. Classes are numbered in the
	// order of their names (as numbers, if all are integers); nodes without a line get label −1.
	Labels io.Reader
	// LabelColumn names the column of Labels that is the label or, without Labels, the attribute of nodes in the file of
	// the edges. Features are made of the other columns.
	LabelColumn string
	// Format is the format of the edges, by its name in dataset.Formats. "" tells the file of a graph tool by its content
	// or name; another file is text.
	Format string
	// Weight names the attribute of edges that is the weight in the file of a graph tool.
	Weight string
	// Header says whether the files begin with a line of column names.
	Header HeaderMode
	// Columns are the fields of an edge that hold the two ids and, if there are three, the weight,
	// counted from 1. A line may then have more fields. Empty means two ids and perhaps a weight.
	Columns []int
	// Type is the column that says the kind of an edge, by its name or counted from 1. "" is one that is called type, kind,
	// relation or predicate, and of three columns without names the second of texts, if the others have ids in common.
	Type string
	// Repeats says how the weights of an edge that is given again are joined, as [coles.WithRepeats]: "sum", "max" or
	// "first". "" adds them up and tells Warn, unless edges are Unweighted. An Adjacency keeps the entries that are to be
	// added up.
	Repeats string
	// Unweighted gives every edge weight 1. A third field may then be anything, such as a time.
	Unweighted bool
	// Bipartite says that the columns name nodes of two kinds: 7 in one is not 7 in the other. If both have an id, each
	// becomes "user:7" or "product:7" by the header, "1:7" or "2:7" without; other files may leave out the kind where
	// one kind alone has the id.
	Bipartite bool
	// Missing is for a node with a gap in its line of dense features, a field that says nothing. "error" refuses
	// it, "zero" puts zero, "mean" the mean of the column's values, "drop" leaves out the node and its edges. "" is
	// the mean, as Warn is told. A gap in a table stays one unless it is refused or dropped.
	Missing string
	// MissingRows is for a node of the edge list that has no line of features: "zero", "mean" (of dense ones) and
	// "drop" as for Missing. "error" and "" refuse it, but SkipUnknown skips the edge.
	MissingRows string
	// MissingMarks are what says nothing, besides an empty field: as a cell a gap, as a label none, and as an end of
	// an edge coles.ErrFormat unless SkipUnknown skips the edge. nil are those of [table.IsHole]. What is in quotes
	// says something.
	MissingMarks []string
	// Kinds says what the columns of the features file are that it names, and Encoder makes the features
	// of their cells, such as that of a model; nil learns one. Either makes a table of the file, even of
	// nothing but numbers; but with an encoder of numbers as they are, [table.AsIs], a file has its columns put
	// in the encoder's order, JSON lines too, as far as it names them. One that is not there is dataset.ErrMissing.
	Kinds   map[string]table.Kind
	Encoder *table.Encoder
	// SkipUnknown skips labels and features of nodes that the edge list does not name. It skips edges with an end that says
	// nothing, has no line of features, or is not among Nodes.
	SkipUnknown bool
	// Nodes, when not nil, names all nodes in their order, where features are not text. An edge that
	// names another is coles.ErrIDs.
	Nodes []string
	// Rows, where it is not 0, says that the nodes are called 0 to Rows − 1, as those of vectors without
	// ids are: it is a shorter way to say that of Nodes, and Dataset.IDs are nil.
	Rows int
	// Only, when not nil, names the nodes whose vectors are wanted: ids, and for the beginning of ids this and a *, if no node
	// is called so. They come first, dataset.Dataset.Wanted of them. Others with one neighbour or none, which would take
	// columns of the vectors, are left out. It is for nodes that the files name, not for Nodes or Rows.
	Only []string
	// Undirected makes the graph, as dataset.Dataset.Graph does, in the place of the adjacency, of which an
	// entry takes twice to four times the memory: Dataset.Undirected has it.
	Undirected bool
	// Scratch, where it is not "", is a folder for what is as long as the list while Undirected is made, and
	// for that graph, until dataset.Dataset.Close: memory then holds some 40 bytes a node besides the names. Linux
	// only; the files have no names and end with the program.
	Scratch string
	// Width is the number of columns of sparse features where it is known, such as by a model: an index
	// beyond is coles.ErrIndex, and rows may end before. 0 means one more than the largest index.
	Width int
	// Warn, when not nil, is told what may be misread, a [*Error]: a first line that is taken
	// for an edge, a column that is taken for one thing or another, what is left out.
	Warn func(error)
	// EdgesName, FeaturesName and LabelsName name the files in errors. Empty means the names of the
	// readers or, where these have none, "edges", "features" and "labels".
	EdgesName, FeaturesName, LabelsName string
}

// HeaderMode says whether text files begin with a line of column names.
type HeaderMode int

const (
	// DetectHeader takes the first line with fields for a header in any of these cases. Its weight (in an edge list) or all
	// its values (in a features file) are not numbers. An unused field of an edge is text there and a number in the next
	// line. The fields used, or two ends among four or more, are words that headers use. Names of features may be ascending
	// whole numbers behind "id". If a word of such a line is also a node's id, that is coles.ErrFormat: no wrong guess loses
	// anything. A first line of labels is also a header if only its id is no node's, and its label is on no other line.
	DetectHeader HeaderMode = iota
	// NoHeader takes every line for data.
	NoHeader
	// WithHeader skips the first data line of every file.
	WithHeader
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
