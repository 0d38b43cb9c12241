package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"coles"
	"coles/dataset"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// readNPZ reads an archive, which begins at its end: a file where it lies, and what is packed or
// comes by a pipe from memory.
func readNPZ(ctx context.Context, in *source, _ []string) (*dataset.Dataset, error) {
	if in.stdin == nil {
		if f, size, err := openPlain(in.path); err != nil {
			return nil, err
		} else if f != nil {
			defer f.Close()
			return dataset.ReadNPZ(io.NewSectionReader(&cancelReaderAt{ctx: ctx, r: f, each: func(n int64) { in.progress.bytes(in.name(), n, size) }}, 0, size))
		}
	}
	in.binary = true
	r, err := in.open(ctx)
	if err != nil {
		return nil, err
	}
	return dataset.ReadNPZ(r)
}

// openPlain opens a file that is neither packed nor a pipe; the file is nil for those.
func openPlain(path string) (*os.File, int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	head := make([]byte, len(gzipMagic))
	if _, err := f.ReadAt(head, 0); !info.Mode().IsRegular() || err == nil && string(head) == gzipMagic {
		return nil, 0, f.Close()
	}
	return f, info.Size(), nil
}

// A cancelReaderAt reads until ctx is done, and tells each how many bytes it has read.
type cancelReaderAt struct {
	ctx  context.Context
	r    io.ReaderAt
	n    atomic.Int64
	each func(n int64)
}

func (c *cancelReaderAt) ReadAt(p []byte, at int64) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	k, err := c.r.ReadAt(p, at)
	c.each(c.n.Add(int64(k)))
	return k, err
}

// isThere reports whether there is a file, gzipped or not.
func isThere(path string) bool {
	for _, end := range []string{"", ".gz"} {
		if _, err := os.Stat(path + end); err == nil {
			return true
		}
	}
	return false
}

func isPlanetoid(path string) bool {
	dir, name := filepath.Split(path)
	return isThere(filepath.Join(dir, "ind."+name+".graph"))
}

func isGraphSAGE(path string) bool { return isThere(path + "-G.json") }

func isOGB(path string) bool { return isThere(filepath.Join(path, "raw", "num-node-list.csv")) }

// readFiles reads a format of several files: a folder, or those with a name.
func readFiles(format string, open func(dir, name string) (*dataset.Dataset, error)) func(context.Context, *source, []string) (*dataset.Dataset, error) {
	return func(_ context.Context, in *source, _ []string) (*dataset.Dataset, error) {
		if in.stdin != nil {
			return nil, usagef("the format %s is several files, not standard input", format)
		}
		in.progress.show("read "+in.path, 0, 0)
		return open(filepath.Split(in.path))
	}
}

func openOGB(dir, name string) (*dataset.Dataset, error) {
	return dataset.OpenOGB(filepath.Join(dir, name))
}

func readEdges(ctx context.Context, in *source, nodes []string) (*dataset.Dataset, error) {
	r, err := in.open(ctx)
	if err != nil {
		return nil, err
	}
	opts := in.text
	opts.EdgesName = in.name()
	if nodes == nil {
		return dataset.ReadEdgeList(r, nil, opts)
	}
	named, err := nodesText(nodes, opts.Header)
	if err != nil {
		return nil, err
	}
	opts.Missing, opts.SkipUnknown = "", false // the features are elsewhere
	d, err := dataset.ReadEdgeList(r, named, opts)
	if err == nil {
		d.Features, d.FeatureNames = nil, nil
	}
	return d, headerHint(err, opts.Header)
}

// headerHint says what to do where a first line of words that the reader does not know for a header
// names no node.
func headerHint(err error, mode dataset.HeaderMode) error {
	var parse *dataset.ParseError
	if mode == dataset.DetectHeader && errors.Is(err, coles.ErrIDs) && errors.As(err, &parse) && parse.Line == 1 {
		return fmt.Errorf("%w; if the first lines are headers, add -header yes", err)
	}
	return err
}

// readEdgesOf reads edges together with features in text, so that nodes which one of both lacks are
// dealt with as the options say.
func readEdgesOf(ctx context.Context, edges, features *source) (*dataset.Dataset, error) {
	x, err := features.open(ctx)
	if err != nil {
		return nil, features.errAt(err)
	}
	r, err := edges.open(ctx)
	if err != nil {
		return nil, edges.errAt(err)
	}
	opts := edges.text
	opts.EdgesName, opts.FeaturesName = edges.name(), features.name()
	d, err := dataset.ReadEdgeList(r, x, opts)
	if parse := (*dataset.ParseError)(nil); errors.As(err, &parse) && parse.File == features.name() {
		return nil, features.errAt(err)
	}
	return d, edges.errAt(headerHint(err, opts.Header))
}

// nodesText is a features file that only names nodes, for readers of files that refer to them,
// which have a header or not as it has.
func nodesText(nodes []string, header dataset.HeaderMode) (io.Reader, error) {
	var text bytes.Buffer
	if header == dataset.WithHeader {
		text.WriteString("id\tvalue\n")
	}
	err := dataset.WriteTSV(&text, nodes, mat.NewDense(len(nodes), 1, nil))
	return &text, err
}

// readLabels reads lines of an id and a label into d, for nodes of these names.
func readLabels(ctx context.Context, in *source, nodes []string, d *dataset.Dataset) error {
	r, err := in.open(ctx)
	if err != nil {
		return err
	}
	named, err := nodesText(nodes, in.text.Header)
	if err != nil {
		return err
	}
	var edges bytes.Buffer // a loop for every node, which SkipUnknown would skip without
	if in.text.Header == dataset.WithHeader {
		edges.WriteString("source\ttarget\tweight\n")
	}
	if in.text.SkipUnknown {
		if err := dataset.WriteEdgeList(&edges, &dataset.Dataset{IDs: nodes, Adjacency: loops(len(nodes))}); err != nil {
			return err
		}
	}
	read, err := dataset.ReadEdgeList(&edges, named, dataset.EdgeListOptions{
		Labels: r, LabelsName: in.name(), Header: in.text.Header, SkipUnknown: in.text.SkipUnknown,
	})
	if err != nil {
		return err
	}
	d.Labels, d.Unlabeled, d.Classes = read.Labels, read.Unlabeled, read.Classes
	return nil
}

// loops joins every node to itself, by a weight that has to be written, so that no line looks like
// a header.
func loops(n int) *sparse.CSR {
	rows, columns, weights := make([]int, n+1), make([]int, n), make([]float64, n)
	for i := range n {
		rows[i+1], columns[i], weights[i] = i+1, i, 2
	}
	return sparse.NewCSR(n, n, rows, columns, weights)
}

// readNPY maps a file of float32, which may be larger than memory, and reads any other. The mapping
// stays until the program ends.
func readNPY(ctx context.Context, in *source, _ []string) (*dataset.Dataset, error) {
	if in.stdin == nil {
		f, _, err := openPlain(in.path)
		if err != nil {
			return nil, err
		}
		if f != nil {
			f.Close()
			m, err := dataset.MapNPY(in.path)
			if err == nil {
				return &dataset.Dataset{Features: m.Matrix()}, nil
			}
			if !errors.Is(err, dataset.ErrLayout) {
				return nil, err
			}
		}
	}
	in.binary = true
	r, err := in.open(ctx)
	if err != nil {
		return nil, err
	}
	x, err := dataset.ReadNPY(r)
	if err != nil {
		return nil, err
	}
	return &dataset.Dataset{Features: x}, nil
}

func readTSV(ctx context.Context, in *source, _ []string) (*dataset.Dataset, error) {
	r, err := in.open(ctx)
	if err != nil {
		return nil, err
	}
	opts := in.text
	opts.FeaturesName, opts.SkipUnknown = in.name(), false
	d, err := dataset.ReadEdgeList(strings.NewReader(""), r, opts)
	if err == nil {
		d.Adjacency = nil
	}
	return d, err
}

// readWord2Vec reads one of word2vec's forms.
func readWord2Vec(read func(io.Reader) (*dataset.Vectors, error)) func(context.Context, *source, []string) (*dataset.Dataset, error) {
	return func(ctx context.Context, in *source, _ []string) (*dataset.Dataset, error) {
		r, err := in.open(ctx)
		if err != nil {
			return nil, err
		}
		v, err := read(r)
		if err != nil {
			return nil, in.placed(err)
		}
		return &dataset.Dataset{Features: v.Values, IDs: v.IDs}, nil
	}
}

func readMatrixMarket(ctx context.Context, in *source, _ []string) (*dataset.Dataset, error) {
	r, err := in.open(ctx)
	if err != nil {
		return nil, err
	}
	m, err := dataset.ReadMatrixMarket(r)
	if err != nil {
		return nil, in.placed(err)
	}
	a, ok := m.(*sparse.CSR)
	if rows, cols := m.Dims(); !ok || rows != cols {
		return nil, fmt.Errorf("%s: a matrix of %d × %d, want the coordinates of a square one", in.name(), rows, cols)
	}
	return &dataset.Dataset{Adjacency: a}, nil
}

// holding is the end of an error about a folder: the datasets in it, if there are any.
func holding(dir string) string {
	found := datasetsIn(dir)
	if len(found) == 0 {
		return ""
	}
	paths := make([]string, len(found))
	for k, d := range found {
		paths[k] = d.Path
	}
	return "; it holds " + strings.Join(paths, ", ")
}

// placed names the source in an error that knows of a stream only.
func (s *source) placed(err error) error {
	var parse *dataset.ParseError
	if errors.As(err, &parse) {
		parse.File = s.name()
	}
	return err
}

func writeMatrixMarket(w io.Writer, d *dataset.Dataset) error {
	return dataset.WriteMatrixMarket(w, d.Adjacency)
}

func writeWord2VecBinary(w io.Writer, d *dataset.Dataset) error {
	return dataset.WriteWord2VecBinary(w, d.IDs, d.Features)
}

func writeNPY(w io.Writer, d *dataset.Dataset) error {
	return dataset.WriteNPY(w, d.Features)
}

func writeTSV(w io.Writer, d *dataset.Dataset) error {
	return dataset.WriteTSV(w, d.IDs, d.Features)
}

func writeCSV(w io.Writer, d *dataset.Dataset) error {
	return dataset.WriteCSV(w, d.IDs, d.Features)
}

func writeJSONLines(w io.Writer, d *dataset.Dataset) error {
	return dataset.WriteJSONLines(w, d.IDs, d.Features)
}

func writeWord2Vec(w io.Writer, d *dataset.Dataset) error {
	return dataset.WriteWord2Vec(w, d.IDs, d.Features)
}

// readIDs reads the ids of n rows, one a line.
func readIDs(ctx context.Context, in *source, n int) ([]string, error) {
	r, err := in.open(ctx)
	if err != nil {
		return nil, err
	}
	known := make(map[string]bool)
	var ids []string
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		id := lines.Text()
		if id == "" || known[id] || !utf8.ValidString(id) {
			return nil, fmt.Errorf("%s:%d: %w: %q is empty, given twice or not UTF-8", in.name(), len(ids)+1, coles.ErrIDs, id)
		}
		known[id], ids = true, append(ids, id)
	}
	if err := lines.Err(); err != nil {
		return nil, in.errAt(err)
	}
	if len(ids) != n {
		return nil, fmt.Errorf("%s: %w: %d ids for %d rows", in.name(), coles.ErrShape, len(ids), n)
	}
	return ids, nil
}

// writeIDs writes the ids of n rows, one a line.
func writeIDs(w io.Writer, ids []string, n int) error {
	for _, id := range rowNames(ids, n) {
		if id == "" || strings.ContainsAny(id, "\r\n") {
			return fmt.Errorf("%w: %q does not go on a line", coles.ErrIDs, id)
		}
		if _, err := fmt.Fprintln(w, id); err != nil {
			return err
		}
	}
	return nil
}

// rowNames are the ids of n rows, which are their numbers where ids is nil.
func rowNames(ids []string, n int) []string {
	if ids != nil {
		return ids
	}
	ids = make([]string, n)
	for i := range ids {
		ids[i] = strconv.Itoa(i)
	}
	return ids
}
