package main

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"sync/atomic"

	"coles/dataset"
	"coles/dataset/parse"
	packed "coles/internal/source"
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
func nameNodes(opts *parse.Options, ids []string, n int) {
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
	if where := (*parse.Error)(nil); errors.As(err, &where) && where.File == features.name() {
		return nil, features.errAt(err)
	}
	return d, edges.errAt(err)
}
