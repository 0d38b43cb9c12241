package distributed

import (
	"coles"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// The steps of fit, each from collections to collections. A job may be cut between any two steps: the collections are written
// to files, with elements as encode has them, and the next pipeline reads them.
//
//	prepare(s, in)                       → state KV<int64, piece>, facts (one facts)
//	choose(s, state, facts)              → one choice
//	measure(s, state, facts)             → one choice by s
//	settle(s, state, choice)             → one choice, by communities where s does not decide
//	marked(s, state, choice)             → state, alone where features were chosen
//	filtered(s, state, hi, lo)           → state, which holds FX after the last hop
//	finish(s, state, facts, choice)      → embedding KV<int64, rowChunk>, model []byte
//
// A state is keyed by block. Its pieces are in no order.

// fit adds all steps to a pipeline.
func (p plan) fit(s beam.Scope, in input) (embedding, model beam.PCollection) {
	state, facts := p.prepare(s, in)
	choice := p.choose(s, state, facts)
	if p.Settings.Kind == 0 {
		state = p.marked(s, state, choice)
	}
	return p.finish(s, p.filtered(s, state, p.hops(), 0), facts, choice)
}

// choose is the choice between graph and features, a collection of one choice.
func (p plan) choose(s beam.Scope, state, found beam.PCollection) beam.PCollection {
	if p.Settings.Kind != 0 {
		return beam.Create(s, choice{Kind: p.Settings.Kind})
	}
	return p.settle(s, state, p.measure(s, state, found))
}

// marked leaves the blocks alone where the features were chosen.
func (p plan) marked(s beam.Scope, state, choice beam.PCollection) beam.PCollection {
	return beam.ParDo(s.Scope("Mark"), &mark{}, state, beam.SideInput{Input: choice})
}

type mark struct{}

func (*mark) ProcessElement(number int64, p piece, c choice, emit func(int64, piece)) {
	alone := c.Kind == coles.UseFeatures
	if p.Block != nil && alone {
		p.Block.Alone = true
	}
	if p.Block != nil || !alone {
		emit(number, p)
	}
}

// finish is the last step of a fit: from FX and W⁺·FX to embedding and model.
func (p plan) finish(s beam.Scope, state, found, choice beam.PCollection) (embedding, model beam.PCollection) {
	f := gram{p.worker(), p.Settings.Kind == coles.UseFeatures}
	step, blocks := byBlock(s.Scope("Gram"), state, &f, &loadedGram{f})
	fx, parts := beam.ParDo2(s.Scope("Gram"), step, blocks)
	solved := beam.ParDo(s.Scope("Solve"), &solve{p.worker(), p}, total(s.Scope("Solve"), parts, p.blocks()),
		beam.SideInput{Input: found}, beam.SideInput{Input: choice})
	return p.embed(s.Scope("Embed"), fx, solved, found, choice)
}
