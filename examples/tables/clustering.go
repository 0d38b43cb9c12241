package main

import (
	"context"
	"fmt"
	"time"

	"coles"
	"coles/eval"

	"gonum.org/v1/gonum/mat"
)

// The paper's table of clustering. One setting of COLES holds for all data sets,
// but for the hops of SGC, which a rule finds without labels.
func clusteringTable() table {
	return table{
		name: "clustering", title: "Clustering",
		about: "k-means into as many clusters as there are classes, in percent, mean ± standard deviation over 10 runs: accuracy by the best one-to-one map of clusters to classes, " +
			"normalised mutual information, macro F1 under that map. Rows are scaled to length 1, but for k-means, which sees the features as they are, and Spectral. " +
			"COLES has d′ = 32, effective rank 12, and K = 20 (S2GC) or the smallest even K whose clusters leave a quarter of the squared length of the rows unexplained or less (SGC; no labels are seen).",
		methods: append(clusteringMethods(), trainedMethods...), standard: clusteringMethods(), rows: methodRows(clustering),
	}
}

func clusteringMethods() []method {
	return []method{
		{name: "k-means", features: true, asIs: true, embed: func(_ context.Context, p *problem) (mat.Matrix, error) { return p.Features, nil }},
		{name: "Spectral-f", features: true, asIs: true, embed: func(ctx context.Context, p *problem) (mat.Matrix, error) {
			return eval.SpectralFeatures(ctx, p.Features, p.NumClasses())
		}},
		{name: "Spectral-g", asIs: true, embed: func(ctx context.Context, p *problem) (mat.Matrix, error) {
			return eval.SpectralGraph(ctx, p.graph, p.NumClasses())
		}},
		{name: "SGC", features: true, embed: func(ctx context.Context, p *problem) (mat.Matrix, error) {
			return filter(ctx, p, coles.SGC(8), p.Features)
		}},
		{name: "S2GC", features: true, embed: func(ctx context.Context, p *problem) (mat.Matrix, error) {
			return filter(ctx, p, s2gc, p.Features)
		}},
		{name: "COLES-SGC", features: true, choose: chosenHops},
		{name: "COLES-S2GC", features: true, embed: fitClusters(coles.S2GCSum(20))},
	}
}

// fitClusters is COLES with few columns and a low effective rank: what clusters
// share is in the first few eigenvectors, and k-means weighs all columns alike.
func fitClusters(f coles.Filter) func(context.Context, *problem) (mat.Matrix, error) {
	return fit(coles.WithDim(32), coles.WithFilter(f), coles.WithRank(12, 10))
}

// How far [chosenHops] smooths: until the clusters leave no more than this share
// of the rows unexplained, and no farther than so many hops.
const (
	unexplained = 0.25
	mostHops    = 30
)

// chosenHops is COLES with the W^K of the smallest even K whose rows, scaled to
// length 1, lie about the centres of their clusters with a mean squared distance of
// a quarter. Fewer hops leave noise in the features, more wash the classes out;
// how many are needed depends on how large and dense the graph is.
func chosenHops(ctx context.Context, p *problem) (setting, method, error) {
	for hops := 2; ; hops += 2 {
		m := method{name: "COLES-SGC", features: true, embed: fitClusters(coles.SGC(hops))}
		y, err := m.embed(ctx, p)
		if err != nil {
			return setting{}, m, err
		}
		spread, err := spreadWithin(ctx, y, p.NumClasses())
		if err != nil {
			return setting{}, m, err
		}
		if spread <= unexplained || hops == mostHops {
			return setting{"hops", "K", hops}, m, nil
		}
	}
}

// spreadWithin is the mean squared distance of the rows of y, scaled to length 1,
// to the centres of k clusters.
func spreadWithin(ctx context.Context, y mat.Matrix, k int) (float64, error) {
	unit := mat.DenseCopyOf(y)
	n, _ := unit.Dims()
	for i := range n {
		row := unit.RowView(i).(*mat.VecDense)
		if length := mat.Norm(row, 2); length > 0 {
			row.ScaleVec(1/length, row)
		}
	}
	m, err := eval.KMeans{Clusters: k}.Fit(ctx, unit)
	if err != nil {
		return 0, err
	}
	return m.Inertia / float64(n), nil
}

// clustering measures one method on one data set.
func clustering(ctx context.Context, o options, p *problem, m method) ([]cell, error) {
	c := cell{Method: m.name}
	if m.choose != nil {
		chosen, with, err := m.choose(ctx, p)
		if err != nil {
			return nil, err
		}
		c.Chosen, m = &chosen, with
	}
	c.Seeds = m.seeds(o)
	var opts []eval.ClusterOption
	if m.asIs {
		opts = append(opts, eval.WithoutUnitRows())
	}
	var accuracy, nmi, f1 []float64
	for seed := range c.Seeds {
		start := time.Now()
		y, err := m.embedded(ctx, p, uint64(seed+1))
		if err != nil {
			return nil, err
		}
		c.Seconds += time.Since(start).Seconds() / float64(c.Seeds)
		found, err := eval.Cluster(ctx, y, p.Labels, opts...)
		if err != nil {
			return nil, err
		}
		accuracy = append(accuracy, found.Accuracy.Each...)
		nmi = append(nmi, found.NMI.Each...)
		f1 = append(f1, found.F1.Each...)
	}
	printed := clustersInPaper[p.Name][m.name]
	for k, values := range [][]float64{accuracy, nmi, f1} {
		figure, err := newMeasure(clusterMeasures[k].key, clusterMeasures[k].label, values)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", clusterMeasures[k].label, err)
		}
		if printed != nil {
			figure.printed(printed[k], true)
		}
		c.Measures = append(c.Measures, figure)
	}
	return []cell{c}, nil
}

var clusterMeasures = []struct{ key, label string }{{"acc", "accuracy"}, {"nmi", "NMI"}, {"f1", "F1"}}
