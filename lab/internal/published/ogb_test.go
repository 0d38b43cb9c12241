package published

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coles"
	"coles/dataset"
	"coles/internal/testkit"
	"coles/lab/internal/labtest"
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

func TestOGBKeepsWhatTheFolderHolds(t *testing.T) {
	want := &dataset.Dataset{
		Adjacency: csr3([]int{0, 1, 3, 3}, []int{1, 2, 2}),
		Features:  dense32(3, 2, []float32{0.5, 1, -1, 0.2, 3, 4}),
		Labels:    []int{1, -1, 0},
		Splits:    []dataset.Split{{Train: []int{2, 0}, Test: []int{1}}, {Train: []int{0}, Val: []int{2}, Test: []int{1}}}, // random, time
	}
	for _, pack := range []bool{true, false} {
		d := testkit.Must(readOGB(files(smallOGB(), pack), "."))
		wantSame(t, d, want)
	}
	bare := smallOGB()
	maps.DeleteFunc(bare, func(name, _ string) bool {
		return strings.HasPrefix(name, "split") || strings.HasPrefix(name, "raw/node")
	})
	wantSame(t, testkit.Must(readOGB(files(bare, true), ".")), &dataset.Dataset{Adjacency: want.Adjacency})
}

func TestOGB(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "arxiv")
	labtest.Files(t, dir, smallOGB())
	// A folder of a split may be a link.
	time := filepath.Join(dir, "split", "time")
	if err := errors.Join(os.Rename(time, filepath.Join(dir, "elsewhere")), os.Symlink(filepath.Join("..", "elsewhere"), time)); err != nil {
		t.Fatal(err)
	}
	d, err := OGB(dir + "/")
	if err != nil || d.Name != "arxiv" || d.Nodes() != 3 || len(d.Splits) != 2 {
		t.Errorf("%v (%v)", d, err)
	}
	wantError(t, testkit.Err(OGB(filepath.Join(dir, "nowhere"))), fs.ErrNotExist, "nowhere")
	wantError(t, testkit.Err(OGB(filepath.Join(dir, "raw", "edge.csv"))), coles.ErrFormat, "not a folder")
	wantError(t, testkit.Err(OGB(filepath.Join(dir, "raw"))), dataset.ErrMissing, "num-node-list")
}

func FuzzReadOGB(f *testing.F) {
	f.Add("3\n", "0,1\n1,2\n", "0.5,1\n-1,2e-1\n3,4\n", "1\n\n0\n", "0\n")
	f.Add("1\n", "", "", "nan\n", "")
	f.Fuzz(func(t *testing.T, nodes, edges, features, labels, train string) {
		parts := smallOGB()
		for name, text := range map[string]string{"raw/num-node-list.csv": nodes, "raw/edge.csv": edges, "raw/node-feat.csv": features, "raw/node-label.csv": labels, "split/time/train.csv": train} {
			parts[name] = text
		}
		d, err := readOGB(files(parts, false), ".")
		if err != nil {
			return
		}
		testkit.Check(t, d.Validate())
		var b bytes.Buffer
		if err := dataset.WriteNPZ(&b, d); err != nil {
			t.Error(err)
		}
	})
}
