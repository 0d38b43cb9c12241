package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"coles"
	"coles/cluster"
	"coles/dataset"
	"coles/dataset/synthetic"
	"coles/eval"
	"coles/internal/testkit"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
)

// community is a drawn graph in an archive.
func community(t *testing.T) (d *dataset.Dataset, path string) {
	t.Helper()
	d = testkit.Must(synthetic.Communities{Nodes: 300, Classes: 3, Features: 60, Seed: 3}.Generate(t.Context()))
	return d, archiveOf(t, d)
}

// archiveOf writes a dataset to an archive in a folder of its own.
func archiveOf(t *testing.T, d *dataset.Dataset) (path string) {
	t.Helper()
	archive := text(t, func(b *bytes.Buffer) error { return dataset.WriteNPZ(b, d) })
	return filepath.Join(folder(t, map[string]string{"g.npz": archive}), "g.npz")
}

func evaluated(t *testing.T, args ...string) evaluation {
	t.Helper()
	return decoded[evaluation](t, "", append([]string{"eval", "-json"}, args...)...)
}

func TestEvalIsTheProtocolOfTheLibrary(t *testing.T) {
	d, path := community(t)
	ctx := context.Background()
	g := testkit.Must(coles.FromCSR(d.Adjacency))
	m := testkit.Must(coles.Fit(ctx, g, d.Features, coles.WithDim(16), coles.WithSeed(3)))
	splits := testkit.Must(d.RandomSplits(5, 4, 3))
	want := testkit.Must(eval.Protocol{}.Classify(ctx, m.Embedding(), d.Labels, splits))
	clusters := testkit.Must(eval.Protocol{Runs: 2, KMeans: cluster.KMeans{Seed: 3}}.Cluster(ctx, m.Embedding(), d.Labels))
	e := evaluated(t, path, "-dim", "16", "-seed", "3", "-per-class", "5", "-count", "4", "-runs", "2")
	if e.Nodes != 300 || e.Columns != 16 || e.Labelled != 300 || e.Classes != 3 || e.Embedding != "coles" {
		t.Errorf("sizes %+v", e)
	}
	testkit.WantSame(t, "accuracy", e.Classification.Accuracy, percent(*want))
	testkit.WantSame(t, "clustering", *e.Clustering, clustering{percent(clusters.Accuracy), percent(clusters.NMI), percent(clusters.F1)})

	// The same embedding from a file, the same splits from another.
	y, s := filepath.Join(filepath.Dir(path), "y.npy"), filepath.Join(filepath.Dir(path), "s.json")
	must(t, "", "embed", path, "-dim", "16", "-seed", "3", "-o", y)
	testkit.Check(t, dataset.WriteFile(s, func(w io.Writer) error { return dataset.WriteSplits(w, 300, splits) }))
	again := evaluated(t, path, "-embedding", y, "-splits", s, "-seed", "3", "-runs", "2")
	testkit.WantSame(t, "accuracy from files", again.Classification.Accuracy, e.Classification.Accuracy)
	testkit.WantSame(t, "clustering from files", again.Clustering, e.Clustering)

	table := must(t, "", "eval", path, "-embedding", y, "-splits", s, "-runs", "0")
	if line := fmt.Sprintf("accuracy %v\n", want); !strings.Contains(table, line) || strings.Contains(table, "clustering") {
		t.Errorf("the table has no line %q, or one for clustering:\n%s", line, table)
	}
}

// The library counts in shares, the command in percent.
func TestPercent(t *testing.T) {
	got := percent(eval.Measurements{Each: []float64{0.5, 1}, Mean: 0.75, Std: 0.25})
	if want := (measured{75, 25, []float64{50, 100}}); !cmp.Equal(got, want) || got.String() != "75.0 ± 25.0 %" {
		t.Errorf("%v prints %v, want %v", got, got.String(), want)
	}
}

// Without a graph, labels go by id; nodes without one take no part.
func TestEvalOfVectorsWithSomeLabels(t *testing.T) {
	d, _ := community(t)
	ids := rowNames(nil, 300)
	for i := range ids {
		ids[i] = "node " + ids[i]
	}
	y := mat.NewDense(300, 3, nil)
	var labels strings.Builder
	for i := range ids {
		// Classes are apart, but nodes without a label lie among the wrong ones.
		if i%3 > 0 {
			fmt.Fprintf(&labels, "%q,class %d\n", ids[i], d.Labels[i])
			y.Set(i, d.Labels[i], 4)
		} else {
			y.Set(i, (d.Labels[i]+1)%3, 4)
		}
	}
	vectors := text(t, func(b *bytes.Buffer) error { return dataset.WriteTSV(b, ids, y) })
	dir := folder(t, map[string]string{"y.tsv": vectors, "labels.csv": labels.String()})
	e := evaluated(t, "-embedding", filepath.Join(dir, "y.tsv"), "-labels", filepath.Join(dir, "labels.csv"), "-per-class", "5", "-count", "2", "-runs", "1")
	if e.Nodes != 300 || e.Labelled != 200 || e.Classes != 3 {
		t.Errorf("sizes %+v", e)
	}
	testkit.WantSame(t, "accuracy of classes that are apart", e.Classification.Accuracy.Mean, 100.0)
	testkit.WantSame(t, "accuracy of clusters that are apart", e.Clustering.Accuracy.Mean, 100.0)
}

func TestEvalTakesTheMasksOfAnArchive(t *testing.T) {
	d, _ := community(t)
	splits := testkit.Must(d.RandomSplits(4, 3, 9))
	for i := range splits {
		splits[i].Test = splits[i].TestNodes(300)
	}
	d.Splits = splits
	path := archiveOf(t, d)
	e := evaluated(t, path, "-runs", "0")
	if len(e.Classification.Accuracy.Each) != 3 || e.Classification.Splits != "masks of the graph" || e.Clustering != nil {
		t.Errorf("with masks: %+v", e.Classification)
	}
	testkit.WantSame(t, "splits with -count", len(evaluated(t, path, "-runs", "0", "-count", "2").Classification.Accuracy.Each), 2)
}

// Where a class is too small for what was asked for, the output does not claim it.
func TestEvalSaysHowManyNodesWereDrawn(t *testing.T) {
	_, path := community(t)
	for perClass, want := range map[string]string{"33": "drawn, 33 nodes per class", "34": "drawn, 34 nodes per class, or a third of a smaller class"} { // of 100
		e := evaluated(t, path, "-dim", "4", "-per-class", perClass, "-count", "1", "-runs", "0")
		testkit.WantSame(t, "-per-class "+perClass, e.Classification.Splits, want)
	}
}
