package main

import (
	"cmp"
	"fmt"
	"slices"

	"coles"
	"coles/dataset"

	"github.com/urfave/cli/v3"
)

// labelsAsFlag is the option that says what labels are.
func labelsAsFlag() cli.Flag {
	return &cli.StringFlag{Name: "labels-as", Usage: "labels are `WHAT`: classes, numbers or several, classes as a list (default: by their text)", HideDefault: true}
}

// A meaning is what the labels of the nodes are where they are not one class each: numbers, NaN for none, or sets of
// classes, nil for none, with their names.
type meaning struct {
	values []float64
	sets   [][]int
	names  []string
}

// meaningOf is as -labels-as says. By themselves labels are sets where [dataset.Dataset.LabelSets] finds some, or numbers
// where [dataset.Dataset.LabelNumbers] does.
func meaningOf(c *cli.Command, d *dataset.Dataset) (m meaning, err error) {
	as := c.String("labels-as")
	if !slices.Contains([]string{"", "classes", "numbers", "several"}, as) {
		return m, usagef("-labels-as %s: want classes, numbers or several", as)
	}
	if as == "classes" || d.Classes == nil {
		return m, nil
	}
	if sets, names, found := d.LabelSets(); as == "several" || as == "" && found {
		return meaning{sets: sets, names: names}, nil
	}
	values, odd, found := d.LabelNumbers()
	switch {
	case as == "" && !found:
		return m, nil
	case odd >= 0:
		name := d.Classes[d.Labels[odd]]
		return m, fmt.Errorf("%s: %w: the label %q of node %s is no number, and others are: -labels-as classes takes all for names, -missing-marks %s has such nodes without a label",
			nameOf(cmp.Or(c.String("labels"), c.Args().First())), coles.ErrFormat, name, rowNames(d.IDs, len(values))[odd], name)
	}
	return meaning{values: values}, nil
}
