package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"coles"
	"coles/dataset"
	"coles/gnn"
	"coles/gnn/optim"
	"coles/internal/testkit"
)

// smallTraining is a training of a second.
func smallTraining(more ...string) []string {
	return append([]string{"-network", "gcn:8 relu dropout:0.1 gcn:4", "-epochs", "6", "-seed", "5"}, more...)
}

// trained trains the same with the library.
func trained(t *testing.T, d *dataset.Dataset) *gnn.Model {
	t.Helper()
	g := testkit.Must(d.Graph())
	layers := []gnn.Layer{gnn.GCN(8), gnn.ReLU(), gnn.Dropout(0.1), gnn.GCN(4)}
	return testkit.Must(gnn.Train(t.Context(), g, d.Features, gnn.With(func(s *gnn.Settings) { s.Network, s.Epochs, s.Seed = layers, 6, 5 })))
}

func TestTrainWritesWhatTheLibraryTrains(t *testing.T) {
	d, path := community(t)
	m := trained(t, d)
	want := text(t, func(b *bytes.Buffer) error { return dataset.WriteTSV(b, nil, m.Embedding()) })
	dir := t.TempDir()
	out, network := filepath.Join(dir, "y.tsv"), filepath.Join(dir, "m.network")
	var s struct {
		Nodes, Dim int
		Fit        gnn.Report
	}
	printed := must(t, "", append([]string{"train", path, "-o", out, "-model", network, "-json"}, smallTraining()...)...)
	testkit.Check(t, json.Unmarshal([]byte(printed), &s))
	testkit.WantSame(t, "the embedding", read(t, out), want)
	if r := s.Fit; s.Nodes != 300 || s.Dim != 4 || r.Epochs != 6 || r.Parameters != m.Report().Parameters {
		t.Errorf("summary %s", printed)
	}

	// The model embeds, is measured and described.
	prints(t, want, "", "embed", path, "-with", network)
	testkit.WantSame(t, "measured columns", evaluated(t, path, "-with", network, "-count", "1", "-runs", "0").Columns, 4)
	testkit.WantText(t, must(t, "", "info", network), "layers: gcn:8 → relu → dropout:0.1 → gcn:4\n", "6 epochs")
	// A checkpoint is of the last epoch that -every divides.
	checkpoint := filepath.Join(dir, "c")
	must(t, "", append([]string{"train", path, "-checkpoint", checkpoint, "-every", "4"}, smallTraining()...)...)
	testkit.WantSame(t, "epoch of the checkpoint", testkit.Must(gnn.ReadCheckpoint(strings.NewReader(read(t, checkpoint)))).Epoch(), 4)
	info := decoded[struct{ Settings json.RawMessage }](t, "", "info", "-json", network)
	testkit.WantSame(t, "settings", asJSON(t, info.Settings), asJSON(t, m.Settings()))
}

// A preset, a file and options set what the library has under their names.
func TestTrainingSettings(t *testing.T) {
	_, edges, features := small(t)
	d := testkit.Must(dataset.OpenEdgeList(edges, features, ""))
	g := testkit.Must(d.Graph())
	stiefel := gnn.StiefelSettings()
	stiefel.Network = gnn.Network{gnn.GCN(512), gnn.ReLU(), gnn.GCN(2).Orthonormal()}
	stiefel.Norm, stiefel.Seed = 1, 7
	linear := gnn.LinearSettings()
	linear.Network = gnn.Network{gnn.Propagate(coles.S2GCSum(8)), gnn.Linear(2), gnn.PReLU()}
	linear.Objective, linear.Optimizer = gnn.SampledNCE(5, 1), optim.SGD(0.1, 0.9)
	for args, want := range map[string]gnn.Settings{
		"":                  gnn.DefaultSettings(),
		"-preset augmented": gnn.AugmentedSettings(),
		"-preset stiefel -settings - -dim 2 -seed 7": stiefel,
		"-preset linear -network propagate:s2gcsum:8|linear|prelu -dim 2 -objective sampled-nce:5,1 -optimizer sgd:0.1,0.9": linear,
	} {
		want.Epochs = 1
		m := testkit.Must(gnn.Train(t.Context(), g, d.Features, gnn.WithSettings(want)))
		network := filepath.Join(t.TempDir(), "m")
		words := append([]string{"train", edges, "-features", features, "-epochs", "1", "-model", network}, strings.Fields(args)...)
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "|", " ")
		}
		must(t, `{"epochs": 3, "norm": 1}`, words...)
		got := decoded[struct{ Settings json.RawMessage }](t, "", "info", "-json", network).Settings
		testkit.WantSame(t, args, asJSON(t, got), asJSON(t, m.Settings()))
	}
}
