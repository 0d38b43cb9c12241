package dataset

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"

	"coles"
	"coles/dataset/internal/source"

	"github.com/james-bowman/sparse"
)

// EdgeListOptions goes with [ReadEdgeList]. The zero value works.
type EdgeListOptions struct {
	// Labels, when not nil, holds lines "id, label". Labels are any text; classes are numbered in
	// ascending order of their names (as numbers, if all are integers). Nodes without a line get
	// label -1.
	Labels io.Reader
	// Header says whether the files begin with a line of column names.
	Header HeaderMode
	// EdgesName, FeaturesName and LabelsName name the files in errors; "edges", "features" and
	// "labels" if empty.
	EdgesName, FeaturesName, LabelsName string
}

// HeaderMode says whether text files begin with a line of column names.
type HeaderMode int

const (
	// DetectHeader takes the first data line for a header if its weight (in an edge list) or all
	// its values (in a features file) are not numbers, or if its fields are all among the words
	// that headers use: id, node, source, target, src, dst, from, to, weight, label, class and
	// their like. Should a word of such a line turn out to be a node's id, that is coles.ErrFormat:
	// nothing is lost to a wrong guess.
	DetectHeader HeaderMode = iota
	// NoHeader takes every line for data.
	NoHeader
	// WithHeader skips the first data line of every file.
	WithHeader
)

// headerWords are the column names that DetectHeader knows, in lower case.
var headerWords = strings.Fields(`id ids node node_id nodeid name node1 node2 node_1 node_2 id1 id2 id_1 id_2
	source target src dst dest destination from to fromnodeid tonodeid weight label labels class`)

// missingValues are what tables hold, in lower case, where there is no number.
var missingValues = []string{"", "na", "n/a", "null", "none", "nil", "?", "-"}

// isValue reports whether a field stands where a number should: a line of such fields is no header,
// and its reader says where the first is that is none.
func isValue(s string) bool {
	return isNumber(s) || slices.Contains(missingValues, strings.ToLower(s))
}

// ReadEdgeList reads a graph from text: edges, one a line, "u v" or "u v weight" (all lines alike;
// the weight is 1 where there is none), and features, one node a line, either dense, "id v1 v2 …",
// or sparse, "id index:value index:value …" with indices from 0. features may be nil.
//
// Fields are separated by tabs, commas, semicolons or spaces, as the first data line of each file
// has them; double quotes protect a field. Lines that start with # or % are comments. Ids are any
// UTF-8 text.
//
// The nodes are those of the features file, in its order, and an edge that names another is
// coles.ErrIDs; without features they come in the order in which the edge list first names them.
// Each line of the edge list is one entry of the adjacency, row u and column v: nothing is mirrored
// or merged. Features are a *mat.Dense or a *sparse.CSR like the file.
//
// Errors have file, line and column (of the field, in bytes). A features file with no node and an
// edge list that ends up with none are ErrMissing. Cost: O(bytes).
func ReadEdgeList(edges, features io.Reader, opts EdgeListOptions) (*Dataset, error) {
	d := &Dataset{}
	nodes := newNodeIDs()
	if features != nil {
		t := newTable(features, cmp.Or(opts.FeaturesName, "features"), 0)
		if d.Features = readFeatures(t, opts.Header, nodes); t.err != nil {
			return nil, t.err
		}
		nodes.closed = true
	}
	t := newTable(edges, cmp.Or(opts.EdgesName, "edges"), 0)
	if d.Adjacency = readEdges(t, opts.Header, nodes); t.err != nil {
		return nil, t.err
	}
	nodes.closed = true
	if opts.Labels != nil {
		t := newTable(opts.Labels, cmp.Or(opts.LabelsName, "labels"), 0)
		if readLabels(t, opts.Header, nodes, d); t.err != nil {
			return nil, t.err
		}
	}
	d.IDs = nodes.ids
	return d, nil
}

// OpenEdgeList reads the files at the given paths, each gzipped or not; an empty featuresPath or
// labelsPath means that there is none. The dataset is named after the edge list. See
// [ReadEdgeList].
func OpenEdgeList(edgesPath, featuresPath, labelsPath string) (*Dataset, error) {
	readers := make([]io.Reader, 3)
	for k, path := range []string{edgesPath, featuresPath, labelsPath} {
		if k > 0 && path == "" {
			continue
		}
		f, err := openFile(path, source.FreeText)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		readers[k] = f
	}
	d, err := ReadEdgeList(readers[0], readers[1], EdgeListOptions{
		Labels: readers[2], EdgesName: edgesPath, FeaturesName: featuresPath, LabelsName: labelsPath,
	})
	if err != nil {
		return nil, err
	}
	d.Name = nameOf(edgesPath)
	return d, nil
}

// start goes to the first data line after the header, where next stays then, and reports whether
// there is one and no fault.
func (t *table) start(mode HeaderMode, isHeader func() bool) bool {
	some := t.next()
	if some && mode == DetectHeader && (isHeader() || t.allHeaderWords()) {
		t.guessed, t.guessedAt = slices.Clone(t.cols), t.line
		some = t.next()
	} else if some && mode == WithHeader {
		some = t.next()
	}
	t.held = some
	return some
}

func (t *table) allHeaderWords() bool {
	for _, c := range t.cols {
		if !slices.Contains(headerWords, strings.ToLower(c)) {
			return false
		}
	}
	return len(t.cols) > 1
}

// checkGuess makes sure that the line which was taken for a header does not have the id of a node
// in one of its first fields.
func (t *table) checkGuess(fields int, nodes *nodeIDs) {
	for k, c := range t.guessed[:min(fields, len(t.guessed))] {
		if nodes.has(c) {
			t.line = t.guessedAt
			t.fault(-1, "%w: looks like a header, but %q (field %d) is a node; say by the header mode which it is", coles.ErrFormat, c, k+1)
		}
	}
}

// An edgeReader collects the edges of a table.
type edgeReader struct {
	*table
	nodes    *nodeIDs
	width    int     // fields of every line
	from, to []int32 // 32 bits, as long as the number of edges in each row is not known
	weights  []float64
}

func readEdges(t *table, mode HeaderMode, nodes *nodeIDs) *sparse.CSR {
	e := &edgeReader{table: t, nodes: nodes}
	some := t.start(mode, func() bool { return len(t.cols) == 3 && !isValue(t.cols[2]) })
	e.width, t.held = len(t.cols), false
	for ; some; some = e.next() {
		e.take()
	}
	n := len(nodes.ids)
	if n == 0 {
		t.fail(fault(t.file, "%w: no edge, and no features to name the nodes", ErrMissing))
	}
	if t.checkGuess(2, nodes); t.err != nil {
		return nil
	}
	return compressed(n, n, e.from, e.to, e.weights)
}

// next goes to the next line that is not as plain as most are, taking in the edges before it: two
// integers and perhaps a weight are read without making fields of them.
func (e *edgeReader) next() bool {
	for e.nextLine() {
		u, v, ok := e.plainEdge()
		if !ok {
			return e.split()
		}
		i, err := e.nodes.numberOf(u)
		if err != nil {
			e.fault(0, "%w", err)
		}
		j, err := e.nodes.numberOf(v)
		if err != nil {
			e.fault(1, "%w", err)
		}
		e.from, e.to = append(e.from, int32(i)), append(e.to, int32(j))
	}
	return false
}

// take takes in the edge of the current line.
func (e *edgeReader) take() {
	if len(e.cols) < 2 || len(e.cols) > 3 || len(e.cols) != e.width {
		e.fault(-1, "%w: %d fields, an edge has 2 or, on every line, 3", coles.ErrFormat, len(e.cols))
		return
	}
	i, j := e.node(0, e.nodes), e.node(1, e.nodes)
	e.from, e.to, e.weights = append(e.from, int32(i)), append(e.to, int32(j)), e.numbers(e.weights, 2)
}

// plainEdge reads a line of two integers as the most of edge lists have them: decimal, without
// sign, leading zeros or spaces around. It takes in the weight after them where lines have one.
func (e *edgeReader) plainEdge() (u, v uint64, ok bool) {
	u, p, ok := plainInteger(e.text, 0)
	if !ok || p == len(e.text) || e.text[p] != e.sep {
		return 0, 0, false
	}
	e.at = append(e.at[:0], 0, p+1)
	v, p, ok = plainInteger(e.text, p+1)
	if !ok || e.width == 2 {
		return u, v, ok && p == len(e.text)
	}
	if e.width != 3 || p == len(e.text) || e.text[p] != e.sep {
		return 0, 0, false
	}
	w, err := strconv.ParseFloat(string(e.text[p+1:]), 64)
	if err != nil || w-w != 0 {
		return 0, 0, false // the long way says what is wrong, or trims spaces
	}
	e.weights = append(e.weights, w)
	return u, v, true
}

// plainInteger reads the decimal at p and returns where it ends.
func plainInteger(line []byte, p int) (v uint64, end int, ok bool) {
	const most = 18 // digits that cannot overflow
	for end = p; end < len(line) && end-p < most && line[end]-'0' <= 9; end++ {
		v = 10*v + uint64(line[end]-'0')
	}
	return v, end, end > p && (line[p] != '0' || end == p+1)
}
