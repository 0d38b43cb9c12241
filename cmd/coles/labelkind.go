package main

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

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
		name, id, path := d.Classes[d.Labels[odd]], rowNames(d.IDs, len(values))[odd], cmp.Or(c.String("labels"), c.Args().First())
		return m, fmt.Errorf("%s: %w: the label %q of node %s is no number, and others are: -labels-as classes takes all for names, -missing-marks %s has such nodes without a label",
			nameOf(path)+lineWith(path, id, name), coles.ErrFormat, name, id, name)
	}
	return meaning{values: values}, nil
}

// lineWith is ":" and the number of the first line of a file of text that has both words, "" where there is none.
func lineWith(path, one, other string) string {
	if about, err := os.Stat(path); err != nil || !about.Mode().IsRegular() { // a pipe is read but once
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		words := strings.FieldsFunc(lines.Text(), func(r rune) bool { return strings.ContainsRune(" \t,;\"\r", r) })
		if slices.Contains(words, one) && slices.Contains(words, other) {
			return fmt.Sprintf(":%d", n)
		}
	}
	return ""
}
