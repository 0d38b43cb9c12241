package dataset

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unsafe"

	"coles"
	"coles/internal/source"
	"coles/internal/text"
)

// ReadEdgeList reads a graph from text: edges, one a line, "u v" or "u v weight" (all lines alike;
// the weight is 1 where there is none), and features, one node a line, either dense, "id v1 v2 …",
// or sparse, "id index:value index:value …" with indices from 0. features may be nil. Where some of
// the first 64 kB of dense features are text, they are a [table.Table] of any cells, and so are JSON
// objects, one a line, but those of an id and a "vector"; Features are made of them. A cell of a table in
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

func (l *edgeFiles) read(edges, features io.Reader, opts EdgeListOptions) (*Dataset, error) {
	if features != nil {
		l.featuresFile = cmp.Or(opts.FeaturesName, source.Name(features, "features"))
		t := text.NewReader(features, text.Layout{Multiline: true})
		if l.readFeatures(t, opts); t.Err != nil {
			return nil, placed(l.featuresFile, t.Err)
		}
		if opts.Encoder.AsIs() && opts.Kinds == nil {
			if err := l.arrange(opts); err != nil {
				return nil, err
			}
		}
		if opts.refusesGaps() {
			l.nodes.closed, l.nodes.advice = "no line in "+l.featuresFile+" for node", nodeAdvice
		}
	}
	if err := l.nameNodes(opts.Nodes, opts.Rows); err != nil {
		return nil, placed(l.featuresFile, err)
	}
	l.edgesFile = cmp.Or(opts.EdgesName, source.Name(edges, "edges"))
	t := text.NewReader(edges, text.Layout{})
	if l.readEdges(t, opts); t.Err != nil {
		return nil, placed(l.edgesFile, t.Err)
	}
	l.nodes.closed, l.nodes.advice = "unknown node", Advice{}
	if opts.Labels != nil {
		t := text.NewReader(opts.Labels, text.Layout{})
		if l.readLabels(t, opts); t.Err != nil {
			return nil, placed(cmp.Or(opts.LabelsName, source.Name(opts.Labels, "labels")), t.Err)
		}
	}
	d, err := l.dataset(opts)
	return d, placed(l.featuresFile, err)
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

// An edgeReader collects the edges of lines.
type edgeReader struct {
	*text.Reader
	*edgeFiles
	columns []int     // fields of the ids and, if there is one, the weight
	chosen  bool      // by the caller: lines may have other fields
	width   int       // fields of the first line
	kinds   [2]string // what the ids of each column begin with, if they are of two kinds
	first   [2]string // the ids on the first line
	firstAt int
	id      []byte // storage of one
	hashes  [512]uint32
	looked  byte // what nobody needs, so that it is read
}

func (l *edgeFiles) readEdges(t *text.Reader, opts EdgeListOptions) {
	e := &edgeReader{Reader: t, edgeFiles: l, columns: []int{0, 1, 2}, chosen: len(opts.Columns) > 0}
	if e.chosen {
		e.columns = slices.Clone(opts.Columns)
		for k := range e.columns {
			e.columns[k]--
		}
	}
	if opts.Unweighted {
		e.columns = e.columns[:2]
	}
	if opts.Bipartite {
		e.kinds = [2]string{"1:", "2:"}
	}
	some := opts.Header.start(t, e.isHeader)
	if e.width = len(t.Fields); !e.chosen && e.width == 2 {
		e.columns = e.columns[:2]
	}
	if opts.Bipartite && t.Header != nil {
		e.nameKinds()
	}
	if some {
		e.readRows()
	}
	if l.nodes.count() == 0 {
		t.Fail(fmt.Errorf("%w: no edge, and no features to name the nodes", ErrMissing))
	}
	for side, k := range e.columns[:2] {
		if k < len(t.Header) {
			t.Header[k] = e.kinds[side] + t.Header[k] // as it would be were it a node
		}
		checkGuess(t, l.nodes, k)
	}
	if opts.Warn != nil && t.Err == nil {
		e.warnOfHeader(opts.Warn)
		e.warnOfTimes(opts.Warn)
	}
}

// isHeader reports whether the first line is a header: by the fields that are used or, where all these could be an
// edge's, if a field that is not used is text there and a number in the second line.
func (e *edgeReader) isHeader() bool {
	var used []string
	for _, k := range e.columns {
		if k < len(e.Fields) {
			used = append(used, e.Fields[k])
		}
	}
	if onlyHeaderWords(used) || len(used) == 3 && !isValue(used[2]) {
		return true
	}
	second := e.Ahead()
	if len(e.Fields) <= len(e.columns) || !second.Next() {
		return false
	}
	for k, field := range e.Fields[:min(len(e.Fields), len(second.Fields))] {
		if !slices.Contains(e.columns, k) && !isValue(field) && text.IsNumber(second.Fields[k]) {
			return true
		}
	}
	return false
}

// nameKinds calls the two kinds of nodes what the header does, if that keeps their ids apart.
func (e *edgeReader) nameKinds() {
	if max(e.columns[0], e.columns[1]) >= len(e.Header) {
		return
	}
	u, v := e.Header[e.columns[0]], e.Header[e.columns[1]]
	if u != v && u != "" && v != "" && !strings.Contains(u+v, ":") {
		e.kinds = [2]string{u + ":", v + ":"}
	}
}

// readRows takes in the edges on all lines from the current one on.
func (e *edgeReader) readRows() {
	form := text.Plain{Fields: e.width, Columns: e.columns, Names: e.kinds[0] != ""}
	if e.chosen {
		form.Fields = 0
	}
	e.Blocks(form, e.takePlain, e.take)
}

// takePlain takes in the edges on lines lo to hi of a block's plain ones.
func (e *edgeReader) takePlain(b *text.Block, lo, hi int) error {
	ends := b.Keys[2*lo : 2*hi]
	for part := range slices.Chunk(ends, len(e.hashes)) {
		e.look(b, part)
		direct := e.nodes.direct
		for k, end := range part {
			// Most are numbers that are known. Their rows are read without waiting for one another.
			if end < uint64(len(direct)) && direct[end] > 0 {
				part[k] = uint64(direct[end] - 1)
				continue
			}
			var i int
			var err error
			if text.IsName(end) {
				i, err = e.nodes.numberOfName(e.hashes[k], e.nameOf(b, k, end))
			} else {
				i, err = e.nodes.numberOf(end)
			}
			if err != nil {
				return err
			}
			part[k], direct = uint64(i), e.nodes.direct
		}
	}
	weights := b.Numbers
	if len(weights) > 0 {
		weights = weights[lo:hi]
	}
	return e.edges.addRows(ends, weights)
}

// look hashes the names among the ends, and reads what they will be compared with.
func (e *edgeReader) look(b *text.Block, ends []uint64) {
	named := false
	for k, end := range ends {
		if text.IsName(end) {
			named, e.hashes[k] = true, e.nodes.rows.Hash(e.nameOf(b, k, end))
		}
	}
	if named {
		e.looked = e.nodes.rows.Look(e.hashes[:len(ends)], e.nodes.ids)
	}
}

// nameOf is the id that an end has, valid until the next.
func (e *edgeReader) nameOf(b *text.Block, side int, end uint64) string {
	name := b.Name(end)
	if kind := e.kinds[side%2]; kind != "" {
		e.id = append(append(e.id[:0], kind...), name...)
		name = e.id
	}
	return unsafe.String(unsafe.SliceData(name), len(name))
}

// take takes in the edge of the current line.
func (e *edgeReader) take() {
	if most := slices.Max(e.columns); e.chosen && len(e.Fields) <= most {
		e.Fault(-1, "%w: %d fields, and column %d is asked for", coles.ErrFormat, len(e.Fields), most+1)
	} else if !e.chosen && (len(e.Fields) < 2 || len(e.Fields) > 3 || len(e.Fields) != e.width) {
		e.Fault(-1, "%w: %d fields, an edge has 2 or, on every line, 3", coles.ErrFormat, len(e.Fields))
	}
	if e.Err != nil {
		return
	}
	if e.edges.count == 0 {
		e.first, e.firstAt = [2]string{e.Fields[e.columns[0]], e.Fields[e.columns[1]]}, e.Line
	}
	i, j := int32(e.end(0)), int32(e.end(1))
	var weight []float64
	if len(e.columns) == 3 {
		weight = []float64{e.Number(e.columns[2])}
	}
	if err := e.edges.add(i, j, weight...); err != nil {
		e.Fail(err)
	}
}

// end is the row of the node at an end of the current line's edge.
func (e *edgeReader) end(side int) int {
	k := e.columns[side]
	if e.Fields[k] != "" {
		e.Fields[k] = e.kinds[side] + e.Fields[k]
	}
	return e.nodes.named(e.Reader, k)
}

// warnOfHeader warns of a first line whose ids are text and occur nowhere else.
func (e *edgeReader) warnOfHeader(warn func(error)) {
	if !e.Guessed || e.Header != nil || e.edges.count < 2 || text.IsNumber(e.first[0]) || text.IsNumber(e.first[1]) {
		return
	}
	u, v := int(e.edges.blocks[0].from[0]), int(e.edges.blocks[0].to[0])
	known := 0
	if e.features != nil {
		known, _ = e.features.Dims()
	}
	if min(u, v) < known {
		return
	}
	others := -1 // the first edge is the line's
	for b := range e.edges.all() {
		if others++; others > 0 && (b.U == u || b.U == v || b.V == u || b.V == v) {
			return
		}
	}
	err := fmt.Errorf("%q and %q occur on no other line: they are taken for nodes, not for a header", e.first[0], e.first[1])
	warn(&ParseError{File: e.edgesFile, Line: e.firstAt, Err: err, Advice: []Advice{headerAdvice}})
}

// warnOfTimes warns of weights that are whole numbers from 10⁸ (1973 in seconds) to 10¹³ (2286 in
// milliseconds), and not all the same.
func (e *edgeReader) warnOfTimes(warn func(error)) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, w := range e.edges.all() {
		if w != math.Trunc(w) || w < 1e8 || w > 1e13 {
			return
		}
		low, high = min(low, w), max(high, w)
	}
	if low < high {
		warn(fault(e.edgesFile, "the weights look like times: whole numbers from %.0f to %.0f", low, high))
	}
}
