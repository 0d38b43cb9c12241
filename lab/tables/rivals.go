package main

import (
	"context"

	"coles"
	"coles/dataset"
	"coles/gnn"
	"coles/lab/rivals"

	"gonum.org/v1/gonum/mat"
)

// rivalMethods are the systems that the paper compares with, and later ones, that train without
// labels, at their authors' settings.
var rivalMethods = []method{
	walks("DeepWalk", rivals.DeepWalk()),
	rival("GAE", rivals.GAE),
	rival("VGAE", rivals.VGAE),
	rival("ARGE", rivals.ARGE),
	rival("ARVGE", rivals.ARVGE),
	rival("Graph2Gauss", rivals.Graph2Gauss),
	rival("SCE", rivals.SCE),
	rival("DGI", rivals.DGI),
	rival("GRACE", rivals.GRACE),
	rival("GraphCL", rivals.GraphCL),
	rival("GCA", rivals.GCA),
	rival("CCA-SSG", rivals.CCASSG),
	rival("GraphMAE", rivals.GraphMAE),
	rival("BGRL", rivals.BGRL),
	rival("PolyGCL", rivals.PolyGCL),
	onSameFeatures("DGI", rivals.DGI),
	onSameFeatures("GRACE", rivals.GRACE),
	onSameFeatures("CCA-SSG", rivals.CCASSG),
}

// supervisedMethods train on labels, and have no embedding.
var supervisedMethods = []method{
	supervised("GCN (supervised)", func(string) gnn.Settings { return gnn.ClassifierSettings() }),
	supervised("GAT", rivals.GAT),
	supervised("MixHop", rivals.MixHop),
}

// walks is skip-gram on random walks.
func walks(name string, s rivals.SkipGram) method {
	return method{name: name, seeded: true, graphOnly: true, embed: func(ctx context.Context, p *problem, seed uint64) (mat.Matrix, error) {
		s := s
		s.Seed = seed
		return s.Fit(ctx, p.graph, nil)
	}}
}

// rival is a network trained without labels, at the settings for a data set.
func rival(name string, settings func(dataset string) gnn.Settings) method {
	return method{name: name, seeded: true, settings: settings, embed: func(ctx context.Context, p *problem, seed uint64) (mat.Matrix, error) {
		return trained(name, gnn.WithSettings(settings(p.Name))).embed(ctx, p, seed)
	}}
}

// onSameFeatures is a rival on the features that COLES prepares: a reader sees what is preparation, and
// what is method.
func onSameFeatures(name string, settings func(dataset string) gnn.Settings) method {
	return rival(name+" (same features)", func(dataset string) gnn.Settings {
		s := settings(dataset)
		s.Preparation = coles.PrepareAuto
		return s
	})
}

// supervised is a network trained on the labels of each split, at the settings for a data set, and
// stopped by the validation nodes.
func supervised(name string, settings func(dataset string) gnn.Settings) method {
	return method{name: name, seeded: true, classify: func(ctx context.Context, p *problem, splits []dataset.Split, seed uint64) ([]float64, error) {
		var accuracy []float64
		for _, s := range splits {
			c, err := gnn.TrainClassifier(ctx, p.graph, p.Features, p.Labels, s.Train, s.Val, gnn.WithSettings(settings(p.Name)), gnn.With(func(s *gnn.Settings) { s.Seed = seed }))
			if err != nil {
				return nil, err
			}
			predicted, err := c.Predict(ctx, p.graph, p.Features)
			if err != nil {
				return nil, err
			}
			a, err := p.accuracy(predicted, s)
			if err != nil {
				return nil, err
			}
			accuracy = append(accuracy, a)
		}
		return accuracy, nil
	}}
}
