package main

import (
	"context"
	"slices"
	"time"

	"coles"
	"coles/cluster"
	"coles/eval"
	"coles/examples/shared/cli"
	"coles/lab/baselines"

	"gonum.org/v1/gonum/mat"
)

// The paper's table of clustering. One setting of COLES holds for all data sets, but for the hops
// of SGC, which a rule finds without labels.
func clusteringTable() table {
	rows := []method{
		{name: "k-means", asIs: true, embed: raw},
		{name: "Spectral-f", asIs: true, embed: func(ctx context.Context, p *problem, _ uint64) (mat.Matrix, error) {
			return baselines.SpectralFeatures(ctx, p.Features, p.NumClasses())
		}},
		{name: "Spectral-g", asIs: true, graphOnly: true, embed: func(ctx context.Context, p *problem, _ uint64) (mat.Matrix, error) {
			return baselines.SpectralGraph(ctx, p.graph, p.NumClasses())
		}},
		{name: "SGC", embed: filtered(coles.SGC(8))},
		{name: "S2GC", embed: filtered(s2gc)},
		{name: "COLES-SGC", choose: chosenHops},
		{name: "COLES-S2GC", embed: fitClusters(coles.S2GCSum(20))},
	}
	return table{
		Name: "clustering", Title: "Clustering", paper: "clustering",
		about: "k-means into as many clusters as there are classes, in percent, mean ± standard deviation over 10 runs: accuracy by the best one-to-one map of clusters to classes, " +
			"normalised mutual information, macro F1 under that map. Rows are scaled to length 1, but for k-means, which sees the features as they are, and Spectral. " +
			"COLES has d′ = 32, effective rank 12, and K = 20 (S2GC) or the smallest even K whose clusters leave a quarter of the squared length of the rows unexplained or less (SGC; no labels are seen).",
		methods: slices.Concat(rows, trainedMethods, rivalMethods), rows: rows, measure: clustering,
	}
}

// clustering measures one method on one data set.
func clustering(ctx context.Context, o options, p *problem, m method) ([]cell, error) {
	c := cell{Seeds: m.seeds(o)}
	if m.choose != nil {
		chosen, embed, err := m.choose(ctx, p)
		if err != nil {
			return nil, err
		}
		c.Chosen, m.embed = &chosen, embed
	}
	var accuracy, nmi, f1 []float64
	for seed := range uint64(c.Seeds) {
		start := time.Now()
		y, err := m.embed(ctx, p, seed+1)
		if err != nil {
			return nil, err
		}
		c.Seconds += time.Since(start).Seconds() / float64(c.Seeds)
		found, err := eval.Protocol{RawRows: m.asIs}.Cluster(ctx, y, p.Labels)
		if err != nil {
			return nil, err
		}
		accuracy = append(accuracy, found.Accuracy.Each...)
		nmi = append(nmi, found.NMI.Each...)
		f1 = append(f1, found.F1.Each...)
	}
	err := c.measure(sample{"acc", "accuracy", accuracy}, sample{"nmi", "NMI", nmi}, sample{"f1", "F1", f1})
	return []cell{c}, err
}

// fitClusters is COLES for clusters, with a filter.
func fitClusters(f coles.Filter) embedder {
	return fitFor(coles.ClusteringSettings, coles.WithFilter(f))
}

// How far [chosenHops] smooths: until the clusters leave no more than this share of the rows
// unexplained, and no farther than a number of hops.
const (
	unexplained = 0.25
	mostHops    = 30
)

// chosenHops is COLES with the W^K of the smallest even K whose rows, scaled to length 1, lie about
// the centres of their clusters with a mean squared distance of a quarter. Fewer hops leave noise
// in the features, more wash the classes out; how many are needed depends on how large and dense
// the graph is.
func chosenHops(ctx context.Context, p *problem) (setting, embedder, error) {
	for hops := 2; ; hops += 2 {
		embed := fitClusters(coles.SGC(hops))
		y, err := embed(ctx, p, 0)
		if err != nil {
			return setting{}, nil, err
		}
		spread, err := spreadWithin(ctx, y, p.NumClasses())
		if err != nil {
			return setting{}, nil, err
		}
		if spread <= unexplained || hops == mostHops {
			return setting{"hops", "K", hops}, embed, nil
		}
	}
}

// spreadWithin is the mean squared distance of the rows of y, scaled to length 1, to the centres of
// k clusters.
func spreadWithin(ctx context.Context, y mat.Matrix, k int) (float64, error) {
	unit, err := cli.Prepared(ctx, coles.PrepareRowL2, y)
	if err != nil {
		return 0, err
	}
	m, err := cluster.KMeans{Clusters: k}.Fit(ctx, unit)
	if err != nil {
		return 0, err
	}
	n, _ := y.Dims()
	return m.Inertia / float64(n), nil
}
