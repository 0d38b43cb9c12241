package dataset

import (
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

	"gonum.org/v1/gonum/mat"
)

// limited accepts a number of bytes and then fails.
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
	got, want := map[string]string{}, map[string]string{}
	for _, file := range testkit.Must(os.ReadDir(dir)) {
		got[file.Name()] = string(testkit.Must(os.ReadFile(filepath.Join(dir, file.Name()))))
	}
	if content != "" {
		want["out"] = content
	}
	testkit.WantSame(t, dir, got, want)
}

func TestWriteFile(t *testing.T) {
	hello := func(w io.Writer) error { return testkit.Err(io.WriteString(w, "hello")) }
	at := func(dir string) string { return filepath.Join(dir, "out") }
	must := func(t *testing.T, err error) {
		t.Helper()
		testkit.Check(t, err)
	}
	t.Run("new file and replaced file", func(t *testing.T) {
		dir := t.TempDir()
		must(t, WriteFile(at(dir), hello))
		wantFiles(t, dir, "hello")
		must(t, os.Chmod(at(dir), 0o640))
		must(t, WriteFile(at(dir), hello))
		wantFiles(t, dir, "hello")
		if info := testkit.Must(os.Stat(at(dir))); info.Mode().Perm() != 0o640 {
			t.Errorf("permissions %v, want those of the file that was there", info.Mode())
		}
	})
	t.Run("symbolic link", func(t *testing.T) {
		for _, there := range []bool{true, false} {
			dir := t.TempDir()
			if there {
				put(t, nil, dir, "real")
			}
			if err := os.Symlink("real", at(dir)); err != nil {
				t.Skip("no symbolic links here:", err)
			}
			must(t, WriteFile(at(dir), hello))
			if data := testkit.Must(os.ReadFile(filepath.Join(dir, "real"))); string(data) != "hello" {
				t.Errorf("the file behind the link holds %q", data)
			}
			if to, err := os.Readlink(at(dir)); err != nil || to != "real" {
				t.Errorf("the link leads to %q, %v", to, err)
			}
		}
	})
	t.Run("a name as long as names may be", func(t *testing.T) {
		must(t, WriteFile(filepath.Join(t.TempDir(), strings.Repeat("x", 255)), hello))
	})
	t.Run("device", func(t *testing.T) {
		regular := func() bool { info, err := os.Stat(os.DevNull); return err != nil || info.Mode().IsRegular() }
		if regular() {
			t.Skip("no null device here")
		}
		must(t, WriteFile(os.DevNull, hello))
		if regular() {
			t.Error("the device was replaced by a file")
		}
	})
	t.Run("unwritable", func(t *testing.T) {
		dir := t.TempDir()
		path := filepath.Join(dir, "no", "such", "folder")
		wantError(t, WriteFile(path, hello), fs.ErrNotExist, path)
		if err := WriteFile(path, hello); strings.Contains(err.Error(), "partial") {
			t.Errorf("a name that nobody gave: %v", err)
		}
		wantError(t, WriteFile(dir, hello), coles.ErrSetting, dir)
		wantError(t, WriteFile("", hello), fs.ErrNotExist, "write")
		wantFiles(t, dir, "")
	})
	t.Run("panic", func(t *testing.T) {
		dir := t.TempDir()
		func() {
			defer func() { recover() }()
			WriteFile(at(dir), func(w io.Writer) error {
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
			return testkit.Err(io.WriteString(w, "hello"))
		})
		wantFiles(t, dir, "hello")
		if err != nil {
			t.Error(err)
		}
	}
}
