package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"coles/dataset"
	"coles/internal/testkit"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
)

// archived is the graph that convert makes of an edge list and its options.
func archived(t *testing.T, edges string, args ...string) *dataset.Dataset {
	t.Helper()
	code, packed, stderr := call(edges, append([]string{"convert", "-from", "edges", "-to", "npz", "-", "-"}, args...)...)
	for line := range strings.Lines(stderr) {
		if code != 0 || !strings.HasPrefix(line, "coles: warning: ") {
			t.Fatalf("exit %d, standard error %q", code, stderr)
		}
	}
	return testkit.Must(dataset.ReadNPZ(strings.NewReader(packed)))
}

// The options of text equal the library's, by features in text and by others.
func TestTextOptions(t *testing.T) {
	dir := folder(t, map[string]string{
		"some.csv": "ann,1,3\nbob,,5\n", "more.csv": "ann,1,3\nbob,3,5\neve,7,7\n", "labels": "ann x\nbob y\nzoe z\n",
		"names": "name 1\nann 1\n", "of names": "name x\nzoe y\n",
	})
	some, more := filepath.Join(dir, "some.csv"), filepath.Join(dir, "more.csv")
	dense := func(rows, columns int, values ...float64) *mat.Dense { return mat.NewDense(rows, columns, values) }
	for name, c := range map[string]struct {
		edges    string
		args     []string
		ids      []string
		edge     *mat.Dense // adjacency
		features *mat.Dense
		labels   []int
	}{
		"columns":            {"0.5,ann,x,bob\n2,bob,y,cy\n", []string{"-columns", "2,4,1"}, []string{"ann", "bob", "cy"}, dense(3, 3, 0, 0.5, 0, 0, 0, 2, 0, 0, 0), nil, nil},
		"unweighted":         {"ann bob 1082040961\n", []string{"-unweighted"}, []string{"ann", "bob"}, dense(2, 2, 0, 1, 0, 0), nil, nil},
		"bipartite":          {"1 1\n1 2\n", []string{"-bipartite"}, []string{"1:1", "2:1", "2:2"}, dense(3, 3, 0, 1, 1, 0, 0, 0, 0, 0, 0), nil, nil},
		"zero":               {"ann bob\nann cy\n", []string{"-missing", "zero", "-missing-rows", "zero", "-features", some}, []string{"ann", "bob", "cy"}, dense(3, 3, 0, 1, 1, 0, 0, 0, 0, 0, 0), dense(3, 2, 1, 3, 0, 5, 0, 0), nil},
		"mean":               {"ann bob\nann cy\n", []string{"-missing-rows", "mean", "-features", more}, []string{"ann", "bob", "eve", "cy"}, dense(4, 4, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), dense(4, 2, 1, 3, 3, 5, 7, 7, 11./3, 5), nil},
		"drop":               {"ann bob\nann cy\n", []string{"-missing-rows", "drop", "-features", more}, []string{"ann", "bob", "eve"}, dense(3, 3, 0, 1, 0, 0, 0, 0, 0, 0, 0), dense(3, 2, 1, 3, 3, 5, 7, 7), nil},
		"skip":               {"ann bob\n", []string{"-skip-unknown", "-features", more, "-labels", filepath.Join(dir, "labels")}, []string{"ann", "bob"}, dense(2, 2, 0, 1, 0, 0), dense(2, 2, 1, 3, 3, 5), []int{0, 1}},
		"a node called name": {"name ann 1\n", []string{"-skip-unknown", "-features", filepath.Join(dir, "names"), "-labels", filepath.Join(dir, "of names")}, []string{"name", "ann"}, dense(2, 2, 0, 1, 0, 0), dense(2, 1, 1, 1), []int{0, -1}},
	} {
		t.Run(name, func(t *testing.T) {
			d := archived(t, c.edges, c.args...)
			if !cmp.Equal(d.IDs, c.ids) || !mat.Equal(d.Adjacency, c.edge) {
				t.Errorf("nodes %q, want %q; edges\n%v", d.IDs, c.ids, mat.Formatted(d.Adjacency))
			}
			if c.features != nil && !mat.EqualApprox(d.Features, c.features, 1e-15) {
				t.Errorf("features\n%v", mat.Formatted(d.Features))
			}
			if c.labels != nil && !cmp.Equal(d.Labels, c.labels) {
				t.Errorf("labels %v, want %v", d.Labels, c.labels)
			}
		})
	}
	for _, args := range [][]string{
		{"-columns", "1"}, {"-columns", "1,x"}, {"-columns", "1,1"}, {"-columns", "0,1"}, {"-columns", "1,2,3,4"}, {"-columns", ""}, {"-missing", "perhaps"}, {"-missing-rows", "perhaps"},
	} {
		refused(t, dir, exitUsage, args[0], "a b\n", append([]string{"info"}, args...)...)
	}
}

// What the reader suspects goes to standard error, and the work goes on.
func TestWarnings(t *testing.T) {
	dir := folder(t, map[string]string{"edges.csv": "person,buddy\nann,bob\nbob,ann\n"})
	path := filepath.Join(dir, "edges.csv")
	code, stdout, stderr := call("", "info", path)
	if code != 0 || stdout == "" || !strings.HasPrefix(stderr, "coles: warning: "+path+":1: ") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("exit %d, standard error %q", code, stderr)
	}
	testkit.WantText(t, stderr, "; -header yes or no says whether")
	if stderr != "" && !strings.Contains(must(t, "", "info", "-header", "yes", path), "2, 0 isolated") {
		t.Error("the header counts as an edge")
	}
}

// Names of features go with the features, and not with what takes their place.
func TestNamesOfFeatures(t *testing.T) {
	dir := folder(t, map[string]string{"x.csv": "id,age,height,size\nann,1,2,3\nbob,4,5,6\n", "x.mtx": "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n"})
	x := filepath.Join(dir, "x.csv")
	want := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	testkit.WantClose(t, "features", archived(t, "ann bob\n", "-features", x).Features, want, 0)
	out := filepath.Join(dir, "y.npz")
	must(t, "", "convert", filepath.Join(dir, "x.mtx"), out, "-features", x)
	must(t, "ann bob\n", "embed", "-", "-features", x, "-dim", "1", "-o", out)
	d := testkit.Must(dataset.Open(out, dataset.ReadNPZ))
	if r, c := d.Features.Dims(); r != 2 || c != 1 || !cmp.Equal(d.IDs, []string{"ann", "bob"}) {
		t.Errorf("an embedding of %d × %d, ids %v", r, c, d.IDs)
	}
	refused(t, dir, exitFailure, "; tsv can", "\"ann\x00\" bob\n", "embed", "-dim", "1", "-to", "npz")
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
