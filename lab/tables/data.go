package main

import (
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"coles"
	"coles/dataset"
	"coles/eval"
	"coles/examples/shared/cli"
)

// splitSeed is where splits come from that have no file: the same for every method.
const splitSeed = 1

// A problem is a data set ready to be embedded and judged.
type problem struct {
	*dataset.Dataset
	graph  *coles.Graph
	splits func(per int) ([]dataset.Split, error) // by nodes per class
	part   *eval.InducedGraph                     // without the test nodes, where these are not to be seen
	mapped []*dataset.Dataset                     // files that features lie in, until the program ends

	progress *cli.Line
}

// Nodes is the number of nodes.
func (p *problem) Nodes() int { return p.graph.Nodes() }

// accuracy is the share of the test nodes of a split whose class was predicted, of those with a label.
func (p *problem) accuracy(predicted []int, s dataset.Split) (float64, error) {
	var guessed, right []int
	for _, i := range s.TestNodes(p.Nodes()) {
		if p.Labels[i] >= 0 {
			guessed, right = append(guessed, predicted[i]), append(right, p.Labels[i])
		}
	}
	return eval.Accuracy(guessed, right)
}

// givenSplits reads the splits of a data set, or draws those that have no file. It does so when
// they are first asked for, and once.
func givenSplits(o options, d *dataset.Dataset, progress *cli.Line) func(per int) ([]dataset.Split, error) {
	have, nodes := make(map[int][]dataset.Split), d.Nodes()
	return func(per int) ([]dataset.Split, error) {
		if have[per] != nil {
			return have[per], nil
		}
		path := filepath.Join(o.data, "splits", fmt.Sprintf("%s_%d.json", d.Name, per))
		splits, err := dataset.OpenSplits(path, nodes)
		if errors.Is(err, fs.ErrNotExist) {
			progress.Note("%s: no %s, so %d splits of %d per class are drawn (at most a third of a class)", d.Name, path, o.splits, per)
			splits, err = d.RandomSplits(per, o.splits, splitSeed)
		}
		if err != nil {
			return nil, err
		}
		have[per] = splits[:min(o.splits, len(splits))]
		return have[per], nil
	}
}

// paperCSV are the means that the paper prints, in percent, in its tables of node classification,
// of clustering and of the number of negative graphs, with the deviations that are known. The
// columns with figures are labelled nodes per class, or names of measures.
//
//go:embed paper.csv
var paperCSV string

// A paper has the figures of the paper by table, data set, method, value of what is varied, and
// column.
type paper map[[5]string]printedFigure

// A printedFigure is a mean and a standard deviation, in percent; 0 for what is not printed.
type printedFigure struct{ Mean, Std float64 }

// String is the figure as in the paper.
func (f printedFigure) String() string {
	if f.Std == 0 {
		return fmt.Sprintf("%.1f", f.Mean)
	}
	return fmt.Sprintf("%.1f ± %.1f", f.Mean, f.Std)
}

func readPaper() (paper, error) {
	lines, err := csv.NewReader(strings.NewReader(paperCSV)).ReadAll()
	if err != nil {
		return nil, err
	}
	p := make(paper)
	for _, line := range lines[1:] {
		for k := 4; k < len(line); k++ {
			if line[k] == "" {
				continue
			}
			var v printedFigure
			if _, err := fmt.Sscan(strings.Replace(line[k], "±", " ", 1)+" 0", &v.Mean, &v.Std); err != nil { // no deviation is 0
				return nil, err
			}
			p[[5]string{line[0], line[1], line[2], line[3], lines[0][k]}] = v
		}
	}
	return p, nil
}

// addTo sets what a table of the paper has for a cell.
func (p paper) addTo(c *cell, table string) {
	varied := ""
	if c.Varied != nil {
		varied = fmt.Sprint(c.Varied.Value)
	}
	for k, m := range c.Measures {
		column := m.Key
		if c.PerClass > 0 {
			column = strconv.Itoa(c.PerClass)
		}
		c.Measures[k].Paper = p[[5]string{table, c.Dataset, c.Method, varied, column}]
	}
}
