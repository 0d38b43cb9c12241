package main

import (
	"bufio"
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

	"github.com/urfave/cli/v3"
	"gonum.org/v1/gonum/mat"
)

const trainDescription = `Trains a graph neural network on GRAPH, which has features, without labels, and
writes one row per node as "coles embed" does. The model of -model embeds other
graphs by "coles embed -with". For a graph without features, train on the file
that "coles embed GRAPH -o FILE.npz" writes.

-preset is one of coles-gcn (two layers, soft orthogonality), stiefel (the last
weight orthonormal), linear (one layer behind a filter), augmented (two views).
-network lists layers: gcn:WIDTH, linear:WIDTH, sage:WIDTH, the first two also
with ",orthonormal"; relu, prelu, elu, dropout:RATE, propagate:FILTER.
-objective is one of coles:BETA, sampled-nce:NEGATIVES,ETA, power-mean:P,NEGATIVES;
-optimizer of adam:RATE,DECAY, sgd:RATE,MOMENTUM,DECAY (both also with
",decoupled").

-checkpoint keeps the training every so many epochs; -resume goes on from there
with the same GRAPH, to the bytes of a training that was not interrupted.

Examples:
   coles train cora.npz -o cora.npy -model cora.network
   coles train cora.npz -network "gcn:256 relu gcn:64" -checkpoint cora.checkpoint -o cora.txt
   coles train cora.npz -resume cora.checkpoint -o cora.txt`

func trainCommand(s streams) *cli.Command {
	return &cli.Command{
		Name: "train", Usage: "a vector for every node, by a graph neural network",
		ArgsUsage: "[GRAPH]", Description: trainDescription,
		Flags: append(slices.Concat(trainingFlags(), graphFlags(), outputFlags()),
			fileFlag("checkpoint", "keep the training in `FILE`"),
			&cli.IntFlag{Name: "every", Value: 1, Usage: "so often, in `EPOCHS`"},
			fileFlag("resume", "go on with the training in `FILE`"),
			&cli.BoolFlag{Name: "json", Usage: "print sizes, seconds and what the training did as JSON; with -o FILE"},
		),
		Action: action(s, func(ctx context.Context, c *cli.Command, in *inputs, s streams) error {
			return writeEmbedding(ctx, c, in, s, func() (maker, error) { return newTrainer(ctx, c, in) })
		}),
	}
}

// trainingFlags are the options that change what a training does.
func trainingFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "preset", Value: "coles-gcn", Usage: "`NAME` of the settings to begin with, see above"},
		fileFlag("settings", "settings from a JSON `FILE`; the options below change them"),
		&cli.StringFlag{Name: "network", Usage: "`LAYERS`, see above, with spaces between them"},
		&cli.IntFlag{Name: "dim", Usage: "`COLUMNS` of the embedding: the width of the last layer with one", HideDefault: true},
		&cli.StringFlag{Name: "objective", Usage: "`NAME:NUMBERS` of what is trained for, see above"},
		&cli.StringFlag{Name: "optimizer", Usage: "`NAME:NUMBERS` of the rule of the steps, see above"},
		&cli.IntFlag{Name: "epochs", Usage: "go `TIMES` through all nodes, at most", HideDefault: true},
		&cli.Uint64Flag{Name: "seed", Usage: "`SEED` of all random draws (default: 1)", HideDefault: true},
	}
}

// presets are the settings to begin with.
var presets = map[string]func() gnn.Settings{
	"coles-gcn": gnn.DefaultSettings, "stiefel": gnn.StiefelSettings,
	"linear": gnn.LinearSettings, "augmented": gnn.AugmentedSettings,
}

// trainingSettings are the settings of a preset, changed by a file and the options.
func trainingSettings(ctx context.Context, c *cli.Command, in *inputs) (s gnn.Settings, err error) {
	preset, ok := presets[c.String("preset")]
	if !ok {
		return s, usagef("-preset %s: want coles-gcn, stiefel, linear or augmented", c.String("preset"))
	}
	s = preset()
	file, err := readSettingsFile(ctx, c, in)
	if err == nil && file != nil {
		err = file.change(&s)
	}
	if err != nil {
		return s, err
	}
	if c.IsSet("network") {
		if s.Network, err = parseNetwork(strings.Fields(c.String("network"))); err != nil {
			return s, badOption("network", err)
		}
	}
	if c.IsSet("dim") {
		if s.Network, err = withWidth(s.Network, c.Int("dim")); err != nil {
			return s, err
		}
	}
	if err := cmp.Or(setText(c, "objective", &s.Objective), setText(c, "optimizer", &s.Optimizer), atLeast1(c, "epochs")); err != nil {
		return s, err
	}
	setNumber(c, "epochs", &s.Epochs, c.Int)
	setNumber(c, "seed", &s.Seed, c.Uint64)
	return s, nil
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

func newTrainer(ctx context.Context, c *cli.Command, in *inputs) (*trainer, error) {
	t := &trainer{progress: in.progress}
	if err := t.keepCheckpoints(ctx, c); err != nil {
		return nil, err
	}
	if !c.IsSet("resume") {
		s, err := trainingSettings(ctx, c, in)
		t.options = append(t.options, gnn.WithSettings(s))
		return t, err
	}
	for _, f := range trainingFlags() {
		if name := f.Names()[0]; c.IsSet(name) && name != "epochs" {
			return nil, usagef("-%s is for a new training, and -resume goes on with one", name)
		}
	}
	var err error
	if t.from, err = readPath(ctx, in, c.String("resume"), readCheckpoint); err != nil {
		return nil, err
	}
	if c.IsSet("epochs") {
		epochs := c.Int("epochs")
		if epochs < t.from.Epoch() {
			return nil, usagef("-epochs %d: %d are done", epochs, t.from.Epoch())
		}
		t.options = append(t.options, gnn.With(func(s *gnn.Settings) { s.Epochs = epochs }))
	}
	return t, nil
}

// keepCheckpoints has the training written to the file of -checkpoint, which takes its name only
// when it is whole.
func (t *trainer) keepCheckpoints(ctx context.Context, c *cli.Command) error {
	path, every := c.String("checkpoint"), c.Int("every")
	if err := atLeast1(c, "every"); err != nil {
		return err
	}
	switch {
	case path == "" && c.IsSet("every"):
		return usagef("-every is for -checkpoint")
	case path == "":
		return nil
	case path == standard, sameFile(path, c.String("o")), sameFile(path, c.String("model")), sameFile(path, c.String("write-ids")):
		return usagef("-checkpoint %s: want a file of its own", path)
	}
	out, err := newOutput(c, c.Args().Slice(), "-checkpoint", path, true, streams{})
	t.options = append(t.options, gnn.WithCheckpoints(every, func(at *gnn.Checkpoint) error {
		return out.write(ctx, func(w io.Writer) error { _, err := at.WriteTo(w); return err })
	}))
	return err
}

// readCheckpoint reads a training and nothing after it.
func readCheckpoint(r *bufio.Reader) (*gnn.Checkpoint, error) {
	at, err := gnn.ReadCheckpoint(r)
	return at, atEnd(r, err)
}

func (t *trainer) embed(ctx context.Context, g *coles.Graph, x mat.Matrix) (model, mat.Matrix, error) {
	if x == nil {
		return nil, nil, errors.New(`a network is trained on features, and the graph has none: name a file of them by -features, or train on what "coles embed GRAPH -o FILE.npz" writes`)
	}
	defer t.progress.clear()
	options := append(t.options, gnn.WithProgress(t.progress.show))
	var m *gnn.Model
	var err error
	if t.from != nil {
		m, err = gnn.Resume(ctx, t.from, g, x, options...)
	} else {
		m, err = gnn.Train(ctx, g, x, options...)
	}
	if bad := (*coles.SettingError)(nil); errors.As(err, &bad) {
		err = errors.New(err.Error()) // by its name in -settings: its option, if there is one, is of "coles embed"
	}
	if err != nil {
		return nil, nil, err
	}
	return m, m.Embedding(), nil
}
