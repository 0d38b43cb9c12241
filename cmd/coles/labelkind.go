package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"coles"
	"coles/dataset"

	"github.com/urfave/cli/v3"
)

// labelsAsFlag is the option that says what labels are.
func labelsAsFlag() cli.Flag {
	return &cli.StringFlag{Name: "labels-as", Usage: "labels are `WHAT`: classes, numbers or several, classes as a list (default: by their text)", HideDefault: true}
}

// fewValues is how many whole numbers are classes, though each occurs once.
const fewValues = 10

// A meaning is what the labels of the nodes are where they are not one class each: numbers, NaN for none, or sets of
// classes, nil for none, with their names.
type meaning struct {
	values []float64
	sets   [][]int
	names  []string
}

// meaningOf is as -labels-as says. By themselves labels are sets where [dataset.Dataset.LabelSets] finds some, and
// numbers where some have a fraction, or all are whole and most occur once.
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
	number, labels := make([]float64, len(d.Classes)), knownLabels(d, d.Nodes())
	uses := make([]int, len(number))
	for _, l := range labels {
		if l >= 0 {
			uses[l]++
		}
	}
	known, once, fraction, word := 0, 0, false, -1
	for k, name := range d.Classes {
		v, err := strconv.ParseFloat(name, 64)
		switch number[k] = v; {
		case uses[k] == 0:
		case err != nil || math.IsInf(v, 0) || math.IsNaN(v):
			word = k
		default:
			known, fraction = known+1, fraction || v != math.Trunc(v)
			if uses[k] == 1 {
				once++
			}
		}
	}
	if as == "" && !fraction && (known <= fewValues || 2*once <= known) {
		return m, nil
	}
	if word >= 0 {
		i, name := slices.Index(labels, word), d.Classes[word]
		return m, fmt.Errorf("%s: %w: the label %q of node %s is no number, and others are: -labels-as classes takes all for names, -missing-marks %s has such nodes without a label",
			nameOf(cmp.Or(c.String("labels"), c.Args().First())), coles.ErrFormat, name, rowNames(d.IDs, len(labels))[i], name)
	}
	m.values = make([]float64, len(labels))
	for i, l := range labels {
		if m.values[i] = math.NaN(); l >= 0 {
			m.values[i] = number[l]
		}
	}
	return m, nil
}
