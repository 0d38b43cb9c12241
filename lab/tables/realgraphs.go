package main

import (
	"context"
	"os"
	"path/filepath"

	"coles/dataset"
	"coles/dataset/parse"
	"coles/dataset/synthetic"
)

// singleData are graphs that come without features, an edges.txt beside a file of the classes, one a node.
var singleData = map[string]string{"lastfm": "target.csv", "usa_flights": "labels.txt"}

func openSingle(folder, labels string) (*dataset.Dataset, error) {
	edges, err := os.Open(filepath.Join(folder, "edges.txt"))
	if err != nil {
		return nil, err
	}
	defer edges.Close()
	classes, err := os.Open(filepath.Join(folder, labels))
	if err != nil {
		return nil, err
	}
	defer classes.Close()
	return dataset.ReadEdgeList(edges, nil, parse.Options{Labels: classes})
}

// bareCommunities is a generated graph of the size at which time counts: a heavy tail, four fifths of the edges inside one of 400
// communities.
const bareCommunities = "communities"

func openCommunities(ctx context.Context) (*dataset.Dataset, error) {
	return synthetic.Communities{Nodes: 200_000, Classes: 400, Degree: 20, Homophily: 0.8, Features: -1, Seed: 1}.Generate(ctx)
}
