package dataset

import (
	"bytes"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// smallOGB is a graph of three nodes in the layout of ogbn-arxiv.
func smallOGB() map[string]string {
	return map[string]string{
		"raw/num-node-list.csv":       "3\n",
		"raw/num-edge-list.csv":       "3\n",
		"raw/edge.csv":                "0,1\n1,2\n1,2\n",
		"raw/node-feat.csv":           "0.5,1\n-1,2e-1\n3,4\n",
		"raw/node-label.csv":          "1\n\n0.0\n",
		"split/time/train.csv":        "0\n",
		"split/time/valid.csv":        "2\n",
		"split/time/test.csv":         "1\n",
		"split/random/train.csv":      "2\n0\n",
		"split/random/valid.csv":      "",
		"split/random/test.csv":       "1\n",
		"mapping/nodeidx2paperid.csv": "not looked at",
	}
}

// files makes a file system of parts, gzipped or not.
func files(parts map[string]string, pack bool) fstest.MapFS {
	fsys := make(fstest.MapFS)
	for name, text := range parts {
		if pack {
			fsys[name+".gz"] = &fstest.MapFile{Data: gzipped([]byte(text))}
		} else {
			fsys[name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	return fsys
}

func TestOGBKeepsWhatTheFolderHolds(t *testing.T) {
	for _, pack := range []bool{true, false} {
		d, err := ReadOGB(files(smallOGB(), pack))
		if err != nil {
			t.Fatal(err)
		}
		edges := d.Adjacency.RawMatrix()
		if !slices.Equal(edges.Indptr, []int{0, 1, 3, 3}) || !slices.Equal(edges.Ind, []int{1, 2, 2}) || !slices.Equal(edges.Data, []float64{1, 1, 1}) {
			t.Errorf("edges %v", edges)
		}
		x, ok := d.Features.(*coles.Dense32)
		if !ok || !mat.EqualApprox(x, mat.NewDense(3, 2, []float64{0.5, 1, -1, 0.2, 3, 4}), 1e-7) { // float32
			t.Errorf("features %v", d.Features)
		}
		if !slices.Equal(d.Labels, []int{1, -1, 0}) {
			t.Errorf("labels %v", d.Labels)
		}
		if len(d.Splits) != 2 || !slices.Equal(d.Splits[0].Train, []int{2, 0}) || !slices.Equal(d.Splits[1].Val, []int{2}) || !slices.Equal(d.Splits[1].Test, []int{1}) {
			t.Errorf("splits %v, want those of random and of time", d.Splits)
		}
	}
	bare := smallOGB()
	maps.DeleteFunc(bare, func(name, _ string) bool {
		return strings.HasPrefix(name, "split") || strings.HasPrefix(name, "raw/node")
	})
	if d, err := ReadOGB(files(bare, true)); err != nil || d.Features != nil || d.Labels != nil || d.Splits != nil || d.Nodes() != 3 {
		t.Errorf("without features, labels and splits: %v (%v)", d, err)
	}
}

func TestOpenOGB(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "arxiv")
	for name, text := range smallOGB() {
		at := filepath.Join(dir, filepath.FromSlash(name)+".gz")
		if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, gzipped([]byte(text)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// A folder of a split may be a link.
	if err := os.Rename(filepath.Join(dir, "split", "time"), filepath.Join(dir, "elsewhere")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join("..", "elsewhere"), filepath.Join(dir, "split", "time")); err != nil {
		t.Fatal(err)
	}
	d, err := OpenOGB(dir + "/")
	if err != nil || d.Name != "arxiv" || d.Nodes() != 3 || len(d.Splits) != 2 {
		t.Errorf("%v (%v)", d, err)
	}
	_, err = OpenOGB(filepath.Join(dir, "nowhere"))
	wantError(t, err, fs.ErrNotExist, "nowhere")
	_, err = OpenOGB(filepath.Join(dir, "raw", "edge.csv.gz"))
	wantError(t, err, ErrFormat, "not a folder")
	_, err = OpenOGB(filepath.Join(dir, "raw"))
	wantError(t, err, ErrMissing, "num-node-list")
}

func TestOGBMalformed(t *testing.T) {
	for _, c := range []struct {
		name, part, text string
		cause            error
		place            string
	}{
		{"no number of nodes", "raw/num-node-list.csv", "", ErrMissing, "raw/num-node-list.csv"},
		{"two graphs", "raw/num-node-list.csv", "3\n4\n", ErrFormat, "raw/num-node-list.csv.gz:2"},
		{"a number of text", "raw/num-node-list.csv", "three\n", ErrFormat, "raw/num-node-list.csv.gz:1:1"},
		{"nodes beyond an index", "raw/num-node-list.csv", "1099511627776\n", ErrIndex, "raw/num-node-list.csv.gz:1:1"},
		{"nodes declared only", "raw/num-node-list.csv", "2000000000\n", ErrTooLarge, "raw"},
		{"no edges", "raw/edge.csv", "-", ErrFormat, "raw/edge.csv.gz:1"},
		{"an edge to nowhere", "raw/edge.csv", "0,1\n1,3\n", ErrIndex, "raw/edge.csv.gz:2:3"},
		{"a negative node", "raw/edge.csv", "0,1\n-1,0\n", ErrIndex, "raw/edge.csv.gz:2:1"},
		{"three ends", "raw/edge.csv", "0,1,2\n", ErrFormat, "raw/edge.csv.gz:1"},
		{"features of two nodes", "raw/node-feat.csv", "1,2\n3,4\n", ErrShape, "2 lines for 3 nodes"},
		{"features of four nodes", "raw/node-feat.csv", "1\n2\n3\n4\n", ErrShape, "raw/node-feat.csv.gz:4"},
		{"features of two lengths", "raw/node-feat.csv", "1,2\n3\n4,5\n", ErrShape, "raw/node-feat.csv.gz:2"},
		{"a feature of text", "raw/node-feat.csv", "1\n2\nx\n", ErrFormat, "raw/node-feat.csv.gz:3:1"},
		{"a feature beyond float32", "raw/node-feat.csv", "1\n2\n1e39\n", ErrNotFinite, "raw/node-feat.csv.gz:3:1"},
		{"labels of two nodes", "raw/node-label.csv", "1\n2\n", ErrShape, "2 lines for 3 nodes"},
		{"labels of four nodes", "raw/node-label.csv", "1\n2\n3\n4\n", ErrShape, "raw/node-label.csv.gz:4"},
		{"half a label", "raw/node-label.csv", "1\n0.5\n0\n", ErrIndex, "raw/node-label.csv.gz:2:1"},
		{"a label beyond measure", "raw/node-label.csv", "1\n1e12\n0\n", ErrIndex, "raw/node-label.csv.gz:2:1"},
		{"several labels", "raw/node-label.csv", "1\n1 2\n0\n", ErrFormat, "raw/node-label.csv.gz:2"},
		{"a split of text", "split/time/train.csv", "x\n", ErrFormat, "split/time/train.csv.gz:1:1"},
		{"a split of nobody", "split/time/valid.csv", "3\n", ErrIndex, "split/time/valid.csv.gz:1:1"},
		{"a node in two parts", "split/time/test.csv", "0\n", ErrDuplicate, "train"},
	} {
		t.Run(c.name, func(t *testing.T) {
			parts := smallOGB()
			parts[c.part] = c.text
			fsys := files(parts, true)
			taken := allocated(func() {
				_, err := ReadOGB(fsys)
				wantError(t, err, c.cause, c.place)
			})
			if taken > 4<<20 {
				t.Errorf("%d bytes for a few lines", taken)
			}
		})
	}
	for _, part := range []string{"raw/num-node-list.csv", "raw/edge.csv", "split/time/train.csv", "split/time/valid.csv", "split/time/test.csv"} {
		parts := smallOGB()
		delete(parts, part)
		_, err := ReadOGB(files(parts, true))
		wantError(t, err, ErrMissing, part)
	}
}

// faultyFS fails at a byte of one of its files.
type faultyFS struct {
	fstest.MapFS
	name string
	at   int
}

type faultyFile struct {
	fs.File
	r io.Reader
}

func (f faultyFile) Read(p []byte) (int, error) { return f.r.Read(p) }

func (f faultyFS) Open(name string) (fs.File, error) {
	file, err := f.MapFS.Open(name)
	if err != nil || name != f.name {
		return file, err
	}
	return faultyFile{file, failAfter(f.MapFS[name].Data[:f.at])}, nil
}

func TestOGBFailsAtEveryByte(t *testing.T) {
	fsys := files(smallOGB(), false)
	for name, file := range fsys {
		if strings.HasPrefix(name, "mapping") || strings.HasSuffix(name, "edge-list.csv") {
			continue
		}
		for at := range len(file.Data) + 1 {
			_, err := ReadOGB(faultyFS{fsys, name, at})
			wantError(t, err, errDisk, name)
		}
	}
}

func FuzzReadOGB(f *testing.F) {
	f.Add("3\n", "0,1\n1,2\n", "0.5,1\n-1,2e-1\n3,4\n", "1\n\n0\n", "0\n")
	f.Add("1\n", "", "", "nan\n", "")
	f.Fuzz(func(t *testing.T, nodes, edges, features, labels, train string) {
		parts := smallOGB()
		for name, text := range map[string]string{"raw/num-node-list.csv": nodes, "raw/edge.csv": edges, "raw/node-feat.csv": features, "raw/node-label.csv": labels, "split/time/train.csv": train} {
			parts[name] = text
		}
		d, err := ReadOGB(files(parts, false))
		if err != nil {
			return
		}
		if err := d.Validate(); err != nil {
			t.Error(err)
		}
		var b bytes.Buffer
		if err := WriteNPZ(&b, d); err != nil {
			t.Error(err)
		}
	})
}
