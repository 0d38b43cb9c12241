package dataset

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"coles"
	"coles/dataset/parse"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// A disk that fails at any byte is reported, and a binary file that ends there is cut off.
func TestStreamsFailAtEveryByte(t *testing.T) {
	const edges, features, labels = "a,b,1\nb,c,2\n", "a,1\nb,2\nc,3\n", "a,x\nb,y\n"
	list := func(edges, features, labels io.Reader) error {
		return testkit.Err(ReadEdgeList(edges, features, parse.Options{Labels: labels}))
	}
	text := strings.NewReader
	for _, c := range []struct {
		place, file string
		cut         bool // a part of it is never a file
		read        func(r io.Reader) error
	}{
		{"edges:", edges, false, func(r io.Reader) error { return list(r, text(features), text(labels)) }},
		{"features:", features, false, func(r io.Reader) error { return list(text(edges), r, text(labels)) }},
		{"labels:", labels, false, func(r io.Reader) error { return list(text(edges), text(features), r) }},
		{"matrix:", marketHead + "2 2 2\n1 1 1\n2 1 3\n", false, func(r io.Reader) error { return testkit.Err(readMatrixMarket(r)) }},
		{"word2vec:", "2 1\na 1\nb 2\n", false, func(r io.Reader) error { return testkit.Err(readWord2Vec(r, parse.Options{})) }},
		{"word2vec:", "2 1\n" + binaryRow("a", 1) + "\n" + binaryRow("b", 2), true, func(r io.Reader) error { return testkit.Err(readWord2VecBinary(r, parse.Options{})) }},
		{"npy: byte ", string(npyArray("<f4", "(2, 3)", []float32{1, 2, 3, 4, 5, 6})), true, func(r io.Reader) error { return testkit.Err(ReadNPY(r)) }},
		{"pairs: byte ", string(npyArray("<i4", "(3, 2)", []int32{1, 2, 3, 4, 5, 6})), true, func(r io.Reader) error { return testkit.Err(readPairs(r, parse.Options{})) }},
		{"splits: byte ", smallSplits, true, func(r io.Reader) error { return testkit.Err(ReadSplits(r, 6)) }},
	} {
		for k := range len(c.file) {
			place := c.place
			if strings.HasSuffix(place, "byte ") {
				place += fmt.Sprint(k)
			}
			wantError(t, c.read(failAfter([]byte(c.file[:k]))), errDisk, place)
			if c.cut && k > len("2 1\n") {
				wantError(t, c.read(text(c.file[:k])), coles.ErrChecksum, c.place)
			}
		}
		if err := c.read(text(c.file)); err != nil {
			t.Errorf("%s %v", c.place, err)
		}
	}
}

// failingFrom fails to read any byte from at on.
type failingFrom struct {
	data []byte
	at   int64
}

func (f failingFrom) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > f.at {
		return 0, errDisk
	}
	return bytes.NewReader(f.data).ReadAt(p, off)
}

func TestArchivesFailAtEveryByte(t *testing.T) {
	file := zipFile(smallNPZ())
	for k := range len(file) {
		wantError(t, testkit.Err(readBytes(file[:k])), coles.ErrChecksum, "npz")
		disk := io.NewSectionReader(failingFrom{file, int64(k)}, 0, int64(len(file)))
		for _, r := range []io.Reader{disk, failAfter(file[:k])} {
			wantError(t, testkit.Err(ReadNPZ(r)), errDisk, "npz")
		}
	}
}

// failingFS fails to read one of its files from a byte on.
type failingFS struct {
	fstest.MapFS
	name string
	at   int
}

type failingFile struct {
	fs.File
	r io.Reader
}

func (f failingFile) Read(p []byte) (int, error) { return f.r.Read(p) }

func (f failingFS) Open(name string) (fs.File, error) {
	file, err := f.MapFS.Open(name)
	if err != nil || name != f.name {
		return file, err
	}
	return failingFile{file, failAfter(f.MapFS[name].Data[:f.at])}, nil
}

func TestFoldersFailAtEveryByte(t *testing.T) {
	fsys := planetoidFS(smallPlanetoid())
	for name, file := range fsys {
		for k := range len(file.Data) {
			wantError(t, testkit.Err(readPlanetoid(failingFS{fsys, name, k}, "toy", "")), errDisk, name+": byte")
			cut := maps.Clone(fsys)
			cut[name] = &fstest.MapFile{Data: file.Data[:k]}
			err := testkit.Err(readPlanetoid(cut, "toy", ""))
			if !strings.HasSuffix(name, "test.index") {
				wantError(t, err, coles.ErrChecksum, name+": byte")
			} else if k < len(file.Data)-1 && err == nil { // any prefix is text of the wrong number of lines, or of digits
				t.Errorf("test.index cut at byte %d was read", k)
			}
		}
	}
}

// Writers report the disk that fails at any byte, and what they are given in vain before the first.
func TestWritersFailAtEveryByte(t *testing.T) {
	m := mat.NewDense(3, 2, []float64{1, 0.1, -2, 3, 1e20, 5})
	d := smallDataset()
	writers := map[string]func(w io.Writer) error{
		"npz: all of it": func(w io.Writer) error { return WriteNPZ(w, d) },
		"edge list":      func(w io.Writer) error { return writeEdgeList(w, d) },
		"splits":         func(w io.Writer) error { return WriteSplits(w, 4, d.Splits) },
	}
	for name, write := range matrixWriters {
		writers[name] = func(w io.Writer) error { return write(w, m) }
	}
	for name, write := range writers {
		whole := written(t, write)
		for left := range whole {
			var b bytes.Buffer
			format, _, _ := strings.Cut(name, ":")
			wantError(t, write(&limited{&b, left}), errDisk, "write "+format)
			if !bytes.HasPrefix(whole, b.Bytes()) {
				t.Fatalf("%s: something else was written before byte %d", name, left)
			}
			if strings.HasPrefix(name, "npz") && testkit.Err(readBytes(b.Bytes())) == nil {
				t.Fatalf("%d of %d bytes make an archive", left, len(whole))
			}
		}
	}
	// The error names the member: here one larger than all buffers.
	large := &Dataset{Adjacency: KarateClub().Adjacency, Features: mat.NewDense(34, 1<<14, nil)}
	wantError(t, WriteNPZ(&limited{io.Discard, 1 << 18}, large), errDisk, "attr_matrix")
}
