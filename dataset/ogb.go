package dataset

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"

	"coles"
)

// ReadOGB reads a dataset of node property prediction in the folder layout of the Open
// Graph Benchmark (Hu et al. 2020), whose root is fsys:
//
//	raw/num-node-list.csv.gz   the number of nodes
//	raw/edge.csv.gz            u,v, a line an edge
//	raw/node-feat.csv.gz       the features of a node a line, if it is there
//	raw/node-label.csv.gz      the class of a node a line, if it is there; blank or nan: not known
//	split/NAME/train.csv.gz    a node a line, likewise valid.csv.gz and test.csv.gz
//
// each gzipped or not (then without .gz). Edges are directed as they stand, features a
// *coles.Dense32, and every folder of split/ becomes a [Split], in the order of their names.
//
// Errors are a *ParseError with file, line and column and wrap ErrFormat, ErrTruncated, ErrTooLarge,
// ErrMissing, ErrShape (not as many lines as nodes, lines of different length), ErrIndex,
// ErrDuplicate, ErrNotFinite or the error of the file system. Memory follows the bytes that
// arrive. Cost: O(bytes).
func ReadOGB(fsys fs.FS) (*Dataset, error) {
	if err := checkReader(fsys, "."); err != nil {
		return nil, err
	}
	return readOGB(fsys, ".")
}

// OpenOGB reads the folder dir and names the dataset after it. See [ReadOGB].
func OpenOGB(dir string) (*Dataset, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	if !info.IsDir() {
		return nil, inFile(dir, "%w: not a folder", ErrFormat)
	}
	d, err := readOGB(os.DirFS(dir), dir)
	if err != nil {
		return nil, err
	}
	d.Name = filepath.Base(filepath.Clean(dir))
	return d, nil
}

func readOGB(fsys fs.FS, dir string) (*Dataset, error) {
	o := &ogbReader{fsys: fsys, dir: dir}
	d := &Dataset{}
	nodes, err := o.nodes()
	if err != nil {
		return nil, err
	}
	if err := o.edges(d, nodes); err != nil {
		return nil, err
	}
	if err := o.features(d, nodes); err != nil {
		return nil, err
	}
	if err := o.labels(d, nodes); err != nil {
		return nil, err
	}
	if err := o.splits(d, nodes); err != nil {
		return nil, err
	}
	if err := d.validate(); err != nil {
		return nil, inFile(dir, "%w", err)
	}
	return d, nil
}

// An ogbReader reads the parts of a folder.
type ogbReader struct {
	fsys fs.FS
	dir  string // in errors
}

// open opens a part, gzipped or not; fs.ErrNotExist says that it is not there.
func (o *ogbReader) open(name string) (*table, io.Closer, error) {
	for _, name := range []string{name + ".gz", name} {
		f, err := o.fsys.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		at := path.Join(filepath.ToSlash(o.dir), name)
		if err != nil {
			return nil, nil, inFile(at, "%w", err)
		}
		r, err := unpack(f, at, freeText)
		if err != nil {
			return nil, nil, err
		}
		t := newTable(r, at)
		t.sep = ','
		return t, r, nil
	}
	return nil, nil, inFile(path.Join(filepath.ToSlash(o.dir), name+".gz"), "%w: %w", ErrMissing, fs.ErrNotExist)
}

// each visits the lines of a part.
func (o *ogbReader) each(name string, visit func(t *table) error) error {
	t, file, err := o.open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	for err = t.next(); err == nil; err = t.next() {
		if err := visit(t); err != nil {
			return err
		}
	}
	if err != io.EOF {
		return err
	}
	return nil
}

// nodes reads the number of nodes.
func (o *ogbReader) nodes() (int, error) {
	nodes := -1
	name := "raw/num-node-list.csv"
	err := o.each(name, func(t *table) error {
		if nodes >= 0 {
			return t.fault(-1, "%w: several graphs in one dataset", ErrFormat)
		}
		n, err := t.node(0, maxDim, 1)
		nodes = n
		return err
	})
	if err == nil && nodes < 1 {
		err = inFile(path.Join(o.dir, name+".gz"), "%w: no number of nodes", ErrMissing)
	}
	return nodes, err
}

// node parses field k, of fields, as a number below limit.
func (t *table) node(k, limit, fields int) (int, error) {
	if len(t.cols) != fields {
		return 0, t.fault(-1, "%w: %d fields, want %d", ErrFormat, len(t.cols), fields)
	}
	v, err := strconv.Atoi(t.cols[k])
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, t.fault(k, "%s: %w", t.cols[k], ErrIndex)
	case err != nil:
		return 0, t.fault(k, "%w: %q is not a number", ErrFormat, t.cols[k])
	case v < 0 || v >= limit:
		return 0, t.fault(k, "%d of 0 to %d: %w", v, limit-1, ErrIndex)
	}
	return v, nil
}

func (o *ogbReader) edges(d *Dataset, nodes int) error {
	var from, to []int32
	err := o.each("raw/edge.csv", func(t *table) error {
		u, err := t.node(0, nodes, 2)
		if err != nil {
			return err
		}
		v, err := t.node(1, nodes, 2)
		if err != nil {
			return err
		}
		from, to = append(from, int32(u)), append(to, int32(v))
		return nil
	})
	if err != nil {
		return err
	}
	// The number of nodes is a declaration: rows without edges take memory.
	if int64(nodes) > emptyRows+64*int64(len(from)) {
		return inFile(path.Join(o.dir, "raw"), "%d nodes with %d edges: %w", nodes, len(from), ErrTooLarge)
	}
	d.Adjacency = compressed(nodes, nodes, from, to, nil)
	return nil
}

func (o *ogbReader) features(d *Dataset, nodes int) error {
	var data []float32
	cols, rows := 0, 0
	name := "raw/node-feat.csv"
	err := o.each(name, func(t *table) error {
		if rows == 0 {
			cols = len(t.cols)
		}
		if len(t.cols) != cols {
			return t.fault(-1, "%d features, %d before: %w", len(t.cols), cols, ErrShape)
		}
		if rows++; rows > nodes {
			return t.fault(-1, "more lines than %d nodes: %w", nodes, ErrShape)
		}
		for k := range cols {
			v, err := t.number(k)
			if err != nil {
				return err
			}
			narrow := float32(v)
			if narrow-narrow != 0 {
				return t.fault(k, "%v in float32: %w", v, ErrNotFinite)
			}
			data = append(data, narrow)
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if rows != nodes {
		return inFile(path.Join(o.dir, name+".gz"), "%d lines for %d nodes: %w", rows, nodes, ErrShape)
	}
	x, err := coles.NewDense32(nodes, cols, data)
	if err != nil {
		return inFile(path.Join(o.dir, name+".gz"), "%w", err)
	}
	d.Features = x
	return nil
}

func (o *ogbReader) labels(d *Dataset, nodes int) error {
	var labels []int
	name := "raw/node-label.csv"
	t, file, err := o.open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	// Not by next, which passes blank lines over: here they are nodes.
	for t.line = 1; ; t.line++ {
		if err := t.readLine(); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		if err := t.splitSpaces(); err != nil {
			return err
		}
		label, err := t.label()
		if err != nil {
			return err
		}
		if len(labels) == nodes {
			return t.fault(-1, "more lines than %d nodes: %w", nodes, ErrShape)
		}
		labels = append(labels, label)
	}
	if len(labels) != nodes {
		return inFile(t.file, "%d lines for %d nodes: %w", len(labels), nodes, ErrShape)
	}
	d.Labels = labels
	return nil
}

// label is the class on the current line, −1 where it is not known.
func (t *table) label() (int, error) {
	if len(t.cols) == 0 || t.cols[0] == "nan" && len(t.cols) == 1 {
		return -1, nil
	}
	if len(t.cols) > 1 {
		return 0, t.fault(-1, "%w: several labels of one node", ErrFormat)
	}
	v, err := t.number(0) // pandas writes a column with gaps as 3.0
	if err != nil {
		return 0, err
	}
	if v < 0 || v >= maxClasses || v != float64(int(v)) {
		return 0, t.fault(0, "%v is no class of 0 to %d: %w", v, maxClasses-1, ErrIndex)
	}
	return int(v), nil
}

func (o *ogbReader) splits(d *Dataset, nodes int) error {
	folders, err := fs.ReadDir(o.fsys, "split")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return inFile(path.Join(o.dir, "split"), "%w", err)
	}
	for _, f := range folders {
		// A link to a folder is one, too.
		if info, err := fs.Stat(o.fsys, path.Join("split", f.Name())); err != nil || !info.IsDir() {
			continue
		}
		if len(d.Splits) == maxSplits {
			return inFile(path.Join(o.dir, "split"), "more than %d splits: %w", maxSplits, ErrTooLarge)
		}
		var s Split
		for _, part := range []struct {
			name string
			to   *[]int
		}{{"train", &s.Train}, {"valid", &s.Val}, {"test", &s.Test}} {
			err := o.each(path.Join("split", f.Name(), part.name+".csv"), func(t *table) error {
				i, err := t.node(0, nodes, 1)
				*part.to = append(*part.to, i)
				return err
			})
			if err != nil {
				return err
			}
		}
		d.Splits = append(d.Splits, s)
	}
	return nil
}
