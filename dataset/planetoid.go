package dataset

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/james-bowman/sparse"
)

// planetoidVal is the size of the validation set of the public split, the
// nodes that follow the training nodes (Kipf and Welling, ICLR 2017).
const planetoidVal = 500

// ReadPlanetoid reads the dataset called name (such as "cora") from the files
// ind.NAME.{allx,tx,ally,ty,y,graph,test.index} of Yang, Cohen and
// Salakhutdinov, "Revisiting Semi-Supervised Learning with Graph Embeddings"
// (ICML 2016), each gzipped or not. They are Python 2 pickles; only arrays,
// CSR matrices, dicts and lists are ever built from them.
//
// Rows are those of allx, then those of tx placed at the indices that
// test.index lists. Indices in the range of the test nodes that the list
// leaves out (15 in Citeseer) have no features and label 0, and are listed in
// Unlabeled. The adjacency has one entry for each neighbour that graph lists,
// repeated ones included. Splits holds the public split: as many training
// nodes as y has rows, the 500 that follow for validation, and test.index.
//
// Errors are a *ParseError naming file and byte, and wrap ErrFormat,
// ErrTruncated, ErrTooLarge, ErrMissing, ErrShape, ErrIndex, ErrDuplicate,
// ErrNotFinite, ErrObject (the pickle asks for another class) or
// fs.ErrNotExist.
func ReadPlanetoid(fsys fs.FS, name string) (*Dataset, error) {
	if err := checkReader(fsys, "planetoid"); err != nil {
		return nil, err
	}
	return readPlanetoid(fsys, name, "")
}

// OpenPlanetoid reads the dataset called name from the folder dir. See [ReadPlanetoid].
func OpenPlanetoid(dir, name string) (*Dataset, error) {
	if dir == "" {
		dir = "." // what filepath.Split leaves of a bare name
	}
	return readPlanetoid(os.DirFS(dir), name, dir)
}

// planetoid is a set of files being read.
type planetoid struct {
	fsys fs.FS
	name string
	dir  string // for messages
}

func (p *planetoid) path(part string) string {
	return filepath.Join(p.dir, planetoidFile(p.name, part))
}

func planetoidFile(name, part string) string { return "ind." + name + "." + part }

// read returns the content of one file.
func (p *planetoid) read(part string) ([]byte, error) {
	path := p.path(part)
	f, err := p.fsys.Open(planetoidFile(p.name, part))
	if err != nil {
		return nil, inFile(path, "%w", err)
	}
	r, err := unpack(f, path, freeBinary)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxPickle+1))
	if err != nil {
		return nil, atByte(path, int64(len(data)), "%w", cause(err))
	}
	if len(data) > maxPickle {
		return nil, atByte(path, maxPickle, "more than %d bytes: %w", maxPickle, ErrTooLarge)
	}
	return data, nil
}

func (p *planetoid) object(part string) (any, error) {
	data, err := p.read(part)
	if err != nil {
		return nil, err
	}
	return unpickle(data, p.path(part))
}

func readPlanetoid(fsys fs.FS, name, dir string) (*Dataset, error) {
	if name == "" || strings.ContainsAny(name, `/\`) {
		return nil, fmt.Errorf("dataset: %q is not the name of a dataset: %w", name, ErrOption)
	}
	p := &planetoid{fsys: fsys, name: name, dir: dir}
	allx, err := p.csr("allx")
	if err != nil {
		return nil, err
	}
	tx, err := p.csr("tx")
	if err != nil {
		return nil, err
	}
	first, _ := allx.Dims()
	testRows, _ := tx.Dims()
	test, n, err := p.testIndex(first, testRows)
	if err != nil {
		return nil, err
	}
	d := &Dataset{Name: name}
	if d.Features, err = p.stack(allx, tx, test, n); err != nil {
		return nil, err
	}
	if err := p.labels(d, first, test, n); err != nil {
		return nil, err
	}
	if d.Adjacency, err = p.graph(n); err != nil {
		return nil, err
	}
	if err := p.publicSplit(d, first, test); err != nil {
		return nil, err
	}
	if err := d.validate(); err != nil {
		return nil, inFile(p.path("*"), "%w", err)
	}
	return d, nil
}

// csr reads a pickled scipy.sparse.csr_matrix.
func (p *planetoid) csr(part string) (*sparse.CSR, error) {
	obj, err := p.object(part)
	if err != nil {
		return nil, err
	}
	m, ok := obj.(*pyCSR)
	if !ok || m.state == nil {
		return nil, inFile(p.path(part), "%w: a %T where a csr_matrix is expected", ErrFormat, obj)
	}
	shape, _ := m.state.get("_shape").(pyTuple)
	if len(shape) != 2 {
		return nil, inFile(p.path(part), "%w: _shape of a csr_matrix", ErrMissing)
	}
	rows, ok1 := shape[0].(int)
	cols, ok2 := shape[1].(int)
	if !ok1 || !ok2 || rows < 0 || cols < 0 {
		return nil, inFile(p.path(part), "%v is not the shape of a matrix: %w", shape, ErrShape)
	}
	indptr, err := p.vector(m, part, "indptr")
	if err != nil {
		return nil, err
	}
	ind, err := p.vector(m, part, "indices")
	if err != nil {
		return nil, err
	}
	a, ok := m.state.get("data").(*pyArray)
	if !ok {
		return nil, inFile(p.path(part), "%w: data of a csr_matrix", ErrMissing)
	}
	data, err := a.source(p.path(part)).readFloats(&a.header)
	if err != nil {
		return nil, err
	}
	c := sparse.NewCSR(rows, cols, indptr, ind, data)
	if err := checkCSR(part, c); err != nil {
		return nil, inFile(p.path(part), "%w", err)
	}
	return c, nil
}

// vector reads one integer part of a csr_matrix.
func (p *planetoid) vector(m *pyCSR, part, key string) ([]int, error) {
	a, ok := m.state.get(key).(*pyArray)
	if !ok {
		return nil, inFile(p.path(part), "%w: %s of a csr_matrix", ErrMissing, key)
	}
	return a.source(p.path(part)).readInts(&a.header)
}

func (a *pyArray) source(file string) *source {
	if a.header.size == 0 { // never given a state
		a.header = npyHeader{kind: 'b', size: 1}
	}
	return &source{r: strings.NewReader(a.data), file: file}
}

// testIndex reads the row of each tx row. They fill the rows after the first,
// up to the largest of them, which makes n.
func (p *planetoid) testIndex(first, rows int) (test []int, n int, err error) {
	path := p.path("test.index")
	data, err := p.read("test.index")
	if err != nil {
		return nil, 0, err
	}
	n = first
	seen := make(map[int]bool)
	lines := strings.Split(strings.TrimRight(string(data), "\n"), "\n")
	for k, line := range lines {
		fault := func(format string, args ...any) error {
			return &ParseError{File: path, Line: k + 1, Err: fmt.Errorf(format, args...)}
		}
		i, err := strconv.Atoi(strings.TrimSpace(line))
		switch {
		case err != nil:
			return nil, 0, fault("%w: %q is not an index", ErrFormat, line)
		// Missing rows are few: a range ten times the list is a corrupt number.
		case i < first || i >= first+10*len(lines):
			return nil, 0, fault("test node %d, expected from %d on: %w", i, first, ErrIndex)
		case seen[i]:
			return nil, 0, fault("test node %d: %w", i, ErrDuplicate)
		}
		seen[i] = true
		test = append(test, i)
		n = max(n, i+1)
	}
	if len(test) != rows {
		return nil, 0, inFile(path, "%d test nodes for %d rows of tx: %w", len(test), rows, ErrShape)
	}
	return test, n, nil
}

// stack puts the rows of tx at the places that test gives, below allx.
func (p *planetoid) stack(allx, tx *sparse.CSR, test []int, n int) (*sparse.CSR, error) {
	a, t := allx.RawMatrix(), tx.RawMatrix()
	if a.J != t.J {
		return nil, inFile(p.path("tx"), "%d columns, allx has %d: %w", t.J, a.J, ErrShape)
	}
	from := make([]int, n) // row of tx, or -1
	for i := range from {
		from[i] = -1
	}
	for k, i := range test {
		from[i] = k
	}
	indptr := append(make([]int, 0, n+1), a.Indptr...)
	ind := append(make([]int, 0, len(a.Ind)+len(t.Ind)), a.Ind...)
	data := append(make([]float64, 0, len(a.Ind)+len(t.Ind)), a.Data...)
	for i := a.I; i < n; i++ {
		if k := from[i]; k >= 0 {
			lo, hi := t.Indptr[k], t.Indptr[k+1]
			ind = append(ind, t.Ind[lo:hi]...)
			data = append(data, t.Data[lo:hi]...)
		}
		indptr = append(indptr, len(ind))
	}
	return sparse.NewCSR(n, a.J, indptr, ind, data), nil
}
