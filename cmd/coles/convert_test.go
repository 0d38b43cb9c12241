package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coles"
	"coles/dataset"
	packed "coles/internal/source"
	"coles/internal/testkit"
)

// A file of float32 is taken as such: it is not doubled in a conversion, and features equal
// a matrix of float32.
func TestFloat32Files(t *testing.T) {
	x := &coles.Dense32{Rows: 4, Cols: 3, Stride: 3, Data: []float32{1, 0, 0.1, 0, 1, 0, 0.2, 1, 1, 1, 1, 0}}
	npy := text(t, func(b *bytes.Buffer) error { return dataset.WriteNPY(b, x) })
	dir := folder(t, map[string]string{"x.npy": npy, "e.txt": "0 1\n1 2\n2 0\n2 3\n"})
	path, out := filepath.Join(dir, "x.npy"), filepath.Join(dir, "out.npy")
	must(t, "", "convert", path, out)
	testkit.WantSame(t, "the file", read(t, out), npy)
	g := testkit.Must(coles.NewGraph(4, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 0}, {U: 2, V: 3}}))
	m := testkit.Must(coles.Fit(t.Context(), g, x, coles.WithDim(2)))
	want := text(t, func(b *bytes.Buffer) error { return dataset.WriteTSV(b, nil, m.Embedding()) })
	prints(t, want, "", "embed", filepath.Join(dir, "e.txt"), "-features", path, "-dim", "2")
}

// An id may be longer than a buffer.
func TestLongIDs(t *testing.T) {
	long := strings.Repeat("ann", 1<<15)
	dir := folder(t, map[string]string{"v.tsv": "a\t1\t2\nb\t3\t4\n", "long": "\ufeff" + long + "\r\n#1\r\n"})
	npy := filepath.Join(dir, "v.npy")
	must(t, "", "convert", filepath.Join(dir, "v.tsv"), npy)
	prints(t, long+"\t1\t2\n\"#1\"\t3\t4\n", "", "convert", npy, "-ids", filepath.Join(dir, "long"), "-to", "tsv", "-")
}

// What is written under a name that ends in .gz unpacks to what is written without; where writing fails nothing is there.
func TestGzippedOutput(t *testing.T) {
	t.Chdir(folder(t, map[string]string{"e.csv": edgesText, "v.tsv": "a\t3\t4\nb\t4\t3\n", "l.csv": "a,red\nb,blue\n"}))
	for _, c := range []struct{ args, out string }{
		{"convert v.tsv OUT", "v.npy"},
		{"embed e.csv -dim 2 -o OUT", "y.JSONL"},
		{"embed e.csv -dim 2 -o OUT.npy -write-ids OUT.ids -model OUT", "out.model"},
		{"predict -embedding v.tsv -labels l.csv -all -o OUT", "p.csv"},
		{"cluster -embedding v.tsv -k 2 -json -o OUT", "c.json"},
	} {
		for _, out := range []string{c.out, c.out + ".gz"} {
			if code, _, stderr := call("", strings.Fields(strings.ReplaceAll(c.args, "OUT", out))...); code != 0 {
				t.Fatal(stderr)
			}
		}
		z := testkit.Must(gzip.NewReader(strings.NewReader(read(t, c.out+".gz"))))
		testkit.WantSame(t, c.out, string(testkit.Must(io.ReadAll(z))), read(t, c.out))
	}
	late := errors.New("late")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for path, ctx := range map[string]context.Context{"late.gz": t.Context(), "stopped.gz": stopped} {
		err := sink{path: path}.write(ctx, func(w io.Writer) error {
			if _, err := io.CopyN(w, rand.NewChaCha8([32]byte{}), 1<<20); err != nil {
				return err
			}
			return late
		})
		if _, gone := os.Stat(path); !errors.Is(err, late) && !errors.Is(err, context.Canceled) || !errors.Is(gone, os.ErrNotExist) {
			t.Errorf("%s: error %v, and the file: %v", path, err, gone)
		}
	}
}

// Input unpacks within the budget of package source.
func TestGzipBomb(t *testing.T) {
	defer func(free int64) { packed.FreeText = free }(packed.FreeText)
	packed.FreeText = 1 << 16
	bomb := text(t, func(b *bytes.Buffer) error {
		z := gzip.NewWriter(b)
		io.WriteString(z, strings.Repeat("a b\n", 1<<17)) // an error stays in z
		return z.Close()
	})
	refused(t, t.TempDir(), exitFailure, "too large", bomb, "info")
}

// A square matrix that SciPy saved is a graph, or features where these are named, and that is said.
func TestSquareMatrixAsFeatures(t *testing.T) {
	var file bytes.Buffer
	z := zip.NewWriter(&file)
	for name, part := range map[string][2]string{
		"format": {"'|S3', 'shape': ()", "csr"}, "shape": {"'<i8', 'shape': (2,)", "\x03\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00"},
		"indptr":  {"'<i4', 'shape': (4,)", "\x00\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00"},
		"indices": {"'<i4', 'shape': (3,)", "\x01\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00"}, "data": {"'|u1', 'shape': (3,)", "\x01\x02\x03"},
	} {
		head := fmt.Sprintf("{'descr': %s, 'fortran_order': False}", part[0])
		w := testkit.Must(z.CreateHeader(&zip.FileHeader{Name: name + ".npy"}))
		fmt.Fprintf(w, "\x93NUMPY\x01\x00%c\x00%s%s", 118, head+strings.Repeat(" ", 117-len(head))+"\n", part[1])
	}
	testkit.Check(t, z.Close())
	path := write(t, filepath.Join(t.TempDir(), "square.npz"), file.String())
	code, out, says := call("0,1\n1,2\n", "info", "-", "-features", path)
	testkit.WantSame(t, "exit code", code, 0)
	testkit.WantText(t, out, "3 columns, 3 entries not zero")
	testkit.WantText(t, says, "the square matrix is taken for features")
}
