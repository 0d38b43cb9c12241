// Package published reads large graphs as their authors publish them: the Open Graph Benchmark's and
// GraphSAGE's. Datasets and named errors are those of package dataset, and its rules for readers hold here.
package published

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"coles/dataset"
	"coles/dataset/parse"
	"coles/internal/source"
	"coles/internal/text"

	"github.com/james-bowman/sparse"
)

// maxClasses bounds a label, and maxSplits the number of splits, as in package dataset.
const (
	maxClasses = 1 << 20
	maxSplits  = 1 << 16
)

// emptyRows is the number of nodes that a graph may have besides 64 for every edge: they take memory even
// without edges.
const emptyRows = 1 << 20

// A folder holds the files of a dataset, each gzipped or not.
type folder struct {
	fsys        fs.FS
	dir, prefix string // of the names in errors, and of each name
}

func (f folder) path(name string) string { return filepath.Join(f.dir, f.prefix+name) }

func (f folder) fault(name, format string, args ...any) error {
	return placed(f.path(name), fmt.Errorf(format, args...))
}

// open opens a file; fs.ErrNotExist if it is not there.
func (f folder) open(name string, free int64) (*source.File, error) {
	for _, end := range []string{"", ".gz"} {
		file, err := f.fsys.Open(f.prefix + name + end)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, f.fault(name+end, "%w", err)
		}
		u, err := source.Unpack(file, f.path(name+end), free)
		return u, placed(f.path(name+end), err)
	}
	return nil, f.fault(name, "%w: %w", dataset.ErrMissing, fs.ErrNotExist)
}

// placed puts a fault into a file, at a line or a byte if it names one.
func placed(file string, err error) error {
	if err == nil {
		return nil
	}
	where := &parse.Error{File: file, Offset: -1, Err: err}
	var line *text.Error
	var at *source.Error
	switch {
	case errors.As(err, &line):
		where.Line, where.Column, where.Err = line.Line, line.Column, line.Err
	case errors.As(err, &at):
		where.Offset, where.Err = at.Offset, at.Err
	}
	return where
}

// checked validates what a reader made of a file.
func checked(d *dataset.Dataset, file string) (*dataset.Dataset, error) {
	if err := d.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return d, nil
}

// adjacency sorts edges into rows, keeping their order within a row. Every entry is 1.
func adjacency(n int, from, to []int32) *sparse.CSR {
	indptr := make([]int, n+1)
	for _, u := range from {
		indptr[u+1]++
	}
	for u := range n {
		indptr[u+1] += indptr[u]
	}
	next := append([]int(nil), indptr[:n]...)
	ind, data := make([]int, len(to)), make([]float64, len(to))
	for k, u := range from {
		ind[next[u]], data[next[u]] = int(to[k]), 1
		next[u]++
	}
	return sparse.NewCSR(n, n, indptr, ind, data)
}
