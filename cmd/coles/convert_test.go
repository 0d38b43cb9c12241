package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
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

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
)

// Ids and numbers that text may damage.
const oddVectors = "\"a,b\"\t0.1\t-1e-300\n\"#1\"\t3\t1.7976931348623157e+308\né\t0\t5e-324\n"

func TestVectorsSurviveEveryFormat(t *testing.T) {
	dir := folder(t, map[string]string{"v.tsv": oddVectors})
	in := filepath.Join(dir, "v.tsv")
	want := must(t, "", "convert", "-from", "tsv", "-to", "tsv", in, "-")
	for _, f := range dataset.Formats() {
		if f.Graph || f.Write == nil || f.Read == nil || f.Name == "word2vec-binary" { // float32: see below
			continue
		}
		out := filepath.Join(dir, "converted."+f.Name)
		must(t, "", "convert", "-from", "tsv", "-to", f.Name, in, out)
		got := must(t, "", "convert", "-from", f.Name, "-to", "tsv", out, "-")
		if f.Name == "npy" { // which has no ids
			testkit.WantSame(t, "through npy", got, "0\t0.1\t-1e-300\n1\t3\t1.7976931348623157e+308\n2\t0\t5e-324\n")
		} else {
			testkit.WantSame(t, "through "+f.Name, got, want)
		}
		// The same through pipes.
		packed := must(t, read(t, in), "convert", "-from", "tsv", "-to", f.Name, "-", "-")
		testkit.WantSame(t, f.Name+" to standard output", packed, read(t, out))
		prints(t, got, packed, "convert", "-from", f.Name, "-to", "tsv", "-", "-")
	}
}

func TestVectorsOfFloat32SurviveTheBinaryFormat(t *testing.T) {
	dir := folder(t, map[string]string{"v.tsv": "ann\t0.5\t-3\nbob\t1e-30\t2\n", "wide.tsv": oddVectors})
	out := filepath.Join(dir, "v.bin")
	must(t, "", "convert", "-from", "tsv", filepath.Join(dir, "v.tsv"), out)
	prints(t, "ann\t0.5\t-3\nbob\t1.0000000031710769e-30\t2\n", "", "convert", "-to", "tsv", out, "-")
	refused(t, dir, exitFailure, "(1, 1)", "", "convert", "-from", "tsv", filepath.Join(dir, "wide.tsv"), filepath.Join(dir, "wide.bin"))
}

func TestGraphsSurviveEveryFormat(t *testing.T) {
	dir, edges, features := small(t)
	want := testkit.Must(dataset.OpenEdgeList(edges, features, filepath.Join(dir, "labels.txt")))
	splits := write(t, filepath.Join(dir, "splits.json"), `{"train": [[0, 2]], "val": [[]], "test": [[1, 3]]}`)
	for _, f := range dataset.Formats() {
		if !f.Graph || f.Write == nil {
			continue
		}
		out := filepath.Join(dir, "converted")
		must(t, "", "convert", "-to", f.Name, edges, out, "-features", features, "-labels", filepath.Join(dir, "labels.txt"), "-splits", splits)
		packed := read(t, out)
		prints(t, packed, packed, "convert", "-from", f.Name, "-to", f.Name, "-", "-")
		if f.Name != "npz" {
			continue
		}
		d := testkit.Must(dataset.ReadNPZ(strings.NewReader(packed)))
		testkit.WantSame(t, "graph in npz", d.Adjacency.RawMatrix(), want.Adjacency.RawMatrix())
		testkit.WantClose(t, "features in npz", d.Features, want.Features, 0)
		testkit.WantSame(t, "labels, ids and classes in npz", []any{d.Labels, d.IDs, d.Classes}, []any{want.Labels, want.IDs, want.Classes})
		testkit.WantSame(t, "splits in npz", d.Splits, []dataset.Split{{Train: []int{0, 2}, Val: []int{}, Test: []int{1, 3}}})
	}
}

// Features that are a matrix without ids belong to nodes named by numbers.
func TestFeaturesWithoutIDs(t *testing.T) {
	dir := folder(t, map[string]string{"x.tsv": "0 1 2\n1 3 4\n2 5 6\n", "e.txt": "2 0\n"})
	npy, npz := filepath.Join(dir, "x.npy"), filepath.Join(dir, "g.npz")
	must(t, "", "convert", filepath.Join(dir, "x.tsv"), npy)
	must(t, "", "convert", filepath.Join(dir, "e.txt"), npz, "-features", npy)
	d := testkit.Must(dataset.Open(npz, dataset.ReadNPZ))
	if d.Nodes() != 3 || d.Adjacency.At(2, 0) != 1 || d.Adjacency.NNZ() != 1 || d.Features.At(1, 1) != 4 {
		t.Errorf("%d nodes, edges %v, features %v", d.Nodes(), mat.Formatted(d.Adjacency), mat.Formatted(d.Features))
	}
}

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

func gzipped(t *testing.T, content string) string {
	t.Helper()
	return text(t, func(b *bytes.Buffer) error {
		z := gzip.NewWriter(b)
		z.Write([]byte(content)) // an error stays in z
		return z.Close()
	})
}

func TestGzippedInput(t *testing.T) {
	want := must(t, vectorsText, "convert", "-from", "tsv", "-to", "tsv", "-", "-")
	npz := must(t, edgesText, "convert", "-from", "edges", "-to", "npz", "-", "-")
	dir := folder(t, map[string]string{"v.tsv.gz": gzipped(t, vectorsText), "g.npz.gz": gzipped(t, npz)})
	prints(t, want, gzipped(t, vectorsText), "convert", "-from", "tsv", "-to", "tsv", "-", "-")
	prints(t, want, "", "convert", "-to", "tsv", filepath.Join(dir, "v.tsv.gz"), "-")
	prints(t, npz, "", "convert", "-to", "npz", filepath.Join(dir, "g.npz.gz"), "-")
}

// What a command writes to a name that ends in .gz unpacks to what it writes to the name before it, is
// the same at any time, and is read. Where it fails nothing is there.
func TestGzippedOutput(t *testing.T) {
	t.Chdir(folder(t, map[string]string{"e.csv": edgesText, "v.tsv": oddVectors, "x.tsv": vectorsText, "l.csv": "a,red\n-c,blue\n"}))
	for _, c := range []struct{ args, out string }{
		{"convert -from tsv v.tsv OUT", "v.csv"},
		{"convert v.tsv OUT", "v.npy"},
		{"convert -from tsv x.tsv -to word2vec-binary OUT", "w.bin"},
		{"convert -from edges e.csv OUT", "g.npz"},
		{"convert g.npz.gz OUT", "g.edges"},
		{"embed e.csv -dim 2 -o OUT", "y.JSONL"},
		{"embed e.csv -dim 2 -to npz -o OUT", "out"},
		{"embed e.csv -dim 2 -o OUT.npy -model OUT", "out.model"},
		{"convert v.tsv OUT.npy -write-ids OUT", "v.ids"},
		{"convert v.npy.gz -ids v.ids.gz OUT", "v.txt"},
		{"predict -embedding x.tsv -labels l.csv -all -o OUT", "p.csv"},
		{"cluster -embedding x.tsv -k 2 -json -o OUT", "c.json"},
	} {
		t.Run(c.out, func(t *testing.T) {
			var outs [3]string
			for k, out := range []string{c.out, c.out + ".gz", "again." + strings.ToUpper(c.out) + ".GZ"} {
				ran(t, ".", strings.Fields(strings.ReplaceAll(c.args, "OUT", out))...)
				outs[k] = read(t, out)
			}
			testkit.WantSame(t, "gzipped twice", outs[1], outs[2])
			z := testkit.Must(gzip.NewReader(strings.NewReader(outs[1])))
			testkit.WantSame(t, "unpacked", string(testkit.Must(io.ReadAll(z))), outs[0])
		})
	}
	prints(t, read(t, "v.csv"), "", "convert", "v.npy.gz", "-ids", "v.ids.gz", "-to", "csv", "-")
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
	refused(t, t.TempDir(), exitFailure, "too large", gzipped(t, strings.Repeat("a b\n", 1<<17)), "info")
}

// What two files may be decides the formats; what they may not be is refused.
func TestConversion(t *testing.T) {
	for _, c := range []struct {
		fromName, in, toName, out string
		graphOnly                 bool
		from, to                  string // empty: a usage error
	}{
		{"", "y.npy", "", "y.txt", false, "npy", "word2vec"},
		{"word2vec", "y.txt", "", "y.tsv", false, "word2vec", "tsv"},
		{"", "y", "", "y.npy", false, "tsv", "npy"},
		{"", "y.vectors", "", "y.npy", false, "", ""},
		{"tsv", "y.vectors", "", "y.npy", false, "tsv", "npy"},
		{"", "y.npy", "", "y.jsonl", false, "npy", "jsonl"},
		{"", "y.jsonl", "", "y.npy", false, "jsonl", "npy"},
		{"npz", "g.npz", "", "g.edges", false, "npz", "edges"},
		{"", "e.csv", "", "e.tsv", false, "", ""}, // a graph or vectors?
		{"", "-", "npy", "-", false, "tsv", "npy"},
		{"", "E.TXT.gz", "npz", "-", true, "edges", "npz"},
		{"", "e", "npz", "e", true, "edges", "npz"},
		{"npz", "g.npz", "", "y.npy", false, "npz", "npy"}, // its features
		{"", "g.npz", "", "y.npy", true, "", ""},
		{"", "p.csv", "", "y.npy", false, "csv", "npy"},
		{"", "p.csv", "", "y.npz", false, "edges", "npz"},
		{"", "y.npy", "", "Y.TSV.GZ", false, "npy", "tsv"},
		{"", "y.bin", "npz", "g.npz", false, "", ""},
		{"", "y.bin", "", "y.txt", true, "", ""},
		{"", "e.npy", "npz", "g.npz", false, "pairs", "npz"},
		{"", "e.npy", "", "e.edges", false, "pairs", "edges"},
		{"pairs", "e.npy", "", "e.tsv", false, "pairs", "edges"},
		{"", "-", "", "-", false, "", ""},
	} {
		from, to, err := conversion(c.fromName, c.in, c.toName, c.out, c.graphOnly)
		if c.from == "" {
			if !errors.As(err, new(usageError)) {
				t.Errorf("%+v: error %v, want one of usage", c, err)
			}
		} else if err != nil || from.Name != c.from || to.Name != c.to {
			t.Errorf("%+v: %s to %s, %v", c, from.Name, to.Name, err)
		}
	}
}

// What was guessed stands in the error, and what to say instead; what is no format is not guessed.
func TestErrorsNameTheGuess(t *testing.T) {
	dir := folder(t, map[string]string{
		"edges.csv": "ann,bob\nbob,cy\n", "vectors.tsv": "ann\t1\t2\t3\nbob\t1\t2\t3\n",
		"g.graphml": "<graphml/>", "e.json": "[]", "e.foo": "",
	})
	file := func(name string) string { return filepath.Join(dir, name) }
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"convert", file("edges.csv"), file("out.npy")}, exitFailure, "(read as csv because of " + file("out.npy") + "; name the format by -from)"},
		{[]string{"convert", "-from", "csv", file("edges.csv"), file("out.npy")}, exitFailure, "no column tells rows apart\n"},
		{[]string{"similar", "-embedding", file("e.foo"), "ann"}, exitFailure, "(read as tsv: unknown format .foo)"},
		{[]string{"similar", "-embedding", file("e.json"), "ann"}, exitFailure, `JSON, want an object of lists, such as {"ann": ["bob", 7]}: [` + "\n"},
		{[]string{"info", file("vectors.tsv")}, exitFailure, "(read as edges; name the format by -from)"},
		{[]string{"embed", file("vectors.tsv")}, exitFailure, "(read as edges; name the format by -from)"},
		{[]string{"info", file("g.graphml")}, exitUsage, `nx.read_graphml("` + file("g.graphml")},
		{[]string{"embed", file("e.json")}, exitUsage, "nx.node_link_graph(json.load("},
		{[]string{"embed", file("e.foo")}, exitUsage, "unknown format .foo"},
		{[]string{"embed", "-from", "adjacency", file("e.foo")}, exitFailure, "missing part: no edge"},
		{[]string{"convert", file("e.json"), file("out.npz")}, exitUsage, "neither becomes the other"},
		{[]string{"embed", "friends.xlsx"}, exitUsage, `pandas.read_excel("friends.xlsx")`},
		{[]string{"embed", file("edges.csv"), "-features", "friends.xlsx"}, exitUsage, `pandas.read_excel("friends.xlsx")`},
		{[]string{"embed", "friends.csv.bz2"}, exitUsage, `unpack it by bunzip2 -k "friends.csv.bz2"`},
		{[]string{"embed", "friends.net"}, exitUsage, `nx.read_pajek("friends.net")`},
		{[]string{"embed", "friends.graph"}, exitUsage, "is not read; Python makes text of it: "},
		{[]string{"convert", file("edges.csv"), file("out.tsv")}, exitUsage, "a graph or vectors? name the format of " + file("edges.csv") + " by -from"},
	} {
		refused(t, dir, c.code, c.want, "", c.args...)
	}
}

// Formats without ids have them in a file of their own.
func TestIDsNextToAMatrix(t *testing.T) {
	dir := folder(t, map[string]string{"v.tsv": "ann b\t1\t2\n\"#1\"\t3\t4\n", "one": "ann\n", "twice": "ann\nann\n", "long": "\ufeff" + strings.Repeat("ann", 1<<15) + "\r\n#1\r\n"})
	file := func(name string) string { return filepath.Join(dir, name) }
	must(t, "", "convert", file("v.tsv"), file("v.npy"), "-write-ids", file("v.ids"))
	testkit.WantSame(t, "ids", read(t, file("v.ids")), "ann b\n#1\n")
	prints(t, read(t, file("v.tsv")), "", "convert", file("v.npy"), "-ids", file("v.ids"), "-to", "tsv", "-")
	prints(t, strings.Repeat("ann", 1<<15)+"\t1\t2\n\"#1\"\t3\t4\n", "", "convert", file("v.npy"), "-ids", file("long"), "-to", "tsv", "-")
	for name, want := range map[string]string{"one": "one: wrong size: 1 ids for 2 rows", "twice": "twice:2: bad node ids"} {
		refused(t, dir, exitFailure, want, "", "convert", file("v.npy"), "-ids", file(name), "-to", "tsv", "-")
	}
	refused(t, dir, exitUsage, "file of its own", "", "convert", file("v.tsv"), "-to", "npy", "-", "-write-ids", "-")
	code, stdout, stderr := call("\"a\nb\" 1\n", "convert", "-from", "tsv", "-", file("v.npy"), "-write-ids", file("out.ids"))
	if code == 0 {
		t.Errorf("an id of two lines is written: %q %q", stdout, stderr)
	}

	// The rows of npy belong to the nodes of these names.
	names := folder(t, map[string]string{"ids": "ann\nbob\ncy\n", "x.tsv": "ann 1\nbob 2\ncy 3\n"})
	must(t, "", "convert", filepath.Join(names, "x.tsv"), filepath.Join(names, "x.npy"))
	got := must(t, "bob\tann\n", "convert", "-from", "edges", "-to", "npz", "-", "-", "-features", filepath.Join(names, "x.npy"), "-ids", filepath.Join(names, "ids"))
	d := testkit.Must(dataset.ReadNPZ(strings.NewReader(got)))
	if !cmp.Equal(d.IDs, []string{"ann", "bob", "cy"}) || d.Adjacency.At(1, 0) != 1 || d.Features.At(2, 0) != 3 {
		t.Errorf("ids %v, edges %v", d.IDs, mat.Formatted(d.Adjacency))
	}
}

// Numbers of JSON lines are numbers, and no text becomes columns of numbers.
func TestConvertChangesNoNumber(t *testing.T) {
	dir := folder(t, map[string]string{
		"numbers.jsonl": `{"id": "a", "x": 1, "y": 10.5}` + "\n" + `{"y": -20, "id": "b", "x": 400}` + "\n",
		"words.jsonl":   `{"id": "a", "x": 1, "y": "red"}` + "\n" + `{"id": "b", "x": 2, "y": "blue"}` + "\n",
		"words.csv":     "id,x,y\na,1,red\nb,2,blue\n",
	})
	prints(t, "a\t1\t10.5\nb\t400\t-20\n", "", "convert", filepath.Join(dir, "numbers.jsonl"), "-", "-to", "tsv")
	for _, name := range []string{"words.jsonl", "words.csv"} {
		refused(t, dir, exitFailure, "vectors are numbers, and not all cells are", "", "convert", filepath.Join(dir, name), "-", "-to", "tsv", "-from", strings.TrimPrefix(filepath.Ext(name), "."))
	}
	prints(t, "a\tb\t0.0449781\n", "", "similar", "-embedding", filepath.Join(dir, "numbers.jsonl"), "-k", "1", "a")
}
