package gnn_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"slices"

	"coles"
	"coles/gnn"

	"gonum.org/v1/gonum/mat"
)

// Filtered features and one linear layer: the encoder of the paper, by gradient descent.
func ExamplePropagate() {
	ctx := context.Background()
	g, d, splits := communities()
	m, err := gnn.Train(ctx, g, d.Features,
		gnn.WithNetwork(gnn.Propagate(coles.SGC(2)), gnn.Linear(32)), gnn.WithOptimizer(gnn.Adam(0.01)))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Settings().Network, m.Parameters())
	fmt.Println(worth(m.Embedding(), d, splits))
	// Output:
	// propagate(SGC(2)) → linear(32) [1.weight 1.bias]
	// ten points and more above the raw features
}

// Two views of the graph: edges are dropped and features masked, more of them in the
// second.
func ExampleAugmentation() {
	ctx := context.Background()
	g, d, _ := communities()
	m, err := gnn.Train(ctx, g, d.Features,
		gnn.WithNetwork(gnn.GCN(64), gnn.ReLU(), gnn.GCN(32)),
		gnn.WithAugmentation(gnn.Augmentation{DropEdges: [2]float64{0.1, 0.3}, MaskFeatures: [2]float64{0, 0.2}}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Embedding().Dims())
	// Output:
	// 300 32
}

// Blocks of 60 nodes, one step each: five steps an epoch, and memory for one block.
func ExampleWithBatchSize() {
	ctx := context.Background()
	g, d, _ := communities()
	m, err := gnn.Train(ctx, g, d.Features,
		gnn.WithNetwork(gnn.GCN(64), gnn.ReLU(), gnn.GCN(32)), gnn.WithBatchSize(60))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Embedding().Dims())
	// Output:
	// 300 32
}

// Without labels a training may stop by how much of the output's energy is in few
// directions.
func ExampleWithRankStop() {
	ctx := context.Background()
	g, d, _ := communities()
	var ranks []float64
	m, err := gnn.Train(ctx, g, d.Features,
		gnn.WithNetwork(gnn.GCN(64), gnn.ReLU(), gnn.GCN(32)), gnn.WithObjective(gnn.COLES(0)),
		gnn.WithEpochs(200), gnn.WithRankStop(3),
		gnn.WithProgress(func(p gnn.Progress) { ranks = append(ranks, p.Rank) }))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Report().Epochs == len(ranks), m.Report().Epochs < 200, slices.Min(ranks) <= 3)
	// Output:
	// true true true
}

// Settings are a value that survives JSON.
func ExampleWithSettings() {
	ctx := context.Background()
	g, d, _ := communities()
	s := gnn.DefaultSettings()
	s.Network = gnn.Network{gnn.GCN(16)}
	s.Epochs = 5
	text, err := json.Marshal(s)
	if err != nil {
		log.Fatal(err)
	}
	var read gnn.Settings
	if err := json.Unmarshal(text, &read); err != nil {
		log.Fatal(err)
	}
	m, err := gnn.Train(ctx, g, d.Features, gnn.WithSettings(read))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Report().Epochs, m.Report().Dim)
	// Output:
	// 5 16
}

// A checkpoint, written and read, in another process it may be.
func ExampleReadCheckpoint() {
	ctx := context.Background()
	g, d, _ := communities()
	var file bytes.Buffer
	m, err := gnn.Train(ctx, g, d.Features, gnn.WithNetwork(gnn.GCN(16)), gnn.WithCheckpoints(10, func(c *gnn.Checkpoint) error {
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
	fmt.Println(c.Epoch() >= 10, mat.Equal(resumed.Embedding(), m.Embedding()))
	// Output:
	// true true
}

// A classifier, written and read.
func ExampleReadClassifier() {
	ctx := context.Background()
	g, d, splits := communities()
	c, err := gnn.TrainClassifier(ctx, g, d.Features, d.Labels, splits[0].Train, splits[0].Val)
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := c.WriteTo(&file); err != nil {
		log.Fatal(err)
	}
	read, err := gnn.ReadClassifier(&file)
	if err != nil {
		log.Fatal(err)
	}
	before, err := c.Predict(ctx, g, d.Features)
	if err != nil {
		log.Fatal(err)
	}
	after, err := read.Predict(ctx, g, d.Features)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(slices.Equal(after, before))
	// Output:
	// true
}

// A trained network says what it was made of.
func ExampleModel_Provenance() {
	ctx := context.Background()
	g, err := coles.NewGraph(4, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 3}})
	if err != nil {
		log.Fatal(err)
	}
	x := mat.NewDense(4, 2, []float64{1, 0, 1, 1, 0, 1, 0, 1})
	m, err := gnn.Train(ctx, g, x, gnn.WithNetwork(gnn.GCN(2)), gnn.WithSeed(7))
	if err != nil {
		log.Fatal(err)
	}
	p := m.Provenance()
	here, err := coles.HashInput(ctx, g, x)
	fmt.Println("seed", p.Settings.Seed, "the same input:", here == p.Input, err)
	// Output: seed 7 the same input: true <nil>
}
