package main

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"coles"
	"coles/internal/testkit"
)

// A triangle with a tail, an isolated node by a self loop and an edge given twice; degrees 2, 2, 3,
// 1, 0, counted by hand.
const countedEdges = "a b\nb c\nc a\nc d\nd c\ne e\n"

func TestInfoOfAGraph(t *testing.T) {
	dir := folder(t, map[string]string{
		"features.tsv": "a 1 0\nb 1 0\nc 0 1\nd 0 0\ne 2 1\n",
		"labels.txt":   "a x\nb x\nc y\nd y\n", // e has none
	})
	args := []string{"info", "-", "-features", filepath.Join(dir, "features.tsv"), "-labels", filepath.Join(dir, "labels.txt")}
	got := decoded[graphInfo](t, countedEdges, append(args, "-json")...)
	if r := got.Graph; r.Nodes != 5 || r.Edges != 4 || r.Isolated != 1 || r.SelfLoopsDropped != 1 || r.Weighted {
		t.Errorf("graph %+v", r)
	}
	if got.Components != 2 || fmt.Sprint(got.Degrees) != "{0 2 1.6 3}" {
		t.Errorf("%d components, degrees %+v", got.Components, got.Degrees)
	}
	testkit.WantSame(t, "features", fmt.Sprint(*got.Features), "{2 5 0.5 1}")
	// Among a, b, c, d: a and b have one of two neighbours alike, c one of three, d its only one;
	// edges ab and cd of four; two classes of two.
	h := got.Labels.Homophily
	if got.Labels.Labelled != 4 || got.Labels.Classes != 2 || math.Abs(h.Node-(0.5+0.5+1.0/3+1)/4) > 1e-15 || h.Edge != 0.5 || h.Expected != 0.5 || h.Edges != 4 {
		t.Errorf("labels %+v, homophily %+v", got.Labels, h)
	}

	g := testkit.Must(coles.NewGraph(5, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 0}, {U: 2, V: 3}}))
	settings := coles.DefaultSettings()
	settings.Dim = 3
	bare := decoded[graphInfo](t, countedEdges, "info", "-json", "-dim", "3")
	if want := testkit.Must(settings.Estimate(g, nil)); bare.Fit.Bytes != want || bare.Features != nil || bare.Labels != nil {
		t.Errorf("memory %+v, want %+v; features %v, labels %v", bare.Fit, want, bare.Features, bare.Labels)
	}

	table := must(t, countedEdges, args...)
	testkit.WantText(t, table, "nodes          5, 1 isolated\n", "degrees        min 0, median 2, mean 1.6, max 3\n",
		"homophily      node 0.583, edge 0.500, expected by chance 0.500\n")
}

func TestInfoOfAModel(t *testing.T) {
	dir, edges, features := small(t)
	model := filepath.Join(dir, "friends") // told by its content, not by its name
	must(t, "", "embed", edges, "-features", features, "-dim", "2", "-seed", "7", "-filter", "sgc:2", "-model", model)
	m := fitted(t, coles.WithDim(2), coles.WithSeed(7), coles.WithFilter(coles.SGC(2)))
	got := decoded[modelInfo](t, "", "info", "-json", model)
	if got.Nodes != 4 || got.Features != 3 || got.Dim != 2 || asJSON(t, got.Settings) != asJSON(t, m.Settings()) || asJSON(t, got.Lambda) != asJSON(t, m.Lambda()) {
		t.Errorf("model %+v", got)
	}
	for _, from := range []string{"", read(t, model)} {
		path := model
		if from != "" {
			path = "-"
		}
		testkit.WantText(t, must(t, from, "info", path),
			"model of     4 nodes, 4 edges\n", "filter       sgc:2\n", "seed         7\n", "input        graph "+m.Report().GraphHash)
	}
	// A model without features is described as such.
	must(t, "", "embed", edges, "-dim", "1", "-model", model)
	testkit.WantText(t, must(t, "", "info", model), "of later nodes too\n")
}

// A column of times is seen for what it is, as weights of edges.
func TestInfoShowsTheRangeOfWeights(t *testing.T) {
	testkit.WantText(t, must(t, "a b 0.5\nb c 1082\n", "info"), "2, undirected, weights 0.5 to 1082\n")
	testkit.WantSame(t, "weights of a graph without", decoded[graphInfo](t, "a b\n", "info", "-json").Weights == nil, true)
}

// A folder of datasets is no dataset; info prints their names, the other commands refuse it.
func TestInfoOfAFolder(t *testing.T) {
	dir := folder(t, map[string]string{"ind.cora.graph": "", "ind.cora.x": "", "ind.pubmed.graph.gz": "", "readme.graph": ""})
	want := "planetoid  " + filepath.Join(dir, "cora") + "\nplanetoid  " + filepath.Join(dir, "pubmed") + "\n"
	prints(t, want, "", "info", dir)
	if found := decoded[datasets](t, "", "info", "-json", dir); len(found) != 2 || found[0] != (namedDataset{"planetoid", filepath.Join(dir, "cora")}) {
		t.Errorf("%v", found)
	}
	refused(t, dir, exitFailure, "a folder, not a file; it holds "+filepath.Join(dir, "cora")+", "+filepath.Join(dir, "pubmed"), "", "embed", dir)
	empty := t.TempDir()
	refused(t, empty, exitFailure, "a folder, not a file\n", "", "info", empty)
}
