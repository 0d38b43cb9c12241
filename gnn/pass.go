package gnn

import (
	"context"
	"math/rand/v2"
	"slices"

	"coles"
	"coles/gnn/autodiff"
	"coles/internal/matrix"

	"github.com/james-bowman/sparse"
)

// A Pass serves a layer while it computes: with the operations of the tape, its parameters and the
// graph.
type Pass[T autodiff.Float] struct {
	*autodiff.Tape[T]
	ctx    context.Context
	view   *view[T]
	rnd    *rand.Rand
	layer  int
	level  int  // of a sample, that which comes in
	looks  bool // the layer does, at the graph
	params []*parameter[T]
	trains func(*parameter[T]) bool
}

// Parameter is the parameter of the layer that has this name; nil if none has.
func (p *Pass[T]) Parameter(name string) *autodiff.Value[T] {
	for _, q := range p.params {
		if q.layer == p.layer && q.Name == name {
			return onTape(p.Tape, q, p.trains)
		}
	}
	return nil
}

// onTape is a parameter as a variable, or as a constant where it is not trained.
func onTape[T autodiff.Float](t *autodiff.Tape[T], p *parameter[T], trains func(*parameter[T]) bool) *autodiff.Value[T] {
	if trains == nil || p.Averaged || !trains(p) {
		return t.Constant(p.value)
	}
	return t.Variable(p.value, p.grad)
}

// Average moves a row of the parameter of that name, which is [Parameter.Averaged], towards given
// numbers while training: p ← (1 − share)·p + share·numbers. In evaluation it does nothing.
func (p *Pass[T]) Average(name string, numbers []float64, share float64) {
	for _, q := range p.params {
		if p.rnd != nil && q.layer == p.layer && q.Name == name {
			for j, v := range numbers {
				q.value.Data[j] += T(share * (v - float64(q.value.Data[j])))
			}
		}
	}
}

// Rand is where random draws come from while training, and nil in evaluation, where a layer must
// not depend on any.
func (p *Pass[T]) Rand() *rand.Rand { return p.rnd }

// W is D̂^-½(A+I)D̂^-½, of as many rows and columns as H has rows; in a sample ([Settings].Sampler) of as
// many rows as come out.
func (p *Pass[T]) W() *autodiff.Sparse[T] {
	if v := p.view; v.sample != nil {
		return p.seen(v.whole.normalized())
	}
	return p.view.normalized()
}

// Operator is a sparse n × n matrix of the graph, computed by of, once for a graph, and kept under its
// name; an error ends the training. In blocks it is the part that belongs to the rows
// of H, in a sample what is drawn of it; an entry must not join nodes that are farther apart than the
// hops of the layer.
func (p *Pass[T]) Operator(name string, of func(ctx context.Context, g *coles.Graph) (*sparse.CSR, error)) *autodiff.Sparse[T] {
	v := p.view
	if v.sample != nil {
		v = v.whole
	}
	s, err := v.operator(p.ctx, name, of)
	if err != nil {
		p.Fail(err)
		return p.W() // of the right size: after an error nobody uses the result
	}
	if p.view.sample != nil {
		return p.seen(s)
	}
	return s
}

// seen is an operator of the whole graph as the layer sees it in a sample.
func (p *Pass[T]) seen(whole *autodiff.Sparse[T]) *autodiff.Sparse[T] {
	s, a := p.view.sample, whole.Matrix()
	if !p.looks {
		p.Fail(bad(layerField(p.layer)+".Hops", 0, "1 for a layer that looks at the graph"))
		n := len(s.Levels[p.level])
		return autodiff.NewSparse(&autodiff.CSR[T]{Rows: n, Cols: n, Ptr: make([]int64, n+1)}, false) // after an error nobody uses the result
	}
	factors, from, to := s.Factors[p.level], s.Levels[p.level], s.Levels[p.level+1]
	seen := &autodiff.CSR[T]{Rows: factors.Rows, Cols: factors.Cols, Ptr: factors.Ptr, Col: factors.Col, Val: make([]T, len(factors.Col))}
	p.Fail(matrix.EachRow(p.ctx, seen, func(i int) {
		places, f := factors.Row(i)
		_, vals := seen.Row(i)
		cols, entries := a.Row(to[i])
		for q, j := range places {
			if at, ok := slices.BinarySearch(cols, int32(from[j])); ok {
				vals[q] = T(float64(entries[at]) * f[q])
			}
		}
	}))
	return autodiff.NewSparse(seen, false)
}

// Own gives the rows of H for the nodes that come out of the layer: H itself but in a sample
// ([Settings].Sampler), where these nodes are to come first.
func (p *Pass[T]) Own(h *autodiff.Value[T]) *autodiff.Value[T] {
	s := p.view.sample
	if s == nil || !p.looks {
		return h
	}
	from, to := s.Levels[p.level], s.Levels[p.level+1]
	if len(from) < len(to) || !slices.Equal(from[:len(to)], to) {
		p.Fail(bad("Sampler", s, "nodes that come out of layer %d to be the first that come in", p.layer))
		return p.Gather(h, make([]int, len(to))) // of the right size: after an error nobody uses the result
	}
	if len(from) == len(to) {
		return h
	}
	return p.Gather(h, upTo(len(to)))
}
