package dataset

import (
	"bytes"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/dataset/internal/edgeset"
	"coles/dataset/parse"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

func TestFormatsAreWellFormed(t *testing.T) {
	names := make(map[string]bool)
	for _, f := range Formats() {
		read := f.Read != nil || f.IsAt != nil
		if f.Name == "" || f.About == "" || !read && f.Write == nil || names[f.Name] {
			t.Errorf("the format %q has no name, no description, neither reader nor writer, or a namesake", f.Name)
		}
		if (len(f.Extensions) == 0) != (f.IsAt != nil) {
			t.Errorf("the format %q is not told by a name, or by two things", f.Name)
		}
		for _, e := range f.Extensions {
			if !strings.HasPrefix(e, ".") || e != strings.ToLower(e) {
				t.Errorf("%q of the format %q is no extension", e, f.Name)
			}
		}
		if again, ok := FormatNamed(f.Name); !ok || again.About != f.About {
			t.Errorf("the format %q is not found", f.Name)
		}
		names[f.Name] = true
	}
	if f, ok := FormatNamed("dot"); ok {
		t.Errorf("dot is %+v", f)
	}
}

// What a format writes it reads again, from a stream and from a file, and is told by the file's name.
func TestFormatsReadWhatTheyWrite(t *testing.T) {
	graph := &Dataset{Adjacency: edgeset.Compressed(2, 2, []int32{0}, []int32{1}, []float64{0.5}), IDs: []string{"a", "b"}}
	both := &Dataset{Adjacency: edgeset.Compressed(2, 2, []int32{0, 1}, []int32{1, 0}, []float64{0.5, 0.5}), IDs: graph.IDs}
	vectors := &Dataset{Features: mat.NewDense(2, 2, []float64{1, 0.5, -3, 4}), IDs: graph.IDs}
	for _, f := range Formats() {
		if f.Write == nil {
			continue
		}
		want := vectors
		switch {
		case f.Undirected:
			want = both
		case f.Graph:
			want = graph
		}
		file := written(t, func(w io.Writer) error { return f.Write(w, want) })
		path := put(t, file, t.TempDir(), "x"+f.Extensions[0])
		told := FormatsAt(strings.ToUpper(path) + ".gz")
		if !slices.ContainsFunc(told, func(g Format) bool { return g.Name == f.Name }) {
			t.Errorf("%s: not told by %s", f.Name, path)
		}
		if f.Read == nil {
			testkit.WantError(t, testkit.Err(f.Open(path, parse.Options{})), coles.ErrFormat)
			continue
		}
		streamed := testkit.Must(f.Read(bytes.NewReader(file), parse.Options{}))
		opened := testkit.Must(f.Open(path, parse.Options{}))
		for _, got := range []*Dataset{streamed, opened} {
			if f.Undirected {
				got.Adjacency = got.Undirected.CSR()
			}
			if (got.Adjacency == nil) == f.Graph || f.Graph && !mat.Equal(got.Adjacency, want.Adjacency) ||
				!f.Graph && !mat.Equal(got.Features, want.Features) {
				t.Errorf("%s: %+v, want %+v", f.Name, got, want)
			}
			if hasIDs := f.Name != "npy" && f.Name != "matrixmarket"; hasIDs != slices.Equal(got.IDs, want.IDs) {
				t.Errorf("%s: ids %q", f.Name, got.IDs)
			}
		}
		if opened.Name != "x" {
			t.Errorf("%s: the dataset is called %q", f.Name, opened.Name)
		}
	}
	wide := "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 3 5\n"
	market, _ := FormatNamed("matrixmarket")
	testkit.WantError(t, testkit.Err(market.Read(strings.NewReader(wide), parse.Options{})), coles.ErrShape)
}

// Several files are told by what stands before their names.
func TestFormatsOfSeveralFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"ind.cora.graph.gz", "ind.pubmed.graph"} {
		put(t, nil, dir, filepath.FromSlash(name))
	}
	for name, want := range map[string]string{"cora": "planetoid", "pubmed": "planetoid", "ind.cora.graph": "", "other": ""} {
		path := filepath.Join(dir, name)
		told := FormatsAt(path)
		if want == "" {
			if len(told) > 0 {
				t.Errorf("%s: %v", name, told[0].Name)
			}
			continue
		}
		if len(told) != 1 || told[0].Name != want || testkit.Err(told[0].Open(path, parse.Options{})) == nil {
			t.Errorf("%s: %d formats, or empty files open", name, len(told))
		}
	}
}

// Nodes stand for the names in a file of features, in their order.
func TestNodesOfAnEdgeList(t *testing.T) {
	read := func(edges, labels string, nodes []string, skip bool) (*Dataset, error) {
		return ReadEdgeList(strings.NewReader(edges), nil, parse.Options{Nodes: nodes, Labels: strings.NewReader(labels), SkipUnknown: skip})
	}
	nodes := []string{"c", "a", "b"}
	d := testkit.Must(read("a b\n", "b x\nzoe y\n", nodes, true))
	if !slices.Equal(d.IDs, nodes) || d.Adjacency.At(1, 2) != 1 || !slices.Equal(d.Labels, []int{-1, -1, 0}) {
		t.Errorf("ids %q, labels %v, edges\n%v", d.IDs, d.Labels, mat.Formatted(d.Adjacency))
	}
	if d := testkit.Must(read("", "", nodes, false)); !slices.Equal(d.IDs, nodes) || d.Adjacency.NNZ() > 0 {
		t.Errorf("without edges: %q", d.IDs)
	}
	testkit.WantError(t, testkit.Err(read("a zoe\n", "", nodes, false)), coles.ErrIDs)
	testkit.WantSame(t, "edges of nodes", testkit.Must(read("a zoe\na b\n", "", nodes, true)).Adjacency.NNZ(), 1)
	testkit.WantError(t, testkit.Err(read("", "zoe x\n", nodes, false)), coles.ErrIDs)
	for _, bad := range [][]string{{"a", "a"}, {""}, {"a", "\xff"}} {
		testkit.WantError(t, testkit.Err(read("", "", bad, false)), coles.ErrIDs)
	}
	_, err := ReadEdgeList(strings.NewReader("a b\n"), strings.NewReader("a 1\nb 2\n"), parse.Options{Nodes: nodes})
	testkit.WantError(t, err, coles.ErrSetting)
}
