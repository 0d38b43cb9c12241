package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"coles/dataset"
	"coles/examples/shared/cli"
	"coles/examples/shared/clitest"
	"coles/internal/testkit"
	"coles/lab/internal/labtest"
	"coles/lab/internal/programs"

	"gonum.org/v1/gonum/mat"
)

// Every system learns something on a small graph in place of each large one, and reports its cost.
// One of each kind does in short: all nodes at once, blocks, neighbours, parts of the graph, layers, walks.
func TestLargeSystemsAreMeasured(t *testing.T) {
	methods := largeMethods()
	if !labtest.Long() {
		methods = pick(methods, "MLP", "COLES-GCN + MLP", "GraphSAGE", "GraphSAINT", "FastGCN", "node2vec + MLP")
	}
	lines := 0
	for _, m := range methods {
		if lines += 2; m.transductive {
			lines--
		}
	}
	args := []string{"-table", "large", "-nodes", "600", "-epochs", "1", "-seeds", "1", "-methods", programs.Names(methods)}
	for _, l := range measuredIn(t, t.TempDir(), lines, args...) {
		for _, key := range []string{"acc", "parameters", "peak_mb"} {
			if v, _ := l[key].(float64); v <= 0 {
				t.Errorf("%v", l)
			}
		}
		if l["dataset"] != arxivSized && l["dataset"] != redditSized {
			t.Errorf("%v", l)
		}
	}
}

// ring is a graph of two classes in the layouts of ogbn-arxiv and of Reddit: node i is joined to i + 2,
// and every third is for training, for validation, and for the test.
func ring(n int) (ogb, sage map[string]string) {
	var edges, features, labels, nodes, links, ids, classes strings.Builder
	var parts [3]strings.Builder
	for i := range n {
		comma := ","
		if i == n-1 {
			comma = ""
		}
		fmt.Fprintf(&edges, "%d,%d\n", i, (i+2)%n)
		fmt.Fprintf(&features, "%d,%d,1\n", i%2, 1-i%2)
		fmt.Fprintf(&labels, "%d\n", i%2)
		fmt.Fprintf(&parts[i%3], "%d\n", i)
		fmt.Fprintf(&nodes, `{"id": %d, "val": %v, "test": %v}%s`, i, i%3 == 1, i%3 == 2, comma)
		fmt.Fprintf(&links, `{"source": %d, "target": %d}%s`, i, (i+2)%n, comma)
		fmt.Fprintf(&ids, `"%d": %d%s`, i, i, comma)
		fmt.Fprintf(&classes, `"%d": %d%s`, i, i%2, comma)
	}
	var column bytes.Buffer // of the numbers 0, 1, 0, 1, and so on
	dataset.WriteNPY(&column, mat.NewDense(n, 1, slices.Repeat([]float64{0, 1}, n/2)))
	ogb = map[string]string{
		"ogbn_arxiv/raw/num-node-list.csv": fmt.Sprintln(n), "ogbn_arxiv/raw/edge.csv": edges.String(),
		"ogbn_arxiv/raw/node-feat.csv": features.String(), "ogbn_arxiv/raw/node-label.csv": labels.String(),
		"ogbn_arxiv/split/time/train.csv": parts[0].String(), "ogbn_arxiv/split/time/valid.csv": parts[1].String(), "ogbn_arxiv/split/time/test.csv": parts[2].String(),
	}
	sage = map[string]string{
		"reddit/reddit-G.json":      `{"nodes": [` + nodes.String() + `], "links": [` + links.String() + `]}`,
		"reddit/reddit-id_map.json": "{" + ids.String() + "}", "reddit/reddit-class_map.json": "{" + classes.String() + "}",
		"reddit/reddit-feats.npy": column.String(),
	}
	return ogb, sage
}

func TestLargeDataSetsOfTheFolder(t *testing.T) {
	folder := t.TempDir()
	testkit.WantSame(t, "without any", largeDatasets(folder), []string{arxivSized, redditSized})
	ogb, sage := ring(60)
	labtest.Files(t, folder, ogb)
	labtest.Files(t, folder, map[string]string{"npz/flickr.npz": ""})
	testkit.WantSame(t, "with one", largeDatasets(folder), []string{arxiv, redditSized, "flickr"})
	labtest.Files(t, folder, sage)
	testkit.WantSame(t, "with both", largeDatasets(folder), []string{arxiv, reddit})

	methods, figures := "c&s", []string{}
	if labtest.Long() {
		methods, figures = "c&s,mlp,gcn-ogb", []string{"(71.7)"}
	}
	stdout, _ := clitest.Run(t, run, "-data", folder, "-table", "large", "-seeds", "2", "-epochs", "200", "-methods", methods)
	testkit.WantText(t, stdout, append(figures, "## Large graphs, ogbn-arxiv", "## Large graphs, reddit",
		"| C&S | 100.0 ± 0.0 (71.3) | 8 |", "The paper's figure in brackets.")...)
	testkit.WantSame(t, "captions", strings.Count(stdout, "Accuracy on the test nodes"), 1)
}

// What is learned from of Reddit has no test nodes, and no edges to them.
func TestReddit(t *testing.T) {
	const n = 60
	folder := t.TempDir()
	clitest.NoLitter(t)
	_, sage := ring(n)
	labtest.Files(t, folder, sage)
	o := options{data: folder, seeds: 1}
	p := testkit.Must(load(t.Context(), o, reddit, cli.NewLine(io.Discard)))
	task, split, err := newTask(o, p, 0)
	if err != nil {
		t.Fatal(err)
	}
	if task.graph.Nodes() != 2*n/3 || len(task.train) != n/3 || len(task.val) != n/3 || task.whole.Nodes() != n || len(split.Test) != n/3 {
		t.Errorf("%v to learn from, %d and %d labels", task.graph, len(task.train), len(task.val))
	}
	if task.features != p.mapped[0].Features || task.wholeFeatures != p.mapped[1].Features {
		t.Error("features are not in mapped files")
	}
	// Of the edges i, i + 2 those stay that have no end which is 2 modulo 3: the ones from 1 modulo 3.
	testkit.WantSame(t, "edges", task.graph.Report().Edges, n/3)
	for k, i := range task.train {
		whole := task.wholeTrain[k]
		if whole%3 != 0 || task.labels[i] != whole%2 || task.features.At(i, 0) != float64(whole%2) {
			t.Errorf("node %d with label %d stands for node %d", i, task.labels[i], whole)
		}
	}
	for _, i := range task.val {
		testkit.WantSame(t, fmt.Sprint("label of node ", i), task.labels[i], int(task.features.At(i, 0)))
	}
}

// Features may be missing: then no system of the table is measured.
func TestRedditWithoutFeatures(t *testing.T) {
	folder := t.TempDir()
	_, sage := ring(60)
	delete(sage, "reddit/reddit-feats.npy")
	labtest.Files(t, folder, sage)
	p := testkit.Must(load(t.Context(), options{data: folder}, reddit, cli.NewLine(io.Discard)))
	if p.Features != nil || p.mapped != nil {
		t.Errorf("features %v", p.Features)
	}
}

// A generated graph is split in the shares of the paper's.
func TestGeneratedLargeGraphsAreSplit(t *testing.T) {
	d := testkit.Must(open(t.Context(), options{nodes: 1000}, arxivSized))
	s := d.Splits[0]
	if len(s.Train) != 540 || len(s.Val) != 180 || len(s.Test) != 280 || d.NumClasses() != 40 {
		t.Errorf("%d, %d and %d nodes of %d classes", len(s.Train), len(s.Val), len(s.Test), d.NumClasses())
	}
	all := slices.Sorted(slices.Values(slices.Concat(s.Train, s.Val, s.Test)))
	testkit.WantSame(t, "number of nodes", len(slices.Compact(all)), 1000)
}
