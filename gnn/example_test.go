package gnn_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"

	"coles"
	"coles/dataset"
	"coles/dataset/synthetic"
	"coles/eval"
	"coles/gnn"
	"coles/gnn/optim"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

// communities are a graph with words and labels, and splits of its nodes.
func communities() (*coles.Graph, *dataset.Dataset, []dataset.Split) {
	g, d := generated(300, 1)
	return g, d, testkit.Must(d.RandomSplits(10, 10, 1))
}

func generated(nodes int, seed uint64) (*coles.Graph, *dataset.Dataset) {
	d := testkit.Must(synthetic.Communities{Nodes: nodes, Classes: 3, Features: 200, Seed: seed}.Generate(ctx))
	return testkit.Must(coles.FromCSR(d.Adjacency)), d
}

// accuracy is how many in a hundred labels are right after training on ten a class.
func accuracy(ctx context.Context, y mat.Matrix, d *dataset.Dataset, splits []dataset.Split) float64 {
	return 100 * testkit.Must(eval.Protocol{}.Classify(ctx, y, d.Labels, splits)).Mean
}

// COLES-GCN at its default setting, and the paper's other ways of training. Each setting is one for
// every graph.
func ExampleTrain() {
	g, d, splits := communities()
	raw := accuracy(ctx, d.Features, d, splits)
	for _, s := range []gnn.Settings{gnn.DefaultSettings(), gnn.StiefelSettings(), gnn.LinearSettings(), gnn.AugmentedSettings()} {
		m, err := gnn.Train(ctx, g, d.Features, gnn.WithSettings(s))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(m.Settings().Network, accuracy(ctx, m.Embedding(), d, splits) > raw+10)
	}
	// Output:
	// gcn:512 → relu → gcn:256 true
	// gcn:512 → relu → gcn:256,orthonormal true
	// propagate:s2gcsum:8 → linear:256 true
	// gcn:512 → relu → gcn:256 true
}

// A graph without features lends its embedding in closed form, also for nodes that come later: here one with
// three edges.
func ExampleTrain_withoutFeatures() {
	g, d, splits := communities()
	closed, err := coles.Fit(ctx, g, nil)
	if err != nil {
		log.Fatal(err)
	}
	m, err := gnn.Train(ctx, g, closed.Embedding(), gnn.With(func(s *gnn.Settings) { s.Network = gnn.Network{gnn.GCN(64), gnn.ReLU(), gnn.GCN(32)} }))
	if err != nil {
		log.Fatal(err)
	}
	edges := []coles.Edge{{U: 300, V: 1}, {U: 300, V: 4}, {U: 300, V: 7}}
	d.Adjacency.DoNonZero(func(u, v int, _ float64) { edges = append(edges, coles.Edge{U: u, V: v}) })
	grown, err := coles.NewGraph(301, edges)
	if err != nil {
		log.Fatal(err)
	}
	x, err := closed.Embed(ctx, grown, nil)
	if err != nil {
		log.Fatal(err)
	}
	y, err := m.Embed(ctx, grown, x)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("a guess is right in a third, the network in more than half:", accuracy(ctx, m.Embedding(), d, splits) > 50)
	fmt.Println(y.Dims())
	// Output:
	// a guess is right in a third, the network in more than half: true
	// 301 32
}

// Settings are a value with one text form for each choice: a file may hold what differs from the
// default. Without labels a training may stop by how much of the output's energy is in few directions.
func ExampleSettings() {
	g, d, _ := communities()
	s := gnn.DefaultSettings()
	err := json.Unmarshal([]byte(`{
		"network": ["sage:64", "prelu", "sage:32"], "objective": "coles:0",
		"optimizer": "adam:0.001", "schedule": "cosine:5", "epochs": 200, "stop_rank": 3}`), &s)
	if err != nil {
		log.Fatal(err)
	}
	var last gnn.EpochReport
	m, err := gnn.Train(ctx, g, d.Features, gnn.WithSettings(s), gnn.WithEpochReport(func(p gnn.EpochReport) { last = p }))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Objective, s.Optimizer, s.Schedule, m.Parameters())
	fmt.Println(m.Report().Epochs < 200, m.Report().Epochs == last.Epoch, last.Rank <= 3)
	// Output:
	// coles:0 adam:0.001 cosine:5 [0.self 0.neighbors 0.bias 1.slope 2.self 2.neighbors 2.bias]
	// true true true
}

// An orthonormal encoder of filtered features: the problem that coles.Fit solves in closed form.
func ExampleLayer_Orthonormal() {
	g, d, _ := communities()
	s := gnn.DefaultSettings()
	s.Network = gnn.Network{gnn.Propagate(coles.SGC(2)), gnn.Linear(16).Orthonormal()}
	s.Objective, s.Optimizer, s.Precision = gnn.COLES(0), optim.SGD(1, 0.9), coles.Float64
	m, err := gnn.Train(ctx, g, d.Features, gnn.WithSettings(s))
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

// Blocks of 60 nodes, one step each: five steps an epoch, and memory for one block.
func ExampleSettings_batches() {
	g, d, splits := communities()
	m, err := gnn.Train(ctx, g, d.Features, gnn.With(func(s *gnn.Settings) { s.Network = gnn.Network{gnn.GCN(64), gnn.ReLU(), gnn.GCN(32)} }), gnn.With(func(s *gnn.Settings) { s.BatchSize = 60 }))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(accuracy(ctx, m.Embedding(), d, splits) > accuracy(ctx, d.Features, d, splits)+5)
	// Output:
	// true
}

// A score of the caller's, here by labels of validation nodes, decides when to stop.
func ExampleWithValidation() {
	g, d, splits := communities()
	val := []dataset.Split{{Train: splits[0].Train, Test: splits[0].Val}}
	score := func(ctx context.Context, _ int, y *mat.Dense) (float64, error) { return accuracy(ctx, y, d, val), nil }
	m, err := gnn.Train(ctx, g, d.Features, gnn.With(func(s *gnn.Settings) { s.Network, s.Epochs = gnn.Network{gnn.GCN(16)}, 200 }), gnn.WithValidation(2, 5, score))
	if err != nil {
		log.Fatal(err)
	}
	r := m.Report()
	fmt.Println(r.Epochs < 200, r.Epochs-r.BestEpoch)
	// Output:
	// true 10
}

// A model, written and read, embeds nodes that came after the training.
func ExampleReadModel() {
	g, d, _ := communities()
	m, err := gnn.Train(ctx, g, d.Features, gnn.With(func(s *gnn.Settings) { s.Network = gnn.Network{gnn.GCN(32), gnn.ReLU(), gnn.GCN(16)} }))
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
	other, later := generated(400, 2)
	again, err := read.Embed(ctx, g, d.Features)
	if err != nil {
		log.Fatal(err)
	}
	y, err := read.Embed(ctx, other, later.Features)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(mat.Equal(again, m.Embedding()))
	fmt.Println(y.Dims())
	// Output:
	// true
	// 400 16
}

// A training that is interrupted goes on where it was, to the byte, in another process it may be.
func ExampleResume() {
	g, d, _ := communities()
	var file bytes.Buffer
	m, err := gnn.Train(ctx, g, d.Features, gnn.With(func(s *gnn.Settings) { s.Network = gnn.Network{gnn.GCN(16)} }), gnn.WithCheckpoints(15, func(c *gnn.Checkpoint) error {
		file.Reset() // keep the newest
		_, err := c.WriteTo(&file)
		return err
	}))
	if err != nil {
		log.Fatal(err)
	}
	c, err := gnn.ReadCheckpoint(&file)
	if err != nil {
		log.Fatal(err)
	}
	resumed, err := gnn.Resume(ctx, c, g, d.Features)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Epoch(), resumed.Report().Epochs, mat.Equal(resumed.Embedding(), m.Embedding()))
	// Output:
	// 15 20 true
}

// A semi-supervised GCN and, of linear layers, the perceptron that does not see the graph.
func ExampleTrainClassifier() {
	g, d, splits := communities()
	s := splits[0]
	var shares []float64 // of the labels that are right
	for _, network := range [][]gnn.Layer{
		{gnn.GCN(16), gnn.ReLU(), gnn.Dropout(0.5), gnn.GCN(gnn.AutoWidth)},
		{gnn.Linear(16), gnn.ReLU(), gnn.Dropout(0.5), gnn.Linear(gnn.AutoWidth)},
	} {
		c, err := gnn.TrainClassifier(ctx, g, d.Features, d.Labels, s.Train, s.Val, gnn.With(func(s *gnn.Settings) { s.Network = network }))
		if err != nil {
			log.Fatal(err)
		}
		labels, err := c.Predict(ctx, g, d.Features)
		if err != nil {
			log.Fatal(err)
		}
		right, test := 0, s.TestNodes(d.Nodes())
		for _, i := range test {
			if labels[i] == d.Labels[i] {
				right++
			}
		}
		fmt.Println(c.Settings().Network)
		shares = append(shares, float64(right)/float64(len(test)))
	}
	fmt.Println("a guess is right in a third, the perceptron more often, the GCN most often:", 1.0/3 < shares[1] && shares[1] < shares[0])
	// Output:
	// gcn:16 → relu → dropout:0.5 → gcn:3
	// linear:16 → relu → dropout:0.5 → linear:3
	// a guess is right in a third, the perceptron more often, the GCN most often: true
}
