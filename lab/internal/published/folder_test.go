package published

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"coles"
	"coles/dataset"
	"coles/internal/testkit"
	"coles/lab/internal/labtest"
)

// errDisk is the error of a reader or writer that fails.
var errDisk = errors.New("the disk is on fire")

// failAfter reads data and then fails.
func failAfter(data []byte) io.Reader {
	return io.MultiReader(bytes.NewReader(data), iotest.ErrReader(errDisk))
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

// Any file that fails at any byte is reported.
func TestFoldersFailAtEveryByte(t *testing.T) {
	parts := smallOGB()
	for _, unread := range []string{"mapping/nodeidx2paperid.csv", "raw/num-edge-list.csv"} {
		delete(parts, unread)
	}
	fsys := files(parts, false)
	for name, file := range fsys {
		for k := range len(file.Data) + 1 {
			wantError(t, testkit.Err(readOGB(failingFS{fsys, name, k}, ".")), errDisk, name)
		}
	}
	fsys = files(smallGraphSAGE(), false)
	for name, file := range fsys {
		for k := range len(file.Data) {
			wantError(t, testkit.Err(readGraphSAGE(failingFS{fsys, name, k}, "toy", "")), errDisk, name+": byte")
			cut := maps.Clone(fsys)
			cut[name] = &fstest.MapFile{Data: file.Data[:k]}
			wantError(t, testkit.Err(readGraphSAGE(cut, "toy", "")), coles.ErrChecksum, name+": byte")
		}
	}
}

// The files of a folder may be gzipped, with or without .gz behind their names.
func TestOpenFolders(t *testing.T) {
	for name, c := range map[string]struct {
		parts map[string]string
		open  func(dir string) (*dataset.Dataset, error)
		cut   string
	}{
		"GraphSAGE": {smallGraphSAGE(), func(dir string) (*dataset.Dataset, error) { return GraphSAGE(dir, "toy") }, "toy-id_map.json"},
		"OGB":       {smallOGB(), OGB, "raw/edge.csv"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, end := range []string{"", ".gz"} {
				dir, packed := t.TempDir(), map[string]string{}
				for part, text := range c.parts {
					packed[part+end] = string(gzipped([]byte(text)))
				}
				labtest.Files(t, dir, packed)
				if d, err := c.open(dir); err != nil || d.Nodes() != 3 {
					t.Errorf("%+v, %v", d, err)
				}
				whole := packed[c.cut+end]
				labtest.Files(t, dir, map[string]string{c.cut + end: whole[:len(whole)-6]})
				wantError(t, testkit.Err(c.open(dir)), coles.ErrChecksum, c.cut)
				testkit.Check(t, os.Remove(filepath.Join(dir, c.cut+end)))
				wantError(t, testkit.Err(c.open(dir)), os.ErrNotExist, c.cut)
			}
		})
	}
	wantError(t, testkit.Err(GraphSAGE(t.TempDir(), "../toy")), coles.ErrSetting, "../toy")
}
