package custom

import (
	"context"
	"math/rand/v2"

	"coles"
	"coles/gnn/autodiff"

	"github.com/james-bowman/sparse"
)

// An ObjectiveSpec describes an objective to the training, apart from its loss.
type ObjectiveSpec struct {
	// Parameters lists what the objective trains in addition to the network, for d features and d′
	// outputs; nil for nothing. A model does not keep them.
	Parameters func(d, width int) []Parameter
	// Phases are gone through in every epoch, one after the other; nil for one step that trains
	// everything.
	Phases []Phase
	// Labels is set if the loss reads labels: it is for gnn.TrainClassifier.
	Labels bool
}

// A Phase is a part of an epoch in which some of the parameters are trained. The optimizer keeps
// what it remembers for each phase apart.
type Phase struct {
	// Steps is how often the phase is done, one after the other.
	Steps int
	// Rate multiplies the rate of the optimizer.
	Rate float64
	// Trains reports whether a parameter of this name is trained: "0.weight" is one of the first
	// layer, "objective.weight" one of the objective. nil is true of all.
	Trains func(name string) bool
}

// Loss computes the loss of an objective, a 1 × 1 value to be made small.
type Loss[T autodiff.Float] = func(s *Step[T]) *autodiff.Value[T]

// A Step serves an objective while it makes a loss: with the operations of the tape, the network, and
// the nodes of the step with their graph.
type Step[T autodiff.Float] struct {
	*autodiff.Tape[T]
	Training[T]
}

// Output is the output H of the network for a view, the last that Encode records.
func (s *Step[T]) Output(v *View) *autodiff.Value[T] {
	outputs := s.Encode(v)
	return outputs[len(outputs)-1]
}

// MeanOfViews is the mean of a loss over the outputs for all views.
func (s *Step[T]) MeanOfViews(loss func(h *autodiff.Value[T]) *autodiff.Value[T]) *autodiff.Value[T] {
	views := s.Views()
	sum := loss(s.Output(views[0]))
	for _, v := range views[1:] {
		sum = s.Add(sum, loss(s.Output(v)))
	}
	return s.Scale(sum, 1/float64(len(views)))
}

// Training is what an objective computes from. Package gnn has it. In blocks (Settings.BatchSize) the nodes
// are the block's, in a sample (Settings.Sampler) the nodes of H.
type Training[T autodiff.Float] interface {
	// Nodes is the number n of nodes, and Rows are these as rows of the graph and the features that are
	// trained on, nil for all in their order. Change nothing in it.
	Nodes() int
	Rows() []int
	// Graph is the graph of the nodes, without their names.
	Graph() *coles.Graph
	// Edges are the ends of the edges of W⁺, each edge once, and a row of their shares in Σ W⁺.
	Edges() (us, vs []int, shares autodiff.Matrix[T])
	// Negatives draws that many nodes uniformly for every one of the edges, and returns each with the
	// first end of its edge, grouped by edge. Every call in a step, and in every epoch without
	// Settings.FreshNegatives, has the same draws.
	Negatives(count int) (us, ws []int)
	// Contrast is ΔW of the nodes, by Negatives, Kappa and Eta of the Settings.
	Contrast() autodiff.SymmetricOperator[T]
	// Labels are the labelled nodes of the step and the places of their labels in Classifier.Classes;
	// nothing in a training without labels. LabelWeights multiply their losses, or are nil for their
	// mean: see [Sample].
	Labels() (rows, classes []int)
	LabelWeights() []float64

	// Views are the views of the augmentation, at least one.
	Views() []*View
	// Encode records the output of every layer of the network for a view; the last is the output H,
	// with a row for every node. In blocks the only views are those of Views, and outputs before H
	// have the nodes of the block first and then their surroundings. Filters that the network begins
	// with are left out.
	Encode(v *View) []*autodiff.Value[T]
	// Features is the input of the layers that Encode records: an [autodiff.Tape.SparseConstant] where
	// the features are sparse.
	Features(v *View) *autodiff.Value[T]
	// Parameter is the parameter of that name: of the objective, or with its place, as in "0.weight",
	// of the network. It is nil if there is none.
	Parameter(name string) *autodiff.Value[T]
	// W is D̂^-½(A+I)D̂^-½, and Operator that of [Inputs], for the rows that layers before the last
	// have. A sample has none.
	W() *autodiff.Sparse[T]
	Operator(name string, of func(ctx context.Context, g *coles.Graph) (*sparse.CSR, error)) *autodiff.Sparse[T]

	// Epoch counts the epochs from 0, Phase the phases of the objective.
	Epoch() int
	Phase() int
	// Rand is where random draws come from: others in every step, the same for the same seed. The
	// layers draw from it too.
	Rand() *rand.Rand
	// Context is the training's, for what takes long apart from the operations of the tape.
	Context() context.Context
}
