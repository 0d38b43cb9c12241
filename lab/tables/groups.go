package main

import (
	"context"
	"math/rand/v2"
	"time"

	"coles"
	"coles/eval"
	answers "coles/task"

	"gonum.org/v1/gonum/graph/community"
)

// Groups of which nobody says how many there are, beside those of the Louvain method (Blondel et al. 2008).
func groupsTable() table {
	return table{
		Name: "groups", Title: "Groups", apart: true, tall: true, datasets: []string{"polbooks", "football", "school", "lastfm"},
		about:   "Normalised mutual information with the classes, in percent, mean ± standard deviation over seeds. Each method finds the number of groups, too.",
		rows:    []method{{name: "Louvain", seeded: true, graphOnly: true}, {name: "coles cluster", seeded: true, graphOnly: true}},
		measure: groups,
	}
}

func groups(ctx context.Context, o options, p *problem, m method) ([]cell, error) {
	c, start := cell{Seeds: m.seeds(o)}, time.Now()
	var shared []float64
	for seed := range uint64(c.Seeds) {
		of := louvain(p.graph, seed+1)
		if m.name != "Louvain" {
			found, err := clusters(ctx, p, seed+1)
			if err != nil {
				return nil, err
			}
			of = found.Of
		}
		nmi, err := eval.NMI(of, p.Labels)
		if err != nil {
			return nil, err
		}
		shared = append(shared, nmi)
	}
	c.Seconds = time.Since(start).Seconds() / float64(c.Seeds)
	return []cell{c}, c.measure(sample{"nmi", "NMI", shared})
}

// clusters are what the command finds.
func clusters(ctx context.Context, p *problem, seed uint64) (*answers.Clusters, error) {
	d := answers.Data{Dataset: p.Dataset, Graph: p.graph}
	f, err := d.Fit(ctx, answers.Fitting{For: answers.ForClustering})
	if err != nil {
		return nil, err
	}
	return answers.Cluster(ctx, f.Rows, 0, seed, nil)
}

// louvain groups the nodes by modularity.
func louvain(g *coles.Graph, seed uint64) []int {
	of := make([]int, g.Nodes())
	for k, group := range community.Modularize(g.Gonum(), 1, rand.NewPCG(seed, 0)).Communities() {
		for _, u := range group {
			of[u.ID()] = k
		}
	}
	return of
}
