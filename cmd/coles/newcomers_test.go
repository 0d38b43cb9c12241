package main

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"coles"
	"coles/dataset"
	"coles/internal/testkit"
	"coles/live"

	"gonum.org/v1/gonum/mat"
)

// Two nodes that join the small graph, in a row, beyond its tail.
const (
	newFeatures = "eve,1,0,1\nfay,0,0,2\n"
	newEdges    = "eve,dan\nfay,eve\ncy,fay\n"
)

func TestEmbedNewcomers(t *testing.T) {
	dir, edges, features := small(t)
	model, x, e := filepath.Join(dir, "m.model"), write(t, filepath.Join(dir, "x.csv"), newFeatures), write(t, filepath.Join(dir, "e.csv"), newEdges)
	must(t, "", "embed", edges, "-features", features, "-dim", "2", "-model", model)
	d := testkit.Must(dataset.OpenEdgeList(edges, features, ""))
	frozen := testkit.Must(live.Freeze(t.Context(), fitted(t, coles.WithDim(2)), testkit.Must(d.Graph()), d.Features))
	embedded := func(edges ...coles.Edge) string {
		y := testkit.Must(frozen.Embed(t.Context(), mat.NewDense(2, 3, []float64{1, 0, 1, 0, 0, 2}), edges, nil))
		return text(t, func(b *bytes.Buffer) error { return dataset.WriteTSV(b, []string{"eve", "fay"}, y) })
	}
	args := []string{"embed", edges, "-features", features, "-with", model, "-new-features", x}
	prints(t, embedded(), "", args...)
	joined := embedded(coles.Edge{U: 4, V: 3}, coles.Edge{U: 5, V: 4}, coles.Edge{U: 2, V: 5})
	prints(t, joined, newEdges, append(args, "-new-edges", "-")...)
	prints(t, joined, newFeatures, "embed", edges, "-features", features, "-with", model, "-new-features", "-", "-new-edges", e)
	s := decoded[embedSummary](t, "", append(args, "-new-edges", e, "-json", "-o", filepath.Join(dir, "y.npy"))...)
	if s.Nodes != 2 || s.Edges != 3 || s.Features != 3 || s.Dim != 2 {
		t.Errorf("summary %+v", s)
	}
	// Where nodes are only numbered, those that come have the next numbers.
	archive, npy := filepath.Join(dir, "g.npz"), filepath.Join(dir, "x.npy")
	testkit.Check(t, dataset.WriteFile(archive, func(w io.Writer) error {
		return dataset.WriteNPZ(w, &dataset.Dataset{Adjacency: d.Adjacency, Features: d.Features})
	}))
	must(t, "", "convert", x, npy)
	got := must(t, "4 3\n5 4\n2 5\n", "embed", archive, "-with", model, "-new-features", npy, "-new-edges", "-")
	testkit.WantSame(t, "numbered", got, strings.NewReplacer("eve", "4", "fay", "5").Replace(joined))

	for name, c := range map[string]struct{ features, edges, want string }{
		"old node as new":       {"eve,1,0,1\nbob,0,0,2\n", newEdges, `x.csv: bad node ids: the graph has a node "bob" already`},
		"new node twice":        {"eve,1,0,1\neve,0,0,2\n", newEdges, `x.csv:2:1: bad node ids: features of node "eve" twice`},
		"edge to nobody":        {newFeatures, "eve,dan\neve,gus\n", `e.csv:2:5: bad node ids: unknown node "gus"`},
		"edge of old nodes":     {newFeatures, "eve,dan\nann,dan\n", `e.csv: bad node ids: the graph has both "ann" and "dan"`},
		"narrow features":       {"eve,1,0\nfay,0,0\n", newEdges, "2 columns"},
		"a gap":                 {"eve,1,0,\nfay,0,0,2\n", newEdges, `x.csv:1:9: `},
		"no file of edges":      {newFeatures, "", "e.csv"},
		"negative weight":       {newFeatures, "eve,dan,-1\n", "negative"},
		"features of words":     {"eve 0:1 3:1\n", newEdges, "x.csv:1:9: feature 3 of 0 to 2"},
		"sparse, but no column": {"eve 0:1 9999999999999999999:1\n", newEdges, "x.csv:1:9: feature 9999999999999999999 of 0 to 2"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, map[string]string{"x.csv": c.features})
			if c.edges != "" {
				write(t, filepath.Join(dir, "e.csv"), c.edges)
			}
			refused(t, dir, exitFailure, c.want, "", "embed", edges, "-features", features, "-with", model,
				"-new-features", filepath.Join(dir, "x.csv"), "-new-edges", filepath.Join(dir, "e.csv"), "-o", filepath.Join(dir, "out.tsv"))
		})
	}
	network := filepath.Join(dir, "n.model")
	must(t, "", "train", edges, "-features", features, "-epochs", "1", "-dim", "2", "-model", network, "-o", filepath.Join(dir, "n.npy"))
	refused(t, dir, exitUsage, "-with has a network", "", "embed", edges, "-features", features, "-with", network, "-new-features", x)
	refused(t, dir, exitUsage, "-with has a network", "", "embed", edges, "-features", features, "-with", network, "-new-edges", edges)
	refused(t, dir, exitFailure, "name a file of them by -features", "", "embed", edges, "-with", model, "-new-features", x)
}

// Without features newcomers are the nodes that the graph does not have, in the order of their edges.
func TestNewcomersWithoutFeatures(t *testing.T) {
	dir, edges, features := small(t)
	model := filepath.Join(dir, "m.model")
	must(t, "", "embed", edges, "-dim", "2", "-model", model, "-o", filepath.Join(dir, "y.tsv"))
	d := testkit.Must(dataset.OpenEdgeList(edges, "", ""))
	g := testkit.Must(d.Graph())
	frozen := testkit.Must(live.Freeze(t.Context(), testkit.Must(coles.Fit(t.Context(), g, nil, coles.WithDim(2))), g, nil))
	y := testkit.Must(frozen.Embed(t.Context(), nil, []coles.Edge{{U: 4, V: testkit.Must(rowOf(g, "dan"))}, {U: 5, V: 4}, {U: testkit.Must(rowOf(g, "cy")), V: 5}}, nil))
	want := text(t, func(b *bytes.Buffer) error { return dataset.WriteTSV(b, []string{"eve", "fay"}, y) })
	args := []string{"embed", edges, "-with", model, "-new-edges", "-"}
	prints(t, want, newEdges, args...)
	refused(t, dir, exitFailure, "new node without an edge to a known one", "eve,fay\n", args...)
	refused(t, dir, exitFailure, `the graph has both "ann" and "dan"`, "eve,dan\nann,dan\n", args...)
	refused(t, dir, exitUsage, "alone is for a model fitted without features", newEdges, append(args, "-new-features", features)...)
}

func rowOf(g *coles.Graph, id string) (int, error) {
	if row, ok := g.Row(id); ok {
		return row, nil
	}
	return 0, coles.ErrIDs
}

// Newcomers of a table get the features that the model's encoder makes: a hole is the old nodes' mean.
func TestNewcomersOfATable(t *testing.T) {
	dir, edges, _ := small(t)
	file := func(name, text string) string { return write(t, filepath.Join(dir, name), text) }
	const cells = "id,town,age\nann,Rome,20\nbob,Rome,30\ncy,Oslo,41\ndan,Oslo,29\n"
	model, old := filepath.Join(dir, "m.model"), file("old.csv", cells)
	must(t, "", "embed", edges, "-features", old, "-dim", "2", "-model", model)
	args := []string{"embed", edges, "-features", old, "-with", model, "-new-features"}
	got := must(t, "", append(args, file("new.csv", "id,age,town\neve,,Oslo\nfay,30,Oslo\n"))...)
	eve, fay, _ := strings.Cut(got, "\n")
	testkit.WantSame(t, "a hole, and the mean of 20, 30, 41 and 29", strings.TrimPrefix(eve, "eve"), strings.TrimPrefix(strings.TrimSpace(fay), "fay"))
	refused(t, dir, exitFailure, "words.csv:3: ", "", append(args, file("words.csv", "id,town,age\neve,Oslo,3\nfay,Rome,old\n"))...)
}

// Of numbers as they are, a hole is the mean of the fit, in whatever order the columns come.
func TestNewcomersOfNumbers(t *testing.T) {
	dir, edges, _ := small(t)
	file := func(name, text string) string { return write(t, filepath.Join(dir, name), text) }
	model, old := filepath.Join(dir, "m.model"), file("old.csv", "id,x,age\nann,1,20\nbob,2,30\ncy,4,41\ndan,7,29\n")
	must(t, "", "embed", edges, "-features", old, "-dim", "2", "-model", model)
	code, got, stderr := call("", "embed", edges, "-features", old, "-with", model, "-new-features", file("new.csv", "id,age,x\neve,,3\nfay,30,3\n"))
	eve, fay, _ := strings.Cut(got, "\n")
	testkit.WantSame(t, "a hole, and the mean of 20, 30, 41 and 29", strings.TrimPrefix(eve, "eve"), strings.TrimPrefix(strings.TrimSpace(fay), "fay"))
	if code != 0 || !strings.Contains(stderr, "get the mean that the model knows of their column: 1") {
		t.Errorf("exit %d, standard error %q", code, stderr)
	}
}

// Sparse features have the width of the model, though their last columns be empty.
func TestWidthIsTheModels(t *testing.T) {
	dir, edges, _ := small(t)
	file := func(name, text string) string { return write(t, filepath.Join(dir, name), text) }
	wide := file("wide.txt", "ann 0:1\nbob 1:1\ncy 1:1 2:1\ndan 0:1 1:1\n")
	model := filepath.Join(dir, "m.model")
	must(t, "", "embed", edges, "-features", wide, "-dim", "2", "-model", model)
	narrow := must(t, "", "embed", edges, "-with", model, "-features", file("narrow.txt", "ann 0:1\nbob 1:1\ncy 1:1\ndan 0:1 1:1\n"))
	prints(t, narrow, "", "embed", edges, "-with", model, "-features", file("zero.txt", "ann 0:1\nbob 1:1\ncy 1:1 2:0\ndan 0:1 1:1\n"))
	refused(t, dir, exitFailure, "more.txt:3:8: feature 3 of 0 to 2: ", "", "embed", edges, "-with", model,
		"-features", file("more.txt", "ann 0:1\nbob 1:1\ncy 1:1 3:1\ndan 0:1 1:1\n"))
}
