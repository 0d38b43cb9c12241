package main

import (
	"context"
	"fmt"
	"time"

	"coles/dataset"
	"coles/eval"

	"gonum.org/v1/gonum/mat"
)

// A protocol is how classifiers are trained on a data set: with each number of
// labelled nodes per class, on the splits of that number.
type protocol struct {
	perClass []int
	splits   func(per int) ([]dataset.Split, error)
	paper    map[int]float64 // by nodes per class
}

// accuracies measures a method with each number of labels: over all splits and,
// for a method that has one, all seeds. The seconds are those of an embedding, or
// of training on all splits of a method that is trained on labels.
func accuracies(ctx context.Context, o options, p *problem, m method, by protocol, c cell) ([]cell, error) {
	c.Seeds = m.seeds(o)
	found, seconds := make(map[int][]float64), make(map[int]float64)
	for seed := range c.Seeds {
		start := time.Now()
		var y mat.Matrix
		var err error
		if m.classify == nil {
			if y, err = m.embedded(ctx, p, uint64(seed+1)); err != nil {
				return nil, err
			}
		}
		embedded := time.Since(start).Seconds()
		for _, per := range by.perClass {
			splits, err := by.splits(per)
			if err != nil {
				return nil, err
			}
			start := time.Now()
			a, err := classified(ctx, p, m, y, splits, uint64(seed+1))
			if err != nil {
				return nil, fmt.Errorf("%d per class: %w", per, err)
			}
			if seconds[per] += embedded; m.classify != nil {
				seconds[per] += time.Since(start).Seconds()
			}
			found[per] = append(found[per], a...)
		}
	}
	var cells []cell
	for _, per := range by.perClass {
		accuracy, err := newMeasure("", "", found[per])
		if err != nil {
			return nil, err
		}
		v, ok := by.paper[per]
		accuracy.printed(v, ok)
		c.PerClass, c.Method, c.Measures = per, m.name, []measure{accuracy}
		c.Seconds = seconds[per] / float64(c.Seeds)
		cells = append(cells, c)
	}
	return cells, nil
}

// classified is the accuracy on each split, in percent, by a logistic regression on
// an embedding or by the method itself.
func classified(ctx context.Context, p *problem, m method, y mat.Matrix, splits []dataset.Split, seed uint64) ([]float64, error) {
	if m.classify != nil {
		return m.classify(ctx, p, splits, seed)
	}
	result, err := eval.Classify(ctx, y, p.Labels, splits)
	if err != nil {
		return nil, err
	}
	return result.Accuracy, nil
}
