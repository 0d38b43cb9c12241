package main

import (
	"context"
	"os"
	"path/filepath"

	"coles/dataset"
	"coles/dataset/parse"
	"coles/dataset/synthetic"
)

// singleData are graphs that come without features. Each has a file of edges and a file of classes, one a node, in a
// column if it has a name.
var singleData = map[string]struct{ edges, labels, column string }{
	"lastfm":      {"lastfm/edges.txt", "lastfm/target.csv", ""},
	"usa_flights": {"usa_flights/edges.txt", "usa_flights/labels.txt", ""},
	"football":    {"networks/football.gml", "networks/football.gml", "value"},
	"polbooks":    {"networks/polbooks.gml", "networks/polbooks.gml", "value"},
	"school":      {"networks/sp_school_day_1.gml", "networks/sp_school_day_1.gml", "gt"},
}

func openSingle(folder, name string) (*dataset.Dataset, error) {
	of := singleData[name]
	edges, err := os.Open(filepath.Join(folder, of.edges))
	if err != nil {
		return nil, err
	}
	defer edges.Close()
	classes, err := os.Open(filepath.Join(folder, of.labels))
	if err != nil {
		return nil, err
	}
	defer classes.Close()
	return dataset.ReadEdgeList(edges, nil, parse.Options{Labels: classes, LabelColumn: of.column})
}

// bareCommunities is a generated graph of the size at which time counts: a heavy tail, four fifths of the edges inside one of 400
// communities.
const bareCommunities = "communities"

func openCommunities(ctx context.Context) (*dataset.Dataset, error) {
	return synthetic.Communities{Nodes: 200_000, Classes: 400, Degree: 20, Homophily: 0.8, Features: -1, Seed: 1}.Generate(ctx)
}
