package parquet_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"coles"
	"coles/dataset"
	pq "coles/dataset/parquet"
	"coles/dataset/parse"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"gonum.org/v1/gonum/mat"
)

func vectorsFile(t testing.TB, ids []string, m mat.Matrix) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := pq.WriteVectors(&b, ids, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A row of vectors, as other programs write it.
type row struct {
	ID     string    `parquet:"id"`
	Vector []float32 `parquet:"vector,list"`
}

// must unwraps a call that a test does not expect to fail.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// rowsFile writes rows of any type by the library itself.
func rowsFile[T any](t testing.TB, rows ...T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := parquet.Write(&b, rows); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func readVectors(file []byte) (*dataset.Dataset, error) {
	return pq.ReadVectors(bytes.NewReader(file))
}

func readEdges(file []byte) (*dataset.Dataset, error) {
	return pq.ReadEdges(bytes.NewReader(file))
}

func TestVectorsRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	const n, d = 1000, 17 // several parts
	m, ids := mat.NewDense(n, d, nil), make([]string, n)
	for i := range n {
		ids[i] = fmt.Sprintf("%c, \"%d\"", 'α'+rune(i%20), i)
		for j := range d {
			m.Set(i, j, float64(float32(rng.NormFloat64())))
		}
	}
	got, err := readVectors(vectorsFile(t, ids, m))
	if err != nil || !slices.Equal(got.IDs, ids) || !mat.Equal(got.Features, m) {
		t.Errorf("something else came back (%v)", err)
	}
	if got, err = readVectors(vectorsFile(t, nil, m)); err != nil || got.IDs[n-1] != "999" {
		t.Errorf("without ids: %v", err)
	}
}

func TestEdgesRoundTrip(t *testing.T) {
	want := must(dataset.ReadEdgeList(strings.NewReader("a,b,1\n\"b\tc\",a,0.5\n#,b,2\na,b,1\n"), nil, parse.Options{}))
	var b bytes.Buffer
	if err := pq.WriteEdges(&b, want); err != nil {
		t.Fatal(err)
	}
	got := must(readEdges(b.Bytes()))
	// Rows come sorted by their source, so that nodes may be named in another order.
	if g, w := edgesOf(got), edgesOf(want); !slices.Equal(g, w) {
		t.Errorf("%q, want %q", g, w)
	}
}

func edgesOf(d *dataset.Dataset) []string {
	var all []string
	raw := d.Adjacency.RawMatrix()
	for i := range raw.I {
		for q := raw.Indptr[i]; q < raw.Indptr[i+1]; q++ {
			all = append(all, fmt.Sprintf("%q %q %v", d.IDs[i], d.IDs[raw.Ind[q]], raw.Data[q]))
		}
	}
	slices.Sort(all)
	return all
}

// Integers for ends and no weights, as other programs write edges.
func TestEdgesOfIntegers(t *testing.T) {
	type edge struct {
		Source int64 `parquet:"source"`
		Target int64 `parquet:"target"`
		Year   int32 `parquet:"year"`
	}
	d := must(readEdges(rowsFile(t, edge{7, 3, 2001}, edge{3, 9, 2002})))
	if got, want := edgesOf(d), []string{`"3" "9" 1`, `"7" "3" 1`}; !slices.Equal(got, want) || !slices.Equal(d.IDs, []string{"7", "3", "9"}) {
		t.Errorf("%q of %q", got, d.IDs)
	}
	type hashes struct {
		Source uint64 `parquet:"source"`
		Target int64  `parquet:"target"`
	}
	d = must(readEdges(rowsFile(t, hashes{math.MaxUint64, math.MinInt64})))
	if want := []string{"18446744073709551615", "-9223372036854775808"}; !slices.Equal(d.IDs, want) {
		t.Errorf("%q, want %q", d.IDs, want)
	}
}

func TestHostileFilesAreErrors(t *testing.T) {
	type named struct {
		ID string `parquet:"id"`
	}
	type edge struct {
		Source string  `parquet:"source"`
		Target string  `parquet:"target"`
		Weight float64 `parquet:"weight"`
	}
	type lists struct {
		ID     string      `parquet:"id"`
		Vector [][]float32 `parquet:"vector,list"`
	}
	type gaps struct {
		ID     string     `parquet:"id"`
		Vector []*float32 `parquet:"vector,list" parquet-element:",optional"`
	}
	type prefixes struct {
		ID     string    `parquet:"id,delta"`
		Vector []float32 `parquet:"vector,list"`
	}
	type several struct {
		Source []string `parquet:"source"`
		Target string   `parquet:"target"`
	}
	type perhaps struct {
		Source string   `parquet:"source"`
		Target string   `parquet:"target"`
		Weight *float64 `parquet:"weight,optional"`
	}
	type times struct {
		Source time.Time `parquet:"source"`
		Target time.Time `parquet:"target"`
	}
	one := float32(1)
	good := rowsFile(t, row{"a", []float32{1, 2}}, row{"b", []float32{3, 4}})
	vectors := func(file []byte) error { _, err := readVectors(file); return err }
	edges := func(file []byte) error { _, err := readEdges(file); return err }
	for _, c := range []struct {
		name  string
		read  func([]byte) error
		file  []byte
		cause error
		place string
	}{
		{"nothing", vectors, nil, coles.ErrChecksum, "parquet"},
		{"no parquet", vectors, []byte("PAR1 is not all of it"), coles.ErrFormat, "parquet"},
		{"cut short", vectors, good[:len(good)-5], coles.ErrFormat, "parquet"},
		{"no vectors", vectors, rowsFile(t, named{"a"}), dataset.ErrMissing, `"vector"`},
		{"no rows", vectors, rowsFile[row](t), dataset.ErrMissing, "no rows"},
		{"vectors of two lengths", vectors, rowsFile(t, row{"a", []float32{1, 2}}, row{"b", []float32{3}}), coles.ErrShape, "row 1"},
		{"empty vectors", vectors, rowsFile(t, row{"a", nil}), coles.ErrShape, "row 0"},
		{"an id twice", vectors, rowsFile(t, row{"a", []float32{1}}, row{"a", []float32{3}}), coles.ErrIDs, "row 1"},
		{"no finite number", vectors, rowsFile(t, row{"a", []float32{1, float32(math.NaN())}}), coles.ErrNotFinite, "row 0: value 1"},
		{"lists of vectors", vectors, rowsFile(t, lists{"a", [][]float32{{1}, {2}}}), coles.ErrFormat, `"vector"`},
		{"nulls in vectors", vectors, rowsFile(t, gaps{"a", []*float32{nil, &one}}, gaps{"b", []*float32{&one, nil}}), coles.ErrFormat, "row 0: malformed: null"},
		{"an id not UTF-8", vectors, rowsFile(t, row{"a", []float32{1}}, row{"\xff", []float32{2}}), coles.ErrFormat, "row 1"},
		{"ids that share prefixes", vectors, rowsFile(t, prefixes{"ab", []float32{1}}, prefixes{"ac", []float32{1}}), coles.ErrFormat, "DELTA_BYTE_ARRAY"},
		{"several sources", edges, rowsFile(t, several{[]string{"a", "b"}, "c"}), coles.ErrFormat, `"source"`},
		{"a weight that is null", edges, rowsFile(t, perhaps{"a", "b", new(float64)}, perhaps{"b", "c", nil}), coles.ErrFormat, "row 1: weight: malformed: null"},
		{"times for ends", edges, rowsFile(t, times{time.Unix(7, 0), time.Unix(8, 0)}), coles.ErrFormat, `"source": malformed: ids are text or integers, not TIMESTAMP`},
		{"edges of vectors", edges, good, dataset.ErrMissing, "call them source and target"},
		{"no edges", edges, rowsFile[edge](t), dataset.ErrMissing, "parquet"},
		{"an end without a name", edges, rowsFile(t, edge{"a", "b", 1}, edge{"", "b", 1}), coles.ErrFormat, "row 1"},
		{"a weight that is no number", edges, rowsFile(t, edge{"a", "b", 1}, edge{"a", "c", math.Inf(1)}), coles.ErrNotFinite, "row 1"},
		{"an id with a line break", edges, rowsFile(t, edge{"a", "b\nc", 1}), coles.ErrFormat, "row 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.read(c.file)
			if !errors.Is(err, c.cause) || !strings.Contains(err.Error(), c.place) {
				t.Errorf("error %v, want %v at %s", err, c.cause, c.place)
			}
		})
	}
}

// Every byte of a file may be wrong, or the disk may end there: never a panic.
func TestDamagedFilesAreReadOrErrors(t *testing.T) {
	good := rowsFile(t, row{"a", []float32{1, 2}}, row{"b", []float32{3, 4}})
	for at := range good {
		for _, flip := range []byte{0x01, 0x80, 0xff} {
			bad := bytes.Clone(good)
			bad[at] ^= flip
			if v, err := readVectors(bad); err == nil && v == nil {
				t.Errorf("byte %d: neither vectors nor an error", at)
			}
		}
	}
}

type fullDisk struct{ left int }

var errFull = errors.New("the disk is full")

func (f *fullDisk) Write(p []byte) (int, error) {
	if len(p) > f.left {
		return 0, errFull
	}
	f.left -= len(p)
	return len(p), nil
}

func TestWritersReportWhatIsWrong(t *testing.T) {
	m := mat.NewDense(2, 1, []float64{1, 2})
	for at := range vectorsFile(t, nil, m) {
		if err := pq.WriteVectors(&fullDisk{at}, nil, m); !errors.Is(err, errFull) {
			t.Errorf("a disk full after %d bytes: %v", at, err)
		}
	}
	if err := pq.WriteEdges(&fullDisk{9}, dataset.KarateClub()); !errors.Is(err, errFull) {
		t.Errorf("edges on a full disk: %v", err)
	}
	for name, c := range map[string]struct {
		err, want error
	}{
		"an empty one":    {pq.WriteVectors(io.Discard, nil, &mat.Dense{}), coles.ErrShape},
		"ids of another":  {pq.WriteVectors(io.Discard, []string{"a"}, m), coles.ErrShape},
		"a large number":  {pq.WriteVectors(io.Discard, nil, mat.NewDense(1, 1, []float64{1e300})), coles.ErrNotFinite},
		"a dataset alone": {pq.WriteEdges(io.Discard, &dataset.Dataset{}), dataset.ErrMissing},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: error %v, want %v", name, c.err, c.want)
		}
	}
}

func FuzzReadVectors(f *testing.F) {
	f.Add(vectorsFile(f, nil, mat.NewDense(2, 1, []float64{1, 2})))
	type edge struct {
		Source string `parquet:"source"`
		Target string `parquet:"target"`
	}
	for _, codec := range []compress.Codec{&parquet.Snappy, &parquet.Gzip, &parquet.Brotli, &parquet.Zstd, &parquet.Lz4Raw} {
		var b bytes.Buffer
		if err := parquet.Write(&b, []edge{{"a", "b"}, {"b", "c"}}, parquet.Compression(codec)); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		if v, err := readVectors(file); err == nil && (len(v.IDs) == 0 || v.Features == nil) {
			t.Error("neither vectors nor an error")
		}
		if d, err := readEdges(file); err == nil && d == nil {
			t.Error("neither edges nor an error")
		}
		if x, err := readTable(file); err == nil && x.Rows() == 0 && len(x.Columns) > 0 {
			t.Error("neither rows nor an error")
		}
	})
}

func ExampleWriteVectors() {
	var file bytes.Buffer
	if err := pq.WriteVectors(&file, []string{"king", "queen"}, mat.NewDense(2, 2, []float64{1, 0, 1, 1})); err != nil {
		fmt.Println(err)
	}
	v, err := pq.ReadVectors(&file)
	fmt.Println(v.IDs, mat.Row(nil, 1, v.Features), err)
	// Output: [king queen] [1 1] <nil>
}

// Columns are found by their names, as those of text are, wherever they stand.
func TestColumnsByName(t *testing.T) {
	type rating struct {
		Stamp  int64   `parquet:"timestamp"`
		Rating float32 `parquet:"rating"`
		Movie  string  `parquet:"movieId"`
		User   int64   `parquet:"userId"`
	}
	d := must(pq.ReadEdges(bytes.NewReader(rowsFile(t, rating{9, 2.5, "m", 7}, rating{8, 1, "n", 7}))))
	wantSame(t, "nodes", d.IDs, []string{"7", "m", "n"})
	wantSame(t, "edges", []float64{d.Adjacency.At(0, 1), d.Adjacency.At(0, 2), float64(d.Adjacency.NNZ())}, []float64{2.5, 1, 2})
	type embedded struct {
		Text      string    `parquet:"text"`
		Embedding []float64 `parquet:"embedding,list"`
		Node      string    `parquet:"node_id"`
	}
	v := must(pq.ReadVectors(bytes.NewReader(rowsFile(t, embedded{"x", []float64{1, 2}, "a"}, embedded{"y", []float64{3, 4}, "b"}))))
	wantSame(t, "ids", v.IDs, []string{"a", "b"})
	wantSame(t, "vectors", []float64{v.Features.At(0, 0), v.Features.At(1, 1)}, []float64{1, 4})
	type plain struct{ A, B string }
	if _, err := pq.ReadEdges(bytes.NewReader(rowsFile(t, plain{"a", "b"}))); !errors.Is(err, dataset.ErrMissing) {
		t.Errorf("error %v, want %v", err, dataset.ErrMissing)
	}
}
