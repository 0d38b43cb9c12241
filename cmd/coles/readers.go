package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

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
			return dataset.ReadNPZ(cancelReaderAt{ctx, f}, size)
		}
	}
	in.binary = true
	r, err := in.open(ctx)
	if err != nil {
		return nil, err
	}
	all, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return dataset.ReadNPZ(bytes.NewReader(all), int64(len(all)))
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

// A cancelReaderAt reads until ctx is done.
type cancelReaderAt struct {
	ctx context.Context
	r   io.ReaderAt
}

func (c cancelReaderAt) ReadAt(p []byte, at int64) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.ReadAt(p, at)
}

func isPlanetoid(path string) bool {
	dir, name := filepath.Split(path)
	for _, end := range []string{"", ".gz"} {
		if _, err := os.Stat(filepath.Join(dir, "ind."+name+".graph"+end)); err == nil {
			return true
		}
	}
	return false
}

func readPlanetoid(_ context.Context, in *source, _ []string) (*dataset.Dataset, error) {
	if in.stdin != nil {
		return nil, usagef("the format planetoid is several files, not standard input")
	}
	dir, name := filepath.Split(in.path)
	if dir == "" {
		dir = "."
	}
	return dataset.OpenPlanetoid(dir, name)
}

func readEdges(ctx context.Context, in *source, nodes []string) (*dataset.Dataset, error) {
	r, err := in.open(ctx)
	if err != nil {
		return nil, err
	}
	if nodes == nil {
		return dataset.ReadEdgeList(r, nil, dataset.EdgeListOptions{EdgesName: in.name(), Header: in.header})
	}
	named, err := nodesText(nodes, in.header)
	if err != nil {
		return nil, err
	}
	d, err := dataset.ReadEdgeList(r, named, dataset.EdgeListOptions{EdgesName: in.name(), Header: in.header})
	if err == nil {
		d.Features = nil
	}
	return d, err
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
	named, err := nodesText(nodes, in.header)
	if err != nil {
		return err
	}
	read, err := dataset.ReadEdgeList(strings.NewReader(""), named, dataset.EdgeListOptions{Labels: r, LabelsName: in.name(), Header: in.header})
	if err != nil {
		return err
	}
	d.Labels, d.Unlabeled, d.Classes = read.Labels, read.Unlabeled, read.Classes
	return nil
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
	d, err := dataset.ReadEdgeList(strings.NewReader(""), r, dataset.EdgeListOptions{FeaturesName: in.name(), Header: in.header})
	if err == nil {
		d.Adjacency = nil
	}
	return d, err
}

// readWord2Vec reads one of word2vec's forms.
func readWord2Vec(read func(io.Reader) ([]string, *mat.Dense, error)) func(context.Context, *source, []string) (*dataset.Dataset, error) {
	return func(ctx context.Context, in *source, _ []string) (*dataset.Dataset, error) {
		r, err := in.open(ctx)
		if err != nil {
			return nil, err
		}
		ids, x, err := read(r)
		if err != nil {
			return nil, in.placed(err)
		}
		return &dataset.Dataset{Features: x, IDs: ids}, nil
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

func isOGB(path string) bool {
	for _, end := range []string{".gz", ""} {
		if _, err := os.Stat(filepath.Join(path, "raw", "num-node-list.csv"+end)); err == nil {
			return true
		}
	}
	return false
}

func readOGB(_ context.Context, in *source, _ []string) (*dataset.Dataset, error) {
	if in.stdin != nil {
		return nil, usagef("the format ogb is a folder, not standard input")
	}
	return dataset.OpenOGB(in.path)
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

func writeWord2Vec(w io.Writer, d *dataset.Dataset) error {
	return dataset.WriteWord2Vec(w, d.IDs, d.Features)
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
