package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/internal/source"
	"coles/internal/testkit"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

func TestWriteTextForms(t *testing.T) {
	m := mat.NewDense(2, 2, []float64{1, 0.1, -2.5, 1e21})
	csr := sparse.NewCSR(2, 2, []int{0, 2, 4}, []int{1, 0, 0, 1}, []float64{0.1, 1, -2.5, 1e21})
	for _, x := range []mat.Matrix{m, csr, m.T().T()} {
		var tsv, w2v bytes.Buffer
		if err := errors.Join(WriteTSV(&tsv, nil, x), WriteWord2Vec(&w2v, []string{"a", "ß"}, x)); err != nil {
			t.Fatal(err)
		}
		if want := "0\t1\t0.1\n1\t-2.5\t1e+21\n"; tsv.String() != want {
			t.Errorf("%T: %q, want %q", x, tsv.String(), want)
		}
		if want := "2 2\na 1 0.1\nß -2.5 1e+21\n"; w2v.String() != want {
			t.Errorf("%T: %q, want %q", x, w2v.String(), want)
		}
	}
}

// limited accepts so many bytes and then fails.
type limited struct {
	w    io.Writer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	if len(p) > l.left {
		k, _ := l.w.Write(p[:l.left])
		l.left = 0
		return k, errDisk
	}
	l.left -= len(p)
	return l.w.Write(p)
}

func TestFailingWriterLeavesNoFile(t *testing.T) {
	m := mat.NewDense(6000, 8, nil) // several times the buffer
	m.Apply(func(i, j int, _ float64) float64 { return float64(i+j) / 7 }, m)
	narrow := dense32(6000, 8, make([]float32, (6000)*8))
	failing := maps.Clone(matrixWriters)
	failing["write npy"] = func(w io.Writer, _ mat.Matrix) error { return WriteNPY(w, narrow) }
	for name, write := range failing {
		for _, left := range []int{0, 1, source.Chunk, source.Chunk + 1, 2 * source.Chunk} {
			for _, before := range []string{"", "what stood here"} {
				dir := t.TempDir()
				path := filepath.Join(dir, "out")
				if before != "" {
					put(t, []byte(before), path)
				}
				err := WriteFile(path, func(w io.Writer) error { return write(&limited{w, left}, m) })
				wantError(t, err, errDisk, path)
				format, _, _ := strings.Cut(name, ":")
				wantError(t, err, errDisk, format)
				wantFiles(t, dir, before)
			}
		}
	}
}

// wantFiles checks that a folder holds "out" with the given content, or nothing.
func wantFiles(t *testing.T, dir, content string) {
	t.Helper()
	list := testkit.Must(os.ReadDir(dir))
	if content == "" {
		if len(list) != 0 {
			t.Errorf("%s is left", list[0].Name())
		}
		return
	}
	data, err := os.ReadFile(filepath.Join(dir, "out"))
	if len(list) != 1 || err != nil || string(data) != content {
		t.Errorf("%d files, content %q, %v; want %q alone", len(list), data, err, content)
	}
}

func TestWriteFile(t *testing.T) {
	hello := func(w io.Writer) error { _, err := io.WriteString(w, "hello"); return err }
	t.Run("new file and replaced file", func(t *testing.T) {
		dir := t.TempDir()
		path := filepath.Join(dir, "out")
		for range 2 {
			if err := WriteFile(path, hello); err != nil {
				t.Fatal(err)
			}
			wantFiles(t, dir, "hello")
		}
		if err := os.Chmod(path, 0o640); err != nil {
			t.Fatal(err)
		}
		if err := WriteFile(path, hello); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("permissions %v, %v; want those of the file that was there", info.Mode(), err)
		}
	})
	t.Run("link to a file to come", func(t *testing.T) {
		dir := t.TempDir()
		link := filepath.Join(dir, "link")
		if err := os.Symlink("real", link); err != nil {
			t.Fatal(err)
		}
		if err := WriteFile(link, hello); err != nil {
			t.Fatal(err)
		}
		if to, err := os.Readlink(link); err != nil || to != "real" {
			t.Errorf("the link leads to %q, %v", to, err)
		}
		if text, err := os.ReadFile(filepath.Join(dir, "real")); err != nil || string(text) != "hello" {
			t.Errorf("%q, %v", text, err)
		}
	})
	t.Run("a name as long as names may be", func(t *testing.T) {
		if err := WriteFile(filepath.Join(t.TempDir(), strings.Repeat("x", 255)), hello); err != nil {
			t.Error(err)
		}
	})
	t.Run("symbolic link", func(t *testing.T) {
		dir := t.TempDir()
		put(t, nil, dir, "real")
		link := filepath.Join(t.TempDir(), "link")
		if err := os.Symlink(filepath.Join(dir, "real"), link); err != nil {
			t.Skip("no symbolic links here:", err)
		}
		if err := WriteFile(link, hello); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(filepath.Join(dir, "real")); err != nil || string(data) != "hello" {
			t.Errorf("the file behind the link holds %q, %v", data, err)
		}
		if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("the link became %v, %v", info.Mode(), err)
		}
	})
	t.Run("device", func(t *testing.T) {
		if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
			t.Skip("no null device here")
		}
		if err := WriteFile(os.DevNull, hello); err != nil {
			t.Error(err)
		}
		if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
			t.Error("the device was replaced by a file")
		}
	})
	t.Run("unwritable", func(t *testing.T) {
		dir := t.TempDir()
		path := filepath.Join(dir, "no", "such", "folder")
		wantError(t, WriteFile(path, hello), fs.ErrNotExist, path)
		wantError(t, WriteFile(dir, hello), coles.ErrSetting, dir)
		wantError(t, WriteFile("", hello), fs.ErrNotExist, "write")
		wantFiles(t, dir, "")
	})
	t.Run("panic", func(t *testing.T) {
		dir := t.TempDir()
		func() {
			defer func() { recover() }()
			WriteFile(filepath.Join(dir, "out"), func(w io.Writer) error {
				fmt.Fprint(w, "half")
				panic("the caller's fault")
			})
		}()
		wantFiles(t, dir, "")
	})
}

// While a file is written it has no name, so that a program killed then leaves none.
func TestWriteFileHasNoNameBefore(t *testing.T) {
	dir := t.TempDir()
	f, err := createUnnamed(dir, 0o600)
	if err != nil {
		t.Skipf("no files without a name here: %v", err)
	}
	f.Close()
	for range 2 { // new, and replaced
		err := WriteFile(filepath.Join(dir, "out"), func(w io.Writer) error {
			list, err := os.ReadDir(dir)
			if err != nil || slices.ContainsFunc(list, func(e os.DirEntry) bool { return e.Name() != "out" }) {
				t.Errorf("%v, %v", list, err)
			}
			_, err = io.WriteString(w, "hello")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		wantFiles(t, dir, "hello")
	}
}
