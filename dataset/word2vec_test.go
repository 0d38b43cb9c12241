package dataset

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"strings"
	"testing"

	"coles/dataset/parse"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// binaryRow is a row as word2vec.c writes it.
func binaryRow(id string, values ...float32) string {
	return string(testkit.Must(binary.Append([]byte(id+" "), binary.LittleEndian, values)))
}

func TestWord2VecForms(t *testing.T) {
	for _, c := range []struct {
		name string
		read func(io.Reader, parse.Options) (*Dataset, error)
		text string
		ids  []string
		want []float64
	}{
		{"text", readWord2Vec, "2 3\na 1 -2 3e-1\nb 4 5 6\n", []string{"a", "b"}, []float64{1, -2, 0.3, 4, 5, 6}},
		{"spaces at the ends, no last line feed", readWord2Vec, "2 1 \na 1 \n\"b 2", []string{"a", `"b`}, []float64{1, 2}},
		{"an id that looks like a comment", readWord2Vec, "2 1\n#a 1\n%b 2\n", []string{"#a", "%b"}, []float64{1, 2}},
		{"blank lines at the end", readWord2Vec, "1 1\na 1\n\n \n", []string{"a"}, []float64{1}},
		{"GloVe", readWord2Vec, "the 1 -2\n\" 3 .5\n# 4 5\n", []string{"the", `"`, "#"}, []float64{1, -2, 3, 0.5, 4, 5}},
		{"binary", readWord2VecBinary, "2 2\n" + binaryRow("a", 1, 2) + "\n" + binaryRow("b", 3, -0.5) + "\n", []string{"a", "b"}, []float64{1, 2, 3, -0.5}},
		{"binary as gensim writes", readWord2VecBinary, "2 2\n" + binaryRow("a", 1, 2) + binaryRow("é", 3, -0.5), []string{"a", "é"}, []float64{1, 2, 3, -0.5}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := testkit.Must(c.read(strings.NewReader(c.text), parse.Options{}))
			if !slices.Equal(v.IDs, c.ids) || !slices.Equal(v.Features.(*mat.Dense).RawMatrix().Data, c.want) {
				t.Errorf("%q, %v", v.IDs, v.Features.(*mat.Dense).RawMatrix().Data)
			}
		})
	}
}

func FuzzReadWord2Vec(f *testing.F) {
	f.Add([]byte("2 3\na 1 -2 3e-1\nb 4 5 6\n"), false)
	f.Add([]byte("2 2\n"+binaryRow("a", 1, 2)+"\n"+binaryRow("b", 3, -0.5)+"\n"), true)
	f.Fuzz(func(t *testing.T, file []byte, binary bool) {
		read, write := readWord2Vec, writeWord2Vec
		if binary {
			read, write = readWord2VecBinary, writeWord2VecBinary
		}
		v, err := read(bytes.NewReader(file), parse.Options{})
		if err != nil {
			return
		}
		var b bytes.Buffer
		if write(&b, v.IDs, v.Features) != nil {
			return // an id that this format could be read with, but not written
		}
		again, err := read(&b, parse.Options{})
		if err != nil || !slices.Equal(again.IDs, v.IDs) || !mat.Equal(again.Features, v.Features) {
			t.Errorf("something else came back: %v", err)
		}
	})
}
