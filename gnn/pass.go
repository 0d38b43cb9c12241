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

// pass is the inputs of a layer: see [custom.Inputs].
type pass[T autodiff.Float] struct {
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

func (p *pass[T]) Parameter(name string) *autodiff.Value[T] {
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

func (p *pass[T]) Average(name string, numbers []float64, share float64) {
	for _, q := range p.params {
		if p.rnd != nil && q.layer == p.layer && q.Name == name {
			for j, v := range numbers {
				q.value.Data[j] += T(share * (v - float64(q.value.Data[j])))
			}
		}
	}
}

func (p *pass[T]) Rand() *rand.Rand { return p.rnd }

func (p *pass[T]) W() *autodiff.Sparse[T] {
	if v := p.view; v.sample != nil {
		return p.seen(v.whole.normalized())
	}
	return p.view.normalized()
}

func (p *pass[T]) Operator(name string, of func(ctx context.Context, g *coles.Graph) (*sparse.CSR, error)) *autodiff.Sparse[T] {
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
func (p *pass[T]) seen(whole *autodiff.Sparse[T]) *autodiff.Sparse[T] {
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

func (p *pass[T]) Own(h *autodiff.Value[T]) *autodiff.Value[T] {
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
	return p.Gather(h, matrix.UpTo(len(to)))
}
