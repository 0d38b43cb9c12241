package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"coles"
	"coles/dataset"
	packed "coles/internal/source"

	"github.com/urfave/cli/v3"
)

// read reads a source in a format.
func (s *source) read(ctx context.Context, f dataset.Format) (*dataset.Dataset, error) {
	if f.IsAt != nil { // several files
		if s.stdin != nil {
			return nil, usagef("the format %s is several files, not standard input", f.Name)
		}
		s.progress.show("read "+s.path, 0, 0)
		return f.Open(s.path, s.text)
	}
	if s.stdin == nil && slices.Contains([]string{"npz", "npy", "csr"}, f.Name) {
		plain, err := openPlain(s.path)
		switch {
		case err != nil:
			return nil, err
		case plain != nil && f.Name != "npz":
			plain.Close()
			return f.Open(s.path, s.text)
		case plain != nil:
			defer plain.Close()
			size := plain.Info.Size()
			at := &cancelReaderAt{ctx: ctx, r: plain.Packed.(io.ReaderAt), each: func(n int64) { s.progress.bytes(s.name(), n, size) }}
			return dataset.ReadNPZ(io.NewSectionReader(at, 0, size))
		}
	}
	s.binary = f.Binary
	r, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	return f.Read(named{r, s.name()}, s.text)
}

// nameNodes names n nodes in their order to a reader of edges or labels in text, which would otherwise
// take them as they come.
func nameNodes(opts *dataset.EdgeListOptions, ids []string, n int) {
	if opts.Nodes = ids; ids == nil {
		opts.Rows = n
	}
}

// A named stream is called so in errors.
type named struct {
	io.Reader
	name string
}

func (n named) Name() string { return n.name }

// openPlain opens a file that is neither packed nor a pipe; it is nil for those, and if it is not
// there.
func openPlain(path string) (*packed.File, error) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil, nil
	}
	f, err := packed.Open(path)
	if err == nil && f.IsGzip() {
		return nil, f.Close()
	}
	return f, err
}

// A cancelReaderAt reads until ctx is done, and reports to each how many bytes it has read.
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
	d, err := dataset.ReadEdgeList(named{r, edges.name()}, named{x, features.name()}, edges.text)
	if parse := (*dataset.ParseError)(nil); errors.As(err, &parse) && parse.File == features.name() {
		return nil, features.errAt(err)
	}
	return d, edges.errAt(err)
}

// giveLabels puts those in the file of -labels, lines of an id and a label, on the n rows of d.
func giveLabels(ctx context.Context, c *cli.Command, in *inputs, d *dataset.Dataset, n int) error {
	path := c.String("labels")
	if path == "" {
		return nil
	}
	read, err := readPath(ctx, in, path, func(r *bufio.Reader) (*dataset.Dataset, error) {
		opts := dataset.EdgeListOptions{Labels: named{r, nameOf(path)}, Header: in.text.Header, SkipUnknown: in.text.SkipUnknown, MissingMarks: in.text.MissingMarks, Bipartite: in.text.Bipartite, Warn: in.text.Warn}
		nameNodes(&opts, d.IDs, n)
		return dataset.ReadEdgeList(strings.NewReader(""), nil, opts)
	})
	if err == nil {
		d.Labels, d.Unlabeled, d.Classes = read.Labels, read.Unlabeled, read.Classes
		d.Layouts = append(d.Layouts, slices.DeleteFunc(read.Layouts, func(l dataset.Layout) bool { return l.Lines != "labels" })...)
	}
	return err
}

// giveIDs gives the n rows of the first file without ids the ids of -ids, one a line.
func giveIDs(ctx context.Context, in *inputs, d *dataset.Dataset, n int) error {
	if in.ids == "" || d.IDs != nil {
		return nil
	}
	ids, err := readIDs(ctx, in, in.ids)
	if err == nil && len(ids) != n {
		err = fmt.Errorf("%s: %w: %d ids for %d rows", nameOf(in.ids), coles.ErrShape, len(ids), n)
	}
	if err == nil {
		d.IDs = ids
	}
	in.ids = ""
	return err
}

// readIDs reads ids, one a line.
func readIDs(ctx context.Context, in *inputs, path string) ([]string, error) {
	return readPath(ctx, in, path, func(r *bufio.Reader) ([]string, error) {
		known := make(map[string]bool)
		var ids []string
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, 16<<20) // as long as a line of other text may be
		for lines.Scan() {
			id := strings.TrimPrefix(lines.Text(), "\ufeff") // byte order mark
			if id == "" || known[id] || !utf8.ValidString(id) {
				err := fmt.Errorf("%w: %q is empty, given twice or not UTF-8", coles.ErrIDs, id)
				return nil, &dataset.ParseError{File: nameOf(path), Line: len(ids) + 1, Err: err}
			}
			known[id], ids = true, append(ids, id)
		}
		return ids, lines.Err()
	})
}

// readSplits reads a file of splits of n nodes.
func readSplits(ctx context.Context, in *inputs, path string, n int) ([]dataset.Split, error) {
	return readPath(ctx, in, path, func(r *bufio.Reader) ([]dataset.Split, error) { return dataset.ReadSplits(r, n) })
}

// writeIDs writes the ids of n rows, one a line.
func writeIDs(w io.Writer, ids []string, n int) error {
	for _, id := range rowNames(ids, n) {
		if id == "" || strings.ContainsAny(id, "\r\n") || strings.HasPrefix(id, "\ufeff") {
			return fmt.Errorf("%w: %q does not go on a line", coles.ErrIDs, id)
		}
		if _, err := fmt.Fprintln(w, id); err != nil {
			return err
		}
	}
	return nil
}

// areNumbers reports whether ids say no more than the numbers of rows.
func areNumbers(ids []string) bool {
	for i, id := range ids {
		if id != strconv.Itoa(i) {
			return false
		}
	}
	return true
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
