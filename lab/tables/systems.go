package main

import (
	"context"
	"slices"

	"coles"
	"coles/gnn"
	"coles/lab/rivals"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// headedMethods embed the graph without labels and train the paper's perceptron on what comes out,
// COLES first.
var headedMethods = []method{
	headed("COLES-S2GC + MLP", closedForm(s2gcFor)),
	headed("COLES-SGC + MLP", closedForm(func(string) coles.Filter { return sgc })),
	headed("COLES-GCN + MLP", unlabelled(inBlocks)),
	headed("DGI + MLP", unlabelled(largeDGI)),
}

// wholeMethods learn from labels, with all nodes or all labelled ones in memory.
var wholeMethods = []method{
	learner("MLP", rivals.MLP, asTheyAre),
	learner("S2GC + MLP", func(dataset string) gnn.Settings {
		s := rivals.MLP(dataset)
		s.Network = append(gnn.Network{gnn.Propagate(s2gcFor(dataset))}, s.Network...)
		return s
	}, asTheyAre),
	learner("SIGN", func(string) gnn.Settings {
		return rivals.SIGN(rivals.SIGNHops)
	}, func(ctx context.Context, g *coles.Graph, x mat.Matrix) (mat.Matrix, error) {
		return rivals.SIGNFeatures(ctx, g, x, rivals.SIGNHops)
	}),
	{name: "C&S", learn: corrected},
	learner("GCN (OGB)", rivals.GCN, asTheyAre),
	learner("SAGE (OGB)", rivals.SAGE, asTheyAre),
	learner("DeeperGCN", rivals.DeeperGCN, asTheyAre),
	{name: "FrameLet", transductive: true, learn: func(ctx context.Context, t *task) (*learned, error) {
		sized := func(dataset string) gnn.Settings { return rivals.FrameLet(dataset, t.graph.Nodes()) }
		return learner("", sized, asTheyAre).learn(ctx, t)
	}},
}

// corrected is a linear classifier whose errors are spread over the graph.
func corrected(ctx context.Context, t *task) (*learned, error) {
	c, err := t.classify(ctx, t.features, rivals.SoftmaxRegression(t.dataset))
	if err != nil {
		return nil, err
	}
	return &learned{c.Report().Parameters, func(ctx context.Context) ([]int, error) {
		scores, err := c.Scores(ctx, t.whole, t.wholeFeatures)
		if err != nil {
			return nil, err
		}
		classes := c.Classes()
		var places []int
		for _, i := range t.train {
			k, _ := slices.BinarySearch(classes, t.labels[i])
			places = append(places, k)
		}
		y, err := rivals.DefaultCorrectAndSmooth().Apply(ctx, t.whole, scores, t.wholeTrain, places)
		if err != nil {
			return nil, err
		}
		predicted := make([]int, t.whole.Nodes())
		for i := range predicted {
			predicted[i] = classes[floats.MaxIdx(y.RawRowView(i))]
		}
		return predicted, nil
	}}, nil
}

// s2gcFor has as many hops as the paper's for a data set.
func s2gcFor(dataset string) coles.Filter {
	switch dataset {
	case arxiv:
		return coles.S2GCSum(10)
	case reddit:
		return coles.S2GCSum(2)
	}
	return s2gc
}

// An embedded is an embedding of the graph that was learned from, the numbers it took, and what
// embeds the whole.
type embedded struct {
	y          mat.Matrix
	parameters int
	whole      func(ctx context.Context, g *coles.Graph, x mat.Matrix) (*mat.Dense, error)
}

// headed is an embedding with the paper's perceptron behind it.
func headed(name string, embed func(ctx context.Context, t *task) (embedded, error)) method {
	return method{name: name, learn: func(ctx context.Context, t *task) (*learned, error) {
		e, err := embed(ctx, t)
		if err != nil {
			return nil, err
		}
		head, err := t.classify(ctx, e.y, rivals.MLPHead(t.dataset))
		if err != nil {
			return nil, err
		}
		return &learned{e.parameters + head.Report().Parameters, func(ctx context.Context) ([]int, error) {
			y, err := e.whole(ctx, t.whole, t.wholeFeatures)
			if err != nil {
				return nil, err
			}
			return head.Predict(ctx, t.whole, y)
		}}, nil
	}}
}

// closedForm is COLES with the filter for a data set.
func closedForm(filter func(dataset string) coles.Filter) func(ctx context.Context, t *task) (embedded, error) {
	return func(ctx context.Context, t *task) (embedded, error) {
		m, err := coles.Fit(ctx, t.graph, t.features, coles.With(func(s *coles.Settings) { s.Kind, s.Filter, s.Seed = coles.UseGraph, filter(t.dataset), t.seed }))
		if err != nil {
			return embedded{}, err
		}
		_, d := t.features.Dims()
		_, dim := m.Embedding().Dims()
		return embedded{m.Embedding(), d * dim, m.Embed}, nil
	}
}

// inBlocks are the settings of COLES-GCN, trained on blocks of the graph.
func inBlocks(string) gnn.Settings {
	s := gnn.DefaultSettings()
	s.BatchSize = 20_000
	return s
}

// largeDGI is the system for small graphs, on features as GraphSAGE has them: they may be below zero.
func largeDGI(dataset string) gnn.Settings {
	s := rivals.DGI(dataset)
	s.Preparation = rivals.UnsupervisedGraphSAGE(dataset).Preparation
	return s
}

// unlabelled trains a network without labels.
func unlabelled(settings func(dataset string) gnn.Settings) func(ctx context.Context, t *task) (embedded, error) {
	return func(ctx context.Context, t *task) (embedded, error) {
		m, err := gnn.Train(ctx, t.graph, t.features, t.options(settings(t.dataset))...)
		if err != nil {
			return embedded{}, err
		}
		return embedded{m.Embedding(), m.Report().Parameters, m.Embed}, nil
	}
}

// learner trains a network on labels, on features that are made of the graph's.
func learner(name string, settings func(dataset string) gnn.Settings,
	features func(ctx context.Context, g *coles.Graph, x mat.Matrix) (mat.Matrix, error),
) method {
	return method{name: name, learn: func(ctx context.Context, t *task) (*learned, error) {
		x, err := features(ctx, t.graph, t.features)
		if err != nil {
			return nil, err
		}
		c, err := t.classify(ctx, x, settings(t.dataset))
		if err != nil {
			return nil, err
		}
		return &learned{c.Report().Parameters, func(ctx context.Context) ([]int, error) {
			x, err := features(ctx, t.whole, t.wholeFeatures)
			if err != nil {
				return nil, err
			}
			return c.Predict(ctx, t.whole, x)
		}}, nil
	}}
}

func asTheyAre(_ context.Context, _ *coles.Graph, x mat.Matrix) (mat.Matrix, error) { return x, nil }

// classify trains a network on the labels of the task and other features.
func (t *task) classify(ctx context.Context, x mat.Matrix, s gnn.Settings) (*gnn.Classifier, error) {
	return gnn.TrainClassifier(ctx, t.graph, x, t.labels, t.train, t.val, t.options(s)...)
}

// options train with settings, for at most t.epochs epochs, and report progress.
func (t *task) options(s gnn.Settings) []gnn.Option {
	if t.epochs > 0 {
		s.Epochs = min(s.Epochs, t.epochs)
	}
	return []gnn.Option{gnn.WithSettings(s), gnn.With(func(s *gnn.Settings) { s.Seed = t.seed }), gnn.WithProgress(t.progress)}
}
