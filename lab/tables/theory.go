package main

import (
	"context"
	"slices"
	"time"

	"coles"
	"coles/examples/shared/cli"
	"coles/lab/measures"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/floats/scalar"
)

// What the paper's theory speaks of, for any embedding.
func theoryTable() table {
	all := slices.Concat(closedMethods, trainedMethods, rivalMethods)
	return table{
		Name: "theory", Title: "Theory",
		about: "Rows are scaled to length 1. The contrast by blocks is the mean of −v·(μ⁺ − μ⁻) over nodes, with the expectation of uniform negatives; \"nearer\" is the share of the nodes, in percent, for which it is below 0. " +
			"Alignment and uniformity are the mean products u·v of edges and of as many pairs that no edge joins: the paper's loss is uniformity less alignment. W₁ is the Wasserstein distance of these products, K the Lipschitz bound.",
		methods: all, rows: pick(all, "Raw", "SGC", "S2GC", "LPP", "COLES-SGC", "COLES-S2GC", "Eigenmaps"), measure: theory,
	}
}

// theory measures the first training of a method on one data set.
func theory(ctx context.Context, _ options, p *problem, m method) ([]cell, error) {
	start := time.Now()
	y, err := m.embed(ctx, p, 1)
	if err != nil {
		return nil, err
	}
	c := cell{Seeds: 1, Seconds: time.Since(start).Seconds()}
	unit, err := cli.Prepared(ctx, coles.PrepareRowL2, y)
	if err != nil {
		return nil, err
	}
	add := func(key, label string, v float64) {
		c.Measures = append(c.Measures, measure{Key: key, Label: label, Mean: scalar.Round(v, 3), Plain: true})
	}
	dw, err := coles.Contrast(ctx, p.graph, coles.ExpectedUniformNegatives(), 1, 1, 0)
	if err != nil {
		return nil, err
	}
	blocks, err := measures.BlockContrast(ctx, dw, unit)
	if err != nil {
		return nil, err
	}
	nodes := float64(len(blocks))
	add("blocks", "contrast by blocks", floats.Sum(blocks)/nodes)
	add("nearer", "nearer", 100*float64(floats.Count(func(v float64) bool { return v < 0 }, blocks))/nodes)

	edges, err := measures.PositivePairs(p.graph)
	if err != nil {
		return nil, err
	}
	others, err := measures.NegativePairs(ctx, p.graph, len(edges), 1)
	if err != nil {
		return nil, err
	}
	positive, err := measures.PairScores(ctx, unit, edges)
	if err != nil {
		return nil, err
	}
	negative, err := measures.PairScores(ctx, unit, others)
	if err != nil {
		return nil, err
	}
	alignment, uniformity, err := measures.AlignmentAndUniformity(positive, negative)
	if err != nil {
		return nil, err
	}
	distance, err := measures.Wasserstein(positive, negative)
	if err != nil {
		return nil, err
	}
	k, err := measures.LipschitzBound(ctx, unit)
	add("alignment", "alignment", alignment)
	add("uniformity", "uniformity", uniformity)
	add("w1", "W₁", distance)
	add("lipschitz", "K", k)
	return []cell{c}, err
}
