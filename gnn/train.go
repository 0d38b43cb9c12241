package gnn

import (
	"context"
	"fmt"

	"coles"
	"coles/gnn/autodiff"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// Train trains a network on a graph with features X (n × d), without labels, and embeds its nodes. It
// begins with [DefaultSettings]. Without features x may be the embedding that [coles.Fit] makes. An epoch of the default takes some 6·(nnz(X)·k + nnz(W)·(k+d′) + n·k·d′ + n·d′²/2) multiplications for
// k hidden and d′ output columns. The memory is [Report].Memory besides data, parameters, and what a
// step draws. The result depends on the input and the settings only, to the byte. Errors: those of [Model.Embed], [coles.ErrSetting], [coles.ErrDense], [ErrDiverged], and the callbacks'.
func Train(ctx context.Context, g *coles.Graph, x mat.Matrix, opts ...Option) (*Model, error) {
	c, err := newConfig(DefaultSettings(), opts)
	if err != nil {
		return nil, err
	}
	return fit(ctx, c, g, x, nil, supervision{})
}

func fit(ctx context.Context, c config, g *coles.Graph, x mat.Matrix, from *Checkpoint, s supervision) (*Model, error) {
	if err := c.known(); err != nil {
		return nil, err
	}
	if from == nil { // else the training before has seen to it
		if err := c.checkUsed(); err != nil {
			return nil, err
		}
	}
	if c.Objective.spec.Labels != (s.classes > 0) {
		return nil, bad("Objective", c.Objective, "one that reads labels for TrainClassifier, and for it alone")
	}
	if (c.BatchSize > 0 || c.Sampler.Some()) && c.Patience > 0 && s.classes == 0 {
		return nil, bad("Patience", c.Patience, "0 in batches, whose losses are of other nodes in every epoch")
	}
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	if c.Precision == coles.Float64 {
		return fitIn[float64](ctx, c, g, x, from, s)
	}
	c.Precision = coles.Float32
	return fitIn[float32](ctx, c, g, x, from, s)
}

func fitIn[T autodiff.Float](ctx context.Context, c config, g *coles.Graph, x mat.Matrix, from *Checkpoint, s supervision) (*Model, error) {
	r, err := newRun[T](ctx, c, g, x, s)
	if err != nil {
		return nil, err
	}
	if from != nil {
		if err := r.restore(from); err != nil {
			return nil, err
		}
	}
	if err := r.train(ctx); err != nil {
		return nil, err
	}
	return r.model(ctx)
}

// Resume goes on with a training from a checkpoint, on the same graph and features: the result has the
// bytes of a training without the interruption.
//
// Options set callbacks anew, which a checkpoint does not keep, and a [coles.NegativeFunc] and a program's
// own choices, of which it keeps the names. They may change the number of epochs, to those done at least,
// but not under [optim.Cosine], which falls over all of them. A validation judges the last epoch of the
// first training, too. Without the validation that the training had, its best parameters are forgotten.
//
// Errors: [ErrCheckpoint] where data or another setting differ, and as [Train].
func Resume(ctx context.Context, from *Checkpoint, g *coles.Graph, x mat.Matrix, opts ...Option) (*Model, error) {
	was := from.header.Settings
	c, err := newConfig(was, opts)
	if err != nil {
		return nil, err
	}
	c.Network = c.Network.resolve(from.header.Features, 0)
	if c.Schedule.Ends() && c.Epochs != was.Epochs {
		return nil, fmt.Errorf("gnn: resume: %w: the schedule falls over %d epochs, not %d", ErrCheckpoint, was.Epochs, c.Epochs)
	}
	was.Epochs = c.Epochs
	if fmt.Sprint(was) != fmt.Sprint(c.Settings) { // by the text forms, as files hold no functions
		return nil, fmt.Errorf("gnn: resume: %w: a setting differs", ErrCheckpoint)
	}
	if c.Epochs < from.header.Epoch {
		return nil, bad("Epochs", c.Epochs, "at least the %d that are done", from.header.Epoch)
	}
	return fit(ctx, c, g, x, from, supervision{})
}
