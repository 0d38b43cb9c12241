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

// WithSettings replaces all settings; later options change them further.
func WithSettings(s Settings) Option { return func(c *config) { c.Settings = s } }

// With changes settings as the earlier options left them.
func With(change func(s *Settings)) Option {
	return func(c *config) {
		c.Settings = c.clone()
		change(&c.Settings)
	}
}

// WithProgress calls f with the stage "train" at first and after each epoch.
func WithProgress(f coles.Progress) Option { return func(c *config) { c.progress = f } }

// WithEpochReport calls f, from the calling goroutine, after every epoch.
func WithEpochReport(f func(EpochReport)) Option { return func(c *config) { c.watch = f } }

// WithValidation judges the embedding every so many epochs, stops once patience judgements in a row are
// no better, and goes back to the best parameters. A higher score is better; it may use labels of
// validation nodes, and keep y, whose rows are the graph's.
func WithValidation(every, patience int, score func(ctx context.Context, epoch int, y *mat.Dense) (float64, error)) Option {
	return func(c *config) { c.every, c.patience, c.score = every, patience, score }
}

// WithCheckpoints calls save every so many epochs. Its error ends training.
func WithCheckpoints(every int, save func(*Checkpoint) error) Option {
	return func(c *config) { c.saveEvery, c.save = every, save }
}
