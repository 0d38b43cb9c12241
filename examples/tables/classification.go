package main

import (
	"context"
	"fmt"
	"time"

	"coles"
)

// classification fills the paper's table of node classification.
func classification(ctx context.Context, o options, out *report, progress func(string, ...any)) error {
	for _, name := range o.datasets {
		p, err := load(ctx, o, name, progress)
		if err != nil {
			return err
		}
		for _, m := range o.methods {
			if m.features && p.Features == nil {
				progress("%s: %s is left out, the data set has no features", name, m.name)
				continue
			}
			progress("%s: %s", name, m.name)
			if err := measure(ctx, p, m, cell{Method: m.name}, paperAccuracy(name, m.name), out); err != nil {
				return err
			}
		}
	}
	return nil
}

// kappas are the numbers of negative graphs of the paper's ablation.
var kappas = []int{0, 1, 5, 10}

// kappa measures what the number of sampled negative graphs does: five
// partners a node, η′ = 0.9, the rest as the default.
func kappa(ctx context.Context, o options, out *report, progress func(string, ...any)) error {
	for _, name := range o.datasets {
		p, err := load(ctx, o, name, progress)
		if err != nil {
			return err
		}
		if p.Features == nil {
			progress("%s is left out, the data set has no features", name)
			continue
		}
		for _, k := range kappas {
			progress("%s: κ = %d", name, k)
			m := method{"COLES-S2GC", true, fit(coles.WithNegatives(coles.UniformNegatives(5)), coles.WithEta(0.9), coles.WithKappa(k))}
			if err := measure(ctx, p, m, cell{Method: m.name, Kappa: &k}, paperKappa(name, k), out); err != nil {
				return err
			}
		}
	}
	return nil
}

// measure embeds once and adds a cell for each number of labels. The seconds
// are those of the embedding.
func measure(ctx context.Context, p *problem, m method, c cell, paper map[int]float64, out *report) error {
	start := time.Now()
	y, err := m.embed(ctx, p)
	if err != nil {
		return fmt.Errorf("%s, %s: %w", p.Name, m.name, err)
	}
	c.Seconds = time.Since(start).Seconds()
	for _, per := range perClass {
		r, err := p.judge(ctx, y, per)
		if err != nil {
			return fmt.Errorf("%s, %s, %d per class: %w", p.Name, m.name, per, err)
		}
		c.Dataset, c.PerClass, c.Mean, c.Std, c.Paper = p.Name, per, r.Mean, r.Std, nil
		if v, ok := paper[per]; ok {
			c.Paper = &v
		}
		if err := out.add(c); err != nil {
			return err
		}
	}
	return nil
}
