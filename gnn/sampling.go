package gnn

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"coles"
	"coles/gnn/autodiff"
	"coles/internal/matrix"
	"coles/internal/setting"
)

// A Sampler draws what the network sees in every step ([Settings].Sampler), where a step on the whole
// graph is too long and the surroundings of a block ([Settings].BatchSize) are most of it. The zero value is
// no sampler. The text form, in JSON too, is
//
//	none
//	custom:NAME  NewSampler("NAME", …)
//
// One that was read from a text has a name only: set it anew.
type Sampler struct {
	label
	start func(ctx context.Context, g *coles.Graph, rows []int, seed uint64) (Samples, error)
}

// Samples draws the samples of an epoch, counted from 0, in their order. The draws depend on the
// epoch and on the sampler's start alone. It ends with an error, ctx's too.
type Samples func(ctx context.Context, epoch int) iter.Seq2[*Sample, error]

// NewSampler makes a sampler of a function, which is called once, before the first step: with the
// graph, the nodes that steps are about, in ascending order — of a classifier those that are trained
// on, else all — and a seed. Checkpoints and model files keep the name, which has no comma.
func NewSampler(name string, start func(ctx context.Context, g *coles.Graph, rows []int, seed uint64) (Samples, error)) Sampler {
	return Sampler{label: label{name: name, custom: true}, start: start}
}

// A Sample limits a step of the network to some of the nodes, and of the edges among them, between the
// layers that look at the graph ([LayerSpec].Hops). Behind filters that the network begins with, layers
// look one edge far at most.
type Sample struct {
	// Levels[0] are the nodes whose features are read, and only these. Levels[k] are the nodes
	// after the k-th layer that looks at the graph, the last the nodes of the output H. A node may be
	// there more than once.
	Levels [][]int
	// Factors[k], len(Levels[k+1]) × len(Levels[k]), replaces W, or another operator of the graph,
	// in the k-th of these layers: at (i, j), the entry of node Levels[k+1][i] in
	// the column of node Levels[k][j] times the factor, and nothing where there is none. Sums over
	// neighbours are estimated without bias if the factor at each neighbour, 0 where it is not drawn,
	// is 1 in the mean.
	Factors []*autodiff.CSR[float64]
	// Weights multiply the losses of the rows of H that have labels ([Step.LabelWeights]); nil takes their
	// mean. A training without labels leaves them out.
	Weights []float64
}

// samplerForms are the text forms of samplers.
var samplerForms = []form[Sampler]{
	formOf(noneName, func(*setting.Form) Sampler { return Sampler{} }),
	formOf(customName, func(f *setting.Form) Sampler { return NewSampler(f.Rest(), nil) }),
}

func (s Sampler) check() error { return s.checkName() }

// MarshalText gives the text form.
func (s Sampler) MarshalText() ([]byte, error) { return []byte(s.String()), s.check() }

// UnmarshalText reads the text form, or fails with [coles.ErrSetting].
func (s *Sampler) UnmarshalText(text []byte) error { return unmarshal(s, text, samplerForms) }

// checkSampled refuses layers that a sample cannot serve.
func (n Network) checkSampled() error {
	for i, l := range n {
		if i >= n.lead() && l.spec.Hops > 1 {
			return bad(layerField(i), l, "at most one hop with a sampler, not %d", l.spec.Hops)
		}
	}
	return nil
}

// eachSample calls do with the samples of an epoch.
func (r *run[T]) eachSample(ctx context.Context, epoch int, do func(step int, b *batch[T]) error) error {
	if r.samples == nil {
		if err := r.startSampler(ctx); err != nil {
			return fmt.Errorf("gnn: sampler: %w", err)
		}
	}
	step := 0
	for s, err := range r.samples(ctx, epoch) {
		if err == nil {
			err = r.checkSample(s)
		}
		if err != nil {
			return fmt.Errorf("gnn: sampler: %w", err)
		}
		b, err := r.sampled(ctx, s)
		if err != nil {
			return err
		}
		b.seed = r.seedOf(drawNegatives, epoch, step)
		if err := do(step, b); err != nil {
			return err
		}
		step++
	}
	if step == 0 && ctx.Err() == nil {
		return bad("Sampler", r.Sampler, "one that draws something")
	}
	return ctx.Err()
}

// startSampler has the sampler make itself ready for the nodes that are trained on.
func (r *run[T]) startSampler(ctx context.Context) (err error) {
	rows := upTo(r.data.graph.Nodes())
	if r.labels.classes > 0 {
		r.classes = slices.Repeat([]int{-1}, len(rows))
		for k, i := range r.labels.train.rows {
			r.classes[i] = r.labels.train.classes[k]
		}
		rows = slices.DeleteFunc(rows, func(i int) bool { return r.classes[i] < 0 })
	}
	r.samples, err = r.Sampler.start(ctx, r.data.graph, rows, r.seedOf(drawSamples, 0, 0))
	return err
}

// checkSample refuses a sample that does not fit the network or the graph.
func (r *run[T]) checkSample(s *Sample) error {
	layers := r.Network.hops() // of one hop each
	if len(s.Levels) != layers+1 || len(s.Factors) != layers {
		return fmt.Errorf("%w: %d levels and factors of %d layers for %d layers that look at the graph",
			coles.ErrShape, len(s.Levels), len(s.Factors), layers)
	}
	n := r.data.graph.Nodes()
	for k, level := range s.Levels {
		if len(level) == 0 {
			return fmt.Errorf("%w: no node on level %d", coles.ErrShape, k)
		}
		if low, high := slices.Min(level), slices.Max(level); low < 0 || high >= n {
			return fmt.Errorf("%w: nodes from %d to %d of %d on level %d", coles.ErrIndex, low, high, n, k)
		}
	}
	for k, f := range s.Factors {
		if f.Rows != len(s.Levels[k+1]) || f.Cols != len(s.Levels[k]) {
			return fmt.Errorf("%w: factors %d × %d from %d nodes to %d", coles.ErrShape, f.Rows, f.Cols, len(s.Levels[k]), len(s.Levels[k+1]))
		}
	}
	if out := s.Levels[layers]; s.Weights != nil && len(s.Weights) != len(out) {
		return fmt.Errorf("%w: %d weights of %d rows", coles.ErrShape, len(s.Weights), len(out))
	}
	return nil
}

// sampled is the batch of a sample.
func (r *run[T]) sampled(ctx context.Context, s *Sample) (*batch[T], error) {
	x, err := r.data.whole.x.Gather(ctx, s.Levels[0])
	if err != nil {
		return nil, err
	}
	v := newView(r.data.graph, newFeatures(x), nil)
	v.whole, v.sample = r.data.whole, s
	b := &batch[T]{view: v, block: s.Levels[len(s.Levels)-1]}
	if r.labels.classes == 0 {
		return b, nil
	}
	for k, i := range b.block {
		if c := r.classes[i]; c >= 0 {
			b.labels.rows, b.labels.classes = append(b.labels.rows, k), append(b.labels.classes, c)
			if s.Weights != nil {
				b.weights = append(b.weights, s.Weights[k])
			}
		}
	}
	return b, nil
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
