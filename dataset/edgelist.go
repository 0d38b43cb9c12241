package dataset

import (
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/james-bowman/sparse"
)

// EdgeListOptions goes with [ReadEdgeList]. The zero value works.
type EdgeListOptions struct {
	// Labels, when not nil, holds lines "id, label". Labels are any text;
	// classes are numbered in ascending order of their names (as numbers, if
	// all are integers). Nodes without a line get label -1.
	Labels io.Reader
	// Header says whether the files begin with a line of column names.
	Header HeaderMode
	// EdgesName, FeaturesName and LabelsName name the files in errors;
	// "edges", "features" and "labels" if empty.
	EdgesName, FeaturesName, LabelsName string
}

// HeaderMode says whether text files begin with a line of column names.
type HeaderMode int

const (
	// DetectHeader takes the first data line for a header if its weight (in
	// an edge list) or all its values (in a features file) are not numbers,
	// or if its fields are all among the words that headers use: id, node,
	// source, target, src, dst, from, to, weight, label, class and their like.
	// Should a word of such a line turn out to be a node's id, that is
	// ErrFormat: nothing is lost to a wrong guess.
	DetectHeader HeaderMode = iota
	// NoHeader takes every line for data.
	NoHeader
	// WithHeader skips the first data line of every file.
	WithHeader
)

// headerWords are the column names that DetectHeader knows, in lower case.
var headerWords = map[string]bool{
	"id": true, "ids": true, "node": true, "node_id": true, "nodeid": true, "name": true,
	"node1": true, "node2": true, "node_1": true, "node_2": true, "id1": true, "id2": true, "id_1": true, "id_2": true,
	"source": true, "target": true, "src": true, "dst": true, "dest": true, "destination": true,
	"from": true, "to": true, "fromnodeid": true, "tonodeid": true,
	"weight": true, "label": true, "labels": true, "class": true,
}

// ReadEdgeList reads a graph from text: edges, one a line, "u v" or "u v weight"
// (all lines alike; the weight is 1 where there is none), and features, one
// node a line, either dense, "id v1 v2 …", or sparse, "id index:value
// index:value …" with indices from 0. features may be nil.
//
// Fields are separated by tabs, commas, semicolons or spaces, as the first
// data line of each file has them; double quotes protect a field. Lines that
// start with # or % are comments. Ids are any UTF-8 text.
//
// The nodes are those of the features file, in its order, and an edge that
// names another is an ErrUnknownNode; without features they come in the order
// in which the edge list first names them. Each line of the edge list is one
// entry of the adjacency, row u and column v: nothing is mirrored or merged.
// Features are a *mat.Dense or a *sparse.CSR like the file.
//
// Errors are a *ParseError with file, line and column (of the field, in
// bytes), and wrap ErrFormat, ErrTooLarge, ErrShape (rows of different
// length), ErrIndex, ErrDuplicate, ErrUnknownNode, ErrNotFinite or the error
// of the reader. A features file with no node and an edge list that ends up
// with none are ErrMissing. Cost: O(bytes).
func ReadEdgeList(edges, features io.Reader, opts EdgeListOptions) (*Dataset, error) {
	if edges == nil {
		return nil, inFile(nameOr(opts.EdgesName, "edges"), "%w: no reader", ErrMissing)
	}
	d := &Dataset{}
	nodes := newNodeIDs()
	if features != nil {
		t := newTable(features, nameOr(opts.FeaturesName, "features"))
		var err error
		if d.Features, err = readFeatures(t, opts.Header, nodes); err != nil {
			return nil, err
		}
		nodes.closed = true
	}
	var err error
	if d.Adjacency, err = readEdges(newTable(edges, nameOr(opts.EdgesName, "edges")), opts.Header, nodes); err != nil {
		return nil, err
	}
	nodes.closed = true
	if opts.Labels != nil {
		t := newTable(opts.Labels, nameOr(opts.LabelsName, "labels"))
		if err := readLabels(t, opts.Header, nodes, d); err != nil {
			return nil, err
		}
	}
	d.IDs = nodes.names()
	return d, nil
}

func nameOr(name, fallback string) string {
	if name == "" {
		return fallback
	}
	return name
}

// OpenEdgeList reads the files at the given paths, each gzipped or not (what unpacks to more
// than 32 MB and 64 times its size is ErrTooLarge); an
// empty featuresPath or labelsPath means that there is none. The dataset is
// named after the edge list. See [ReadEdgeList].
func OpenEdgeList(edgesPath, featuresPath, labelsPath string) (*Dataset, error) {
	opts := EdgeListOptions{EdgesName: edgesPath, FeaturesName: featuresPath, LabelsName: labelsPath}
	edges, err := openFile(edgesPath, freeText)
	if err != nil {
		return nil, err
	}
	defer edges.Close()
	var features io.Reader
	if featuresPath != "" {
		f, err := openFile(featuresPath, freeText)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		features = f
	}
	if labelsPath != "" {
		f, err := openFile(labelsPath, freeText)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		opts.Labels = f
	}
	d, err := ReadEdgeList(edges, features, opts)
	if err != nil {
		return nil, err
	}
	base := strings.TrimSuffix(filepath.Base(edgesPath), ".gz")
	d.Name = strings.TrimSuffix(base, filepath.Ext(base))
	return d, nil
}

// start goes to the first data line after the header, if there is one.
func (t *table) start(mode HeaderMode, isHeader func() bool) error {
	if err := t.next(); err != nil {
		return err
	}
	if mode == DetectHeader && (isHeader() || t.allHeaderWords()) {
		t.guessed = slices.Clone(t.cols)
		t.guessedAt = t.line
		return t.next()
	}
	if mode == WithHeader {
		return t.next()
	}
	return nil
}

// checkGuess makes sure that the line which was taken for a header does not
// have the id of a node in one of its first fields.
func (t *table) checkGuess(fields int, nodes *nodeIDs) error {
	for k, c := range t.guessed[:min(fields, len(t.guessed))] {
		if nodes.has(c) {
			t.line = t.guessedAt
			return t.fault(-1, "%w: looks like a header, but %q (field %d) is a node; say by the header mode which it is", ErrFormat, c, k+1)
		}
	}
	return nil
}

func (t *table) allHeaderWords() bool {
	for _, c := range t.cols {
		if !headerWords[strings.ToLower(c)] {
			return false
		}
	}
	return len(t.cols) > 1
}

// readEdges reads the edge list. Edges are kept as 32-bit pairs until their
// number in each row is known.
func readEdges(t *table, mode HeaderMode, nodes *nodeIDs) (*sparse.CSR, error) {
	e := &edgeReader{table: t, nodes: nodes}
	err := t.start(mode, func() bool {
		return len(t.cols) == 3 && !isValue(t.cols[2])
	})
	if err == nil {
		e.width = len(t.cols)
	}
	for ; err == nil; err = e.next() {
		if err = e.split(); err != nil {
			break
		}
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	if nodes.count() == 0 {
		return nil, inFile(t.file, "%w: no edge, and no features to name the nodes", ErrMissing)
	}
	if err := t.checkGuess(2, nodes); err != nil {
		return nil, err
	}
	return compressed(nodes.count(), nodes.count(), e.from, e.to, e.weights), nil
}

// An edgeReader collects the edges of a table.
type edgeReader struct {
	*table
	nodes    *nodeIDs
	width    int // fields of every line
	from, to []int32
	weights  []float64 // nil when the file has none

	plain     []uint64 // pairs of integers that are not numbered yet
	plainLine []int    // the lines they are from
}

// plainPairs are numbered together: looked up one after the other, with nothing between
// them, their places in memory are fetched at the same time.
const plainPairs = 1024

// next goes to the next line that is not as plain as most are, taking in the edges
// before it: two integers and perhaps a weight are read without making fields of them.
func (e *edgeReader) next() error {
	for {
		err := e.nextLine()
		if err == nil {
			if u, v, ok := e.plainEdge(); ok {
				e.plain, e.plainLine = append(e.plain, u, v), append(e.plainLine, e.line)
				if len(e.plainLine) < plainPairs {
					continue
				}
				if err := e.number(); err != nil {
					return err
				}
				continue
			}
		}
		// What comes before the end, a fault or another kind of line is taken in first.
		if err := e.number(); err != nil {
			return err
		}
		if err != nil {
			return err
		}
		return e.table.split()
	}
}

// number takes in the plain pairs.
func (e *edgeReader) number() error {
	e.from, e.to = roomFor(e.from, len(e.plain)), roomFor(e.to, len(e.plain))
	for q, v := range e.plain {
		i, err := e.nodes.numberOf(v)
		if err != nil {
			place := &ParseError{File: e.file, Line: e.plainLine[q/2], Column: 1, Err: err}
			if q%2 == 1 {
				place.Column += len(strconv.FormatUint(e.plain[q-1], 10)) + 1
			}
			return place
		}
		if q%2 == 0 {
			e.from = append(e.from, int32(i))
		} else {
			e.to = append(e.to, int32(i))
		}
	}
	e.plain, e.plainLine = e.plain[:0], e.plainLine[:0]
	return nil
}

// roomFor makes room for more numbers by doubling: append, which grows a long slice by a
// quarter, would copy each of them several times.
func roomFor(list []int32, more int) []int32 {
	if cap(list)-len(list) >= more {
		return list
	}
	return slices.Grow(list, max(more, len(list)))
}

// split takes in the edge of the current line.
func (e *edgeReader) split() error {
	t := e.table
	if len(t.cols) < 2 || len(t.cols) > 3 || len(t.cols) != e.width {
		return t.fault(-1, "%w: %d fields, an edge has 2 or, on every line, 3", ErrFormat, len(t.cols))
	}
	var ends [2]int
	for k := range ends {
		if t.cols[k] == "" {
			return t.fault(k, "%w: an empty node id", ErrFormat)
		}
		i, err := e.nodes.number(t.cols[k])
		if err != nil {
			return t.fault(k, "%w", err)
		}
		ends[k] = i
	}
	if e.width == 3 {
		w, err := t.number(2)
		if err != nil {
			return err
		}
		e.weights = append(e.weights, w)
	}
	e.from, e.to = append(e.from, int32(ends[0])), append(e.to, int32(ends[1]))
	return nil
}

// plainEdge reads a line of two integers as the most of edge lists have them: decimal,
// without sign, leading zeros or spaces around. It takes in the weight after them where lines have one.
func (e *edgeReader) plainEdge() (u, v uint64, ok bool) {
	u, p, ok := plainInteger(e.text, 0)
	if !ok || p == len(e.text) || e.text[p] != e.sep {
		return 0, 0, false
	}
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
