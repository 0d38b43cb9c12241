package main

import (
	"coles/eval"
	"coles/gnn"
	"context"
	"fmt"
	"time"

	"coles"

	"gonum.org/v1/gonum/mat"
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
			if err := measure(ctx, o, p, m, cell{Method: m.name}, paperAccuracy(name, m.name), out); err != nil {
				return err
			}
		}
	}
	return nil
}

// kappas are the numbers of negative graphs of the paper's ablation.
var kappas = []int{0, 1, 5, 10}

// kappaMethods are what the ablation measures: sampled negatives, five partners a
// node, η′ = 0.9, the rest as the default.
var kappaMethods = map[string]func(kappa int) method{
	"kappa": func(k int) method {
		return method{name: "COLES-S2GC", features: true,
			embed: closed(fit(coles.WithNegatives(coles.UniformNegatives(5)), coles.WithEta(0.9), coles.WithKappa(k)))}
	},
	"kappa-gcn": func(k int) method {
		return method{name: "COLES-GCN", features: true,
			embed: train(gnn.WithNegatives(coles.UniformNegatives(5)), gnn.WithEta(0.9), gnn.WithKappa(k))}
	},
}

// kappa measures what the number of sampled negative graphs does.
func kappa(ctx context.Context, o options, table string, out *report, progress func(string, ...any)) error {
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
			m := kappaMethods[table](k)
			progress("%s: %s, κ = %d", name, m.name, k)
			if err := measure(ctx, o, p, m, cell{Method: m.name, Kappa: &k}, kappaInPaper[m.name][name][k], out); err != nil {
				return err
			}
		}
	}
	return nil
}

// measure adds a cell for each number of labels: the accuracies over all splits and,
// for a method that has one, all seeds. The seconds are those of an embedding, or of
// training on all splits of a method that is trained on labels.
func measure(ctx context.Context, o options, p *problem, m method, c cell, paper map[int]float64, out *report) error {
	seeds := o.seeds
	if m.seedless() {
		seeds = 1
	}
	accuracy, seconds := make(map[int][]float64), make(map[int]float64)
	for seed := range seeds {
		start := time.Now()
		var y mat.Matrix
		var err error
		if m.embed != nil {
			if y, err = m.embed(ctx, p, uint64(seed+1)); err != nil {
				return fmt.Errorf("%s, %s: %w", p.Name, m.name, err)
			}
		}
		embedded := time.Since(start).Seconds()
		for _, per := range perClass {
			start := time.Now()
			var a []float64
			if m.embed != nil {
				a, err = p.judge(ctx, y, per)
				seconds[per] += embedded
			} else {
				a, err = m.classify(ctx, p, p.splits[per], uint64(seed+1))
				seconds[per] += time.Since(start).Seconds()
			}
			if err != nil {
				return fmt.Errorf("%s, %s, %d per class: %w", p.Name, m.name, per, err)
			}
			accuracy[per] = append(accuracy[per], a...)
		}
	}
	for _, per := range perClass {
		mean, std, err := eval.MeanStd(accuracy[per])
		if err != nil {
			return err
		}
		c.Dataset, c.PerClass, c.Mean, c.Std, c.Paper = p.Name, per, mean, std, nil
		c.Seeds, c.Seconds = seeds, seconds[per]/float64(seeds)
		if v, ok := paper[per]; ok {
			c.Paper = &v
		}
		if err := out.add(c); err != nil {
			return err
		}
	}
	return nil
}
