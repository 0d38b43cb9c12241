package main

import (
	"context"

	"coles"
	"coles/lab/rivals"

	"gonum.org/v1/gonum/mat"
)

// sampledMethods see a few neighbours or a part of the graph in each step, or walk on it.
var sampledMethods = []method{
	learner("GraphSAGE", rivals.GraphSAGE, asTheyAre),
	learner("GraphSAGE-GCN", rivals.GraphSAGEGCN, asTheyAre),
	learner("GraphSAGE-LSTM", rivals.GraphSAGELSTM, asTheyAre),
	learner("GraphSAINT", rivals.GraphSAINT, asTheyAre),
	learner("FastGCN", rivals.FastGCN, asTheyAre),
	headed("GraphSAGE (unsupervised) + MLP", unlabelled(rivals.UnsupervisedGraphSAGE)),
	headed("GraphSAGE-GCN (unsupervised) + MLP", unlabelled(rivals.UnsupervisedGraphSAGEGCN)),
	headed("GraphSAGE-LSTM (unsupervised) + MLP", unlabelled(rivals.UnsupervisedGraphSAGELSTM)),
	walked("GraphZoom + MLP", func(ctx context.Context, t *task) (*mat.Dense, int, error) {
		z := rivals.DefaultGraphZoom()
		z.Embedding = t.walks(z.Embedding)
		coarse, group, err := z.Coarsen(ctx, t.graph)
		if err != nil {
			return nil, 0, err
		}
		y, err := z.Embedding.Fit(ctx, coarse, t.progress)
		if err != nil {
			return nil, 0, err
		}
		y, err = z.Refine(ctx, t.graph, group, y)
		return y, coarse.Nodes() * z.Embedding.Dim, err
	}),
	walked("node2vec + MLP", func(ctx context.Context, t *task) (*mat.Dense, int, error) {
		s := t.walks(rivals.Node2Vec(1, 1))
		y, err := s.Fit(ctx, t.graph, t.progress)
		return y, t.graph.Nodes() * s.Dim, err
	}),
}

// walks are the settings of random walks for a task: a pass over the nodes is an epoch.
func (t *task) walks(s rivals.SkipGram) rivals.SkipGram {
	s.Seed = t.seed
	if t.epochs > 0 {
		s.Walks = min(s.Walks, t.epochs)
	}
	return s
}

// walked is an embedding of the nodes, and the numbers it took, with the features in the perceptron of
// the Open Graph Benchmark.
func walked(name string, embed func(ctx context.Context, t *task) (*mat.Dense, int, error)) method {
	return method{name: name, transductive: true, learn: func(ctx context.Context, t *task) (*learned, error) {
		y, parameters, err := embed(ctx, t)
		if err != nil {
			return nil, err
		}
		x := beside(t.features, y)
		c, err := t.classify(ctx, x, rivals.MLP(t.dataset))
		if err != nil {
			return nil, err
		}
		return &learned{parameters + c.Report().Parameters, func(ctx context.Context) ([]int, error) {
			return c.Predict(ctx, t.whole, x)
		}}, nil
	}}
}

// beside is [X | Y].
func beside(x mat.Matrix, y *mat.Dense) *coles.Dense32 {
	n, d := x.Dims()
	_, more := y.Dims()
	all := &coles.Dense32{Rows: n, Cols: d + more, Stride: d + more, Data: make([]float32, n*(d+more))}
	for i := range n {
		row := all.Data[i*all.Stride : (i+1)*all.Stride]
		eachEntry(x, i, func(j int, v float64) { row[j] = float32(v) })
		for j, v := range y.RawRowView(i) {
			row[d+j] = float32(v)
		}
	}
	return all
}
