package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"coles"
	"coles/dataset/synthetic"

	"gonum.org/v1/gonum/floats/scalar"
)

// Graph or features: the accuracy of each alone, of both models, and of the default's choice.
// The data sets are generated, or archives of the folder.
func homophilyTable() table {
	var datasets []string
	for _, f := range families {
		for _, h := range familyHomophily {
			datasets = append(datasets, fmt.Sprintf("%s-%d", f.name, h))
		}
	}
	return table{
		Name: "homophily", Title: "Graph or features", apart: true, tall: true,
		about: accuracyAbout + " s, ± its deviation over the edges, is what the default goes by: from 0.8 on it takes the graph, and below it too if that has large communities. " +
			"Raw features stand as stored and as COLES prepares and scales them, S2GC likewise. Generated data sets are named by their family and the share of edges inside a class, in percent.",
		datasets: datasets,
		rows: slices.Concat([]method{{name: "s"}}, pick(closedMethods, "Raw"),
			sameFeatures, pick(closedMethods, "S2GC", "S2GC (same features)"),
			[]method{
				{name: "COLES (graph)", embed: fit(coles.With(func(s *coles.Settings) { s.Kind = coles.UseGraph }))},
				{name: "COLES (features)", embed: fit(coles.With(func(s *coles.Settings) { s.Kind = coles.UseFeatures }))},
			}, pick(closedMethods, "COLES-S2GC")),
		measure: graphOrFeatures,
	}
}

func graphOrFeatures(ctx context.Context, o options, p *problem, m method) ([]cell, error) {
	if m.embed != nil {
		return classification(ctx, o, p, m)
	}
	a, err := coles.DefaultSettings().Alignment(ctx, p.graph, p.Features)
	if err != nil {
		return nil, err
	}
	found := measure{Mean: scalar.Round(a.Neighbours, 2), Std: scalar.Round(a.Deviation, 2), Apart: true}
	cells := make([]cell, len(perClass))
	for k := range cells {
		cells[k] = cell{Scaling: &o.columns[0], PerClass: perClass[k], Measures: []measure{found}}
	}
	return cells, nil
}

// families are generated graphs with degrees of a heavy tail and five classes. They differ in how much the features
// reveal. A word in twelve is of a node's topic, or a word in three, or the features are measurements about a mean
// for each class.
var families = []struct {
	name  string
	graph synthetic.Communities
}{
	{"weak-topics", synthetic.Communities{Topic: 1. / 12}},
	{"strong-topics", synthetic.Communities{Topic: 1. / 3}},
	{"measurements", synthetic.Communities{Dense: true, Features: 100}},
}

// familyHomophily are the shares of edges inside a class, in percent; a fifth is chance.
var familyHomophily = []int{2, 10, 20, 30, 40, 60, 80}

// familyOf returns the graph to generate for a data set of a family.
func familyOf(name string) (graph synthetic.Communities, ok bool) {
	for _, f := range families {
		for _, h := range familyHomophily {
			if name == fmt.Sprintf("%s-%d", f.name, h) {
				f.graph.Nodes, f.graph.Classes, f.graph.Degree, f.graph.Homophily = 2000, 5, 8, float64(h)/100
				return f.graph, true
			}
		}
	}
	return graph, false
}

// isGenerated reports whether a data set needs no folder.
func isGenerated(name string) bool {
	_, ofFamily := familyOf(name)
	l := largeOf(name)
	return ofFamily || name == bareCommunities || l != nil && name == l.sized
}

// allDatasets are the names of the archives in a folder.
func allDatasets(folder string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(folder, "npz"))
	var names []string
	for _, e := range entries {
		if name, isArchive := strings.CutSuffix(e.Name(), ".npz"); isArchive {
			names = append(names, name)
		}
	}
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("-datasets all: there are no archives in %s", filepath.Join(folder, "npz"))
	}
	return names, err
}
