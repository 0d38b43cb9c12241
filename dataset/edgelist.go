package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"coles"
	"coles/internal/scratch"
	"coles/internal/source"
	"coles/table"

	"gonum.org/v1/gonum/mat"
)

// EdgeListOptions goes with [ReadEdgeList]. The zero value works.
type EdgeListOptions struct {
	// Labels, when not nil, holds lines "id, label", of any text. Classes are numbered in the order of
	// their names (as numbers, if all are integers); nodes without a line get label −1.
	Labels io.Reader
	// Header says whether the files begin with a line of column names.
	Header HeaderMode
	// Columns are the fields of an edge that hold the two ids and, if there are three, the weight,
	// counted from 1. A line may then have more fields. Empty means two ids and perhaps a weight.
	Columns []int
	// Unweighted gives every edge weight 1. A third field may then be anything, such as a time.
	Unweighted bool
	// Bipartite says that the columns name nodes of two kinds: 7 in one is not 7 in the other. An id
	// becomes "user:7" or "product:7" by the header, "1:7" or "2:7" without, for features and labels,
	// too.
	Bipartite bool
	// Missing is for a node that only the edge list names, or with a gap in its line of dense
	// features, see [table.IsHole]. "error" refuses it, "zero" puts zeros, "mean" the mean of the
	// column's values (dense features only), "drop" leaves out the node and its edges. "" refuses such
	// a node, and a gap is the mean, as Warn is told. A gap in a table stays one unless it is refused or
	// dropped.
	Missing string
	// Kinds says what the columns of the features file are that it names, and Encoder makes the features
	// of their cells, such as that of a model; nil learns one. Either makes a table of the file, even of
	// nothing but numbers.
	Kinds   map[string]table.Kind
	Encoder *table.Encoder
	// SkipUnknown skips labels and features of nodes that the graph lacks. Nodes are then those of
	// the edge list.
	SkipUnknown bool
	// Nodes, when not nil, names all nodes in their order, where features are not text. An edge that
	// names another is coles.ErrIDs.
	Nodes []string
	// Rows, where it is not 0, says that the nodes are called 0 to Rows − 1, as those of vectors without
	// ids are: it is a shorter way to say that of Nodes, and Dataset.IDs are nil.
	Rows int
	// Undirected makes the graph, as [Dataset.Graph] does, in the place of the adjacency, of which an
	// entry takes twice to four times the memory: Dataset.Undirected has it.
	Undirected bool
	// Scratch, where it is not "", is a folder for what is as long as the list while Undirected is made, and
	// for that graph, until [Dataset.Close]: memory then holds some 40 bytes a node besides the names. Linux
	// only; the files have no names and end with the program.
	Scratch string
	// Width is the number of columns of sparse features where it is known, such as by a model: an index
	// beyond is coles.ErrIndex, and rows may end before. 0 means one more than the largest index.
	Width int
	// Warn, when not nil, is told what may be misread, a [*ParseError]: a first line that is taken
	// for an edge (its ids, two words, occur nowhere else), weights that may be times (whole numbers
	// from 10⁸ to 10¹³ that differ).
	Warn func(error)
	// EdgesName, FeaturesName and LabelsName name the files in errors. Empty means the names of the
	// readers or, where these have none, "edges", "features" and "labels".
	EdgesName, FeaturesName, LabelsName string
}

// check checks the settings.
func (o EdgeListOptions) check() error {
	if !slices.Contains([]string{"", "error", "zero", "mean", "drop"}, o.Missing) {
		return fmt.Errorf("%w: Missing is %q, want error, zero, mean or drop", coles.ErrSetting, o.Missing)
	}
	if o.Rows < 0 || o.Rows > maxDim || o.Width < 0 || o.Width > maxDim {
		return fmt.Errorf("%w: Rows is %d, Width is %d, want 0 to %d", coles.ErrSetting, o.Rows, o.Width, maxDim)
	}
	if len(o.Columns) == 0 {
		return nil
	}
	columns := slices.Sorted(slices.Values(o.Columns))
	if len(columns) < 2 || len(columns) > 3 || columns[0] < 1 || len(slices.Compact(columns)) < len(o.Columns) {
		return fmt.Errorf("%w: Columns are %v, want two for the ids and perhaps one for the weight, counted from 1", coles.ErrSetting, o.Columns)
	}
	return nil
}

func (o EdgeListOptions) wantsTable() bool { return o.Kinds != nil || o.Encoder != nil }

func (o EdgeListOptions) refusesGaps() bool { return o.Missing == "" || o.Missing == "error" }

// edgeFiles holds the content of an edge list's files; slices with an entry a node are in the order of
// the nodes.
type edgeFiles struct {
	nodes     *nodeIDs
	features  mat.Matrix // dense ones are NaN at a gap; nodes after the last row have none
	names     []string   // of the features
	table     *table.Table
	edges     edgeSet
	edgesFile string   // in errors
	class     []string // "" for none; nil without labels
}

// ReadEdgeList reads a graph from text: edges, one a line, "u v" or "u v weight" (all lines alike;
// the weight is 1 where there is none), and features, one node a line, either dense, "id v1 v2 …",
// or sparse, "id index:value index:value …" with indices from 0. features may be nil. Where some of
// the first 64 kB of dense features are text, they are a [table.Table] of any cells, and so are JSON
// objects, one a line, but those of [WriteJSONLines]; Features are made of them. A cell of a table in
// quotes may have line ends.
//
// Fields are separated by tabs, commas, semicolons or spaces, as the first data line of each file
// has them; double quotes protect a field. Lines that start with # or % are comments. Ids are any
// UTF-8 text.
//
// Nodes come in the order of the features file. An edge that names another is coles.ErrIDs unless
// opts.Missing allows it; such nodes follow in the order in which the edge list first names them, as
// all do without features. Each line of the edge list is one entry of the adjacency, row u and column
// v: nothing is mirrored or merged. Features are a *mat.Dense or a *sparse.CSR like the file.
//
// Errors have file, line and column (of the field, in bytes): ErrMissing for files without a node,
// coles.ErrSetting for options that make no sense, coles.ErrTooLarge for zeros beyond 2²⁰ and 64 times
// the numbers in the file. Cost: O(bytes + zeros).
func ReadEdgeList(edges, features io.Reader, opts EdgeListOptions) (*Dataset, error) {
	if err := opts.check(); err != nil {
		return nil, fmt.Errorf("dataset: edge list: %w", err)
	}
	return opts.collect(func(l *edgeFiles) (*Dataset, error) { return l.read(edges, features, opts) })
}

// scratchHeld is enough for the pages into which a sort deals edges.
const scratchHeld = 512 << 20

// collect reads edges by way of read, to where the options say.
func (o EdgeListOptions) collect(read func(l *edgeFiles) (*Dataset, error)) (*Dataset, error) {
	l := &edgeFiles{nodes: newNodeIDs()}
	if o.Scratch == "" || !o.Undirected {
		return read(l)
	}
	space, err := scratch.Open(o.Scratch, scratchHeld)
	if err != nil {
		return nil, fmt.Errorf("dataset: scratch: %w", err)
	}
	l.edges.space = space
	d, err := read(l)
	if err != nil {
		return nil, errors.Join(err, space.Close())
	}
	d.release = space.Close
	return d, nil
}

func (l *edgeFiles) read(edges, features io.Reader, opts EdgeListOptions) (*Dataset, error) {
	featuresName := cmp.Or(opts.FeaturesName, source.Name(features, "features"))
	if features != nil {
		t := newLines(features, featuresName, 0)
		t.multiline = true
		if l.readFeatures(t, opts); t.err != nil {
			return nil, t.err
		}
		if opts.refusesGaps() {
			l.nodes.closed, l.nodes.advice = "no line in "+featuresName+" for node", nodeAdvice
		}
	}
	if err := l.nameNodes(opts.Nodes, opts.Rows); err != nil {
		return nil, placed(featuresName, err)
	}
	l.edgesFile = cmp.Or(opts.EdgesName, source.Name(edges, "edges"))
	t := newLines(edges, l.edgesFile, 0)
	if l.readEdges(t, opts); t.err != nil {
		return nil, t.err
	}
	l.nodes.closed, l.nodes.advice = "unknown node", Advice{}
	if opts.Labels != nil {
		t := newLines(opts.Labels, cmp.Or(opts.LabelsName, source.Name(opts.Labels, "labels")), 0)
		if l.readLabels(t, opts); t.err != nil {
			return nil, t.err
		}
	}
	d, err := l.dataset(opts)
	return d, placed(featuresName, err)
}

// nameNodes numbers nodes that are all there are.
func (l *edgeFiles) nameNodes(ids []string, rows int) error {
	switch {
	case ids == nil && rows == 0:
		return nil
	case ids != nil && rows > 0 || l.features != nil || l.table != nil:
		return fmt.Errorf("%w: the nodes are named by more than one of Nodes, Rows and the file of features", coles.ErrSetting)
	}
	l.nodes.span = rows
	for i, id := range ids {
		if row, _ := l.nodes.number(id); row < i || id == "" || !utf8.ValidString(id) {
			return fmt.Errorf("%w: node %d, %q, is empty, given twice or not UTF-8", coles.ErrIDs, i, id)
		}
	}
	l.nodes.closed = "unknown node"
	return nil
}

// OpenEdgeList reads the files at the given paths, each gzipped or not, as [ReadEdgeList] does; an empty
// featuresPath or labelsPath means none. The dataset is named after the edge list.
func OpenEdgeList(edgesPath, featuresPath, labelsPath string) (*Dataset, error) {
	var others [2]io.Reader
	for k, path := range []string{featuresPath, labelsPath} {
		if path == "" {
			continue
		}
		f, err := openFile(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		others[k] = f
	}
	return Open(edgesPath, func(edges io.Reader) (*Dataset, error) {
		return ReadEdgeList(edges, others[0], EdgeListOptions{Labels: others[1]})
	})
}
