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

// evaluationShown is the JSON of eval.
type evaluationShown struct {
	Embedding                         string
	Nodes, Columns, Labelled, Classes int
	Classification                    struct{ Accuracy percents }
	Shares                            []struct {
		Micro *percents `json:"micro_f1"`
	}
	Choice     *choiceShown
	Clustering *struct{ Accuracy, NMI, F1 percents }
}

type choiceShown struct {
	Kind      coles.Kind
	Alignment *coles.Alignment
	Other     coles.Kind
	Accuracy  percents `json:"other_accuracy"`
}

// percents are the library's measurements, which are shares.
type percents struct {
	Mean, Std float64
	Each      []float64
}

func inPercent(m eval.Measurements) percents {
	p := percents{100 * m.Mean, 100 * m.Std, nil}
	for _, v := range m.Each {
		p.Each = append(p.Each, 100*v)
	}
	return p
}

func evaluated(t *testing.T, args ...string) evaluationShown {
	t.Helper()
	return decoded[evaluationShown](t, "", append([]string{"eval", "-json"}, args...)...)
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
	testkit.WantSame(t, "accuracy", e.Classification.Accuracy, inPercent(*want))
	testkit.WantSame(t, "clustering", *e.Clustering, struct{ Accuracy, NMI, F1 percents }{inPercent(clusters.Accuracy), inPercent(clusters.NMI), inPercent(clusters.F1)})

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
