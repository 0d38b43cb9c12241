package gnn

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"coles"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/stream"

	"github.com/james-bowman/sparse"
)

// step is what an objective computes from: see [custom.Training].
type step[T autodiff.Float] struct {
	*autodiff.Tape[T]
	ctx   context.Context
	run   *run[T]
	batch *batch[T]
	rnd   *rand.Rand
	phase int
	h     *autodiff.Value[T] // the output encoded first
}

func (s *step[T]) Nodes() int { return s.batch.nodes() }

func (s *step[T]) Rows() []int { return s.batch.block }

func (s *step[T]) Graph() *coles.Graph {
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
func (s *step[T]) Context() context.Context { return s.ctx }

func (s *step[T]) Epoch() int { return s.run.epoch }
func (s *step[T]) Phase() int { return s.phase }

func (s *step[T]) Rand() *rand.Rand { return s.rnd }

func (s *step[T]) Views() []*custom.View { return s.run.views }

func (s *step[T]) Encode(v *custom.View) []*autodiff.Value[T] {
	outputs := s.run.encoder.embed(s.ctx, s.Tape, s.seen(v), s.rnd, s.trains)
	if s.h == nil {
		s.h = last(outputs)
	}
	return outputs
}

func (s *step[T]) Features(v *custom.View) *autodiff.Value[T] { return s.seen(v).x.value(s.Tape) }

// seen is the graph of the step as a view has it. Views of the augmentation are kept.
func (s *step[T]) seen(v *custom.View) *view[T] {
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

func (s *step[T]) Parameter(name string) *autodiff.Value[T] {
	for _, p := range s.run.encoder.params {
		if p.layer == objectiveLayer && p.Name == name || p.String() == name {
			return onTape(s.Tape, p, s.trains)
		}
	}
	return nil
}

// trains reports whether a parameter is trained in this phase.
func (s *step[T]) trains(p *parameter[T]) bool {
	return trains(s.run.Objective.phases()[s.phase], p.shape)
}

func trains(p custom.Phase, s shape) bool { return p.Trains == nil || p.Trains(s.String()) }

func (s *step[T]) LabelWeights() []float64 { return s.batch.weights }

func (s *step[T]) W() *autodiff.Sparse[T] {
	if s.batch.view.sample != nil {
		s.Fail(bad("Sampler", s.run.Sampler, "none with an operator for all layers"))
		return s.run.data.whole.normalized() // after an error nobody uses the result
	}
	return s.batch.view.normalized()
}

func (s *step[T]) Operator(name string, of func(ctx context.Context, g *coles.Graph) (*sparse.CSR, error)) *autodiff.Sparse[T] {
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

func (s *step[T]) Labels() (rows, classes []int) {
	return s.batch.labels.rows, s.batch.labels.classes
}

func (s *step[T]) Contrast() autodiff.SymmetricOperator[T] {
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

func (s *step[T]) Edges() (us, vs []int, shares autodiff.Matrix[T]) {
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

func (s *step[T]) Negatives(count int) (us, ws []int) {
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
