package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"coles"
	"coles/dataset"
	"coles/internal/testkit"
)

// fitted fits the small graph with the library.
func fitted(t *testing.T, opts ...coles.Option) *coles.Model {
	t.Helper()
	d := testkit.Must(dataset.ReadEdgeList(strings.NewReader(edgesText), strings.NewReader(featuresText), dataset.EdgeListOptions{}))
	g := testkit.Must(coles.FromCSR(d.Adjacency, coles.WithMirrors(), coles.WithIDs(d.IDs)))
	return testkit.Must(coles.Fit(t.Context(), g, d.Features, opts...))
}

func text(t *testing.T, write func(*bytes.Buffer) error) string {
	t.Helper()
	var b bytes.Buffer
	testkit.Check(t, write(&b))
	return b.String()
}

func read(t *testing.T, path string) string {
	t.Helper()
	return string(testkit.Must(os.ReadFile(path)))
}

func TestEmbedWritesWhatTheLibraryFits(t *testing.T) {
	dir, edges, features := small(t)
	m := fitted(t, coles.WithDim(2), coles.WithSeed(7))
	ids, y := []string{"ann", "bob", "cy", "dan"}, m.Embedding()
	named := func(format string) func(b *bytes.Buffer) error {
		f, _ := dataset.FormatNamed(format)
		return func(b *bytes.Buffer) error { return f.Write(b, &dataset.Dataset{IDs: ids, Features: y}) }
	}
	want := map[string]string{
		"npy":      text(t, func(b *bytes.Buffer) error { return dataset.WriteNPY(b, y) }),
		"tsv":      text(t, func(b *bytes.Buffer) error { return dataset.WriteTSV(b, ids, y) }),
		"word2vec": text(t, named("word2vec")),
		"csv":      text(t, func(b *bytes.Buffer) error { return dataset.WriteCSV(b, ids, y) }),
		"jsonl":    text(t, named("jsonl")),
	}
	args := []string{"embed", edges, "-features", features, "-dim", "2", "-seed=7"}
	for name, file := range map[string]string{"npy": "y.npy", "tsv": "y.tsv", "word2vec": "y.txt", "csv": "y.csv", "jsonl": "y.jsonl"} {
		out := filepath.Join(dir, file)
		must(t, "", append(args, "-o", out)...)
		testkit.WantSame(t, file, read(t, out), want[name])
		prints(t, want[name], "", append(args, "--format", name)...)
	}
	prints(t, want["tsv"], edgesText, append([]string{"embed", "-"}, args[2:]...)...)
	prints(t, want["tsv"], featuresText, "embed", edges, "-features", "-", "-dim", "2", "-seed", "7")
}

func TestEmbedInAnArchiveReplacesTheFeatures(t *testing.T) {
	dir, edges, features := small(t)
	out := filepath.Join(dir, "y.npz")
	must(t, "", "embed", edges, "-features", features, "-labels", filepath.Join(dir, "labels.txt"), "-dim", "2", "-to", "npz", "-o", out)
	d := testkit.Must(dataset.Open(out, dataset.ReadNPZ))
	testkit.WantClose(t, "features", d.Features, fitted(t, coles.WithDim(2)).Embedding(), 0)
	testkit.WantSame(t, "the graph of the input", []any{d.Adjacency.NNZ(), d.Labels, d.IDs}, []any{4, []int{0, 0, 1, 1}, []string{"ann", "bob", "cy", "dan"}})
}

// What embed writes as an archive, the other commands read as vectors.
func TestArchivesHoldVectors(t *testing.T) {
	dir, edges, features := small(t)
	archive, plain := filepath.Join(dir, "y.npz"), filepath.Join(dir, "y.tsv")
	for _, out := range []string{archive, plain} {
		must(t, "", "embed", edges, "-features", features, "-dim", "2", "-o", out)
	}
	prints(t, must(t, "", "similar", "-embedding", plain, "ann"), "", "similar", "-embedding", archive, "ann")
	prints(t, read(t, plain), "", "convert", "-to", "tsv", archive, "-")
}

// A first line is a header or not, as set by -header, in all files alike.
func TestHeaderOption(t *testing.T) {
	const edges, features, labels = "ann bob\nbob cy\ncy ann\n", "ann 1 0\nbob 0 1\ncy 1 1\n", "ann x\nbob x\ncy y\n"
	dir := folder(t, map[string]string{
		"e": edges, "f": features, "l": labels,
		"he": "bob ann\n" + edges, "hf": "eve 7 7\n" + features, "hl": "cy z\n" + labels,
	})
	graph := func(kind string) []string {
		return []string{filepath.Join(dir, kind+"e"), "-features", filepath.Join(dir, kind+"f"), "-labels", filepath.Join(dir, kind+"l")}
	}
	// What info says of graphs, without how their files were read.
	about := func(args ...string) string {
		return strings.Join(slices.DeleteFunc(strings.Split(must(t, "", append([]string{"info"}, args...)...), "\n"), func(line string) bool {
			return strings.HasPrefix(line, "read ")
		}), "\n")
	}
	want := about(graph("")...)
	testkit.WantSame(t, "none", about(append([]string{"-header", "no"}, graph("")...)...), want)
	testkit.WantSame(t, "one", about(append([]string{"-header", "yes"}, graph("h")...)...), want)
}

func TestEmbedWithASavedModel(t *testing.T) {
	dir, edges, features := small(t)
	model := filepath.Join(dir, "m.model")
	fit := must(t, "", "embed", edges, "-features", features, "-dim", "2", "-model", model)
	prints(t, fit, "", "embed", edges, "-features", features, "-with", model)
	m := fitted(t, coles.WithDim(2))
	grown := edgesText + "dan\teve\n"
	more := featuresText + "eve,1,0,1\n"
	d := testkit.Must(dataset.ReadEdgeList(strings.NewReader(grown), strings.NewReader(more), dataset.EdgeListOptions{}))
	g := testkit.Must(undirected(d, "grown"))
	y := testkit.Must(m.Embed(t.Context(), g, d.Features))
	want := text(t, func(b *bytes.Buffer) error { return dataset.WriteTSV(b, d.IDs, y) })
	path := write(t, filepath.Join(dir, "more.csv"), more)
	prints(t, want, grown, "embed", "-with", model, "-features", path)
}

func TestEmbedWithoutFeatures(t *testing.T) {
	// Two triangles joined by an edge: the first column separates them.
	out := must(t, "0 1\n1 2\n2 0\n2 3\n3 4\n4 5\n5 3\n", "embed", "-dim", "1")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 6 {
		t.Fatalf("%d lines for 6 nodes:\n%s", len(lines), out)
	}
	for i, line := range lines {
		id, value, _ := strings.Cut(line, "\t")
		if id != strconv.Itoa(i) || strings.HasPrefix(value, "-") != (i >= 3) {
			t.Errorf("row %d is %q: the sign does not tell the triangles apart", i, line)
		}
	}
}

// Settings are read as they were printed, and a file changes what it names only.
func TestSettingsRoundTrip(t *testing.T) {
	printed := must(t, "", "embed", "-print-settings", "-dim", "3", "-seed", "9223372036854775808", "-filter", "appnp:10,0.1")
	prints(t, printed, printed, "embed", "-print-settings", "-settings", "-")
	partial := must(t, `{"scaling": {"norm": 2}}`, "embed", "-print-settings", "-settings", "-")
	testkit.WantText(t, partial, `"norm": 2`, `"rank": 20`) // one field in a file changes no other
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	return string(testkit.Must(json.Marshal(v)))
}

func TestEmbedSummary(t *testing.T) {
	dir, edges, features := small(t)
	s := embedSummary{Fit: &coles.Report{}}
	out := must(t, "", "embed", edges, "-features", features, "-dim", "2", "-json", "-o", filepath.Join(dir, "y.npy"))
	testkit.Check(t, json.Unmarshal([]byte(out), &s))
	if s.Nodes != 4 || s.Edges != 4 || s.Features != 3 || s.Dim != 2 || s.Fit.(*coles.Report).Dim != 2 || !(s.Seconds.Embed > 0) || s.PeakBytes <= 0 {
		t.Errorf("summary %s", out)
	}
	if code, _, stderr := call("", "embed", edges, "-features", features, "-verbose"); code != 0 || !strings.Contains(stderr, "4 nodes, 4 edges") {
		t.Errorf("-verbose: exit %d, %q", code, stderr)
	}
}

// Text that is not word2vec's is lines of an id and values, whatever its name.
func TestTextFeaturesAreToldByTheirFirstLine(t *testing.T) {
	dir := folder(t, map[string]string{
		"e.txt": "a b\nb c\nc a\n",
		"x.txt": "a 1 0 0\nb 0 1 0\nc 0 1 1\n",
		"w.txt": "3 3\na 1 0 0\nb 0 1 0\nc 0 1 1\n",
		"i.txt": "1 5\n2 6\n3 7\n", // an id and a number, and no sizes
		"g.txt": "1 2\n2 3\n",
	})
	plain := must(t, "", "embed", filepath.Join(dir, "e.txt"), "-features", filepath.Join(dir, "x.txt"), "-dim", "2")
	prints(t, plain, "", "embed", filepath.Join(dir, "e.txt"), "-features", filepath.Join(dir, "w.txt"), "-dim", "2")
	testkit.WantSame(t, "number of rows", strings.Count(plain, "\n"), 3)
	integers := must(t, "", "embed", filepath.Join(dir, "g.txt"), "-features", filepath.Join(dir, "i.txt"))
	if strings.Count(integers, "\n") != 3 || !strings.HasPrefix(integers, "1\t") {
		t.Errorf("one integer a node: %q", integers)
	}
	for _, name := range []string{"x.txt", "w.txt"} {
		prints(t, "a\t1\t0\t0\nb\t0\t1\t0\nc\t0\t1\t1\n", "", "convert", "-to", "tsv", filepath.Join(dir, name), "-")
	}
}

// Ids that the format cannot hold are refused before the fit, by the name of a format that can.
func TestIDsAreCheckedBeforeTheFit(t *testing.T) {
	dir := t.TempDir()
	for to, want := range map[string]string{"out.txt": `row 0, id "user 0": bad node ids`, "out.bin": "; tsv can\n"} {
		stderr := refused(t, dir, exitFailure, want, "\"user 0\",bob\nbob,cy\n", "embed", "-dim", "3", "-o", filepath.Join(dir, to))
		if !strings.HasSuffix(stderr, "; tsv can\n") {
			t.Errorf("no format that can: %q", stderr)
		}
	}
	// The fit would refuse d′ = 9 of 3 nodes.
	refused(t, dir, exitFailure, "tsv can", "\"user 0\",bob\nbob,cy\n", "embed", "-dim", "9", "-to", "word2vec")
	for _, to := range []string{"tsv", "csv", "jsonl", "npy", "npz"} {
		must(t, "\"user 0\",bob\nbob,cy\n", "embed", "-dim", "1", "-to", to)
	}
}

// A fit and an embedding in a folder are those in memory: of so few columns they are made at once.
func TestEmbedInAFolder(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no memory in files")
	}
	dir, edges, features := small(t)
	packed, kept := filepath.Join(dir, "g.csr"), filepath.Join(dir, "m.model")
	must(t, "", "convert", edges, packed, "-scratch", dir, "-features", features)
	in := []string{"embed", packed, "-features", features, "-dim", "2", "-kind", "graph"}
	want := must(t, "", in...)
	prints(t, want, "", append(in, "-scratch", dir, "-memory", "0.1GB", "-model", kept)...)
	prints(t, want, "", "embed", packed, "-features", features, "-with", kept, "-scratch", dir, "-memory", "100MB")
	for _, memory := range []string{"", "8", "GB", "-1GB", "1e9GB", "8 apples"} {
		refused(t, dir, exitUsage, "-memory", "", append(in, "-scratch", dir, "-memory", memory)...)
	}
	refused(t, dir, exitUsage, "-scratch", "", append(in, "-memory", "1GB")...)
	refused(t, dir, exitFailure, "at least", "", append(in, "-scratch", dir, "-memory", "1MB")...)
	for _, f := range testkit.Must(os.ReadDir(dir)) {
		if strings.HasPrefix(f.Name(), "coles-scratch") {
			t.Errorf("%s is left", f.Name())
		}
	}
}

// Weights that span decades are said, and an option that a fit has no use for is refused.
func TestEmbedSaysWhatItTakes(t *testing.T) {
	const weighted = "ann bob 1\nbob cy 2\ncy ann 1\ncy dan 1000\n"
	_, edges, features := small(t)
	_, _, says := call(weighted, "embed", "-", "-dim", "1")
	testkit.WantText(t, says, "by the median; -weight-span 0 takes them as they are")
	_, _, says = call(weighted, "embed", "-", "-dim", "1", "-weight-span", "0")
	testkit.WantSame(t, "warnings", says, "")
	_, _, says = call("", "embed", edges, "-features", features, "-kappa", "7")
	testkit.WantText(t, says, "-kappa 7: want 1, since the expected-degree sampler has no use for it")
	_, _, says = call(weighted, "embed", "-", "-dim", "1", "-structure", "0.3")
	testkit.WantText(t, says, "-structure 0.3: want auto, since a fit without features has no use for it")
	_, _, says = call(weighted, "embed", "-", "-dim", "1", "-kind", "features")
	testkit.WantText(t, says, "-kind features: want another without features")
}

// -directed fits what the library fits of arcs, and is said in the report; a model with roles and a graph without arcs, or
// the other way round, are refused.
func TestEmbedDirected(t *testing.T) {
	var lines strings.Builder
	var arcs []coles.Edge
	for u := range 40 {
		for _, v := range []int{(u + 1) % 40, (u + 7) % 40} {
			arcs = append(arcs, coles.Edge{U: u, V: v})
			lines.WriteString(strconv.Itoa(u) + " " + strconv.Itoa(v) + "\n")
		}
	}
	dir := folder(t, map[string]string{"g.txt": lines.String()})
	in := func(name string) string { return filepath.Join(dir, name) }
	s := decoded[struct {
		Dim int
		Fit coles.Report
	}](t, "", "embed", in("g.txt"), "-directed", "-o", in("y.npy"), "-model", in("directed.model"), "-json")
	m := testkit.Must(coles.Fit(t.Context(), testkit.Must(coles.NewGraph(40, arcs, coles.WithArcs())), nil))
	testkit.WantSame(t, "share", s.Fit.RoleShare, 0.1)
	testkit.WantSame(t, "columns", s.Dim, m.Report().Dim)
	y := testkit.Must(dataset.ReadNPY(strings.NewReader(read(t, in("y.npy")))))
	testkit.WantSame(t, "embedding", testkit.Bits(y), testkit.Bits(m.Embedding()))
	must(t, "", "embed", in("g.txt"), "-o", in("z.npy"), "-model", in("plain.model"))
	must(t, "", "embed", in("g.txt"), "-directed", "-with", in("directed.model"), "-o", in("z.npy"))
	testkit.WantSame(t, "embedded again", read(t, in("z.npy")), read(t, in("y.npy")))
	refused(t, dir, 1, "keeps none", "", "embed", in("g.txt"), "-with", in("directed.model"), "-o", in("z.npy"))
	refused(t, dir, 2, "fitted without", "", "embed", in("g.txt"), "-directed", "-with", in("plain.model"), "-o", in("z.npy"))
	refused(t, dir, 2, "-bipartite", "", "embed", in("g.txt"), "-directed", "-bipartite", "-o", in("z.npy"))
}
