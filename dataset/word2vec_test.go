package dataset

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// binaryRow is a row as word2vec.c writes it.
func binaryRow(id string, values ...float32) string {
	return id + " " + string(appendFloat32s(nil, values))
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
			ids, m, err := read(strings.NewReader(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(ids, c.ids) || !slices.Equal(m.RawMatrix().Data, c.want) {
				t.Errorf("%q, %v", ids, m.RawMatrix().Data)
			}
		})
	}
}

func TestWord2VecMalformed(t *testing.T) {
	for _, c := range []struct {
		name   string
		binary bool
		text   string
		cause  error
		place  string
	}{
		{"nothing", false, "", ErrTruncated, "word2vec:1"},
		{"one size", false, "3\n", ErrFormat, "word2vec:1"},
		{"sizes of text", false, "a b\n", ErrFormat, "word2vec:1:1"},
		{"no rows", false, "0 3\n", ErrShape, "word2vec:1:1"},
		{"no columns", false, "3 0\n", ErrShape, "word2vec:1:3"},
		{"rows beyond an index", false, "1099511627776 3\n", ErrTooLarge, "word2vec:1:1"},
		{"columns beyond all", false, "3 99999999999999999999\n", ErrTooLarge, "word2vec:1:3"},
		{"rows declared only", false, "2000000000 2000000000\n", ErrTruncated, "word2vec:2"},
		{"a row missing", false, "2 1\na 1\n", ErrTruncated, "1 rows of 2"},
		{"a row too many", false, "1 1\na 1\nb 2\n", ErrFormat, "word2vec:3"},
		{"a short row", false, "2 2\na 1 2\nb 1\n", ErrShape, "word2vec:3"},
		{"a long row", false, "1 1\na 1 2\n", ErrShape, "word2vec:2"},
		{"an id twice", false, "2 1\na 1\na 2\n", ErrDuplicate, "word2vec:3:1"},
		{"text for a number", false, "1 2\na 1 x\n", ErrFormat, "word2vec:2:5"},
		{"no finite number", false, "1 1\na Inf\n", ErrNotFinite, "word2vec:2:3"},
		{"not UTF-8", false, "1 1\n\xff 1\n", ErrFormat, "word2vec:2"},
		{"binary: nothing", true, "", ErrTruncated, "word2vec:1"},
		{"binary: no rows", true, "2 2\n", ErrTruncated, "byte 4"},
		{"binary: half a row", true, "1 2\na 1234", ErrTruncated, "byte 10"},
		{"binary: rows declared only", true, "2000000000 2000000000\na ", ErrTruncated, "byte"},
		{"binary: an empty id", true, "1 1\n 1234", ErrFormat, "byte 4"},
		{"binary: a line feed in an id", true, "1 1\na\nb 1234", ErrFormat, "byte 4"},
		{"binary: an id not UTF-8", true, "1 1\n\xff 1234", ErrFormat, "byte 4"},
		{"binary: an id without end", true, "1 1\n" + strings.Repeat("x", maxWord+1), ErrTooLarge, "byte 4"},
		{"binary: an id twice", true, "2 1\n" + binaryRow("a", 1) + binaryRow("a", 2), ErrDuplicate, "byte"},
		{"binary: no finite number", true, "1 1\n" + binaryRow("a", float32(math.NaN())), ErrNotFinite, "byte 6"},
		{"binary: bytes after the end", true, "1 1\n" + binaryRow("a", 1) + "\n\n", ErrFormat, "byte 11"},
	} {
		t.Run(c.name, func(t *testing.T) {
			taken := allocated(func() {
				read := ReadWord2Vec
				if c.binary {
					read = ReadWord2VecBinary
				}
				_, _, err := read(strings.NewReader(c.text))
				wantError(t, err, c.cause, c.place)
			})
			if taken > 4<<20 {
				t.Errorf("%d bytes for a file of %d", taken, len(c.text))
			}
		})
	}
}

func TestWord2VecFailsAtEveryByte(t *testing.T) {
	text := []byte("2 1\na 1\nb 2\n")
	binary := []byte("2 1\n" + binaryRow("a", 1) + "\n" + binaryRow("b", 2) + "\n")
	for at := range len(text) + 1 {
		_, _, err := ReadWord2Vec(failAfter(text[:at]))
		wantError(t, err, errDisk, "word2vec:")
	}
	for at := range len(binary) + 1 {
		_, _, err := ReadWord2VecBinary(failAfter(binary[:at]))
		wantError(t, err, errDisk, "word2vec")
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
		read  func(io.Reader) ([]string, *mat.Dense, error)
	}{"text": {WriteWord2Vec, ReadWord2Vec}, "binary": {WriteWord2VecBinary, ReadWord2VecBinary}} {
		var b bytes.Buffer
		if err := c.write(&b, ids, m); err != nil {
			t.Fatal(err)
		}
		whole := bytes.Clone(b.Bytes())
		back, vectors, err := c.read(&b)
		if err != nil || !slices.Equal(back, ids) || !mat.Equal(vectors, m) {
			t.Errorf("%s: something else came back (%v)", name, err)
		}
		b.Reset()
		if err := c.write(&b, nil, m); err != nil {
			t.Fatal(err)
		}
		if back, _, err = c.read(&b); err != nil || back[49] != "49" {
			t.Errorf("%s: without ids the last is %q (%v)", name, back, err)
		}
		for at := range whole {
			wantError(t, c.write(&limited{w: io.Discard, left: at}, ids, m), errDisk, "word2vec")
		}
		wantError(t, c.write(io.Discard, nil, nil), ErrMissing, "nil")
		wantError(t, c.write(io.Discard, ids[:3], m), ErrShape, "3 ids")
		wantError(t, c.write(io.Discard, append(slices.Clone(ids[:49]), "a b"), m), ErrID, "a b")
	}
	wantError(t, WriteWord2VecBinary(io.Discard, nil, mat.NewDense(1, 1, []float64{1e300})), ErrNotFinite, "(0, 0)")
}

func FuzzReadWord2Vec(f *testing.F) {
	f.Add([]byte("2 3\na 1 -2 3e-1\nb 4 5 6\n"), false)
	f.Add([]byte("2 2\n"+binaryRow("a", 1, 2)+"\n"+binaryRow("b", 3, -0.5)+"\n"), true)
	f.Fuzz(func(t *testing.T, file []byte, binary bool) {
		read, write := ReadWord2Vec, WriteWord2Vec
		if binary {
			read, write = ReadWord2VecBinary, WriteWord2VecBinary
		}
		ids, m, err := read(bytes.NewReader(file))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if write(&b, ids, m) != nil {
			return // an id that this format could be read with, but not written
		}
		back, again, err := read(&b)
		if err != nil || !slices.Equal(back, ids) || !mat.Equal(m, again) {
			t.Errorf("something else came back: %v", err)
		}
	})
}
