package distributed

import (
	"context"
	"fmt"

	"coles"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// inSteps is the job by way of Work.
func (r *run) inSteps(ctx context.Context, result []any) (*Manifest, error) {
	p, set, from := r.plan, r.plan.Settings, within(r.Work, "prepare")
	of := []any{"prepare", r.content, p.Grid, set.Preparation, set.Kind == coles.UseFeatures}
	prepared, err := r.step(ctx, "prepare", from, of, func(s beam.Scope, at string) {
		state, facts := p.prepare(s, r.input(s, at))
		found := beam.ParDo(s, &writeSmall{at, factsName}, beam.ParDo(s, encode, facts))
		listed(s, at, p.saveState(s, at, state), found)
	})
	if err != nil {
		return nil, err
	}
	known, err := loadSmall(ctx, from, factsName, prepared, decoded[facts])
	if err == nil {
		err = p.checkNumbers(known) // the filter may be another one than when it was prepared
	}
	if err != nil {
		return nil, err
	}
	chosen, err := r.choose(ctx, prepared, known)
	if err != nil {
		return nil, err
	}
	p.Settings.Kind = chosen.Kind
	if from, err = r.hops(ctx, p, prepared); err != nil {
		return nil, err
	}
	return r.step(ctx, "embed", r.Out, result, func(s beam.Scope, at string) {
		embedding, model := p.finish(s, stateFiles(s, from), beam.Create(s, known), beam.Create(s, chosen))
		p.writeResult(s, at, embedding, model)
	})
}

// hops runs the filter in pipelines of Cut hops, and returns the folder of the last state.
func (r *run) hops(ctx context.Context, p plan, prepared *Manifest) (from string, err error) {
	type part struct {
		hi, lo int // hops hi−1 … lo
		folder string
		of     []any
	}
	from = within(r.Work, "prepare")
	var parts []part
	first := 0 // that is not there, or the last
	for hi := p.hops(); hi > 0; {
		lo := 0
		if r.Cut > 0 {
			lo = max(hi-r.Cut, 0)
		}
		q := part{hi, lo, within(r.Work, "hops"), []any{"hops", prepared.Key, p.Settings.Filter, lo}}
		if lo > 0 {
			q.folder = fmt.Sprintf("%s-%d", q.folder, lo)
		}
		if key, err := keyOf(q.of...); err == nil && r.whole(ctx, q.folder, key) != nil {
			first = len(parts)
		}
		parts, hi = append(parts, q), lo
	}
	for k, q := range parts {
		if k < first {
			continue
		}
		r.before = int64(p.hops()-q.hi) * p.blocks()
		if _, err := r.step(ctx, "hops", q.folder, q.of, func(s beam.Scope, at string) {
			state := p.filtered(s, stateFiles(s, from), q.hi, q.lo)
			listed(s, at, p.saveState(s, at, state))
		}); err != nil {
			return "", err
		}
		if k > first { // what it was made of is not needed again
			remove(ctx, within(from, manifestName), func(string) bool { return true })
			remove(ctx, within(from, "coles-*/*"), attempts.MatchString)
		}
		from = q.folder
	}
	return from, nil
}

// choose is the choice between graph and features.
func (r *run) choose(ctx context.Context, prepared *Manifest, known facts) (choice, error) {
	p := r.plan
	if p.Settings.Kind != 0 {
		return choice{Kind: p.Settings.Kind}, nil
	}
	step := func(name string, of any, add func(s beam.Scope, state beam.PCollection) beam.PCollection) (c choice, err error) {
		folder := within(r.Work, name)
		m, err := r.step(ctx, "choose", folder, []any{name, prepared.Key, of, p.Settings.Seed}, func(s beam.Scope, at string) {
			made := add(s, beam.ParDo(s, &readState{}, stateFiles(s, within(r.Work, "prepare"))))
			listed(s, at, beam.ParDo(s, &writeSmall{at, choiceName}, beam.ParDo(s, encode, made)))
		})
		if err != nil {
			return c, err
		}
		return loadSmall(ctx, folder, choiceName, m, decoded[choice])
	}
	found, err := step("choose", nil, func(s beam.Scope, state beam.PCollection) beam.PCollection {
		return p.measure(s, state, beam.Create(s, known))
	})
	if err != nil || !open(found) {
		return found, err
	}
	return step("communities", found, func(s beam.Scope, state beam.PCollection) beam.PCollection {
		return p.settle(s, state, beam.Create(s, found))
	})
}
