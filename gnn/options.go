package gnn

import (
	"context"
	"errors"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// An Option changes one choice of [Train], [Resume] or [TrainClassifier].
type Option func(*config)

type config struct {
	Settings
	progress                   coles.Progress
	watch                      func(EpochReport)
	every, patience, saveEvery int
	score                      func(ctx context.Context, epoch int, y *mat.Dense) (float64, error)
	save                       func(*Checkpoint) error
}

// newConfig applies options to settings and checks the result.
func newConfig(s Settings, opts []Option) (config, error) {
	c := config{Settings: s, progress: func(string, int, int) {}}
	for _, o := range opts {
		o(&c)
	}
	err := c.check()
	if c.score != nil && (c.every < 1 || c.patience < 1) {
		err = errors.Join(err, bad("every, patience", [2]int{c.every, c.patience}, "at least 1 epoch for a validation"))
	}
	if c.save != nil && c.saveEvery < 1 {
		err = errors.Join(err, bad("every", c.saveEvery, "at least 1 epoch for checkpoints"))
	}
	if c.score != nil && c.Patience > 0 {
		err = errors.Join(err, bad("Patience", c.Patience, "0 with a validation, which has its own"))
	}
	return c, err
}

// WithSettings replaces all settings at once; later options change them further.
func WithSettings(s Settings) Option { return func(c *config) { c.Settings = s } }

// With changes settings as the earlier options left them.
func With(change func(s *Settings)) Option {
	return func(c *config) {
		c.Settings = c.clone()
		change(&c.Settings)
	}
}

// WithNetwork sets the layers.
func WithNetwork(layers ...Layer) Option { return func(c *config) { c.Network = layers } }

// WithObjective sets what the network is trained for.
func WithObjective(o Objective) Option { return func(c *config) { c.Objective = o } }

// WithEpochs sets how often all nodes are gone through.
func WithEpochs(epochs int) Option { return func(c *config) { c.Epochs = epochs } }

// WithSeed sets the seed of all random draws (1).
func WithSeed(seed uint64) Option { return func(c *config) { c.Seed = seed } }

// WithProgress calls f from the calling goroutine with the stage "train" and the number of epochs, before
// the first and after each.
func WithProgress(f coles.Progress) Option { return func(c *config) { c.progress = f } }

// WithEpochReport calls f, from the calling goroutine, after every epoch.
func WithEpochReport(f func(EpochReport)) Option { return func(c *config) { c.watch = f } }

// WithValidation judges the embedding at that interval of epochs, stops once patience judgements in
// a row have brought no better one than before, and goes back to the parameters of the best. It is
// the place for labels of validation nodes.
//
// A score is the better the higher it is; rows of y are in the order of the graph's. score may keep
// the matrix.
func WithValidation(every, patience int, score func(ctx context.Context, epoch int, y *mat.Dense) (float64, error)) Option {
	return func(c *config) { c.every, c.patience, c.score = every, patience, score }
}

// WithCheckpoints calls save at that interval of epochs. An error of save ends the training.
func WithCheckpoints(every int, save func(*Checkpoint) error) Option {
	return func(c *config) { c.saveEvery, c.save = every, save }
}
