package dataset

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"coles"
	"coles/internal/testkit"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// npyFile builds an .npy file of version 1 from a header text and numbers.
func npyFile(header string, numbers ...any) []byte {
	file := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header)))
	file = append(file, header...)
	for _, n := range numbers {
		file = testkit.Must(binary.Append(file, binary.LittleEndian, n))
	}
	return file
}

// npyArray builds an .npy file with the usual header.
func npyArray(descr, shape string, numbers ...any) []byte {
	return npyFile(fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", descr, shape), numbers...)
}

// member is one file of an archive.
type member struct {
	name string
	data []byte
}

func zipFile(members []member) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, m := range members {
		testkit.Must(testkit.Must(z.Create(m.name + ".npy")).Write(m.data))
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// smallNPZ holds a path 0 → 1 → 2 with a repeated edge, features and labels.
func smallNPZ() []member {
	return []member{
		{"adj_data", npyArray("<f4", "(3,)", []float32{1, 2, 0.5})},
		{"adj_indices", npyArray("<i4", "(3,)", []int32{1, 2, 2})},
		{"adj_indptr", npyArray("<i4", "(4,)", []int32{0, 1, 3, 3})},
		{"adj_shape", npyArray("<i8", "(2,)", []int64{3, 3})},
		{"attr_data", npyArray("<f4", "(2,)", []float32{1, 1})},
		{"attr_indices", npyArray("<i4", "(2,)", []int32{4, 0})},
		{"attr_indptr", npyArray("<i4", "(4,)", []int32{0, 1, 1, 2})},
		{"attr_shape", npyArray("<i8", "(2,)", []int64{3, 5})},
		{"labels", npyArray("<i8", "(3,)", []int64{1, 0, 1})},
	}
}

// with returns members with one replaced or added.
func with(members []member, name string, data []byte) []member {
	out := slices.Clone(members)
	if i := slices.IndexFunc(out, func(m member) bool { return m.name == name }); i >= 0 {
		out[i].data = data
		return out
	}
	return append(out, member{name, data})
}

// without returns members less one.
func without(members []member, name string) []member {
	return slices.DeleteFunc(slices.Clone(members), func(m member) bool { return m.name == name })
}

// Pickles, spelled opcode by opcode as protocol 2 has them.

func pkInt(v int) string { return "J" + string(binary.LittleEndian.AppendUint32(nil, uint32(v))) }

func pkText(s string) string { return "U" + string([]byte{byte(len(s))}) + s }

func pkBytes(b []byte) string {
	return "T" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(b)))) + string(b)
}

// pkArray is a numpy.ndarray of the given element type, shape and content.
func pkArray(kind string, content any, shape ...int) string {
	data := testkit.Must(binary.Append(nil, binary.LittleEndian, content))
	dims := "("
	for _, d := range shape {
		dims += pkInt(d)
	}
	return "cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R" +
		"(K\x01" + dims + "t" +
		"cnumpy\ndtype\n" + pkText(kind) + "K\x00K\x01\x87R(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb" +
		"\x89" + pkBytes(data) + "tb"
}

// pkCSR is a scipy.sparse.csr_matrix.
func pkCSR(rows, cols int, indptr, indices []int32, data []float32) string {
	return "cscipy.sparse.csr\ncsr_matrix\n)\x81}(" +
		pkText("_shape") + pkInt(rows) + pkInt(cols) + "\x86" +
		pkText("indptr") + pkArray("i4", indptr, len(indptr)) +
		pkText("indices") + pkArray("i4", indices, len(indices)) +
		pkText("data") + pkArray("f4", data, len(data)) + "ub"
}

func pk(body string) []byte { return []byte("\x80\x02" + body + ".") }

// smallPlanetoid has five nodes: 0 and 1 in allx, 2 and 4 in tx (listed in the order 4, 2), and 3
// missing from test.index.
func smallPlanetoid() map[string][]byte {
	list := func(v ...int) string {
		s := "](" // EMPTY_LIST, MARK
		for _, x := range v {
			s += pkInt(x)
		}
		return s + "e"
	}
	graph := "ccollections\ndefaultdict\nc__builtin__\nlist\n\x85R("
	for i, l := range [][]int{{1, 1}, {0, 2}, {1}, {}, {4}} {
		graph += pkInt(i) + list(l...)
	}
	return map[string][]byte{
		"allx":       pk(pkCSR(2, 3, []int32{0, 1, 2}, []int32{0, 2}, []float32{1, 0.5})),
		"tx":         pk(pkCSR(2, 3, []int32{0, 2, 3}, []int32{0, 1, 2}, []float32{4, 5, 2})),
		"ally":       pk(pkArray("i4", []int32{1, 0, 0, 1}, 2, 2)),
		"ty":         pk(pkArray("i4", []int32{0, 1, 1, 0}, 2, 2)),
		"y":          pk(pkArray("i4", []int32{1, 0}, 1, 2)),
		"graph":      pk(graph + "u"),
		"test.index": []byte("4\n2\n"),
	}
}

// planetoidFS puts the parts of a dataset called "toy" into a file system.
func planetoidFS(parts map[string][]byte) fstest.MapFS {
	fsys := fstest.MapFS{}
	for part, data := range parts {
		fsys[planetoidFile("toy", part)] = &fstest.MapFile{Data: data}
	}
	return fsys
}

func gzipped(data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(data)
	z.Close()
	return b.Bytes()
}

// put writes a file and returns its path; folders above it are made.
func put(t testing.TB, data []byte, path ...string) string {
	t.Helper()
	at := filepath.Join(path...)
	testkit.Check(t, errors.Join(os.MkdirAll(filepath.Dir(at), 0o777), os.WriteFile(at, data, 0o666)))
	return at
}

// saved puts bytes into a file of their own.
func saved(t testing.TB, data []byte) string { return put(t, data, t.TempDir(), "x.npy") }

// written returns what a writer writes.
func written(t testing.TB, write func(w io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	testkit.Check(t, write(&b))
	return b.Bytes()
}

// matrixWriters are the writers of a matrix, by what their errors call the format, up to a colon.
var matrixWriters = map[string]func(w io.Writer, m mat.Matrix) error{
	"npy": WriteNPY,
	"npz": func(w io.Writer, m mat.Matrix) error {
		n, _ := m.Dims()
		return WriteNPZ(w, &Dataset{Adjacency: sparse.NewCSR(n, n, make([]int, n+1), nil, nil), Features: m})
	},
	"tsv":             func(w io.Writer, m mat.Matrix) error { return WriteTSV(w, nil, m) },
	"csv":             func(w io.Writer, m mat.Matrix) error { return WriteCSV(w, nil, m) },
	"json lines":      func(w io.Writer, m mat.Matrix) error { return writeJSONLines(w, nil, m) },
	"word2vec":        func(w io.Writer, m mat.Matrix) error { return writeWord2Vec(w, nil, m) },
	"word2vec binary": func(w io.Writer, m mat.Matrix) error { return writeWord2VecBinary(w, nil, m) },
}

// wantValid checks a dataset that was read without an error.
func wantValid(t *testing.T, d *Dataset) {
	t.Helper()
	if err := d.Validate(); err != nil {
		t.Errorf("read without error, but %v", err)
	}
}

// wantSame compares datasets but for their names, sparse matrices entry by entry, in their order.
func wantSame(t *testing.T, got, want *Dataset) {
	t.Helper()
	wantValid(t, got)
	wantSameEntries(t, "adjacency", got.Adjacency, want.Adjacency)
	x, isSparse := want.Features.(*sparse.CSR)
	if y, both := got.Features.(*sparse.CSR); isSparse && both {
		wantSameEntries(t, "features", y, x)
	} else if want.Features == nil || got.Features == nil {
		testkit.WantSame(t, "features", got.Features, want.Features)
	} else {
		testkit.WantSame(t, "features", testkit.Bits(got.Features), testkit.Bits(want.Features))
	}
	parts := func(d *Dataset) []any {
		splits := slices.Clone(d.Splits)
		for i := range splits {
			for _, p := range splits[i].parts() {
				*p.nodes = append([]int(nil), *p.nodes...) // an empty list may come back nil
			}
			if (d.Splits[i].Test == nil) != (d.Splits[0].Test == nil) {
				t.Errorf("split %d: test nodes %v", i, d.Splits[i].Test)
			}
		}
		return []any{d.Labels, d.Unlabeled, d.Classes, d.IDs, splits}
	}
	testkit.WantSame(t, "the dataset", parts(got), parts(want))
}

// wantSameEntries compares entry by entry, order and repetitions included.
func wantSameEntries(t *testing.T, what string, got, want *sparse.CSR) {
	t.Helper()
	g, w := got.RawMatrix(), want.RawMatrix()
	if g.I != w.I || g.J != w.J || !slices.Equal(g.Indptr, w.Indptr) || !slices.Equal(g.Ind, w.Ind) || !slices.Equal(g.Data, w.Data) {
		t.Errorf("%s\n%v\nwant\n%v", what, g, w)
	}
}

// errDisk is the error of a reader or writer that fails.
var errDisk = errors.New("the disk is on fire")

// failAfter reads data and then fails.
func failAfter(data []byte) io.Reader {
	return io.MultiReader(bytes.NewReader(data), iotest.ErrReader(errDisk))
}

// pastInt32 is the error for a size that is declared and not there, past the numbers that a machine
// of 32 bits can count to.
var pastInt32 = map[int]error{32: coles.ErrTooLarge, 64: coles.ErrChecksum}[strconv.IntSize]

// wantError checks the cause of an error and the place it names.
func wantError(t *testing.T, err, cause error, place string) {
	t.Helper()
	switch {
	case err == nil:
		t.Errorf("no error, want %v at %s", cause, place)
	case !errors.Is(err, cause):
		t.Errorf("error %q is not %q", err, cause)
	case !strings.Contains(err.Error(), place):
		t.Errorf("error %q does not name %q", err, place)
	}
}

// allocated returns the bytes that f takes from the heap, freed or not.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func dense32(r, c int, data []float32) *coles.Dense32 {
	return &coles.Dense32{Rows: r, Cols: c, Stride: c, Data: data}
}
