package dataset

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"coles"
	"coles/dataset/parse"
	"coles/internal/source"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// featuresBy makes a reader of a matrix from one of vectors.
func featuresBy(read func(io.Reader, parse.Options) (*Dataset, error)) func(io.Reader) (mat.Matrix, error) {
	return func(r io.Reader) (mat.Matrix, error) {
		d, err := read(r, parse.Options{})
		if err != nil {
			return nil, err
		}
		return d.Features, nil
	}
}

// matrixReaders read what matrixWriters of the same names write.
var matrixReaders = map[string]func(r io.Reader) (mat.Matrix, error){
	"npy":             func(r io.Reader) (mat.Matrix, error) { return ReadNPY(r) },
	"tsv":             featuresBy(readRows),
	"csv":             featuresBy(readRows),
	"json lines":      featuresBy(readRows),
	"word2vec":        featuresBy(readWord2Vec),
	"word2vec binary": featuresBy(readWord2VecBinary),
}

// What is written reads back to the bit: rounded to float32 where the format is, with NaN and
// infinities where the format has them, and as a sparse matrix or of float32 where it keeps that.
func TestMatricesReadBack(t *testing.T) {
	wide := testkit.RandomDense(testkit.Random(3), 7, 5)
	long := make([]float32, 4001*17) // several buffers
	for i := range long {
		long[i] = float32(i) / 3
	}
	words, _ := testkit.RandomWords(testkit.Random(4), 7, 5)
	for name, m := range map[string]mat.Matrix{
		"dense":                wide,
		"a view":               wide.Slice(1, 5, 1, 3),
		"transposed":           wide.T(),
		"float32":              testkit.SingleOf(wide),
		"float32 transposed":   testkit.SingleOf(wide).T(),
		"of float32, long":     dense32(4001, 17, long),
		"of float32, a column": dense32(7, 1, long[:7]),
		"of float32, a row":    dense32(1, 7, long[:7]),
		"sparse":               words,
		"all of float64":       mat.NewDense(2, 2, []float64{5e-324, -math.MaxFloat64, math.Copysign(0, -1), 1. / 3}),
		"no numbers":           mat.NewDense(2, 2, []float64{0, math.Inf(-1), math.Inf(1), math.NaN()}),
	} {
		for format, read := range matrixReaders {
			arrays := strings.HasPrefix(format, "np")
			if name == "no numbers" && !arrays || name == "all of float64" && format == "word2vec binary" {
				continue // refused, see TestMatrixWriters
			}
			want := m
			if format == "word2vec binary" {
				want = testkit.SingleOf(m)
			}
			file := written(t, func(w io.Writer) error { return matrixWriters[format](w, m) })
			back := testkit.Must(read(bytes.NewReader(file)))
			got := back
			if _, narrow := m.(*coles.Dense32); narrow && !arrays {
				got = testkit.SingleOf(back) // the fewest digits for a float32
			}
			testkit.WantSame(t, format+", "+name, testkit.Bits(got), testkit.Bits(want))
			if single := bytes.Contains(file, []byte("'<f4'")); arrays && single != (strings.Contains(name, "float32")) {
				t.Errorf("%s, %s: of another precision", format, name)
			}
			if _, narrow := m.(*coles.Dense32); narrow && format == "npy" {
				testkit.WantSame(t, "mapped, "+name, testkit.Bits(mapped(t, saved(t, file)).Features), testkit.Bits(m))
			}
		}
	}
}

// A file is known to be gzipped by what it holds, not by its name, and one that is not there, cut
// short, damaged or a folder is named.
func TestOpen(t *testing.T) {
	want := mat.NewDense(2, 2, []float64{1, -2, 0.5, 4})
	labels := testkit.Must(RandomSplits([]int{0, 1, 2, 0, 1, 2, 0, 1, 2}, 1, 4, 1))
	type door struct {
		write func(io.Writer) error
		open  func(path string) (any, error)
		want  any
	}
	doors := map[string]door{
		"npz": {
			func(w io.Writer) error { _, err := w.Write(zipFile(smallNPZ())); return err },
			func(path string) (any, error) {
				d, err := Open(path, ReadNPZ)
				if err != nil {
					return nil, err
				}
				return d.Name, d.Validate()
			},
			"toy",
		},
		"edges": {
			func(w io.Writer) error { _, err := io.WriteString(w, "a\tb\nb\tc\n"); return err },
			func(path string) (any, error) {
				d, err := OpenEdgeList(path, "", "")
				if err != nil {
					return nil, err
				}
				return append(entries(d), d.Name), nil
			},
			[]string{"a b 1", "b c 1", "toy"},
		},
		"splits": {
			func(w io.Writer) error { return WriteSplits(w, 9, labels) },
			func(path string) (any, error) { return OpenSplits(path, 9) },
			labels,
		},
	}
	for format, read := range matrixReaders {
		doors[format] = door{
			func(w io.Writer) error { return matrixWriters[format](w, want) },
			func(path string) (any, error) {
				m, err := Open(path, read)
				if err != nil {
					return nil, err
				}
				return testkit.Bits(m), nil
			},
			testkit.Bits(want),
		}
	}
	for format, c := range doors {
		t.Run(format, func(t *testing.T) {
			whole := written(t, c.write)
			dir, packed := t.TempDir(), gzipped(whole)
			damage := func(at int) []byte {
				d := bytes.Clone(packed)
				d[at] ^= 0xff
				return d
			}
			for _, file := range [][]byte{whole, packed} {
				testkit.WantSame(t, format, testkit.Must(c.open(put(t, file, dir, "toy.x.gz"))), c.want)
			}
			for name, file := range map[string][]byte{
				"cut in the header": packed[:5],
				"cut in the body":   packed[:len(packed)-12],
				"cut in the sum":    packed[:len(packed)-2],
				"another sum":       damage(len(packed) - 6),
				"another method":    damage(2),
			} {
				if err := testkit.Err(c.open(put(t, file, dir, name))); name == "another method" {
					wantError(t, err, coles.ErrFormat, name)
				} else {
					wantError(t, err, coles.ErrChecksum, name)
				}
			}
			wantError(t, testkit.Err(c.open(dir+"2")), os.ErrNotExist, dir+"2")
			wantError(t, testkit.Err(c.open(dir)), coles.ErrFormat, "folder")
		})
	}
}

// The files of an edge list are opened each by itself, and an error names the one.
func TestOpenEdgeList(t *testing.T) {
	dir := t.TempDir()
	edges, features := put(t, gzipped([]byte("a\tb\n")), dir, "web.tsv.gz"), put(t, []byte("a,1\nb,2\n"), dir, "x.csv")
	labels := put(t, gzipped([]byte("a,red\nb,blue\n")), dir, "y.csv.gz")
	d := testkit.Must(OpenEdgeList(edges, features, labels))
	testkit.WantSame(t, "the dataset", []any{d.Name, d.IDs, d.Labels, testkit.Bits(d.Features)},
		[]any{"web", []string{"a", "b"}, []int{1, 0}, testkit.Bits(mat.NewDense(2, 1, []float64{1, 2}))})
	unknown := put(t, []byte("a\tb\na\tzoe\n"), dir, "unknown.tsv")
	wantError(t, testkit.Err(OpenEdgeList(unknown, features, "")), coles.ErrIDs, unknown+":2:3")
	for _, paths := range [][3]string{{"none", "", ""}, {edges, "none", ""}, {edges, features, "none"}} {
		wantError(t, testkit.Err(OpenEdgeList(paths[0], paths[1], paths[2])), os.ErrNotExist, "none")
	}
}

// The files of a folder may be gzipped, with or without .gz behind their names.
func TestOpenFolders(t *testing.T) {
	for _, end := range []string{"", ".gz"} {
		dir, paths := t.TempDir(), map[string]string{}
		for part, data := range smallPlanetoid() {
			paths[part] = put(t, gzipped(data), dir, planetoidFile("toy", part)+end)
		}
		if d, err := OpenPlanetoid(dir, "toy"); err != nil || d.Nodes() != 5 {
			t.Errorf("%+v, %v", d, err)
		}
		packed := testkit.Must(os.ReadFile(paths["tx"]))
		testkit.Check(t, os.WriteFile(paths["tx"], packed[:len(packed)-6], 0o666))
		wantError(t, testkit.Err(OpenPlanetoid(dir, "toy")), coles.ErrChecksum, "ind.toy.tx")
		testkit.Check(t, os.Remove(paths["tx"]))
		wantError(t, testkit.Err(OpenPlanetoid(dir, "toy")), os.ErrNotExist, "ind.toy.tx")
	}
}

// A list of edges that unpacks to a hundred times its size is refused before it fills the memory, and
// arrays have more free bytes than text.
func TestGzipBombs(t *testing.T) {
	defer func(text, binary int64) { source.FreeText, source.FreeBinary = text, binary }(source.FreeText, source.FreeBinary)
	source.FreeText, source.FreeBinary = 1<<20, 4<<20
	edges := saved(t, gzipped(bytes.Repeat([]byte("a b\n"), 2<<20)))
	if n := allocated(func() { wantError(t, testkit.Err(OpenEdgeList(edges, "", "")), coles.ErrTooLarge, edges) }); n > 64<<20 {
		t.Errorf("%d bytes taken", n)
	}
	for rows, want := range map[int]error{1 << 18: nil, 1 << 21: coles.ErrTooLarge} {
		path := saved(t, gzipped(npyArray("<f8", fmt.Sprintf("(%d,)", rows), make([]float64, rows))))
		if want == nil {
			testkit.Must(Open(path, ReadNPY))
			continue
		}
		wantError(t, testkit.Err(Open(path, ReadNPY)), want, path)
	}
}
