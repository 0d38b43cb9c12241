package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coles"
	"coles/dataset/parse"
	"coles/internal/testkit"
)

// graphFile is a graph as it is written.
func graphFile(t testing.TB, g *coles.Graph) []byte {
	return written(t, func(w io.Writer) error { return WriteCSR(w, &Dataset{Undirected: g}) })
}

// What is written is read, from a mapping, from a stream and unpacked, whatever the graph has.
func TestGraphFiles(t *testing.T) {
	names := coles.WithIDs([]string{"a", "", "ä\n", "d"})
	for what, g := range map[string]*coles.Graph{
		"a pattern":       testkit.RandomGraph(1, 50, 0.1),
		"no edge":         testkit.Must(coles.NewGraph(3, nil)),
		"names":           testkit.Must(coles.NewGraph(4, []coles.Edge{{U: 0, V: 2}, {U: 2, V: 3}}, names)),
		"weights":         testkit.Must(coles.NewGraph(4, []coles.Edge{{U: 0, V: 2}, {U: 2, V: 3}}, coles.WithWeights([]float64{0.5, 1e300}), names)),
		"loops":           testkit.Must(coles.NewGraph(4, []coles.Edge{{U: 1, V: 1}, {U: 0, V: 3}}, coles.WithSelfLoopsKept())),
		"loops of weight": testkit.Must(coles.NewGraph(4, []coles.Edge{{U: 1, V: 1}, {U: 0, V: 3}}, coles.WithWeights([]float64{3, 2}), coles.WithSelfLoopsKept())),
	} {
		file := graphFile(t, g)
		path := put(t, file, t.TempDir(), "g.csr")
		zipped := put(t, gzipped(file), t.TempDir(), "g.csr.gz")
		mapped := testkit.Must(OpenCSR(path))
		for _, d := range []*Dataset{mapped, testkit.Must(readCSR(bytes.NewReader(file))), testkit.Must(OpenCSR(zipped))} {
			got := testkit.Must(d.Graph())
			testkit.WantSame(t, what, got.CSR().RawMatrix(), g.CSR().RawMatrix())
			testkit.WantSame(t, what+", names and loops", []any{got.IDs(), got.Named(), got.KeepsSelfLoops()}, []any{g.IDs(), g.Named(), g.KeepsSelfLoops()})
			testkit.WantSame(t, what+", written again", graphFile(t, got), file)
		}
		testkit.Check(t, mapped.Close())
		if mapped.Undirected != nil || mapped.Close() != nil {
			t.Errorf("%s: closed, it has a graph, or a second call fails", what)
		}
	}
}

// A file that is cut anywhere, or has another byte anywhere, is an error by name, mapped or not.
func TestDamagedGraphFiles(t *testing.T) {
	g := testkit.Must(coles.NewGraph(3, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}}, coles.WithWeights([]float64{2, 1}), coles.WithIDs([]string{"a", "b", "c"})))
	file := graphFile(t, g)
	wrong := func(what string, damaged []byte) {
		for _, err := range []error{
			testkit.Err(readCSR(bytes.NewReader(damaged))),
			testkit.Err(OpenCSR(put(t, damaged, t.TempDir(), "g.csr"))),
		} {
			if !errors.Is(err, coles.ErrChecksum) && !errors.Is(err, coles.ErrFormat) && !errors.Is(err, coles.ErrTooLarge) {
				t.Errorf("%s: error %v", what, err)
			}
		}
	}
	for k := range file {
		wrong(fmt.Sprintf("cut at %d", k), file[:k])
		other := bytes.Clone(file)
		other[k] ^= 0x10
		wrong(fmt.Sprintf("another byte at %d", k), other)
	}
	wrong("a byte more", append(bytes.Clone(file), 0))
}

// A file with the right checksum may be made by anybody.
func TestHostileGraphFiles(t *testing.T) {
	g := testkit.Must(coles.NewGraph(4, []coles.Edge{{U: 0, V: 1}, {U: 0, V: 2}, {U: 1, V: 2}}, coles.WithWeights([]float64{1, 2, 3}), coles.WithIDs([]string{"a", "b", "c", "d"})))
	const ptr, col, weights, ids = graphHeader, graphHeader + 5*8, graphHeader + 5*8 + 6*4, graphHeader + 5*8 + 6*4 + 6*8
	for _, c := range []struct {
		what  string
		at    int
		bytes []byte
		want  error
	}{
		{"nodes without number", 16, []byte{255, 255, 255, 255, 255, 255, 255, 255}, coles.ErrTooLarge},
		{"entries without number", 24, []byte{255, 255, 255, 255, 255, 255, 255, 255}, coles.ErrChecksum},
		{"names without number", 32, []byte{255, 255, 255, 255, 255, 255, 255, 255}, coles.ErrChecksum},
		{"a row begins elsewhere", ptr, []byte{1}, coles.ErrShape},
		{"a row ends before it begins", ptr + 8, []byte{5}, coles.ErrShape},
		{"a row ends beyond", ptr + 15, []byte{128}, coles.ErrShape},
		{"no such node", col, []byte{4}, coles.ErrIndex},
		{"a negative node", col + 3, []byte{128}, coles.ErrIndex},
		{"columns descend", col, []byte{2, 0, 0, 0, 1}, coles.ErrIndex},
		{"a column twice", col, []byte{2}, coles.ErrIndex},
		{"no mirror", col + 4, []byte{3}, coles.ErrAsymmetric},
		{"another weight in the mirror", weights + 6, []byte{1}, coles.ErrAsymmetric},
		{"a weight below zero", weights + 7, []byte{0xbf}, coles.ErrNegative},
		{"a weight beyond numbers", weights + 6, []byte{0xf0, 0x7f}, coles.ErrNotFinite},
		{"a name twice", ids + 1, []byte{'b'}, coles.ErrIDs},
		{"a name too long", ids + 6, []byte{9}, coles.ErrFormat},
		{"a name too short", ids + 6, []byte{0}, coles.ErrFormat},
	} {
		file := graphFile(t, g)
		copy(file[c.at:], c.bytes)
		end := len(file) - 4
		binary.LittleEndian.PutUint32(file[end:], crc32.Checksum(file[:end], castagnoli))
		testkit.WantError(t, testkit.Err(readCSR(bytes.NewReader(file))), c.want)
	}
}

func needsScratch(t *testing.T) {
	t.Helper()
	d, err := readWith("a b\n", "", "", parse.Options{Undirected: true, Scratch: t.TempDir()})
	if err != nil {
		t.Skip("this system has no memory in files")
	}
	testkit.Check(t, d.Close())
}

// Edges in a folder make the graph that they make in memory, and leave nothing there.
func TestScratch(t *testing.T) {
	needsScratch(t)
	rng := testkit.Random(1)
	var plain, weighted strings.Builder
	var pairs []int32
	for range 5000 {
		u, v := rng.IntN(300), rng.IntN(300)
		fmt.Fprintln(&plain, u, v)
		fmt.Fprintln(&weighted, u, v, float64(rng.IntN(4))/2)
		pairs = append(pairs, int32(u), int32(v))
	}
	array := npyArray("<i4", "(5000, 2)", pairs)
	for what, read := range map[string]func(opts parse.Options) (*Dataset, error){
		"edges":   func(opts parse.Options) (*Dataset, error) { return readWith(plain.String(), "", "", opts) },
		"weights": func(opts parse.Options) (*Dataset, error) { return readWith(weighted.String(), "", "", opts) },
		"pairs":   func(opts parse.Options) (*Dataset, error) { return readPairs(bytes.NewReader(array), opts) },
		"left out": func(opts parse.Options) (*Dataset, error) {
			opts.MissingRows = "drop"
			return readWith(weighted.String(), "1,2\n2,3\n3,4\n", "", opts)
		},
	} {
		dir := t.TempDir()
		want := testkit.Must(read(parse.Options{Undirected: true}))
		got := testkit.Must(read(parse.Options{Undirected: true, Scratch: dir}))
		testkit.WantSame(t, what, graphFile(t, testkit.Must(got.Graph())), graphFile(t, testkit.Must(want.Graph())))
		if left := testkit.Must(os.ReadDir(dir)); len(left) > 0 {
			t.Errorf("%s: %s is left", what, left[0].Name())
		}
		testkit.Check(t, got.Close())
		testkit.WantError(t, testkit.Err(read(parse.Options{Undirected: true, Scratch: filepath.Join(dir, "none")})), fs.ErrNotExist)
	}
	testkit.WantError(t, testkit.Err(readWith("a b -1\n", "", "", parse.Options{Undirected: true, Scratch: t.TempDir()})), coles.ErrNegative)
}

// vanishing removes a folder once it is read from.
type vanishing struct {
	io.Reader
	dir  string
	read int
}

func (v *vanishing) Read(b []byte) (int, error) {
	os.Remove(v.dir)
	n, err := v.Reader.Read(b)
	v.read += n
	return n, err
}

// A space that has no more room, as on a full disk, ends the reading at once, by its error.
func TestScratchFails(t *testing.T) {
	needsScratch(t)
	const count = 1 << 20
	array := npyArray("<i4", fmt.Sprintf("(%d, 2)", count), make([]int32, 2*count))
	lines := []byte(strings.Repeat("3 4\n", count))
	weighted := []byte(strings.Repeat("3 4 0.5\n", count))
	rows := []byte(strings.Repeat("'3' 4\n", count)) // read one by one
	for what, c := range map[string]struct {
		file []byte
		read func(r io.Reader, opts parse.Options) (*Dataset, error)
	}{
		"pairs":   {array, readPairs},
		"edges":   {lines, func(r io.Reader, opts parse.Options) (*Dataset, error) { return ReadEdgeList(r, nil, opts) }},
		"weights": {weighted, func(r io.Reader, opts parse.Options) (*Dataset, error) { return ReadEdgeList(r, nil, opts) }},
		"rows":    {rows, func(r io.Reader, opts parse.Options) (*Dataset, error) { return ReadEdgeList(r, nil, opts) }},
	} {
		r := &vanishing{Reader: bytes.NewReader(c.file), dir: filepath.Join(t.TempDir(), "gone")}
		testkit.Check(t, os.Mkdir(r.dir, 0o700))
		_, err := c.read(r, parse.Options{Undirected: true, Scratch: r.dir})
		testkit.WantError(t, err, fs.ErrNotExist)
		testkit.WantText(t, err.Error(), "folder "+r.dir+": no such file")
		if r.read > len(c.file)*3/4 {
			t.Errorf("%s: %d of %d bytes were read", what, r.read, len(c.file))
		}
	}
}
