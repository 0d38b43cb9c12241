package main

import (
	"context"
	"strings"

	"coles/dataset"
	"coles/eval"
	"coles/gnn"

	"gonum.org/v1/gonum/mat"
)

// The methods that train a network, once for every seed. Each has one setting for
// all data sets.
var trainedMethods = []method{
	{name: "COLES-Linear (Adam)", features: true, train: train(gnn.WithSettings(gnn.LinearSettings()))},
	{name: "COLES-GCN", features: true, train: train()},
	{name: "COLES-GCN (Stiefel)", features: true, train: train(gnn.WithSettings(gnn.StiefelSettings()))},
	{name: "COLES-GCN (+Aug)", features: true, train: train(gnn.WithSettings(gnn.AugmentedSettings()))},
	{name: "COLES-S2GC (geometric)", features: true, train: powerMean(0)},
	{name: "COLES-S2GC (arithmetic)", features: true, train: powerMean(1)},
	{name: "COLES-S2GC (harmonic)", features: true, train: powerMean(-1)},
	{name: "COLES-S2GC (quadratic)", features: true, train: powerMean(2)},
	{name: "GCN+SampledNCE", features: true, train: sampledNCE(gnn.GCN, 20)},
	{name: "SAGE+SampledNCE", features: true, train: sampledNCE(gnn.SAGE, 50)},
	{name: "GCN (supervised)", features: true, classify: supervised},
}

// train is a network trained without labels.
func train(opts ...gnn.Option) func(context.Context, *problem, uint64) (mat.Matrix, error) {
	return func(ctx context.Context, p *problem, seed uint64) (mat.Matrix, error) {
		m, err := gnn.Train(ctx, p.graph, p.Features, append(opts[:len(opts):len(opts)], gnn.WithSeed(seed))...)
		if err != nil {
			return nil, err
		}
		return m.Embedding(), nil
	}
}

// powerMean is the linear encoder with a generalised mean of order order.
func powerMean(order float64) func(context.Context, *problem, uint64) (mat.Matrix, error) {
	return train(gnn.WithSettings(gnn.LinearSettings()), gnn.WithObjective(gnn.PowerMean(order, 5)), gnn.WithFreshNegatives(true))
}

// sampledNCE is the paper's rival: two layers of one kind, for so many epochs. Trained
// for long it falls to the paper's figures.
func sampledNCE(layer func(width int) gnn.Layer, epochs int) func(context.Context, *problem, uint64) (mat.Matrix, error) {
	return train(gnn.WithNetwork(layer(512), gnn.ReLU(), layer(gnn.AutoWidth)), gnn.WithObjective(gnn.SampledNCE(5, 1)), gnn.WithFreshNegatives(true), gnn.WithEpochs(epochs))
}

// supervised is a GCN trained on the labels of each split, stopped by its
// validation nodes.
func supervised(ctx context.Context, p *problem, splits []dataset.Split, seed uint64) ([]float64, error) {
	var accuracy []float64
	for _, s := range splits {
		c, err := gnn.TrainClassifier(ctx, p.graph, p.Features, p.Labels, s.Train, s.Val, gnn.WithSeed(seed))
		if err != nil {
			return nil, err
		}
		predicted, err := c.Predict(ctx, p.graph, p.Features)
		if err != nil {
			return nil, err
		}
		test := s.TestNodes(p.Nodes())
		right := make([]int, len(test))
		guessed := make([]int, len(test))
		for k, i := range test {
			right[k], guessed[k] = p.Labels[i], predicted[i]
		}
		a, err := eval.Accuracy(guessed, right)
		if err != nil {
			return nil, err
		}
		accuracy = append(accuracy, 100*a)
	}
	return accuracy, nil
}

// meanMethods are the linear encoder with each mean, and COLES itself.
func meanMethods() []method {
	var means []method
	for _, m := range trainedMethods {
		if strings.HasPrefix(m.name, "COLES-S2GC") {
			means = append(means, m)
		}
	}
	return means
}
