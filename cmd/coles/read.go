package main

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"coles/dataset"
	"coles/dataset/parse"
	packed "coles/internal/source"
)

// read reads a source in a format.
func (s *source) read(ctx context.Context, f dataset.Format) (*dataset.Dataset, error) {
	if f.IsAt != nil && s.stdin != nil {
		return nil, usagef("the format %s is several files, not standard input", f.Name)
	}
	if f.IsAt != nil || s.stdin == nil && slices.Contains([]string{"npz", "npy", "csr"}, f.Name) && isPlain(s.path) {
		s.progress.show("read "+s.path, 0, 0)
		return f.Open(s.path, s.text)
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

// isPlain reports whether a path is that of a file, and of none that is packed. Its numbers are read where they stand.
func isPlain(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := packed.Open(path)
	if err != nil {
		return false // which opening it says
	}
	defer f.Close()
	return !f.IsGzip()
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
