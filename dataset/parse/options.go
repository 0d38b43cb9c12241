package parse

import (
	"io"

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
