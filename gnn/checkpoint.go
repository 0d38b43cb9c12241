package gnn

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"coles"
	"coles/internal/archive"
	"coles/internal/kernel"

	"gonum.org/v1/gonum/mat"
)

// A Checkpoint is a training between two epochs: enough to go on with the same
// data as if nothing had happened, to the byte. It is immutable.
type Checkpoint struct {
	header  checkpointHeader
	params  []tensor
	moments []tensor // of the optimiser, those of a parameter one after the other
	best    []tensor // parameters of the best epoch, if one was judged
}

// checkpointFormat is that of a checkpoint's file. Its arrays are the parameters, the
// moments and the best parameters.
var checkpointFormat = archive.Format{Magic: [8]byte([]byte("COLESGCK")), Version: 1, Oldest: 1}

// checkpointHeader is the part of a checkpoint that is not long arrays of numbers.
type checkpointHeader struct {
	Settings    Settings `json:"settings"`
	Features    int      `json:"features"` // behind the filters
	Fingerprint string   `json:"fingerprint"`
	Epoch       int      `json:"epoch"`
	Steps       int      `json:"steps"`
	Loss        float64  `json:"loss"`
	Rank        float64  `json:"rank"`
	Score       *float64 `json:"score,omitempty"`
	BestEpoch   int      `json:"best_epoch,omitempty"`
	BestScore   float64  `json:"best_score,omitempty"`
	Params      []tensor `json:"parameters"`
	Moments     bool     `json:"moments"` // there are some: at least one step was made
}

// Epoch is how many epochs were done.
func (c *Checkpoint) Epoch() int {
	if c == nil {
		return 0
	}
	return c.header.Epoch
}

// Settings returns the settings of the training, widths and precision resolved.
func (c *Checkpoint) Settings() Settings {
	if c == nil {
		return Settings{}
	}
	return c.header.Settings.clone()
}

// snapshot is the state of the run.
func (r *run[T]) snapshot() *Checkpoint {
	if r.fingerprint == [sha256.Size]byte{} {
		r.fingerprint = r.data.fingerprint()
	}
	params := r.tensors()
	c := &Checkpoint{header: checkpointHeader{
		Settings: r.Settings, Features: r.data.whole.x.cols(), Fingerprint: hex.EncodeToString(r.fingerprint[:]),
		Epoch: r.epoch, Steps: r.steps, Loss: r.last.Loss, Rank: r.last.Rank, BestEpoch: r.best.epoch, BestScore: r.best.score,
		Params: params, Moments: r.Optimizer.moments() > 0,
	}, params: params}
	if r.best.epoch > 0 {
		score := r.last.Score
		c.header.Score = &score
	}
	for k, p := range r.encoder.params {
		for _, m := range p.moments {
			c.moments = append(c.moments, tensor{p.name, m.Rows, m.Cols, widened(m)})
		}
		if r.best.params != nil {
			c.best = append(c.best, tensor{p.name, p.value.Rows, p.value.Cols, widened(r.best.params[k])})
		}
	}
	return c
}

// restore goes to the state of a checkpoint of the same data and settings.
func (r *run[T]) restore(c *Checkpoint) error {
	r.fingerprint = r.data.fingerprint()
	if hex.EncodeToString(r.fingerprint[:]) != c.header.Fingerprint {
		return fmt.Errorf("gnn: resume: %w: the graph or its features are others", ErrCheckpoint)
	}
	h := c.header
	if h.Features != r.data.whole.x.cols() {
		return fmt.Errorf("gnn: resume: %w: of %d features, not %d", ErrCheckpoint, h.Features, r.data.whole.x.cols())
	}
	r.epoch, r.steps, r.last.Loss, r.last.Rank = h.Epoch, h.Steps, h.Loss, h.Rank
	if h.Score != nil {
		r.last.Score, r.last.Best = *h.Score, h.BestScore
	}
	r.best = best[T]{epoch: h.BestEpoch, score: h.BestScore}
	each := r.Optimizer.moments()
	for k, p := range r.encoder.params {
		kernel.Copy(p.value, narrowed[T](c.params[k]))
		if h.Moments {
			for _, m := range c.moments[k*each : (k+1)*each] {
				p.moments = append(p.moments, narrowed[T](m))
			}
		}
		if c.best != nil {
			r.best.params = append(r.best.params, narrowed[T](c.best[k]))
		}
	}
	return nil
}

// Resume goes on with a training from a checkpoint, on the same graph and
// features: the result is that of a training without the interruption, to the
// byte. Options may set the callbacks anew, which a checkpoint does not keep,
// and the number of epochs, at least those done, but under [Cosine], which falls over all
// of them. A validation judges the last epoch whatever its number is: with more epochs the one
// that was the last has been judged in addition. Without the validation that the
// training had, its best parameters are forgotten. A [coles.NegativeFunc] is not in a
// file either: set it anew by [WithNegatives].
//
// Errors: [ErrCheckpoint] where data or another setting differ, and those of [Train].
func Resume(ctx context.Context, from *Checkpoint, g *coles.Graph, x mat.Matrix, opts ...Option) (*Model, error) {
	if from == nil {
		return nil, fmt.Errorf("gnn: resume: %w: none", ErrCheckpoint)
	}
	c, err := newConfig(from.header.Settings, opts)
	if err != nil {
		return nil, err
	}
	was, is := from.header.Settings, c.Settings
	was.Epochs = is.Epochs
	if before, after, err := bothJSON(was, is); err != nil || !slices.Equal(before, after) {
		return nil, fmt.Errorf("gnn: resume: %w: a setting differs", ErrCheckpoint)
	}
	if c.Schedule.kind == cosineSchedule && c.Epochs != from.header.Settings.Epochs {
		return nil, fmt.Errorf("gnn: resume: %w: the schedule falls over %d epochs, not %d", ErrCheckpoint, from.header.Settings.Epochs, c.Epochs)
	}
	if c.Epochs < from.header.Epoch {
		return nil, fmt.Errorf("gnn: resume: %w: %d epochs, %d are done", coles.ErrSetting, c.Epochs, from.header.Epoch)
	}
	return train(ctx, c, g, x, from)
}

func bothJSON(a, b Settings) (x, y []byte, err error) {
	if x, err = json.Marshal(a); err != nil {
		return nil, nil, err
	}
	y, err = json.Marshal(b)
	return x, y, err
}

// WriteTo writes the checkpoint in a versioned format that ends in a checksum.
//
// Errors: [coles.ErrEmpty] for a nil writer or a checkpoint that no training made, and the writer's.
func (c *Checkpoint) WriteTo(w io.Writer) (int64, error) {
	if c == nil || c.params == nil {
		return 0, fmt.Errorf("gnn: write checkpoint: %w: no training made it", coles.ErrEmpty)
	}
	if w == nil {
		return 0, fmt.Errorf("gnn: write checkpoint: %w: the writer is nil", coles.ErrEmpty)
	}
	n, err := checkpointFormat.Write(w, c.header, arraysOf(slices.Concat(c.params, c.moments, c.best))...)
	if err != nil {
		return n, fmt.Errorf("gnn: write checkpoint: %w", err)
	}
	return n, nil
}

// ReadCheckpoint reads what [Checkpoint.WriteTo] wrote, and no byte more. It takes
// memory as bytes arrive, never because a length is declared.
//
// Errors: [coles.ErrFormat], [coles.ErrChecksum], [coles.ErrEmpty] for a nil reader, and the reader's.
func ReadCheckpoint(r io.Reader) (*Checkpoint, error) {
	if r == nil {
		return nil, fmt.Errorf("gnn: read checkpoint: %w: the reader is nil", coles.ErrEmpty)
	}
	c := new(Checkpoint)
	var all []tensor
	_, arrays, err := checkpointFormat.Read(r, func(text []byte) ([]int, error) {
		if err := json.Unmarshal(text, &c.header); err != nil {
			return nil, err
		}
		if err := c.header.check(); err != nil {
			return nil, err
		}
		c.params = slices.Clone(c.header.Params)
		if c.header.Moments {
			for _, p := range c.params {
				for range c.header.Settings.Optimizer.moments() {
					c.moments = append(c.moments, p)
				}
			}
		}
		if c.header.BestEpoch > 0 {
			c.best = slices.Clone(c.params)
		}
		all = slices.Concat(c.params, c.moments, c.best)
		return lengthsOf(all), nil
	})
	if err != nil {
		return nil, fmt.Errorf("gnn: read checkpoint: %w", err)
	}
	p, m := len(c.params), len(c.moments)
	fill(c.params, arrays[:p])
	fill(c.moments, arrays[p:p+m])
	fill(c.best, arrays[p+m:])
	return c, nil
}

func (h *checkpointHeader) check() error {
	if h.Epoch < 1 || h.Steps < h.Epoch || h.BestEpoch < 0 || h.BestEpoch > h.Epoch || len(h.Fingerprint) != 2*sha256.Size {
		return fmt.Errorf("%w: %d steps in %d epochs, the best %d, fingerprint of %d digits", coles.ErrFormat, h.Steps, h.Epoch, h.BestEpoch, len(h.Fingerprint))
	}
	if h.Settings.Precision != coles.Float32 && h.Settings.Precision != coles.Float64 {
		return fmt.Errorf("%w: precision %v", coles.ErrFormat, h.Settings.Precision)
	}
	return checkTensors(h.Settings, h.Features, h.Params)
}
