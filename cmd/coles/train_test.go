package main

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"coles"
	"coles/dataset"
	"coles/gnn"
	"coles/gnn/optim"
	"coles/internal/testkit"

	"github.com/urfave/cli/v3"
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
	s := embedSummary{Fit: &gnn.Report{}}
	printed := must(t, "", append([]string{"train", path, "-o", out, "-model", network, "-json"}, smallTraining()...)...)
	testkit.Check(t, json.Unmarshal([]byte(printed), &s))
	testkit.WantSame(t, "the embedding", read(t, out), want)
	if r := s.Fit.(*gnn.Report); s.Nodes != 300 || s.Dim != 4 || r.Epochs != 6 || r.Parameters != m.Report().Parameters {
		t.Errorf("summary %s", printed)
	}

	// The model embeds, is measured and described.
	prints(t, want, "", "embed", path, "-with", network)
	testkit.WantSame(t, "measured columns", evaluated(t, path, "-with", network, "-count", "1", "-runs", "0").Columns, 4)
	testkit.WantText(t, must(t, "", "info", network), "layers: gcn:8 → relu → dropout:0.1 → gcn:4\n", "6 epochs")
	info := decoded[networkInfo](t, "", "info", "-json", network)
	testkit.WantSame(t, "settings", asJSON(t, info.Settings), asJSON(t, m.Settings()))
}

// A graph without features is trained on what embed writes.
func TestTrainOnEmbedding(t *testing.T) {
	d, _ := community(t)
	d.Features, d.FeatureNames = nil, nil
	path := archiveOf(t, d)
	embedded := filepath.Join(t.TempDir(), "y.npz")
	must(t, "", "embed", path, "-o", embedded)
	d.Features = testkit.Must(coles.Fit(t.Context(), testkit.Must(d.Graph()), nil)).Embedding()
	want := text(t, func(b *bytes.Buffer) error { return dataset.WriteTSV(b, nil, trained(t, d).Embedding()) })
	prints(t, want, "", append([]string{"train", embedded}, smallTraining()...)...)
}

// A training that goes on after three epochs of six ends with the bytes of one without the break.
func TestTrainResumes(t *testing.T) {
	_, path := community(t)
	dir := t.TempDir()
	checkpoint := filepath.Join(dir, "c")
	want := must(t, "", append([]string{"train", path}, smallTraining()...)...)
	must(t, "", append([]string{"train", path}, smallTraining("-epochs", "4", "-checkpoint", checkpoint, "-every", "3")...)...)
	if at, err := readPath(t.Context(), &inputs{}, checkpoint, readCheckpoint); err != nil || at.Epoch() != 3 {
		t.Fatalf("the checkpoint is of epoch %v, %v; want 3", at, err)
	}
	// It may keep on in the same file.
	prints(t, want, "", "train", path, "-resume", checkpoint, "-epochs", "6", "-checkpoint", checkpoint)
	prints(t, want, "", "train", path, "-resume", checkpoint)
	refused(t, dir, exitFailure, "checkpoint of another training", edgesText, "train", "-features", filepath.Join(folder(t, map[string]string{"x.csv": featuresText}), "x.csv"), "-resume", checkpoint)
}

func TestTrainingSettings(t *testing.T) {
	dir := folder(t, map[string]string{"s.json": `{"epochs": 3, "norm": 1}`})
	stiefel := gnn.StiefelSettings()
	stiefel.Network = gnn.Network{gnn.GCN(512), gnn.ReLU(), gnn.GCN(32).Orthonormal()}
	stiefel.Epochs, stiefel.Norm, stiefel.Seed = 3, 1, 7
	linear := gnn.LinearSettings()
	linear.Network = gnn.Network{gnn.Propagate(coles.S2GCSum(8)), gnn.Linear(16), gnn.PReLU()}
	linear.Objective, linear.Optimizer, linear.Epochs = gnn.SampledNCE(5, 1), optim.SGD(0.1, 0.9), 2
	augmented := gnn.AugmentedSettings()
	for args, want := range map[string]gnn.Settings{
		"":                  gnn.DefaultSettings(),
		"-preset augmented": augmented,
		"-preset stiefel -settings " + filepath.Join(dir, "s.json") + " -dim 32 -seed 7":                                               stiefel,
		"-preset linear -network propagate:s2gcsum:8|linear|prelu -dim 16 -objective sampled-nce:5,1 -optimizer sgd:0.1,0.9 -epochs 2": linear,
	} {
		words := strings.Fields(args)
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "|", " ")
		}
		testkit.WantSame(t, args, asJSON(t, settingsOf(t, words)), asJSON(t, want))
	}
}

// settingsOf are the settings that options of train make.
func settingsOf(t *testing.T, args []string) (s gnn.Settings) {
	t.Helper()
	c := trainCommand(streams{})
	c.Action = func(ctx context.Context, c *cli.Command) (err error) {
		s, err = trainingSettings(ctx, c, &inputs{})
		return err
	}
	testkit.Check(t, c.Run(t.Context(), append([]string{"train"}, args...)))
	return s
}

func TestTrainRefuses(t *testing.T) {
	dir, edges, features := small(t)
	out, settings := filepath.Join(dir, "out.tsv"), filepath.Join(dir, "s.json")
	write(t, settings, `{"kappa": 5}`)
	for name, c := range map[string]struct {
		args []string
		code int
		text string
	}{
		"no such preset":        {[]string{"-preset", "gat"}, exitUsage, "-preset gat"},
		"no such layer":         {[]string{"-network", "gat:8"}, exitUsage, "-network gat:8: want gcn, linear"},
		"no such objective":     {[]string{"-objective", "best"}, exitUsage, "-objective best: want coles, sampled-nce"},
		"no such optimizer":     {[]string{"-optimizer", "lbfgs"}, exitUsage, "-optimizer lbfgs: want adam, sgd"},
		"no epochs":             {[]string{"-epochs", "0"}, exitUsage, "-epochs 0"},
		"no columns":            {[]string{"-dim", "0"}, exitUsage, "-dim 0"},
		"never a checkpoint":    {[]string{"-checkpoint", out, "-every", "0"}, exitUsage, "-every 0"},
		"every without a file":  {[]string{"-every", "2"}, exitUsage, "-checkpoint"},
		"checkpoint on output":  {[]string{"-checkpoint", out, "-o", out}, exitUsage, "file of its own"},
		"checkpoint on input":   {[]string{"-checkpoint", edges}, exitUsage, "that is read"},
		"other settings":        {[]string{"-resume", out, "-seed", "3"}, exitUsage, "-seed"},
		"no such checkpoint":    {[]string{"-resume", out}, exitFailure, "out.tsv"},
		"junk for a checkpoint": {[]string{"-resume", features}, exitFailure, "features.csv"},
		"no layer with weights": {[]string{"-network", "relu", "-features", features}, exitFailure, "Network[0] = relu, want a weight before it"},
		"no features":           {nil, exitFailure, "-features"},
		"a setting not used":    {[]string{"-features", features, "-settings", settings}, exitFailure, "coles: bad setting: Kappa = 5, want 1, since"},
		"unknown setting":       {[]string{"-settings", "-"}, exitFailure, "standard input"},
	} {
		t.Run(name, func(t *testing.T) {
			refused(t, dir, c.code, c.text, `{"layers": 3}`, append([]string{"train", edges}, c.args...)...)
		})
	}
}
