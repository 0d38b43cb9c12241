package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"coles"
	"coles/gnn"
	"coles/task"

	"github.com/urfave/cli/v3"
)

// trainOptions are the options of the command.
type trainOptions struct {
	inputOptions
	out                           embeddingOutput
	preset, settings              string
	network, objective, optimizer string
	dim, epochs, every            int
	seed                          uint64
	checkpoint, resume            string
}

func trainCommand(s streams) *cli.Command {
	o := &trainOptions{}
	return command(s, spec{
		input: &o.inputOptions, name: "train", usage: "a vector for every node, by a graph neural network", args: "[GRAPH]",
		first: []string{"features", "labels", "preset", "network", "objective", "dim", "epochs", "seed", "model", "o"},
		flags: slices.Concat(o.training(), o.graphFlags(), o.out.flags(), []cli.Flag{
			ofOutput.file(&o.checkpoint, "checkpoint", "keep the training in `FILE`"),
			ofOutput.usually(&o.every, "every", 1, "so often, in `EPOCHS`"),
			ofModel.file(&o.resume, "resume", "go on with the training in `FILE`"),
			ofOutput.yes(&o.out.json, "json", "print sizes, seconds and what the training did as JSON; with -o FILE"),
		}),
		run: o.run,
	})
}

// training are the options that change what a training does.
func (o *trainOptions) training() []cli.Flag {
	preset := ofModel.text(&o.preset, "preset", "`NAME` of the settings to begin with, see above")
	preset.Value = "coles-gcn"
	return []cli.Flag{
		preset,
		ofModel.file(&o.settings, "settings", "settings from a JSON `FILE`; the options below change them"),
		ofModel.text(&o.network, "network", "`LAYERS`, see above, with spaces between them"),
		ofModel.whole(&o.dim, "dim", "`COLUMNS` of the embedding: the width of the last layer with one"),
		ofModel.text(&o.objective, "objective", "`NAME:NUMBERS` of what is trained for, see above"),
		ofModel.text(&o.optimizer, "optimizer", "`NAME:NUMBERS` of the rule of the steps, see above"),
		ofModel.whole(&o.epochs, "epochs", "go `TIMES` through all nodes, at most"),
		ofModel.seed(&o.seed),
	}
}

func (o *trainOptions) run(ctx context.Context, s *session) error {
	if err := o.out.check(); err != nil {
		return err
	}
	w := &embedding{o: &o.out, new: &newcomerOptions{}}
	return w.write(ctx, s, func() (maker, error) {
		t, err := o.trainer(ctx, s)
		return t.embed, err
	})
}

// presets are the settings to begin with.
var presets = map[string]func() gnn.Settings{
	"coles-gcn": gnn.DefaultSettings, "stiefel": gnn.StiefelSettings,
	"linear": gnn.LinearSettings, "augmented": gnn.AugmentedSettings,
}

// begin are the settings of a preset, changed by a file and the options.
func (o *trainOptions) begin(ctx context.Context, s *session) (to gnn.Settings, err error) {
	preset, ok := presets[o.preset]
	if !ok {
		return to, usagef("-preset %s: want coles-gcn, stiefel, linear or augmented", o.preset)
	}
	to = preset()
	file, err := readSettingsFile(ctx, s, o.settings)
	if err == nil && file != nil {
		err = file.change(&to)
	}
	if err != nil {
		return to, err
	}
	if s.set("network") {
		if to.Network, err = parseNetwork(strings.Fields(o.network)); err != nil {
			return to, badOption("network", err)
		}
	}
	if s.set("dim") {
		if to.Network, err = withWidth(to.Network, o.dim); err != nil {
			return to, err
		}
	}
	if err := cmp.Or(setText(s, "objective", o.objective, &to.Objective), setText(s, "optimizer", o.optimizer, &to.Optimizer), s.atLeast1("epochs", o.epochs)); err != nil {
		return to, err
	}
	setTo(s, "epochs", &to.Epochs, o.epochs)
	setTo(s, "seed", &to.Seed, o.seed)
	return to, nil
}

// parseNetwork reads layers in their text forms.
func parseNetwork(texts []string) (gnn.Network, error) {
	n := make(gnn.Network, len(texts))
	for i, text := range texts {
		if err := n[i].UnmarshalText([]byte(text)); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// withWidth gives the last layer that has a width another one. Without such a layer the training
// refuses the network.
func withWidth(n gnn.Network, width int) (gnn.Network, error) {
	if width < 1 || width > math.MaxInt32 {
		return nil, usagef("-dim %d: want 1 to %d", width, math.MaxInt32)
	}
	n = slices.Clone(n)
	for i, layer := range slices.Backward(n) {
		name, rest, _ := strings.Cut(layer.String(), ":")
		if !slices.Contains([]string{"gcn", "linear", "sage"}, name) {
			continue
		}
		wide := fmt.Sprintf("%s:%d", name, width)
		if strings.HasSuffix(rest, "orthonormal") {
			wide += ",orthonormal"
		}
		return n, n[i].UnmarshalText([]byte(wide))
	}
	return n, nil
}

// A trainer trains a network, or goes on with a training.
type trainer struct {
	from     *gnn.Checkpoint // nil for a new training
	options  []gnn.Option
	progress *progressLine
}

func (o *trainOptions) trainer(ctx context.Context, s *session) (*trainer, error) {
	t := &trainer{progress: s.progress}
	if err := o.keepCheckpoints(ctx, s, t); err != nil {
		return nil, err
	}
	if o.resume == "" {
		settings, err := o.begin(ctx, s)
		t.options = append(t.options, gnn.WithSettings(settings))
		return t, err
	}
	for _, name := range namesOf(new(trainOptions).training()) {
		if s.set(name) && name != "epochs" {
			return nil, usagef("-%s is for a new training, and -resume goes on with one", name)
		}
	}
	var err error
	if t.from, err = readPath(ctx, s, o.resume, readCheckpoint); err != nil {
		return nil, err
	}
	if s.set("epochs") {
		if o.epochs < t.from.Epoch() {
			return nil, usagef("-epochs %d: %d are done", o.epochs, t.from.Epoch())
		}
		t.options = append(t.options, gnn.With(func(s *gnn.Settings) { s.Epochs = o.epochs }))
	}
	return t, nil
}

// keepCheckpoints has the training written to the file of -checkpoint, which takes its name only
// when it is whole.
func (o *trainOptions) keepCheckpoints(ctx context.Context, s *session, t *trainer) error {
	path := o.checkpoint
	if err := s.atLeast1("every", o.every); err != nil {
		return err
	}
	switch {
	case path == "" && s.set("every"):
		return usagef("-every is for -checkpoint")
	case path == "":
		return nil
	case path == standard, sameFile(path, o.out.path), sameFile(path, o.out.model), sameFile(path, o.out.ids.path):
		return usagef("-checkpoint %s: want a file of its own", path)
	}
	out, err := s.output(s.args, "-checkpoint", path, true)
	t.options = append(t.options, gnn.WithCheckpoints(o.every, func(at *gnn.Checkpoint) error {
		return out.write(ctx, func(w io.Writer) error { _, err := at.WriteTo(w); return err })
	}))
	return err
}

// readCheckpoint reads a training and nothing after it.
func readCheckpoint(r io.Reader) (*gnn.Checkpoint, error) {
	at, err := gnn.ReadCheckpoint(r)
	if n, _ := r.Read(make([]byte, 1)); err == nil && n > 0 {
		err = fmt.Errorf("%w: bytes after its end", coles.ErrFormat)
	}
	return at, err
}

func (t *trainer) embed(ctx context.Context, d *task.Data) (*task.Fitted, error) {
	if d.Features == nil {
		return nil, errors.New(`a network is trained on features, and the graph has none: name a file of them by -features, or train on what "coles embed GRAPH -o FILE.npz" writes`)
	}
	defer t.progress.clear()
	options := append(t.options, gnn.WithProgress(t.progress.show))
	var m *gnn.Model
	var err error
	if t.from != nil {
		m, err = gnn.Resume(ctx, t.from, d.Graph, d.Features, options...)
	} else {
		m, err = gnn.Train(ctx, d.Graph, d.Features, options...)
	}
	if bad := (*coles.SettingError)(nil); errors.As(err, &bad) {
		err = errors.New(err.Error()) // by its name in -settings: its option, if there is one, is of "coles embed"
	}
	if err != nil {
		return nil, err
	}
	return &task.Fitted{Model: m, Rows: m.Embedding()}, nil
}
