package published

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"

	"coles"
	"coles/dataset"
	"coles/internal/source"
	"coles/internal/text"
)

// OGB reads a dataset of node property prediction in the folder layout of the Open Graph
// Benchmark (Hu et al. 2020), whose root is dir, after which it is named:
//
//	raw/num-node-list.csv.gz   the number of nodes
//	raw/edge.csv.gz            u,v, a line an edge
//	raw/node-feat.csv.gz       the features of a node a line, if it is there
//	raw/node-label.csv.gz      the class of a node a line, if it is there; blank or nan: not known
//	split/NAME/train.csv.gz    a node a line, likewise valid.csv.gz and test.csv.gz
//
// each gzipped or not (then without .gz). Edges are directed as they stand, features a
// *coles.Dense32, and every folder of split/ becomes a [dataset.Split], in the order of their names.
//
// Errors have file, line and column. Memory follows the bytes that arrive. Cost: O(bytes).
func OGB(dir string) (*dataset.Dataset, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s: %w: not a folder", dir, coles.ErrFormat)
	}
	d, err := readOGB(os.DirFS(dir), dir)
	if err != nil {
		return nil, err
	}
	d.Name = filepath.Base(filepath.Clean(dir))
	return d, nil
}

func readOGB(fsys fs.FS, dir string) (*dataset.Dataset, error) {
	o := &ogbReader{folder: folder{fsys: fsys, dir: dir}}
	for _, read := range []func() error{o.readNodes, o.edges, o.features, o.labels, o.splits} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return checked(&o.Dataset, dir)
}

// An ogbReader reads the parts of a folder.
type ogbReader struct {
	dataset.Dataset
	folder
	nodes int
}

// each visits the lines of a part.
func (o *ogbReader) each(name string, visit func(t *text.Reader)) error {
	return o.lines(name, ',', (*text.Reader).Next, visit)
}

// lines visits the lines to which next goes.
func (o *ogbReader) lines(name string, sep byte, next func(t *text.Reader) bool, visit func(t *text.Reader)) error {
	f, err := o.open(name, source.FreeText)
	if err != nil {
		return err
	}
	defer f.Close()
	t := text.NewReader(f, text.Layout{Separator: sep, Unquoted: true})
	for next(t) {
		visit(t)
	}
	return placed(f.Name(), t.Err)
}

func (o *ogbReader) readNodes() error {
	name := "raw/num-node-list.csv"
	graphs := 0
	err := o.each(name, func(t *text.Reader) {
		if graphs++; graphs > 1 {
			t.Fault(-1, "%w: several graphs in one dataset", coles.ErrFormat)
		}
		t.Want(1)
		o.nodes = t.Size(0, math.MaxInt32)
	})
	if err == nil && o.nodes < 1 {
		err = o.fault(name, "%w: no number of nodes", dataset.ErrMissing)
	}
	return err
}

func (o *ogbReader) edges() error {
	var from, to []int32
	err := o.each("raw/edge.csv", func(t *text.Reader) {
		t.Want(2)
		from, to = append(from, int32(t.Index(0, 0, o.nodes))), append(to, int32(t.Index(1, 0, o.nodes)))
	})
	if err != nil {
		return err
	}
	// The number of nodes is a declaration: rows without edges take memory.
	if int64(o.nodes) > emptyRows+64*int64(len(from)) {
		return o.fault("raw", "%d nodes with %d edges: %w", o.nodes, len(from), coles.ErrTooLarge)
	}
	o.Adjacency = adjacency(o.nodes, from, to)
	return nil
}

func (o *ogbReader) features() error {
	x := &coles.Dense32{}
	name := "raw/node-feat.csv"
	err := o.each(name, func(t *text.Reader) {
		if x.Rows == 0 {
			x.Cols = len(t.Fields)
		}
		if len(t.Fields) != x.Cols {
			t.Fault(-1, "%d features, %d before: %w", len(t.Fields), x.Cols, coles.ErrShape)
		}
		if x.Rows++; x.Rows > o.nodes {
			t.Fault(-1, "more lines than %d nodes: %w", o.nodes, coles.ErrShape)
		}
		for k := range t.Fields {
			v := float32(t.Number(k))
			if v-v != 0 {
				t.Fault(k, "%s in float32: %w", t.Fields[k], coles.ErrNotFinite)
			}
			x.Data = append(x.Data, v)
		}
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && x.Rows != o.nodes {
		err = o.fault(name, "%d lines for %d nodes: %w", x.Rows, o.nodes, coles.ErrShape)
	}
	x.Stride = x.Cols
	o.Features = x
	return err
}

func (o *ogbReader) labels() error {
	name := "raw/node-label.csv"
	next := func(t *text.Reader) bool { return t.ReadLine() && t.Split() } // blank lines are nodes, too
	err := o.lines(name, ' ', next, func(t *text.Reader) {
		if o.Labels = append(o.Labels, ogbLabel(t)); len(o.Labels) > o.nodes {
			t.Fault(-1, "more lines than %d nodes: %w", o.nodes, coles.ErrShape)
		}
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && len(o.Labels) != o.nodes {
		err = o.fault(name, "%d lines for %d nodes: %w", len(o.Labels), o.nodes, coles.ErrShape)
	}
	return err
}

// ogbLabel is the class on the current line, −1 where it is not known.
func ogbLabel(t *text.Reader) int {
	if len(t.Fields) == 0 || t.Fields[0] == "nan" && len(t.Fields) == 1 {
		return -1
	}
	t.Want(1)
	v := t.Number(0) // pandas writes a column with gaps as 3.0
	if v < 0 || v >= maxClasses || v != math.Trunc(v) {
		t.Fault(0, "%v is no class of 0 to %d: %w", v, maxClasses-1, coles.ErrIndex)
		return -1
	}
	return int(v)
}

func (o *ogbReader) splits() error {
	folders, err := fs.ReadDir(o.fsys, "split")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return o.fault("split", "%w", err)
	}
	for _, f := range folders {
		folder := path.Join("split", f.Name())
		// A link to a folder is one, too.
		if info, err := fs.Stat(o.fsys, folder); err != nil || !info.IsDir() {
			continue
		}
		if len(o.Splits) == maxSplits {
			return o.fault("split", "more than %d splits: %w", maxSplits, coles.ErrTooLarge)
		}
		var s dataset.Split
		for k, name := range []string{"train", "valid", "test"} {
			nodes := []*[]int{&s.Train, &s.Val, &s.Test}[k]
			err := o.each(path.Join(folder, name+".csv"), func(t *text.Reader) {
				t.Want(1)
				*nodes = append(*nodes, t.Index(0, 0, o.nodes))
			})
			if err != nil {
				return err
			}
		}
		o.Splits = append(o.Splits, s)
	}
	return nil
}
