package main

import (
	"math"

	"coles/eval"
)

// A cell is one measurement of a method on a data set: one line of the JSON and
// CSV forms, and a place in the others.
type cell struct {
	Table    string
	Dataset  string
	PerClass int // labelled nodes per class; 0 where no labels are learned from
	Method   string
	Varied   *setting // of an ablation
	Chosen   *setting // of a method that finds a setting for each data set
	Measures []measure
	Seeds    int     // how often it was trained or drawn
	Seconds  float64 // to embed once, or to train on all splits what is trained on labels
}

// A setting is what an ablation varies, or a method has chosen.
type setting struct {
	Key   string // in JSON
	Sign  string // in print; "" where the value speaks for itself
	Value any    // int or string
}

// A measure is a figure in percent.
type measure struct {
	Key   string // in JSON; "" for what a table has a single one of
	Label string // in print
	Mean  float64
	Std   float64 // population standard deviation over splits, runs and seeds
	Paper *float64
}

// newMeasure is the mean and deviation of some values in percent.
func newMeasure(key, label string, values []float64) (measure, error) {
	mean, std, err := eval.MeanStd(values)
	return measure{Key: key, Label: label, Mean: round(mean, 2), Std: round(std, 2)}, err
}

// printed sets the paper's figure, if it has one.
func (m *measure) printed(v float64, ok bool) {
	if ok {
		m.Paper = &v
	}
}

// A field is a name and what stands there: a string, an int or a float64.
type field struct {
	key   string
	value any
}

// fields are what the cell says, in order: first where, then the figures.
func (c cell) fields() []field {
	all := []field{{"table", c.Table}, {"dataset", c.Dataset}}
	if c.PerClass > 0 {
		all = append(all, field{"per_class", c.PerClass})
	}
	all = append(all, field{"method", c.Method})
	if c.Varied != nil {
		all = append(all, field{c.Varied.Key, c.Varied.Value})
	}
	if c.Chosen != nil {
		all = append(all, field{c.Chosen.Key, c.Chosen.Value})
	}
	for _, m := range c.Measures {
		all = append(all, field{joined(m.Key, "", "mean"), m.Mean})
	}
	for _, m := range c.Measures {
		all = append(all, field{joined(m.Key, "_std", "std"), m.Std})
	}
	all = append(all, field{"seeds", c.Seeds})
	for _, m := range c.Measures {
		if m.Paper != nil {
			all = append(all, field{joined(m.Key, "_paper", "paper"), *m.Paper})
		}
	}
	return append(all, field{"seconds", round(c.Seconds, 4)})
}

// joined is key and suffix, or what stands for a figure without a key.
func joined(key, suffix, single string) string {
	if key == "" {
		return single
	}
	return key + suffix
}

func round(v float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(v*scale) / scale
}
