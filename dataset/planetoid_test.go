package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

func TestPlanetoidPlacesTestRows(t *testing.T) {
	d, err := ReadPlanetoid(planetoidFS(smallPlanetoid()), "toy")
	if err != nil {
		t.Fatal(err)
	}
	// tx row 0 belongs at 4 and row 1 at 2; row 3 has neither features nor label.
	want := mat.NewDense(5, 3, []float64{1, 0, 0, 0, 0, 0.5, 0, 0, 2, 0, 0, 0, 4, 5, 0})
	if got := d.Features.(*sparse.CSR).ToDense(); !mat.Equal(got, want) {
		t.Errorf("features\n%v", mat.Formatted(got))
	}
	if !slices.Equal(d.Labels, []int{0, 1, 0, 0, 1}) || !slices.Equal(d.Unlabeled, []int{3}) {
		t.Errorf("labels %v, unlabeled %v", d.Labels, d.Unlabeled)
	}
	adj := d.Adjacency.RawMatrix()
	if !slices.Equal(adj.Indptr, []int{0, 2, 4, 5, 5, 6}) || !slices.Equal(adj.Ind, []int{1, 1, 0, 2, 1, 4}) {
		t.Errorf("adjacency %v %v: repeated neighbours and the loop must stay", adj.Indptr, adj.Ind)
	}
	if diff := cmp.Diff([]Split{{Train: []int{0}, Val: []int{1}, Test: []int{4, 2}}}, d.Splits); diff != "" {
		t.Error(diff)
	}
	for s := range 20 {
		splits, err := d.RandomSplits(3, 1, uint64(s))
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(splits[0].Train, 3) || slices.Contains(splits[0].Val, 3) {
			t.Fatal("the node without a label was drawn")
		}
	}
}

func TestPlanetoidMalformed(t *testing.T) {
	csr := func(indptr, indices []int32, data []float32) []byte { return pk(pkCSR(2, 3, indptr, indices, data)) }
	for _, c := range []struct {
		name, part string
		data       []byte
		cause      error
		place      string
	}{
		{"empty pickle", "allx", nil, ErrTruncated, "ind.toy.allx: byte 0"},
		{"missing file", "graph", nil, fs.ErrNotExist, "ind.toy.graph"},
		{"protocol 4", "graph", []byte("\x80\x04."), ErrFormat, "ind.toy.graph: byte 0"},
		{"nothing on the stack", "graph", pk(""), ErrFormat, "byte 2"},
		{"two values left", "graph", pk("NN"), ErrFormat, "byte 4"},
		{"a mark left", "graph", pk("("), ErrFormat, "byte 3"},
		{"bytes after the end", "graph", append(pk("}"), 'x'), ErrFormat, "byte 4"},
		{"foreign class", "graph", pk("cos\nsystem\n" + pkText("true") + "\x85R"), ErrObject, `"system" of module "os"`},
		{"opcode of another protocol", "graph", pk("I1\n"), ErrFormat, "0x49"},
		{"text longer than the file", "graph", pk("T\xff\xff\xff\x7fabc"), ErrTruncated, "byte 2"},
		{"name that does not end", "graph", []byte("\x80\x02cnumpy"), ErrTruncated, "byte 2"},
		{"memo slot never filled", "graph", pk("h\x07"), ErrFormat, "memo slot 7"},
		{"append to a number", "graph", pk("K\x01K\x02a"), ErrFormat, "byte 6"},
		{"append without a mark", "graph", pk("]e"), ErrFormat, "byte 3"},
		{"keys without values", "graph", pk("}(K\x01u"), ErrFormat, "byte 6"},
		{"list as a key", "graph", pk("}]K\x01s"), ErrFormat, "byte 6"},
		{"call of a number", "graph", pk("K\x01)R"), ErrFormat, "byte 5"},
		{"call without a tuple", "graph", pk("cnumpy\ndtype\nNR"), ErrFormat, "tuple"},
		{"dtype of objects", "graph", pk("cnumpy\ndtype\n" + pkText("O8") + "\x85R"), ErrObject, "byte 20"},
		{"dtype without a name", "graph", pk("cnumpy\ndtype\n)R"), ErrFormat, "dtype"},
		{"state of a list", "graph", pk("]]b"), ErrFormat, "byte 4"},
		{"array larger than its bytes", "allx", pk(pkArray("f4", []float32{1}, 1<<30, 1<<30)), ErrTruncated, "ind.toy.allx"},
		{"array smaller than its bytes", "allx", pk(pkArray("f4", []float32{1, 2}, 1)), ErrShape, "ind.toy.allx"},
		{"array of negative size", "allx", pk(pkArray("f4", []float32{1}, -1)), ErrFormat, "ind.toy.allx"},
		{"allx is a dict", "allx", pk("}"), ErrFormat, "ind.toy.allx"},
		{"matrix without state", "allx", pk("cscipy.sparse.csr\ncsr_matrix\n)\x81"), ErrFormat, "ind.toy.allx"},
		{"matrix without shape", "allx", pk("cscipy.sparse.csr\ncsr_matrix\n)\x81}b"), ErrMissing, "_shape"},
		{"column out of range", "tx", csr([]int32{0, 1, 2}, []int32{0, 3}, []float32{1, 1}), ErrIndex, "row 1, entry 0: column 3 of 3"},
		{"row pointers", "tx", csr([]int32{0, 2, 1}, []int32{0, 1}, []float32{1, 1}), ErrShape, "ind.toy.tx"},
		{"other columns", "tx", pk(pkCSR(2, 4, []int32{0, 1, 2}, []int32{0, 1}, []float32{1, 1})), ErrShape, "allx has 3"},
		{"two classes at once", "ally", pk(pkArray("i4", []int32{1, 1, 0, 1}, 2, 2)), ErrFormat, "row 0"},
		{"rows of ally", "ally", pk(pkArray("i4", []int32{1, 0}, 1, 2)), ErrShape, "ind.toy.ally"},
		{"rows of ty", "ty", pk(pkArray("i4", []int32{1, 0}, 1, 2)), ErrShape, "ind.toy.ty"},
		{"labels in one dimension", "ty", pk(pkArray("i4", []int32{1, 0}, 2)), ErrFormat, "ind.toy.ty"},
		{"2^40 rows without columns", "ty", pk(pkArray("i4", []int32{}, 0x7fffffff, 0)), ErrTruncated, "ind.toy.ty"},
		{"training labels of another graph", "y", pk(pkArray("i4", []int32{0, 1}, 1, 2)), ErrShape, "ind.toy.y"},
		{"unknown neighbour", "graph", pk("}K\x00]K\x63as"), ErrIndex, "node 0: neighbour 99 of 5"},
		{"unknown node", "graph", pk("}K\x07]s"), ErrIndex, "node 7 of 5"},
		{"neighbours are no list", "graph", pk("}K\x00K\x01s"), ErrFormat, "node 0"},
		{"test index is text", "test.index", []byte("4\ntwo\n"), ErrFormat, "ind.toy.test.index:2"},
		{"test index in allx", "test.index", []byte("1\n2\n"), ErrIndex, "test.index:1"},
		{"test index far away", "test.index", []byte("4\n1000000000\n"), ErrIndex, "test.index:2"},
		{"test index twice", "test.index", []byte("4\n4\n"), ErrDuplicate, "test.index:2"},
		{"test index too short", "test.index", []byte("4\n"), ErrShape, "1 test nodes for 2 rows"},
	} {
		t.Run(c.name, func(t *testing.T) {
			parts := smallPlanetoid()
			parts[c.part] = c.data
			if errors.Is(c.cause, fs.ErrNotExist) {
				delete(parts, c.part)
			}
			_, err := ReadPlanetoid(planetoidFS(parts), "toy")
			wantError(t, err, c.cause, c.place)
		})
	}
	for _, name := range []string{"", "../toy", `a\b`} {
		_, err := ReadPlanetoid(planetoidFS(smallPlanetoid()), name)
		wantError(t, err, ErrOption, fmt.Sprintf("%q", name))
	}
}

func TestPlanetoidFailsAtEveryByte(t *testing.T) {
	for part, whole := range smallPlanetoid() {
		for k := range len(whole) {
			parts := smallPlanetoid()
			parts[part] = whole[:k]
			_, err := ReadPlanetoid(planetoidFS(parts), "toy")
			if part == "test.index" { // any prefix is text; it has the wrong number of lines, or of digits
				if k < len(whole)-1 && err == nil {
					t.Errorf("test.index cut at byte %d was read", k)
				}
			} else {
				wantError(t, err, ErrTruncated, "ind.toy."+part+": byte")
			}
			_, err = ReadPlanetoid(failingFS{planetoidFS(smallPlanetoid()), planetoidFile("toy", part), k}, "toy")
			wantError(t, err, errDisk, "ind.toy."+part+": byte")
		}
	}
}

// failingFS fails to read one of its files from byte at on.
type failingFS struct {
	fstest.MapFS
	name string
	at   int
}

func (f failingFS) Open(name string) (fs.File, error) {
	file, err := f.MapFS.Open(name)
	if err != nil || name != f.name {
		return file, err
	}
	return &failingFile{File: file, left: f.at}, nil
}

type failingFile struct {
	fs.File
	left int
}

func (f *failingFile) Read(p []byte) (int, error) {
	if f.left == 0 {
		return 0, errDisk
	}
	k, err := f.File.Read(p[:min(len(p), f.left)])
	f.left -= k
	return k, err
}

func TestPlanetoidDeclaredSizeTakesNoMemory(t *testing.T) {
	for name, data := range map[string][]byte{
		"text":         pk("T\xff\xff\xff\x7f"),
		"array":        pk(pkArray("f4", []float32{1}, 1<<30, 1<<30)),
		"memo":         pk("Nr\xff\xff\xff\xff0"),
		"sparse shape": pk(pkCSR(1<<30, 1<<30, []int32{0, 1}, []int32{0}, []float32{1})),
	} {
		parts := smallPlanetoid()
		parts["allx"] = data
		fsys := planetoidFS(parts)
		if n := allocated(func() {
			if _, err := ReadPlanetoid(fsys, "toy"); err == nil {
				t.Errorf("%s: no error", name)
			}
		}); n > 1<<20 {
			t.Errorf("%s: %d bytes", name, n)
		}
	}
}

func TestOpenPlanetoidUnpacks(t *testing.T) {
	dir := t.TempDir()
	for part, data := range smallPlanetoid() {
		if err := os.WriteFile(filepath.Join(dir, planetoidFile("toy", part)), gzipped(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	d, err := OpenPlanetoid(dir, "toy")
	if err != nil || d.Name != "toy" || d.Nodes() != 5 {
		t.Errorf("%+v, %v", d, err)
	}
	path := filepath.Join(dir, "ind.toy.tx")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, whole[:len(whole)-6], 0o666); err != nil {
		t.Fatal(err)
	}
	_, err = OpenPlanetoid(dir, "toy")
	wantError(t, err, ErrTruncated, path)
}

func FuzzPickle(f *testing.F) {
	for _, data := range smallPlanetoid() {
		f.Add(data)
	}
	f.Add(pk("}K\x00]q\x01(h\x01es")) // a list that holds itself
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := unpickle(data, "fuzz")
		var place *ParseError
		if err != nil && !(errors.As(err, &place) && strings.Contains(err.Error(), "byte")) {
			t.Errorf("an error without a place: %v", err)
		}
		for _, part := range []string{"allx", "ty", "graph"} {
			parts := smallPlanetoid()
			parts[part] = data
			if d, err := ReadPlanetoid(planetoidFS(parts), "toy"); err == nil {
				if err := d.Validate(); err != nil {
					t.Errorf("read without error, but %v", err)
				}
			}
		}
	})
}
