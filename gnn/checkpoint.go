package gnn

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"coles/internal/archive"
)

// A Checkpoint is a training between two epochs: [Resume] goes on, to the byte.
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

// Settings are the training's, widths and precision resolved.
func (c *Checkpoint) Settings() Settings { return c.header.Settings.clone() }

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
	if h.Settings.Objective.Custom || h.Settings.Network.known() != nil {
		return nil
	}
	_, lengths, err := h.Settings.parameters(h.Features)
	if err == nil && (!slices.Equal(lengths, h.Lengths) || len(h.Steps) != 1) {
		err = fmt.Errorf("parameters of %d numbers for a network of %d", h.Lengths, lengths)
	}
	return err
}

// WriteTo writes the checkpoint, its checksum last. Errors: the writer's.
func (c *Checkpoint) WriteTo(w io.Writer) (int64, error) {
	n, err := checkpointFormat.Write(w, c.header, slices.Concat(c.params, c.moments, c.best)...)
	if err != nil {
		return n, fmt.Errorf("gnn: write checkpoint: %w", err)
	}
	return n, nil
}

// ReadCheckpoint reads what [Checkpoint.WriteTo] wrote, and no byte more, in memory for the bytes that
// arrive. Errors: [coles.ErrFormat], [coles.ErrChecksum], and the reader's.
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
			lengths = append(lengths, slices.Repeat([]int{n}, len(h.Steps)*h.Settings.Optimizer.Moments())...)
		}
		if h.BestEpoch > 0 {
			lengths = append(lengths, h.Lengths...)
		}
		return lengths, nil
	})
	if err != nil {
		return nil, fmt.Errorf("gnn: read checkpoint: %w", err)
	}
	moments := each * len(c.header.Steps) * c.header.Settings.Optimizer.Moments()
	c.params, c.moments, c.best = arrays[:each], arrays[each:each+moments], arrays[each+moments:]
	return c, nil
}
