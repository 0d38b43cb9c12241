package dataset

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// A file is known to be gzipped by what it holds, not by its name, and one that
// is not there, or cut short, is named.
func TestOpenMatricesOfEveryFormat(t *testing.T) {
	want := mat.NewDense(2, 2, []float64{1, -2, 0.5, 4})
	for name, c := range map[string]struct {
		write func(io.Writer) error
		open  func(path string) (mat.Matrix, error)
	}{
		"Matrix Market": {
			func(w io.Writer) error { return WriteMatrixMarket(w, want) },
			OpenMatrixMarket,
		},
		"word2vec": {
			func(w io.Writer) error { return WriteWord2Vec(w, nil, want) },
			func(path string) (mat.Matrix, error) { _, m, err := OpenWord2Vec(path); return m, err },
		},
		"word2vec binary": {
			func(w io.Writer) error { return WriteWord2VecBinary(w, nil, want) },
			func(path string) (mat.Matrix, error) { _, m, err := OpenWord2VecBinary(path); return m, err },
		},
		"npz": {
			func(w io.Writer) error { return WriteMatrices(w, map[string]mat.Matrix{"a": want}) },
			func(path string) (mat.Matrix, error) { all, err := OpenMatrices(path); return all["a"], err },
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
				if got, err := c.open(path); err != nil || !mat.Equal(got, want) {
					t.Errorf("%v, %v", got, err)
				}
			}
			packed := gzipped(b.Bytes())
			if err := os.WriteFile(path, packed[:len(packed)-9], 0o666); err != nil {
				t.Fatal(err)
			}
			_, err := c.open(path)
			wantError(t, err, ErrTruncated, path)
			_, err = c.open(path + "2")
			wantError(t, err, fs.ErrNotExist, path+"2")
		})
	}
}
