package gnn_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"coles"
	"coles/dataset"
	"coles/eval"
	"coles/gnn"

	"gonum.org/v1/gonum/mat"
)

// communities are a graph with words and labels, and the splits to judge by.
func communities() (*coles.Graph, *dataset.Dataset, []dataset.Split) {
	d, err := dataset.Communities{Nodes: 300, Classes: 3, Features: 200, Seed: 1}.Generate(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	g, err := coles.FromCSR(d.Adjacency)
	if err != nil {
		log.Fatal(err)
	}
	splits, err := d.RandomSplits(10, 10, 1)
	if err != nil {
		log.Fatal(err)
	}
	return g, d, splits
}

// worth tells whether an embedding says more than the features alone.
func worth(y mat.Matrix, d *dataset.Dataset, splits []dataset.Split) string {
	raw, err := eval.Classify(context.Background(), d.Features, d.Labels, splits)
	if err != nil {
		log.Fatal(err)
	}
	embedded, err := eval.Classify(context.Background(), y, d.Labels, splits)
	if err != nil {
		log.Fatal(err)
	}
	if embedded.Mean > raw.Mean+10 {
		return "ten points and more above the raw features"
	}
	return fmt.Sprintf("%.1f, raw features %.1f", embedded.Mean, raw.Mean)
}

// COLES-GCN at its default setting.
func ExampleTrain() {
	ctx := context.Background()
	g, d, splits := communities()
	m, err := gnn.Train(ctx, g, d.Features)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Settings().Network)
	fmt.Println(worth(m.Embedding(), d, splits))
	// Output:
	// gcn(512) → relu → gcn(256)
	// ten points and more above the raw features
}

// Settings for the paper's other ways of training, each good for every graph.
func ExampleStiefelSettings() {
	ctx := context.Background()
	g, d, splits := communities()
	for _, s := range []gnn.Settings{gnn.StiefelSettings(), gnn.LinearSettings(), gnn.AugmentedSettings()} {
		m, err := gnn.Train(ctx, g, d.Features, gnn.WithSettings(s))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v: %s\n", s.Network, worth(m.Embedding(), d, splits))
	}
	// Output:
	// gcn(512) → relu → gcn orthonormal: ten points and more above the raw features
	// propagate(S2GCSum(8)) → linear: ten points and more above the raw features
	// gcn(512) → relu → gcn: ten points and more above the raw features
}

// A network of your own, the rival's objective, and fresh negatives in every epoch.
func ExampleSampledNCE() {
	ctx := context.Background()
	g, d, _ := communities()
	m, err := gnn.Train(ctx, g, d.Features,
		gnn.WithNetwork(gnn.SAGE(64), gnn.PReLU(), gnn.SAGE(32)),
		gnn.WithObjective(gnn.SampledNCE(5, 1)), gnn.WithFreshNegatives(true),
		gnn.WithOptimizer(gnn.Adam(0.01)), gnn.WithSchedule(gnn.Cosine(5)), gnn.WithEpochs(30))
	if err != nil {
		log.Fatal(err)
	}
	n, dim := m.Embedding().Dims()
	fmt.Println(n, dim, m.Parameters())
	// Output:
	// 300 32 [0.self 0.neighbors 0.bias 1.slope 2.self 2.neighbors 2.bias]
}

// The linear encoder with an arithmetic mean of the negatives.
func ExamplePowerMean() {
	ctx := context.Background()
	g, d, splits := communities()
	m, err := gnn.Train(ctx, g, d.Features, gnn.WithSettings(gnn.LinearSettings()), gnn.WithObjective(gnn.PowerMean(1, 5)))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(worth(m.Embedding(), d, splits))
	// Output:
	// ten points and more above the raw features
}

// An orthonormal encoder of filtered features: the problem that coles.Fit solves in
// closed form.
func ExampleLayer_Orthonormal() {
	ctx := context.Background()
	g, d, _ := communities()
	m, err := gnn.Train(ctx, g, d.Features,
		gnn.WithNetwork(gnn.Propagate(coles.SGC(2)), gnn.Linear(16).Orthonormal()),
		gnn.WithObjective(gnn.COLES(0)), gnn.WithOptimizer(gnn.SGD(1, 0.9)), gnn.WithPrecision(coles.Float64))
	if err != nil {
		log.Fatal(err)
	}
	theta, _ := m.Parameter("1.weight")
	var gram mat.Dense
	gram.Mul(theta.T(), theta)
	fmt.Printf("%.6f %.6f\n", gram.At(0, 0), gram.At(0, 1)*gram.At(0, 1))
	// Output:
	// 1.000000 0.000000
}

// Nodes that came after the training are embedded by the same network.
func ExampleModel_Embed() {
	ctx := context.Background()
	g, d, _ := communities()
	m, err := gnn.Train(ctx, g, d.Features, gnn.WithNetwork(gnn.GCN(32), gnn.ReLU(), gnn.GCN(16)))
	if err != nil {
		log.Fatal(err)
	}
	later, err := dataset.Communities{Nodes: 400, Classes: 3, Features: 200, Seed: 2}.Generate(ctx)
	if err != nil {
		log.Fatal(err)
	}
	other, err := coles.FromCSR(later.Adjacency)
	if err != nil {
		log.Fatal(err)
	}
	y, err := m.Embed(ctx, other, later.Features)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(y.Dims())
	// Output:
	// 400 16
}

// A model, written and read.
func ExampleReadModel() {
	ctx := context.Background()
	g, d, _ := communities()
	m, err := gnn.Train(ctx, g, d.Features, gnn.WithNetwork(gnn.GCN(16)))
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := m.WriteTo(&file); err != nil {
		log.Fatal(err)
	}
	read, err := gnn.ReadModel(&file)
	if err != nil {
		log.Fatal(err)
	}
	y, err := read.Embed(ctx, g, d.Features)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(mat.Equal(y, m.Embedding()))
	// Output:
	// true
}

// A training that is interrupted goes on where it was, to the byte.
func ExampleResume() {
	ctx := context.Background()
	g, d, _ := communities()
	var kept *gnn.Checkpoint
	m, err := gnn.Train(ctx, g, d.Features, gnn.WithNetwork(gnn.GCN(16)), gnn.WithCheckpoints(15, func(c *gnn.Checkpoint) error {
		kept = c // or kept.WriteTo a file, and gnn.ReadCheckpoint
		return nil
	}))
	if err != nil {
		log.Fatal(err)
	}
	resumed, err := gnn.Resume(ctx, kept, g, d.Features)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(kept.Epoch(), resumed.Report().Epochs, mat.Equal(resumed.Embedding(), m.Embedding()))
	// Output:
	// 15 20 true
}

// A score of the caller's, here by labels of validation nodes, decides when to stop.
func ExampleWithValidation() {
	ctx := context.Background()
	g, d, splits := communities()
	score := func(ctx context.Context, _ int, y *mat.Dense) (float64, error) {
		s := splits[0]
		c, err := eval.LogisticRegression{}.Fit(ctx, y, s.Train, d.Labels)
		if err != nil {
			return 0, err
		}
		predicted, err := c.Predict(ctx, y, s.Val)
		if err != nil {
			return 0, err
		}
		actual := make([]int, len(s.Val))
		for k, i := range s.Val {
			actual[k] = d.Labels[i]
		}
		return eval.Accuracy(predicted, actual)
	}
	m, err := gnn.Train(ctx, g, d.Features, gnn.WithNetwork(gnn.GCN(16)), gnn.WithEpochs(200), gnn.WithValidation(score, 2, 5))
	if err != nil {
		log.Fatal(err)
	}
	r := m.Report()
	fmt.Println(r.Epochs < 200, r.Epochs-r.BestEpoch)
	// Output:
	// true 10
}

// A semi-supervised GCN.
func ExampleTrainClassifier() {
	ctx := context.Background()
	g, d, splits := communities()
	s := splits[0]
	c, err := gnn.TrainClassifier(ctx, g, d.Features, d.Labels, s.Train, s.Val)
	if err != nil {
		log.Fatal(err)
	}
	labels, err := c.Predict(ctx, g, d.Features)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(labels), c.Classes())
	// Output:
	// 300 [0 1 2]
}
