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
)

// splitSeed is where splits come from that have no file: the same for every method.
const splitSeed = 1

// A problem is a data set ready to be embedded and judged.
type problem struct {
	*dataset.Dataset
	graph  *coles.Graph
	splits func(per int) ([]dataset.Split, error) // by nodes per class
}

// load finds a data set in the folder.
func load(ctx context.Context, o options, name string, progress *progress) (*problem, error) {
	if o.fetch {
		progress.note("%s: fetching what is not there", name)
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
	d.Name = name
	progress.note("%s: %v", name, g.Report())
	return &problem{d, g, givenSplits(o, d, progress)}, nil
}

// givenSplits reads the splits of a data set, or draws those that have no file. It
// does so when they are first asked for, and once.
func givenSplits(o options, d *dataset.Dataset, progress *progress) func(per int) ([]dataset.Split, error) {
	have := make(map[int][]dataset.Split)
	return func(per int) ([]dataset.Split, error) {
		if have[per] != nil {
			return have[per], nil
		}
		path := filepath.Join(o.data, "splits", fmt.Sprintf("%s_%d.json", d.Name, per))
		splits, err := dataset.OpenSplits(path, d.Nodes())
		if errors.Is(err, fs.ErrNotExist) {
			progress.note("%s: no %s, so %d splits of %d per class are drawn (at most a third of a class)", d.Name, path, o.splits, per)
			splits, err = d.RandomSplits(per, o.splits, splitSeed)
		}
		if err != nil {
			return nil, err
		}
		have[per] = splits[:min(o.splits, len(splits))]
		return have[per], nil
	}
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
