package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"coles"
	"coles/dataset"
	"coles/eval"
	"coles/gnn"
	"coles/learn"
)

const accuracyAbout = "Accuracy in percent, mean ± standard deviation over the splits (and seeds, of what is trained); the columns are data set and labelled nodes per class."

// perClass are the numbers of labelled nodes per class the paper reports.
var perClass = []int{5, 20}

// The paper's table of node classification.
func classificationTable() table {
	return table{
		Name: "classification", Title: "Node classification", about: accuracyAbout, paper: "classification",
		methods: allMethods(), rows: closedMethods, reference: "COLES-S2GC", measure: classification,
	}
}

// The paper's ablation of the generalised means: the linear encoder with each, and COLES itself.
func meansTable() table {
	var means []method
	for _, m := range trainedMethods {
		if strings.HasPrefix(m.name, "COLES-S2GC") {
			means = append(means, m)
		}
	}
	return table{
		Name: "means", Title: "Generalised means", about: accuracyAbout, paper: "classification",
		apart: true, rows: means, measure: classification,
	}
}

// Accuracy over the number of labels, for methods whose curves do not lie on top of each other.
func labelRateTable() table {
	return table{
		Name: "labelrate", Title: "Label rate",
		about:   accuracyAbout + " The splits are drawn, the same for every method, with at most a third of a class.",
		methods: allMethods(), rows: pick(closedMethods, "Raw", "SGC", "S2GC", "PCA-S2GC", "RP-S2GC", "COLES-S2GC"), measure: labelRate,
	}
}

// The paper's ablations of the number of sampled negative graphs: five partners a node, η′ = 0.9,
// the rest as the default.
func kappaTables() []table {
	closed := table{
		Name: "kappa", Title: "Number of negative graphs", about: accuracyAbout, paper: "kappa",
		measure: classification,
	}
	networks := closed
	networks.Name, networks.Title, networks.apart = "kappa-gcn", "Number of negative graphs, COLES-GCN", true
	for _, k := range []int{0, 1, 5, 10} {
		varied := &setting{"kappa", "κ", k}
		closed.rows = append(closed.rows, method{name: "COLES-S2GC", varied: varied, embed: fit(coles.With(func(s *coles.Settings) {
			s.Kind = coles.UseGraph
			s.Negatives, s.Kappa, s.Eta = coles.UniformNegatives(5), k, 0.9
		}))})
		m := trained("COLES-GCN", gnn.With(func(s *gnn.Settings) { s.Negatives, s.Kappa, s.Eta = coles.UniformNegatives(5), k, 0.9 }))
		m.varied = varied
		networks.rows = append(networks.rows, m)
	}
	return []table{closed, networks}
}

func classification(ctx context.Context, o options, p *problem, m method) ([]cell, error) {
	return accuracies(ctx, o, p, m, perClass, p.splits)
}

func labelRate(ctx context.Context, o options, p *problem, m method) ([]cell, error) {
	drawn := func(per int) ([]dataset.Split, error) { return p.RandomSplits(per, o.splits, splitSeed) }
	o.columns = scalings[:1] // nothing is left to cross-validate by one label
	return accuracies(ctx, o, p, m, []int{1, 2, 5, 10, 20, 50}, drawn)
}

// accuracies measures a method in every column, and in each with every number of labels per class, over all splits of
// that number. A method with a seed is measured with all seeds, or with the first alone where it is nowhere near the
// reference. The seconds are for one embedding, or for training on all splits if a method is trained on labels.
func accuracies(ctx context.Context, o options, p *problem, m method, labels []int, splits func(per int) ([]dataset.Split, error)) ([]cell, error) {
	given := make([][]dataset.Split, len(labels))
	for k, per := range labels {
		var err error
		if given[k], err = splits(per); err != nil {
			return nil, fmt.Errorf("%d per class: %w", per, err)
		}
	}
	columns := toMeasure(o.columns)
	found := make([]cell, len(columns)*len(labels))
	for seed := range uint64(m.seeds(o)) {
		trials, err := m.try(ctx, o, p, columns, given, seed+1)
		if err != nil {
			return nil, err
		}
		for i, t := range trials {
			found[i].trials = append(found[i].trials, t.accuracy)
			found[i].Seconds += t.seconds
		}
		if o.reference != nil && !nearly(chosen(o.columns, columns, found), o.reference) {
			break
		}
	}
	cells := chosen(o.columns, columns, found)
	for i := range cells {
		c := &cells[i]
		c.Scaling, c.PerClass, c.Seeds = &o.columns[i/len(labels)], labels[i%len(labels)], len(c.trials)
		c.Seconds /= float64(c.Seeds)
		if err := c.measure(sample{values: slices.Concat(c.trials...)}); err != nil {
			return nil, err
		}
	}
	return cells, nil
}

// chosen are the cells of the columns asked for, of those found in the columns measured.
func chosen(asked, columns []scaling, found []cell) []cell {
	labels := len(found) / len(columns)
	var cells []cell
	for _, s := range asked {
		for k := range labels {
			best := cell{}
			for j, c := range columns {
				if one := found[j*labels+k]; c.name == s.name {
					best = one
				} else if s.regression == nil && c.fixed && (best.trials == nil || meanOf(one.trials) > meanOf(best.trials)) {
					best = one
					best.Best = c.name
				}
			}
			cells = append(cells, best)
		}
	}
	return cells
}

// A trial is the accuracy of each split of one number of labels with one seed.
type trial struct {
	accuracy []float64
	seconds  float64
}

// try measures a method with one seed, column by column and in each by the numbers of labels. It embeds once
// for all of them. What is trained on labels has no embedding to scale: it is the same in every column.
func (m method) try(ctx context.Context, o options, p *problem, columns []scaling, given [][]dataset.Split, seed uint64) ([]trial, error) {
	var trials []trial
	start := time.Now()
	if m.embed == nil {
		for _, splits := range given {
			accuracy, err := m.classify(ctx, p, splits, seed)
			if err != nil {
				return nil, err
			}
			trials = append(trials, trial{accuracy, time.Since(start).Seconds()})
			start = time.Now()
		}
		return slices.Repeat(trials, len(columns)), nil
	}
	y, err := m.kept(ctx, o, p, seed)
	if err != nil {
		return nil, err
	}
	seconds := time.Since(start).Seconds()
	for _, s := range columns {
		x, regression, err := s.regression(ctx, y)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", s.name, err)
		}
		if m.choosesC {
			regression.Cs = learn.DefaultCs()
		}
		for _, splits := range given {
			result, err := eval.Protocol{Regression: regression}.Classify(ctx, x, p.Labels, splits)
			if err != nil {
				return nil, fmt.Errorf("column %s: %w", s.name, err)
			}
			trials = append(trials, trial{result.Each, seconds})
		}
	}
	return trials, nil
}
