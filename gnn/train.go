package gnn

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"coles"
	"coles/internal/kernel"
	"coles/internal/parallel"
	"coles/internal/tape"

	"gonum.org/v1/gonum/mat"
)

// Train trains a network on a graph with features X (n×d), without labels, and
// embeds its nodes. [DefaultSettings] is what it does unless options say otherwise.
//
// An epoch of the default takes some 6·(nnz(X)·k + nnz(W)·(k+d′) + n·k·d′ + n·d′²/2)
// multiplications for k hidden and d′ output columns; the memory is [Report].Memory
// beside data, parameters, and the pairs and views that a step draws.
// The result depends on the input and the settings only, to the byte, however
// many processors there are.
//
// Errors: [coles.ErrSetting], [coles.ErrShape], [coles.ErrEmpty], [coles.ErrNotFinite],
// [coles.ErrDim], [coles.ErrPreparation], [coles.ErrPrecision], [coles.ErrTooLarge],
// [coles.ErrDense], [ErrDiverged], those of the callbacks, and ctx's.
func Train(ctx context.Context, g *coles.Graph, x mat.Matrix, opts ...Option) (*Model, error) {
	c, err := newConfig(DefaultSettings(), opts)
	if err != nil {
		return nil, err
	}
	return train(ctx, c, g, x, nil)
}

func train(ctx context.Context, c config, g *coles.Graph, x mat.Matrix, from *Checkpoint) (*Model, error) {
	if err := checkContext(ctx); err != nil {
		return nil, err
	}
	if c.Objective.kind == classObjective {
		return nil, fmt.Errorf("gnn: objective: %w: cross-entropy is for TrainClassifier", coles.ErrSetting)
	}
	if c.Precision == coles.Float64 {
		return trainIn[float64](ctx, c, g, x, from)
	}
	c.Precision = coles.Float32
	return trainIn[float32](ctx, c, g, x, from)
}

func trainIn[T kernel.Float](ctx context.Context, c config, g *coles.Graph, x mat.Matrix, from *Checkpoint) (*Model, error) {
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	r, err := newRun[T](ctx, c, g, x, 0)
	if err != nil {
		return nil, err
	}
	if c.validation.score != nil {
		r.judge = &judge[T]{c.validation.every, c.validation.patience, func(ctx context.Context, h kernel.Matrix[T]) (float64, error) {
			y, _, err := scaled(ctx, h, c.Norm)
			if err != nil {
				return 0, err
			}
			return c.validation.score(ctx, r.epoch, y)
		}}
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

// A run is a training in numbers of type T.
type run[T kernel.Float] struct {
	config
	input   coles.InputHash
	prepare *coles.Preparer
	data    *data[T]
	tape    *tape.Tape[T]
	encoder encoder[T]
	targets *targets // of a classifier
	judge   *judge[T]
	started time.Time
	whole   *batch[T] // what stays of the batch of all nodes

	// fingerprint is that of the data, and made when the first checkpoint asks.
	fingerprint [sha256.Size]byte

	// The state, which a checkpoint keeps, beside the parameters.
	epoch, steps int
	best         best[T]
	last         Progress
}

// newRun prepares a training; classes is the width of the last layer if not 0.
func newRun[T kernel.Float](ctx context.Context, c config, g *coles.Graph, x mat.Matrix, classes int) (*run[T], error) {
	r := &run[T]{config: c, started: time.Now(), tape: tape.New[T](ctx)}
	r.last.Score, r.last.Best = math.NaN(), math.NaN()
	err := checkRows(g, x)
	if err != nil {
		return nil, err
	}
	if r.input, err = coles.HashInput(ctx, g, x); err != nil {
		return nil, fmt.Errorf("gnn: %w", err)
	}
	if r.prepare, err = coles.FitPreparation(ctx, x, c.Features); err != nil {
		return nil, fmt.Errorf("gnn: %w", err)
	}
	_, d := x.Dims()
	if r.Network, err = r.Network.resolve(d, classes); err != nil {
		return nil, err
	}
	if err := r.Network.checkSizes(g.Nodes(), d); err != nil {
		return nil, err
	}
	if r.data, err = newData[T](ctx, g, x, r.prepare, r.Settings); err != nil {
		return nil, err
	}
	r.encoder.layers = r.Network
	r.encoder.params, err = newParameters[T](ctx, r.Network, d, r.seedOf(drawWeights, 0, 0))
	return r, err
}

// train runs the epochs that are left.
func (r *run[T]) train(ctx context.Context) error {
	if r.judge == nil {
		r.best = best[T]{} // of a training before this one, which had a judge
	}
	for r.epoch < r.Epochs && !r.ended() {
		if err := r.runEpoch(ctx); err != nil {
			return fmt.Errorf("gnn: epoch %d: %w", r.epoch+1, err)
		}
		r.epoch++
		if err := r.validate(ctx); err != nil {
			return fmt.Errorf("gnn: after epoch %d: %w", r.epoch, err)
		}
		r.last.Epoch, r.last.Epochs, r.last.Seconds = r.epoch, r.Epochs, time.Since(r.started).Seconds()
		if r.progress != nil {
			r.progress(r.last)
		}
		if c := r.checkpoint; c.save != nil && r.epoch%c.every == 0 {
			if err := c.save(r.snapshot()); err != nil {
				return fmt.Errorf("gnn: checkpoint after epoch %d: %w", r.epoch, err)
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

// runEpoch goes through all nodes once.
func (r *run[T]) runEpoch(ctx context.Context) error {
	total, nodes := 0.0, 0
	rate := r.Optimizer.rate * r.Schedule.share(r.epoch, r.Epochs)
	err := r.eachBatch(ctx, r.epoch, func(step int, b *batch[T]) error {
		value, err := r.gradients(ctx, b, newRand(r.seedOf(drawDropout, r.epoch, step)))
		if err != nil {
			return err
		}
		total += value * float64(b.n)
		nodes += b.n
		r.steps++
		return update(ctx, r.Optimizer, r.encoder.params, r.steps, rate)
	})
	r.last.Loss = total / float64(nodes)
	return err
}

// gradients records a step and differentiates it; it returns the loss.
func (r *run[T]) gradients(ctx context.Context, b *batch[T], rnd *rand.Rand) (float64, error) {
	t := r.tape
	t.Reset(ctx)
	for _, p := range r.encoder.params {
		clear(p.grad.Data)
	}
	var sum, h *tape.Value[T]
	for _, v := range b.views {
		h = r.encoder.embed(ctx, t, v, rnd)
		part := r.loss(b, h)
		if sum == nil {
			sum = part
		} else {
			sum = t.Add(sum, part)
		}
	}
	sum = t.Scale(sum, 1/float64(len(b.views)))
	if r.progress != nil || r.StopRank > 0 {
		var err error
		if r.last.Orthogonality, r.last.Rank, err = spread(ctx, h.Data()); err != nil {
			return 0, err
		}
	}
	if err := t.Backward(sum); err != nil {
		return 0, err
	}
	squares := 0.0
	for _, p := range r.encoder.params {
		for _, g := range p.grad.Data {
			squares += float64(g) * float64(g)
		}
	}
	r.last.GradientNorm = math.Sqrt(squares)
	value := sum.Scalar()
	// Adam keeps squares as numbers of type T.
	if total := value + float64(T(squares)); math.IsNaN(total) || math.IsInf(total, 0) {
		return 0, fmt.Errorf("%w: loss %v, gradient of norm %v", ErrDiverged, value, r.last.GradientNorm)
	}
	return value, nil
}

// loss records the loss for the output of a batch.
func (r *run[T]) loss(b *batch[T], h *tape.Value[T]) *tape.Value[T] {
	if r.targets != nil {
		return r.tape.SoftmaxCrossEntropy(h, r.targets.rows, r.targets.classes)
	}
	return loss(r.tape, r.Objective, b, h)
}

// output is what the network makes of all nodes now, in memory of the tape.
func (r *run[T]) output(ctx context.Context) (kernel.Matrix[T], error) {
	r.tape.Reset(ctx)
	h := r.encoder.embed(ctx, r.tape, &r.data.whole, nil)
	if err := r.tape.Err(); err != nil {
		return kernel.Matrix[T]{}, err
	}
	return h.Data(), checkFinite(ctx, h.Data(), fmt.Errorf("gnn: output: %w: it is not finite", ErrDiverged))
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }
