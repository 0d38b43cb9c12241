package gnn

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"coles"
	"coles/gnn/autodiff"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/stream"

	"github.com/james-bowman/sparse"
)

// A Step serves an objective while it makes a loss: with the operations of the tape, the network, and
// the nodes of the step with their graph. In blocks ([Settings].BatchSize) these are the
// nodes of the block, in a sample ([Settings].Sampler) the nodes of H.
type Step[T autodiff.Float] struct {
	*autodiff.Tape[T]
	ctx   context.Context
	run   *run[T]
	batch *batch[T]
	rnd   *rand.Rand
	phase int
	h     *autodiff.Value[T] // the output encoded first
}

// Nodes is the number n of nodes.
func (s *Step[T]) Nodes() int { return s.batch.nodes() }

// Rows are the nodes as rows of the graph and the features that are trained on, nil for all in their order.
// Change nothing in it.
func (s *Step[T]) Rows() []int { return s.batch.block }

// Graph is the graph of the nodes, without their names.
func (s *Step[T]) Graph() *coles.Graph {
	b := s.batch
	if b.graph == nil {
		var err error
		if b.graph, err = induced(s.ctx, inside.Adjacency(s.run.data.graph), b.block); err != nil {
			s.Fail(err)
			return s.run.data.graph // after an error nobody uses the result
		}
	}
	return b.graph
}

// Context is the training's, for what takes long apart from the operations of the tape.
func (s *Step[T]) Context() context.Context { return s.ctx }

// Epoch counts the epochs from 0.
func (s *Step[T]) Epoch() int { return s.run.epoch }

// Phase counts the phases of the objective from 0.
func (s *Step[T]) Phase() int { return s.phase }

// Rand is where random draws come from: others in every step, the same for the same seed. The
// layers draw from it too.
func (s *Step[T]) Rand() *rand.Rand { return s.rnd }

// Views are the views of the augmentation, at least one.
func (s *Step[T]) Views() []*View { return s.run.views }

// Encode records the output of every layer of the network for a view; the last is the output H, with a
// row for every node. In blocks the only views are [Step.Views], and outputs before H
// have the nodes of the block first and then their surroundings. Filters that the network begins
// with are left out.
func (s *Step[T]) Encode(v *View) []*autodiff.Value[T] {
	outputs := s.run.encoder.embed(s.ctx, s.Tape, s.seen(v), s.rnd, s.trains)
	if s.h == nil {
		s.h = last(outputs)
	}
	return outputs
}

// Output is the output H that [Step.Encode] records.
func (s *Step[T]) Output(v *View) *autodiff.Value[T] { return last(s.Encode(v)) }

// Features is the input of the layers that [Step.Encode] records: an [autodiff.Tape.SparseConstant]
// where the features are sparse.
func (s *Step[T]) Features(v *View) *autodiff.Value[T] { return s.seen(v).x.value(s.Tape) }

// seen is the graph of the step as a view has it. Views of the augmentation are kept.
func (s *Step[T]) seen(v *View) *view[T] {
	r := s.run
	switch kept := r.seen[v]; {
	case v.Graph == nil && v.Columns == nil && v.Rows == nil:
	case s.batch.view != r.data.whole:
		s.Fail(bad("BatchSize", r.BatchSize, "0 with a view"))
	case kept != nil:
		return kept
	default:
		made, err := r.data.seen(s.ctx, v)
		if err == nil {
			if slices.Contains(r.views, v) {
				r.seen[v] = made
			}
			return made
		}
		s.Fail(err)
	}
	return s.batch.view // after an error nobody uses the result
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

// Parameter is the parameter of that name: of the objective, or with its place, as in "0.weight",
// of the network. It is nil if there is none.
func (s *Step[T]) Parameter(name string) *autodiff.Value[T] {
	for _, p := range s.run.encoder.params {
		if p.layer == objectiveLayer && p.Name == name || p.String() == name {
			return onTape(s.Tape, p, s.trains)
		}
	}
	return nil
}

// trains reports whether a parameter is trained in this phase.
func (s *Step[T]) trains(p *parameter[T]) bool {
	return s.run.Objective.phases()[s.phase].trains(p.shape)
}

func (p Phase) trains(s shape) bool { return p.Trains == nil || p.Trains(s.String()) }

// LabelWeights multiply the losses of [Step.Labels], or are nil for their mean: see [Sample].
func (s *Step[T]) LabelWeights() []float64 { return s.batch.weights }

// W is D̂^-½(A+I)D̂^-½ for the rows that layers before the last have: see [Step.Encode]. A sample has
// none.
func (s *Step[T]) W() *autodiff.Sparse[T] {
	if s.batch.view.sample != nil {
		s.Fail(bad("Sampler", s.run.Sampler, "none with an operator for all layers"))
		return s.run.data.whole.normalized() // after an error nobody uses the result
	}
	return s.batch.view.normalized()
}

// Operator is [Pass.Operator], for the rows that layers before the last have.
func (s *Step[T]) Operator(name string, of func(ctx context.Context, g *coles.Graph) (*sparse.CSR, error)) *autodiff.Sparse[T] {
	if s.batch.view.sample != nil {
		return s.W()
	}
	made, err := s.batch.view.operator(s.ctx, name, of)
	if err != nil {
		s.Fail(err)
		return s.W()
	}
	return made
}

// Labels are the labelled nodes of the step and the places of their labels in [Classifier.Classes];
// nothing in a training without labels.
func (s *Step[T]) Labels() (rows, classes []int) {
	return s.batch.labels.rows, s.batch.labels.classes
}

// Contrast is ΔW of the nodes, by Negatives, Kappa and Eta of the [Settings].
func (s *Step[T]) Contrast() autodiff.SymmetricOperator[T] {
	b, r := s.batch, s.run
	if b.contrast == nil {
		dw, err := coles.Contrast(s.ctx, s.Graph(), r.Negatives, r.Kappa, r.Eta, b.seed)
		if err != nil {
			s.Fail(fmt.Errorf("gnn: %w", err))
			return func(context.Context, autodiff.Matrix[T], autodiff.Matrix[T]) error { return err }
		}
		coef, v := dw.RankOne()
		b.contrast = matrix.ConvertOperator[T](matrix.Operator[float64]{Sparse: inside.Entries(dw.Sparse()), Coef: coef, V: v}).Apply
	}
	return b.contrast
}

// Edges are the ends of the edges of W⁺, each edge once, and a row of their shares in Σ W⁺.
func (s *Step[T]) Edges() (us, vs []int, shares autodiff.Matrix[T]) {
	b := s.batch
	if b.us == nil {
		edges, weights := edgesOf(inside.Entries(s.Graph().Positive()))
		b.us, b.vs, b.shares = make([]int, len(edges)), make([]int, len(edges)), kernel.Dense[T](1, len(edges))
		for k, e := range edges {
			b.us[k], b.vs[k] = e.U, e.V
		}
		total := matrix.Total(weights)
		for k, w := range weights {
			b.shares.Data[k] = T(w / total)
		}
	}
	return b.us, b.vs, b.shares
}

// Negatives draws that many nodes uniformly for every one of [Step.Edges], and returns each with the
// first end of its edge, grouped by edge. Every call in a step, and in every
// epoch without [Settings].FreshNegatives, has the same draws.
func (s *Step[T]) Negatives(count int) (us, ws []int) {
	from, _, _ := s.Edges()
	if count > math.MaxInt32/max(1, len(from)) {
		s.Fail(fmt.Errorf("gnn: objective: %w: %d negatives for each of %d edges", coles.ErrTooLarge, count, len(from)))
		return nil, nil
	}
	us, ws = make([]int, len(from)*count), make([]int, len(from)*count)
	rnd := stream.New()
	for k, u := range from {
		rnd.Reseed(s.batch.seed, uint64(k))
		for q := k * count; q < (k+1)*count; q++ {
			us[q], ws[q] = u, rnd.IntN(s.Nodes())
		}
	}
	return us, ws
}
