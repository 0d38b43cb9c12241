package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"coles"
	"coles/dataset/internal/edgeset"
	"coles/dataset/internal/pickle"
	"coles/dataset/internal/place"
	"coles/dataset/parse"
	"coles/internal/matrix"
	"coles/internal/npy"
	"coles/internal/setting"
	"coles/internal/source"

	"github.com/james-bowman/sparse"
	"github.com/james-bowman/sparse/blas"
	"gonum.org/v1/gonum/mat"
)

// planetoidVal is the size of the validation set of the public split, the nodes that follow the
// training nodes (Kipf and Welling, ICLR 2017).
const planetoidVal = 500

// OpenPlanetoid reads the dataset called name (such as "cora") from the files
// ind.NAME.{allx,tx,ally,ty,y,graph,test.index} of Yang, Cohen and Salakhutdinov, "Revisiting
// Semi-Supervised Learning with Graph Embeddings" (ICML 2016), in the folder dir, each gzipped or
// not. They are Python 2 pickles; only arrays, CSR matrices, dicts and lists are ever built from
// them.
//
// The rows of allx come first, then the rows of tx at the indices that test.index lists. Indices in
// that range which the list leaves out (15 in Citeseer) have no features and label 0, and are in
// Unlabeled. The adjacency has one entry for each neighbour that graph lists, even again.
// Splits holds the public split: as many training nodes as y has rows, the 500 that follow for
// validation, and test.index.
//
// Errors name file and byte; ErrObject is a pickle that asks for another class.
func OpenPlanetoid(dir, name string) (*Dataset, error) {
	return readPlanetoid(os.DirFS(cmp.Or(dir, ".")), name, dir) // filepath.Split of a bare name leaves ""
}

// planetoid is a set of files being read.
type planetoid struct {
	faults
	fsys      fs.FS
	dir, name string // of the folder in errors, and of the dataset
}

func planetoidFile(name, part string) string { return "ind." + name + "." + part }

func (p *planetoid) path(part string) string {
	return filepath.Join(p.dir, planetoidFile(p.name, part))
}

func (p *planetoid) fault(part, format string, args ...any) {
	p.fail(place.Fault(p.path(part), format, args...))
}

func readPlanetoid(fsys fs.FS, name, dir string) (*Dataset, error) {
	if name == "" || strings.ContainsAny(name, `/\`) {
		return nil, fmt.Errorf("dataset: planetoid: %w", setting.Bad("name", name, "that of a dataset"))
	}
	p := &planetoid{fsys: fsys, dir: dir, name: name}
	allx, tx := p.csr("allx"), p.csr("tx")
	test, n := p.testIndex(allx.I, tx.I)
	d := &Dataset{Name: name, Features: p.stack(allx, tx, test, n)}
	p.labels(d, allx.I, test, n)
	d.Adjacency = p.graph(n)
	p.publicSplit(d, allx.I, test)
	if p.err != nil {
		return nil, p.err
	}
	return d.checked(p.path("*"))
}

// open opens a file, gzipped or not.
func (p *planetoid) open(part string) (f *source.File, err error) {
	for _, part := range []string{part, part + ".gz"} {
		packed, err := p.fsys.Open(planetoidFile(p.name, part))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			f, err = source.Unpack(packed, p.path(part), source.FreeBinary)
		}
		return f, place.In(p.path(part), err)
	}
	return nil, place.Fault(p.path(part), "%w: %w", ErrMissing, fs.ErrNotExist)
}

// read returns the content of one file.
func (p *planetoid) read(part string) []byte {
	if p.err != nil {
		return nil
	}
	f, err := p.open(part)
	if err != nil {
		p.fail(err)
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, pickle.MaxBytes+1))
	if err == nil && len(data) > pickle.MaxBytes {
		err = fmt.Errorf("more than %d bytes: %w", pickle.MaxBytes, coles.ErrTooLarge)
	}
	if err != nil {
		p.fault(part, "%w", source.At(int64(len(data)), "%w", err))
	}
	return data
}

// load reads a pickle of a number of bytes that holds a T, which is zero after a fault.
func load[T any](p *planetoid, part string) (v T, size int) {
	data := p.read(part)
	if p.err != nil {
		return v, 0
	}
	object, err := pickle.Load(data)
	if err != nil {
		p.fault(part, "%w", err)
		return v, 0
	}
	v, ok := object.(T)
	if !ok {
		p.fault(part, "%w: a %T where a %T is expected", coles.ErrFormat, object, v)
	}
	return v, len(data)
}

// csr reads a pickled scipy.sparse.csr_matrix; it is empty after a fault.
func (p *planetoid) csr(part string) *blas.SparseMatrix {
	c, _ := load[*pickle.CSR](p, part)
	if p.err != nil {
		return new(blas.SparseMatrix)
	}
	m, err := c.Matrix()
	if err == nil {
		err = checkCSR(part, m)
	}
	if err != nil {
		p.fault(part, "%w", err)
		return new(blas.SparseMatrix)
	}
	return m.RawMatrix()
}

// testIndex reads the row of each tx row. They fill the rows after the first, up to the largest of
// them, which makes n.
func (p *planetoid) testIndex(first, rows int) (test []int, n int) {
	const part = "test.index"
	n = first
	seen := make(map[int]bool)
	lines := strings.Split(strings.TrimRight(string(p.read(part)), "\n"), "\n")
	for k, line := range lines {
		i, err := strconv.Atoi(strings.TrimSpace(line))
		switch {
		case err != nil:
			err = fmt.Errorf("%w: %q is not an index", coles.ErrFormat, line)
		// Missing rows are few: a range ten times the list is a corrupt number.
		case i < first || i >= first+10*len(lines):
			err = fmt.Errorf("test node %d, expected from %d on: %w", i, first, coles.ErrIndex)
		case seen[i]:
			err = fmt.Errorf("test node %d: %w", i, ErrDuplicate)
		}
		if err != nil {
			p.fail(&parse.Error{File: p.path(part), Line: k + 1, Err: err})
			return nil, first
		}
		seen[i] = true
		test = append(test, i)
		n = max(n, i+1)
	}
	if len(test) != rows {
		p.fault(part, "%d test nodes for %d rows of tx: %w", len(test), rows, coles.ErrShape)
	}
	return test, n
}

// stack puts the rows of tx at the places that test gives, below allx.
func (p *planetoid) stack(a, t *blas.SparseMatrix, test []int, n int) mat.Matrix {
	if a.J != t.J {
		p.fault("tx", "%d columns, allx has %d: %w", t.J, a.J, coles.ErrShape)
	}
	if p.err != nil {
		return nil
	}
	from := make(map[int]int, len(test)) // row of tx
	for k, i := range test {
		from[i] = k
	}
	for i := a.I; i < n; i++ {
		if k, ok := from[i]; ok {
			lo, hi := t.Indptr[k], t.Indptr[k+1]
			a.Ind, a.Data = append(a.Ind, t.Ind[lo:hi]...), append(a.Data, t.Data[lo:hi]...)
		}
		a.Indptr = append(a.Indptr, len(a.Ind))
	}
	return sparse.NewCSR(n, a.J, a.Indptr, a.Ind, a.Data)
}

// oneHot reads a pickled array with a row a node and a column a class. Rows without a one get class
// -1.
func (p *planetoid) oneHot(part string) (labels []int, classes int) {
	a, _ := load[*pickle.Array](p, part)
	if p.err != nil {
		return nil, 0
	}
	v, err := a.Ints()
	if err != nil {
		p.fault(part, "%w", err)
		return nil, 0
	}
	shape := a.Header.Shape
	if len(shape) != 2 || shape[0] > len(v) { // without columns it may declare any number of rows
		p.fault(part, "labels of shape %v: %w", shape, coles.ErrShape)
		return nil, 0
	}
	rows, cols := shape[0], shape[1]
	v = npy.RowMajor(&a.Header, v, rows, cols)
	labels = slices.Repeat([]int{-1}, rows)
	for i := range labels {
		for c, x := range v[i*cols : (i+1)*cols] {
			if x == 0 {
				continue
			}
			if x != 1 || labels[i] >= 0 {
				p.fault(part, "row %d: %w: not one class but %v", i, coles.ErrFormat, v[i*cols:(i+1)*cols])
			}
			labels[i] = c
		}
	}
	return labels, cols
}

// labels fills Labels and Unlabeled.
func (p *planetoid) labels(d *Dataset, first int, test []int, n int) {
	ally, classes := p.oneHot("ally")
	ty, testClasses := p.oneHot("ty")
	if len(ally) != first {
		p.fault("ally", "%d rows, allx has %d: %w", len(ally), first, coles.ErrShape)
	}
	if len(ty) != len(test) || testClasses != classes {
		p.fault("ty", "%d × %d, expected %d × %d: %w", len(ty), testClasses, len(test), classes, coles.ErrShape)
	}
	if p.err != nil {
		return
	}
	d.Labels = append(ally, slices.Repeat([]int{-1}, n-first)...)
	for k, i := range test {
		d.Labels[i] = ty[k]
	}
	for i, l := range d.Labels {
		if l < 0 {
			d.Labels[i] = 0
			d.Unlabeled = append(d.Unlabeled, i)
		}
	}
}

// graph reads the dict that lists each node's neighbours.
func (p *planetoid) graph(n int) *sparse.CSR {
	dict, size := load[pickle.Dict](p, "graph")
	if p.err != nil {
		return nil
	}
	var from, to []int32
	known := 0
	for i := range n {
		value, ok := dict[i]
		if !ok {
			continue
		}
		known++
		l, ok := value.(*pickle.List)
		if !ok {
			p.fault("graph", "node %d: %w: neighbours are a %T, not a list", i, coles.ErrFormat, value)
			return nil
		}
		// One list may stand for many nodes through the memo; a neighbour of its own takes two bytes.
		if len(from)+len(l.Items) > size {
			p.fault("graph", "more neighbours than the file has bytes, %d: %w", size, coles.ErrTooLarge)
			return nil
		}
		for _, v := range l.Items {
			j, ok := v.(int)
			if !ok { // its text may be without end: a dict may hold itself
				p.fault("graph", "node %d: %w: a neighbour is a %T, not a number", i, coles.ErrFormat, v)
				return nil
			}
			if j < 0 || j >= n {
				p.fault("graph", "node %d: neighbour %d of %d: %w", i, j, n, coles.ErrIndex)
				return nil
			}
			from, to = append(from, int32(i)), append(to, int32(j))
		}
	}
	if known < len(dict) {
		p.fault("graph", "%d keys that are none of %d nodes: %w", len(dict)-known, n, coles.ErrIndex)
	}
	if p.err != nil {
		return nil
	}
	a := edgeset.Compressed(n, n, from, to, nil)
	edgeset.JoinRepeats(a, string(matrix.Largest))
	return a
}

// publicSplit records the split that the files were published with.
func (p *planetoid) publicSplit(d *Dataset, first int, test []int) {
	y, _ := p.oneHot("y")
	if p.err != nil {
		return
	}
	if len(y) > first || !slices.Equal(y, d.Labels[:len(y)]) {
		p.fault("y", "%d labels that are not the first of ally: %w", len(y), coles.ErrShape)
	}
	s := Split{Test: test}
	for i := range min(len(y)+planetoidVal, first) {
		if i < len(y) {
			s.Train = append(s.Train, i)
		} else {
			s.Val = append(s.Val, i)
		}
	}
	d.Splits = []Split{s}
}
