package gnn

import (
	"fmt"

	"coles"
)

// A Report records a training. The same input, settings and version make the same model again, with three exceptions.
// A validation chose the epoch, [Resume] added epochs, or dropout drew for features that were sparse and are dense
// now, or the reverse.
type Report struct {
	Graph        coles.GraphReport `json:"graph"`       // as it was built
	Features     int               `json:"features"`    // d
	Preparation  coles.Preparation `json:"preparation"` // resolved
	Dim          int               `json:"dim"`         // d′
	Parameters   int               `json:"parameters"`  // numbers trained
	Precision    coles.Precision   `json:"precision"`   // of the computation
	Epochs       int               `json:"epochs"`      // done
	BestEpoch    int               `json:"best_epoch"`  // whose parameters these are
	Loss         float64           `json:"loss"`        // of the last epoch
	Rank         float64           `json:"rank"`        // effective rank of the embedding
	Seconds      float64           `json:"seconds"`     // of the training; files keep neither this nor Memory
	Memory       int               `json:"memory"`      // bytes of the steps in addition to data and parameters
	GraphHash    string            `json:"graph_hash"`  // of the adjacency matrix and of X, as in [coles.Report]
	FeaturesHash string            `json:"features_hash"`
	Version      string            `json:"version"` // this module's in the program that trained
}

// String is the report in a few lines.
func (r Report) String() string {
	s := fmt.Sprintf("graph: %v\nfeatures: %d, prepared by %v\nnetwork: %d parameters, %d columns, %v\n",
		r.Graph, r.Features, r.Preparation, r.Parameters, r.Dim, r.Precision)
	s += fmt.Sprintf("training: %d epochs, the best %d, loss %.5g, effective rank %.1f", r.Epochs, r.BestEpoch, r.Loss, r.Rank)
	if r.Seconds > 0 {
		s += fmt.Sprintf(", %d MB for a step, %.2f seconds", r.Memory/1e6, r.Seconds)
	}
	return s
}

// An EpochReport has the losses of an epoch of a training.
type EpochReport struct {
	Epoch, Epochs int     // done, and at most to be done
	Loss          float64 // the mean over the steps of the epoch, of the first phase, before each step
	GradientNorm  float64 // of all parameters together, in the last step
	Orthogonality float64 // ‖HᵀH/n − I‖²_F/d′ in the last step, H the first output it encoded
	Rank          float64 // effective rank of that H: see [Settings].StopRank
	Score         float64 // of WithValidation, the newest; NaN before the first
	Best          float64 // the best of them
	Seconds       float64 // since the start
}
