package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"coles"
	"coles/dataset"
	"coles/eval"

	"gonum.org/v1/gonum/mat"
)

// perClass are the numbers of labelled nodes per class the paper reports.
var perClass = []int{5, 20}

// splitSeed is where splits come from that have no file: the same for every method.
const splitSeed = 1

// A problem is a data set ready to be embedded and judged.
type problem struct {
	*dataset.Dataset
	graph  *coles.Graph
	splits map[int][]dataset.Split // by nodes per class
}

// load finds a data set and its splits in the folder.
func load(ctx context.Context, o options, name string, progress func(string, ...any)) (*problem, error) {
	if o.fetch {
		progress("%s: fetching what is not there", name)
		if _, err := dataset.FetchPlanetoid(ctx, name, filepath.Join(o.data, "planetoid")); err != nil {
			return nil, err
		}
	}
	d, err := open(o.data, name)
	if err != nil {
		return nil, err
	}
	if d.Labels == nil {
		return nil, fmt.Errorf("%s has no labels to measure by", name)
	}
	g, err := coles.FromCSR(d.Adjacency, coles.WithSymmetrization())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	progress("%s: %v", name, g.Report())
	p := &problem{Dataset: d, graph: g, splits: make(map[int][]dataset.Split)}
	p.Name = name
	for _, per := range perClass {
		path := filepath.Join(o.data, "splits", fmt.Sprintf("%s_%d.json", name, per))
		splits, err := dataset.OpenSplits(path, d.Nodes())
		switch {
		case errors.Is(err, fs.ErrNotExist):
			progress("%s: no %s, so %d splits of %d per class are drawn (at most a third of a class)", name, path, o.splits, per)
			if splits, err = d.RandomSplits(per, o.splits, splitSeed); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		case err != nil:
			return nil, err
		}
		p.splits[per] = splits[:min(o.splits, len(splits))]
	}
	return p, nil
}

// open reads the .npz form of a data set, or else its Planetoid files.
func open(folder, name string) (*dataset.Dataset, error) {
	npz := filepath.Join(folder, "npz", name+".npz")
	if _, err := os.Stat(npz); err == nil {
		return dataset.OpenNPZ(npz)
	}
	planetoid := filepath.Join(folder, "planetoid")
	graph := filepath.Join(planetoid, "ind."+name+".graph")
	if _, err := os.Stat(graph); err != nil {
		return nil, fmt.Errorf("no data set %q: neither %s nor %s is there", name, npz, graph)
	}
	return dataset.OpenPlanetoid(planetoid, name)
}

// judge measures an embedding on the splits of one size, in percent for each.
func (p *problem) judge(ctx context.Context, y mat.Matrix, per int) ([]float64, error) {
	c, err := eval.Classify(ctx, y, p.Labels, p.splits[per])
	if err != nil {
		return nil, err
	}
	return c.Accuracy, nil
}
