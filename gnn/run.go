package gnn

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"coles"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/internal/archive"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/matrix"

	"gonum.org/v1/gonum/mat"
)

// A run is a training in numbers of type T.
type run[T autodiff.Float] struct {
	config
	prepare *coles.Preparer
	data    *data[T]
	tape    *autodiff.Tape[T]
	encoder encoder[T]
	labels  supervision // of a classifier
	started time.Time
	shapes  []shape   // of the network's parameters
	whole   *batch[T] // what stays of the batch of all nodes
	views   []*custom.View
	seen    map[*custom.View]*view[T] // what has been made of the views
	samples custom.Samples            // nil before the first
	classes []int                     // with a sampler, that each node is trained on, −1 for none
	report  Report                    // what is known of it before the first step

	// The state, which a checkpoint keeps together with the parameters.
	epoch int
	steps []int // of each phase
	best  best[T]
	last  EpochReport
}

// best is the best that a judge has seen.
type best[T autodiff.Float] struct {
	epoch  int // 0 before the first
	score  float64
	params []autodiff.Matrix[T]
}

// targets are nodes, and the outputs that they should have.
type targets struct{ rows, classes []int }

// supervision holds the labels that train and stop a classifier; the zero value is none.
type supervision struct {
	classes    int
	train, val targets
}

// newRun prepares a training.
func newRun[T autodiff.Float](ctx context.Context, c config, g *coles.Graph, x mat.Matrix, s supervision) (*run[T], error) {
	r := &run[T]{config: c, labels: s, started: time.Now(), tape: autodiff.New[T](ctx)}
	r.last.Score, r.last.Best = math.NaN(), math.NaN()
	source, err := readFeatures(ctx, g, x)
	if err != nil {
		return nil, err
	}
	d := source.Cols()
	r.Network = r.Network.resolve(d, s.classes)
	if r.shapes, err = r.Network.shapes(g.Nodes(), d); err != nil {
		return nil, err
	}
	more, err := r.Objective.shapes(d, r.Network.width())
	if err != nil {
		return nil, err
	}
	all := slices.Concat(r.shapes, more)
	if len(all) == 0 || len(all) > maxParameters {
		return nil, bad("Network", r.Network, "1 to %d parameters to train, not %d", maxParameters, len(all))
	}
	r.report = Report{Graph: g.Report(), Features: d, Dim: r.Network.width(), Precision: r.Precision, Version: archive.ModuleVersion()}
	if r.report.GraphHash, err = matrix.HashCSR(ctx, inside.Adjacency(g)); err != nil {
		return nil, err
	}
	if r.report.FeaturesHash, err = matrix.Hash(ctx, source); err != nil {
		return nil, err
	}
	if r.prepare, err = r.Preparation.Fit(ctx, source); err != nil {
		return nil, fmt.Errorf("gnn: %w", err)
	}
	r.report.Preparation = r.prepare.Preparation()
	if r.data, err = newData[T](ctx, g, source, r.prepare, r.Settings); err != nil {
		return nil, err
	}
	if r.encoder, err = newEncoder[T](ctx, r.Network, all, r.seedOf(drawWeights, 0, 0)); err != nil {
		return nil, err
	}
	r.steps = make([]int, len(r.Objective.phases()))
	for _, p := range r.encoder.params {
		if !p.Averaged {
			r.report.Parameters += p.Rows * p.Cols
		}
		for range r.steps {
			var moments []autodiff.Matrix[T]
			for range r.Optimizer.Moments() {
				m := kernel.Unset[T](p.Rows, p.Cols)
				if err := matrix.Clear(ctx, m); err != nil { // to read fresh memory before it is written takes longer
					return nil, err
				}
				moments = append(moments, m)
			}
			p.moments = append(p.moments, moments)
		}
	}
	return r, nil
}

// train runs the epochs that are left.
func (r *run[T]) train(ctx context.Context) error {
	if !r.judged() && r.Patience == 0 {
		r.best = best[T]{} // of a training before this one, which had a judge
	}
	r.progress("train", r.epoch, r.Epochs)
	for r.epoch < r.Epochs && !r.ended() {
		if err := r.runEpoch(ctx); err != nil {
			return &epochError{"epoch", r.epoch + 1, err}
		}
		r.epoch++
		if err := r.validate(ctx); err != nil {
			return &epochError{"after epoch", r.epoch, err}
		}
		r.last.Epoch, r.last.Epochs, r.last.Seconds = r.epoch, r.Epochs, time.Since(r.started).Seconds()
		if r.watch != nil {
			r.watch(r.last)
		}
		r.progress("train", r.epoch, r.Epochs)
		if r.save != nil && r.epoch%r.saveEvery == 0 {
			if err := r.save(r.snapshot()); err != nil {
				return &epochError{"checkpoint after epoch", r.epoch, err}
			}
		}
	}
	if r.best.params != nil {
		for k, p := range r.encoder.params {
			kernel.Copy(p.value, r.best.params[k])
		}
	}
	return nil
}

// An epochError is an error with the epoch it came from.
type epochError struct {
	when  string
	epoch int
	err   error
}

func (e *epochError) Error() string {
	return fmt.Sprintf("gnn: %s %d: %s", e.when, e.epoch, strings.TrimPrefix(e.err.Error(), "gnn: "))
}

func (e *epochError) Unwrap() error { return e.err }

// ended reports whether the rank is as low as it may get or patience has come to its end.
func (r *run[T]) ended() bool {
	if r.StopRank > 0 && r.epoch > 0 && r.last.Rank <= r.StopRank {
		return true
	}
	patience := r.Patience
	if r.judged() {
		patience = r.every * r.patience
	}
	return patience > 0 && r.best.epoch > 0 && r.epoch-r.best.epoch >= patience
}

// runEpoch goes through all nodes once, with all phases of the objective.
func (r *run[T]) runEpoch(ctx context.Context) error {
	total, nodes := 0.0, 0
	rate := r.Optimizer.Rate() * r.Schedule.Share(r.epoch, r.Epochs)
	err := r.eachBatch(ctx, r.epoch, func(step int, b *batch[T]) error {
		rnd := newRand(r.seedOf(drawDropout, r.epoch, step))
		for k, phase := range r.Objective.phases() {
			for range phase.Steps {
				value, err := r.gradients(ctx, b, k, rnd)
				if err != nil {
					return err
				}
				if r.steps[k]++; k == 0 {
					total += value * float64(b.nodes()) / float64(phase.Steps)
				}
				if k == 0 && r.Patience > 0 && !r.judged() {
					r.keepBest(r.epoch+1, -value)
				}
				if err := update(ctx, r.Optimizer, k, phase, r.encoder.params, r.steps[k], rate*phase.Rate); err != nil {
					return err
				}
			}
		}
		nodes += b.nodes()
		return nil
	})
	r.last.Loss = total / float64(nodes)
	return err
}

// gradients records a step and differentiates it; it returns the loss.
func (r *run[T]) gradients(ctx context.Context, b *batch[T], phase int, rnd *rand.Rand) (float64, error) {
	t := r.tape
	t.Reset(ctx)
	for _, p := range r.encoder.params {
		if err := matrix.Clear(ctx, p.grad); err != nil {
			return 0, err
		}
	}
	s := &step[T]{Tape: t, ctx: ctx, run: r, batch: b, rnd: rnd, phase: phase}
	loss := precise[custom.Loss[T]](r.Objective.loss32, r.Objective.loss64)(&custom.Step[T]{Tape: t, Training: s})
	if err := t.Err(); err != nil {
		return 0, err
	}
	if s.h != nil && (r.watch != nil || r.StopRank > 0) {
		var err error
		if r.last.Orthogonality, r.last.Rank, err = spread(ctx, t, s.h); err != nil {
			return 0, err
		}
	}
	if err := t.Backward(loss); err != nil {
		return 0, err
	}
	squares := 0.0
	for _, p := range r.encoder.params {
		part, err := matrix.Of(p.grad).Squares(ctx)
		if err != nil {
			return 0, err
		}
		squares += part
	}
	r.last.GradientNorm = math.Sqrt(squares)
	value := loss.Scalar()
	// Adam keeps squares as numbers of type T.
	if !matrix.Finite(value + float64(T(squares))) {
		return 0, fmt.Errorf("%w: loss %v, gradient of norm %v", ErrDiverged, value, r.last.GradientNorm)
	}
	return value, nil
}

// output is the network's output for all nodes now.
func (r *run[T]) output(ctx context.Context) (autodiff.Matrix[T], error) {
	h, _, err := r.outputOf(ctx, nil)
	return h, err
}

// outputOf is the network's output for some nodes now: rows of h.
func (r *run[T]) outputOf(ctx context.Context, nodes []int) (h autodiff.Matrix[T], rows []int, err error) {
	if h, rows, err = r.encoder.evaluated(ctx, r.tape, r.data, nodes); err != nil {
		return h, nil, err
	}
	return h, rows, checkFinite(ctx, matrix.Of(h), fmt.Errorf("gnn: output: %w: it is not finite", ErrDiverged))
}

// judged reports whether outputs are given a score.
func (r *run[T]) judged() bool { return r.score != nil || r.labels.classes > 0 }

// judge gives the output its score.
func (r *run[T]) judge(ctx context.Context) (float64, error) {
	if val := r.labels.val; r.labels.classes > 0 {
		h, rows, err := r.outputOf(ctx, val.rows)
		if err != nil {
			return 0, err
		}
		return -r.tape.SoftmaxCrossEntropy(r.tape.Constant(h), rows, val.classes).Scalar(), r.tape.Err()
	}
	h, err := r.output(ctx)
	if err != nil {
		return 0, err
	}
	y, _, err := scaled(ctx, h, r.Norm)
	if err != nil {
		return 0, err
	}
	return r.score(ctx, r.epoch, y)
}

// validate judges the output, when it is time, and keeps the best parameters. Of two epochs alike
// it is the earlier.
func (r *run[T]) validate(ctx context.Context) error {
	if !r.judged() || r.epoch%r.every != 0 && r.epoch != r.Epochs {
		return nil
	}
	score, err := r.judge(ctx)
	if err != nil {
		return fmt.Errorf("validation: %w", err)
	}
	if !matrix.Finite(score) {
		return fmt.Errorf("validation: %w: the score is %v", ErrDiverged, score)
	}
	r.last.Score = score
	r.keepBest(r.epoch, score)
	r.last.Best = r.best.score
	return nil
}

// keepBest keeps the parameters if the score of an epoch is the best so far.
func (r *run[T]) keepBest(epoch int, score float64) {
	if r.best.epoch > 0 && score <= r.best.score {
		return
	}
	r.best.epoch, r.best.score = epoch, score
	if r.best.params == nil {
		for _, p := range r.encoder.params {
			r.best.params = append(r.best.params, kernel.Unset[T](p.Rows, p.Cols))
		}
	}
	for k, p := range r.encoder.params {
		kernel.Copy(r.best.params[k], p.value)
	}
}

// snapshot is the state of the run.
func (r *run[T]) snapshot() *Checkpoint {
	c := &Checkpoint{header: checkpointHeader{
		Settings: r.Settings, GraphHash: r.report.GraphHash, FeaturesHash: r.report.FeaturesHash,
		Features: r.report.Features, Stored: r.data.whole.x.NNZ(), Lengths: r.encoder.lengths(),
		Epoch: r.epoch, Steps: slices.Clone(r.steps), Loss: r.last.Loss, Rank: r.last.Rank, BestEpoch: r.best.epoch, BestScore: r.best.score,
	}, params: r.encoder.numbers()}
	if r.judged() && r.best.epoch > 0 { // else it is no number
		c.header.Score = r.last.Score
	}
	for k, p := range r.encoder.params {
		for _, phase := range p.moments {
			for _, m := range phase {
				c.moments = append(c.moments, widened(m))
			}
		}
		if r.best.params != nil {
			c.best = append(c.best, widened(r.best.params[k]))
		}
	}
	return c
}

// restore goes to the state of a checkpoint of the same data and settings.
func (r *run[T]) restore(c *Checkpoint) error {
	h := c.header
	if h.GraphHash != r.report.GraphHash || h.FeaturesHash != r.report.FeaturesHash || h.Features != r.report.Features {
		return fmt.Errorf("gnn: resume: %w: the graph or its features are others", ErrCheckpoint)
	}
	if stored := r.data.whole.x.NNZ(); h.Stored != stored {
		return fmt.Errorf("gnn: resume: %w: of features with %d stored entries, not %d", ErrCheckpoint, h.Stored, stored)
	}
	if !slices.Equal(h.Lengths, r.encoder.lengths()) || len(h.Steps) != len(r.steps) {
		return fmt.Errorf("gnn: resume: %w: the parameters are others", ErrCheckpoint)
	}
	r.epoch, r.steps, r.last.Loss, r.last.Rank = h.Epoch, slices.Clone(h.Steps), h.Loss, h.Rank
	if h.BestEpoch > 0 && r.judged() {
		r.last.Score, r.last.Best = h.Score, h.BestScore
	}
	r.best = best[T]{epoch: h.BestEpoch, score: h.BestScore}
	moments := c.moments
	for k, p := range r.encoder.params {
		p.value = narrowed[T](p.shape, c.params[k])
		for _, phase := range p.moments {
			for i := range phase {
				phase[i], moments = narrowed[T](p.shape, moments[0]), moments[1:]
			}
		}
		if h.BestEpoch > 0 {
			r.best.params = append(r.best.params, narrowed[T](p.shape, c.best[k]))
		}
	}
	return nil
}
