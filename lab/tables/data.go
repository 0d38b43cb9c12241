package main

import (
	"context"
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"coles"
	"coles/dataset"
	"coles/eval"
	"coles/internal/examples/cli"
)

// splitSeed is where splits come from that have no file: the same for every method.
const splitSeed = 1

// A problem is a data set ready to be embedded and judged.
type problem struct {
	*dataset.Dataset
	graph  *coles.Graph
	splits func(per int) ([]dataset.Split, error) // by nodes per class
	part   *eval.InducedGraph                     // without the test nodes, where these are not to be seen
	mapped []*dataset.Mapped                      // files that features lie in, until the program ends

	progress *cli.Line
}

// load finds a data set in the folder.
func load(ctx context.Context, o options, name string, progress *cli.Line) (*problem, error) {
	if o.fetch {
		progress.Note("%s: fetching what is not there", name)
		if _, err := dataset.FetchPlanetoid(ctx, name, filepath.Join(o.data, "planetoid")); err != nil {
			return nil, err
		}
	}
	d, err := open(ctx, o, name)
	if err != nil {
		return nil, err
	}
	if d.Labels == nil {
		return nil, fmt.Errorf("%s has no labels to measure by", name)
	}
	g, err := d.Graph()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	d.Name = name
	progress.Note("%s: %v", name, g.Report())
	p := &problem{Dataset: d, graph: g, splits: givenSplits(o, d, progress), progress: progress}
	d.Adjacency = nil // the graph has its own
	if largeOf(name) != nil && d.Features != nil {
		err = p.toFiles(ctx)
	}
	return p, err
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

// open generates a data set, or reads it from the folder: its .npz form, or else its Planetoid files.
func open(ctx context.Context, o options, name string) (*dataset.Dataset, error) {
	if family, ok := familyOf(name); ok {
		return family.Generate(ctx)
	}
	if f, ok := flightTables[name]; ok {
		return f.open(o.data)
	}
	if name == "packages" || name == "packages-model" {
		return openPackages(o.data, name == "packages")
	}
	if slices.Contains(severalData, name) {
		return openSeveral(filepath.Join(o.data, "real", name))
	}
	if labels, ok := singleData[name]; ok {
		return openSingle(filepath.Join(o.data, "real", name), labels)
	}
	if name == bareCommunities {
		return openCommunities(ctx)
	}
	if l := largeOf(name); l != nil {
		return l.open(ctx, o, name)
	}
	if path := vectorsFile(o.data, name); exists(path) {
		return openVectors(ctx, path)
	}
	npz := filepath.Join(o.data, "npz", name+".npz")
	if exists(npz) {
		return dataset.Open(npz, dataset.ReadNPZ)
	}
	d, err := dataset.OpenPlanetoid(filepath.Join(o.data, "planetoid"), name)
	if err != nil {
		return nil, fmt.Errorf("there is no %s, and %w", npz, err)
	}
	return d, nil
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
