package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// binaryRow is a row as word2vec.c writes it.
func binaryRow(id string, values ...float32) string {
	b, err := binary.Append([]byte(id+" "), binary.LittleEndian, values)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestWord2VecForms(t *testing.T) {
	for _, c := range []struct {
		name   string
		binary bool
		text   string
		ids    []string
		want   []float64
	}{
		{"text", false, "2 3\na 1 -2 3e-1\nb 4 5 6\n", []string{"a", "b"}, []float64{1, -2, 0.3, 4, 5, 6}},
		{"spaces at the ends, no last line feed", false, "2 1 \na 1 \n\"b 2", []string{"a", `"b`}, []float64{1, 2}},
		{"an id that looks like a comment", false, "2 1\n#a 1\n%b 2\n", []string{"#a", "%b"}, []float64{1, 2}},
		{"blank lines at the end", false, "1 1\na 1\n\n \n", []string{"a"}, []float64{1}},
		{"binary", true, "2 2\n" + binaryRow("a", 1, 2) + "\n" + binaryRow("b", 3, -0.5) + "\n", []string{"a", "b"}, []float64{1, 2, 3, -0.5}},
		{"binary as gensim writes", true, "2 2\n" + binaryRow("a", 1, 2) + binaryRow("é", 3, -0.5), []string{"a", "é"}, []float64{1, 2, 3, -0.5}},
	} {
		t.Run(c.name, func(t *testing.T) {
			read := ReadWord2Vec
			if c.binary {
				read = ReadWord2VecBinary
			}
			v, err := read(strings.NewReader(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(v.IDs, c.ids) || !slices.Equal(v.Values.RawMatrix().Data, c.want) {
				t.Errorf("%q, %v", v.IDs, v.Values.RawMatrix().Data)
			}
		})
	}
}

func TestWord2VecRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 0))
	m := mat.NewDense(50, 17, nil)
	ids := make([]string, 50)
	for i := range 50 {
		ids[i] = fmt.Sprintf("%c%d", 'α'+rune(i%20), i)
		for j := range 17 {
			m.Set(i, j, float64(float32(rng.NormFloat64())))
		}
	}
	for name, c := range map[string]struct {
		write func(io.Writer, []string, mat.Matrix) error
		read  func(io.Reader) (*Vectors, error)
	}{"text": {WriteWord2Vec, ReadWord2Vec}, "binary": {WriteWord2VecBinary, ReadWord2VecBinary}} {
		var b bytes.Buffer
		if err := c.write(&b, ids, m); err != nil {
			t.Fatal(err)
		}
		back, err := c.read(&b)
		if err != nil || !slices.Equal(back.IDs, ids) || !mat.Equal(back.Values, m) {
			t.Errorf("%s: something else came back (%v)", name, err)
		}
		b.Reset()
		if err := c.write(&b, nil, m); err != nil {
			t.Fatal(err)
		}
		if back, err = c.read(&b); err != nil || back.IDs[49] != "49" {
			t.Errorf("%s: without ids the rows are %+v (%v)", name, back, err)
		}
	}
}

func FuzzReadWord2Vec(f *testing.F) {
	f.Add([]byte("2 3\na 1 -2 3e-1\nb 4 5 6\n"), false)
	f.Add([]byte("2 2\n"+binaryRow("a", 1, 2)+"\n"+binaryRow("b", 3, -0.5)+"\n"), true)
	f.Fuzz(func(t *testing.T, file []byte, binary bool) {
		read, write := ReadWord2Vec, WriteWord2Vec
		if binary {
			read, write = ReadWord2VecBinary, WriteWord2VecBinary
		}
		v, err := read(bytes.NewReader(file))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if write(&b, v.IDs, v.Values) != nil {
			return // an id that this format could be read with, but not written
		}
		again, err := read(&b)
		if err != nil || !slices.Equal(again.IDs, v.IDs) || !mat.Equal(again.Values, v.Values) {
			t.Errorf("something else came back: %v", err)
		}
	})
}

func valuesOf(read func(io.Reader) (*Vectors, error)) func(io.Reader) (mat.Matrix, error) {
	return func(r io.Reader) (mat.Matrix, error) {
		v, err := read(r)
		if err != nil {
			return nil, err
		}
		return v.Values, nil
	}
}

// A file is known to be gzipped by what it holds, not by its name, and one that is not there, or
// cut short, is named.
func TestOpenMatricesOfEveryFormat(t *testing.T) {
	want := mat.NewDense(2, 2, []float64{1, -2, 0.5, 4})
	for name, c := range map[string]struct {
		write func(io.Writer) error
		read  func(r io.Reader) (mat.Matrix, error)
	}{
		"Matrix Market": {
			func(w io.Writer) error { return WriteMatrixMarket(w, want) },
			ReadMatrixMarket,
		},
		"word2vec": {
			func(w io.Writer) error { return WriteWord2Vec(w, nil, want) },
			valuesOf(ReadWord2Vec),
		},
		"word2vec binary": {
			func(w io.Writer) error { return WriteWord2VecBinary(w, nil, want) },
			valuesOf(ReadWord2VecBinary),
		},
		"npz": {
			func(w io.Writer) error { return WriteMatrices(w, map[string]mat.Matrix{"a": want}) },
			func(r io.Reader) (mat.Matrix, error) { all, err := ReadMatrices(r); return all["a"], err },
		},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := c.write(&b); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "file")
			for _, content := range [][]byte{b.Bytes(), gzipped(b.Bytes())} {
				if err := os.WriteFile(path, content, 0o666); err != nil {
					t.Fatal(err)
				}
				if got, err := Open(path, c.read); err != nil || !mat.Equal(got, want) {
					t.Errorf("%v, %v", got, err)
				}
			}
			packed := gzipped(b.Bytes())
			if err := os.WriteFile(path, packed[:len(packed)-9], 0o666); err != nil {
				t.Fatal(err)
			}
			_, err := Open(path, c.read)
			wantError(t, err, coles.ErrChecksum, path)
			wantError(t, testkit.Err(Open(path+"2", c.read)), fs.ErrNotExist, path+"2")
		})
	}
}
