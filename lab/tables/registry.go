package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"coles/dataset"
	"coles/examples/shared/cli"
	"coles/lab/internal/published"
)

// tables are all there are, in the order in which they are printed.
func tables() []table {
	return slices.Concat([]table{classificationTable(), clusteringTable(), labelRateTable(), linksTable(), inductiveTable(), theoryTable()},
		kappaTables(), []table{meansTable(), ablationTable(), homophilyTable(), recommendTable(), vectorsTable(), lifeTable(), groupsTable(), severalTable(), structureTable(), structureLinksTable(), leagueTable(), largeTable()})
}

// tableOf is the table of that name.
func tableOf(name string) table {
	all := tables()
	return all[slices.IndexFunc(all, func(t table) bool { return t.Name == name })]
}

// load finds a data set in the folder.
func load(ctx context.Context, o options, name string, progress *cli.Line) (*problem, error) {
	if o.fetch {
		progress.Note("%s: fetching what is not there", name)
		if _, err := published.Planetoid(ctx, name, filepath.Join(o.data, "planetoid")); err != nil {
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
	if base, label, ok := strings.Cut(name, "-"); ok && exists(filepath.Join(o.data, "real", base, "features.csv")) {
		return openTable(filepath.Join(o.data, "real", base), label)
	}
	if slices.Contains(severalData, name) {
		return openSeveral(filepath.Join(o.data, "real", name))
	}
	if _, ok := singleData[name]; ok {
		return openSingle(filepath.Join(o.data, "real"), name)
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
