package gnn

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"coles"
	"coles/internal/archive"

	"gonum.org/v1/gonum/mat"
)

// A Checkpoint is a training between two epochs: enough to go on with the same data as if nothing
// had happened, to the byte. It is immutable.
type Checkpoint struct {
	header  checkpointHeader
	params  [][]float64
	moments [][]float64 // of the optimiser, grouped by parameter
	best    [][]float64 // parameters of the best epoch, if one was judged
}

// checkpointFormat is the format of a checkpoint's file, whose arrays are the parameters, the moments
// and the best parameters.
var checkpointFormat = archive.Format{Magic: [8]byte([]byte("COLESGCK")), Version: 2}

// checkpointHeader is the part of a checkpoint that is not long arrays of numbers.
type checkpointHeader struct {
	Settings     Settings `json:"settings"`
	GraphHash    string   `json:"graph_hash"`
	FeaturesHash string   `json:"features_hash"`
	Features     int      `json:"features"` // d
	Stored       int      `json:"stored"`   // entries of sparse features: dropout draws for these
	Epoch        int      `json:"epoch"`
	Steps        []int    `json:"steps"`   // of each phase
	Lengths      []int    `json:"lengths"` // of the parameters
	Loss         float64  `json:"loss"`
	Rank         float64  `json:"rank"`
	Score        float64  `json:"score,omitempty"`
	BestEpoch    int      `json:"best_epoch,omitempty"`
	BestScore    float64  `json:"best_score,omitempty"`
}

// Epoch is how many epochs were done.
func (c *Checkpoint) Epoch() int { return c.header.Epoch }

// Settings returns the settings of the training, widths and precision resolved.
func (c *Checkpoint) Settings() Settings { return c.header.Settings.clone() }

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

// Resume goes on with a training from a checkpoint, on the same graph and features: the result has the
// bytes of a training without the interruption. Options may set the callbacks anew, which a checkpoint
// does not keep, and the number of epochs, at least those done, but under [Cosine], which falls over
// all of them. A validation judges the last epoch whatever its number is: with more epochs the one that
// was the last has been judged in addition. Without the validation that the training had, its best
// parameters are forgotten. Files hold the name of a [coles.NegativeFunc] and of a program's own layer,
// objective, augmentation or sampler: set these anew, in [Checkpoint.Settings] say.
//
// Errors: [ErrCheckpoint] where data or another setting differ, and as [Train].
func Resume(ctx context.Context, from *Checkpoint, g *coles.Graph, x mat.Matrix, opts ...Option) (*Model, error) {
	was := from.header.Settings
	c, err := newConfig(was, opts)
	if err != nil {
		return nil, err
	}
	c.Network = c.Network.resolve(from.header.Features, 0)
	if c.Schedule.name == cosineName && c.Epochs != was.Epochs {
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

// check refuses what no training writes. Parameters of the program's own layers and objectives
// cannot be checked before it sets them anew.
func (h *checkpointHeader) check() error {
	if err := h.Settings.checkRead(h.Features); err != nil {
		return err
	}
	if len(h.Steps) > maxPhases || len(h.Lengths) == 0 || len(h.Lengths) > maxParameters ||
		slices.Min(h.Lengths) < 1 || slices.Max(h.Lengths) > math.MaxInt32 {
		return fmt.Errorf("%d phases and %d parameters, or one of no number", len(h.Steps), len(h.Lengths))
	}
	if h.Settings.Objective.custom || h.Settings.Network.known() != nil {
		return nil
	}
	_, lengths, err := h.Settings.parameters(h.Features)
	if err == nil && (!slices.Equal(lengths, h.Lengths) || len(h.Steps) != 1) {
		err = fmt.Errorf("parameters of %d numbers for a network of %d", h.Lengths, lengths)
	}
	return err
}

// WriteTo writes the checkpoint in a versioned format that ends in a checksum.
//
// Errors: the writer's.
func (c *Checkpoint) WriteTo(w io.Writer) (int64, error) {
	n, err := checkpointFormat.Write(w, c.header, slices.Concat(c.params, c.moments, c.best)...)
	if err != nil {
		return n, fmt.Errorf("gnn: write checkpoint: %w", err)
	}
	return n, nil
}

// ReadCheckpoint reads what [Checkpoint.WriteTo] wrote, and no byte more. It takes memory as bytes
// arrive, never because a length is declared.
//
// Errors: [coles.ErrFormat], [coles.ErrChecksum], and the reader's.
func ReadCheckpoint(r io.Reader) (*Checkpoint, error) {
	c := new(Checkpoint)
	var each int // parameters
	arrays, err := checkpointFormat.Read(r, func(text []byte) ([]int, error) {
		h := &c.header
		if err := json.Unmarshal(text, h); err != nil {
			return nil, err
		}
		if h.Epoch < 1 || len(h.Steps) == 0 || slices.Min(h.Steps) < h.Epoch || h.BestEpoch < 0 || h.BestEpoch > h.Epoch {
			return nil, fmt.Errorf("%d steps in %d epochs, the best %d", h.Steps, h.Epoch, h.BestEpoch)
		}
		if err := h.check(); err != nil {
			return nil, err
		}
		each = len(h.Lengths)
		lengths := slices.Clone(h.Lengths)
		for _, n := range h.Lengths {
			lengths = append(lengths, slices.Repeat([]int{n}, len(h.Steps)*h.Settings.Optimizer.moments())...)
		}
		if h.BestEpoch > 0 {
			lengths = append(lengths, h.Lengths...)
		}
		return lengths, nil
	})
	if err != nil {
		return nil, fmt.Errorf("gnn: read checkpoint: %w", err)
	}
	moments := each * len(c.header.Steps) * c.header.Settings.Optimizer.moments()
	c.params, c.moments, c.best = arrays[:each], arrays[each:each+moments], arrays[each+moments:]
	return c, nil
}
