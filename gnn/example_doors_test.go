package gnn_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"

	"coles"
	"coles/dataset"
	"coles/gnn"

	"gonum.org/v1/gonum/mat"
)

// club is the karate club, whose features say who a member is.
func club() (*coles.Graph, *mat.Dense, []int) {
	d := dataset.KarateClub()
	g, err := coles.FromCSR(d.Adjacency)
	if err != nil {
		log.Fatal(err)
	}
	x := mat.NewDense(g.Nodes(), g.Nodes(), nil)
	for i := range g.Nodes() {
		x.Set(i, i, 1)
	}
	return g, x, d.Labels
}

// asJSON is what a setting is in a file.
func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		log.Fatal(err)
	}
	return string(text)
}

// trained trains on the club for three epochs, if the options do not say otherwise.
func trained(opts ...gnn.Option) *gnn.Model {
	g, x, _ := club()
	m, err := gnn.Train(context.Background(), g, x, append([]gnn.Option{gnn.WithEpochs(3), gnn.WithNetwork(gnn.GCN(8))}, opts...)...)
	if err != nil {
		log.Fatal(err)
	}
	return m
}

// Two convolutions with something between them: the paper's network.
func ExampleGCN() {
	m := trained(gnn.WithNetwork(gnn.GCN(16), gnn.ReLU(), gnn.GCN(4)))
	fmt.Println(m.Settings().Network)
	fmt.Println(m.Embedding().Dims())
	// Output:
	// gcn(16) → relu → gcn(4)
	// 34 4
}

// A node's own features apart from the mean of its neighbours'.
func ExampleSAGE() {
	fmt.Println(trained(gnn.WithNetwork(gnn.SAGE(8))).Settings().Network)
	// Output: sage(8)
}

// A linear map after a fixed filter is COLES-S²GC, trained instead of solved.
func ExampleLinear() {
	m := trained(gnn.WithNetwork(gnn.Propagate(coles.S2GCSum(8)), gnn.Linear(8)))
	fmt.Println(m.Settings().Network)
	// Output: propagate(S2GCSum(8)) → linear(8)
}

func ExampleReLU() {
	m := trained(gnn.WithNetwork(gnn.GCN(8), gnn.ReLU()))
	fmt.Println(mat.Min(m.Embedding()) >= 0)
	// Output: true
}

// A slope below zero that is learned.
func ExamplePReLU() {
	for _, p := range trained(gnn.WithNetwork(gnn.GCN(8), gnn.PReLU(), gnn.GCN(4))).Parameters() {
		fmt.Println(p)
	}
	// Output:
	// 0.weight
	// 0.bias
	// 1.slope
	// 2.weight
	// 2.bias
}

// Smooth, and never below −1.
func ExampleELU() {
	y := trained(gnn.WithNetwork(gnn.GCN(8), gnn.ELU()), gnn.WithNorm(0)).Embedding()
	fmt.Println(mat.Min(y) > -1)
	// Output: true
}

// Half of the hidden values are left out in each step of the training, none afterwards.
func ExampleDropout() {
	g, x, _ := club()
	m := trained(gnn.WithNetwork(gnn.GCN(16), gnn.ReLU(), gnn.Dropout(0.5), gnn.GCN(4)))
	y, err := m.Embed(context.Background(), g, x)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(mat.Equal(y, m.Embedding()))
	// Output: true
}

// β is the price of columns that say the same.
func ExampleCOLES() {
	fmt.Println(trained(gnn.WithObjective(gnn.COLES(10))).Settings().Objective)
	// Output: coles(β = 10)
}

func ExampleAdam() {
	m := trained(gnn.WithOptimizer(gnn.Adam(0.01)))
	fmt.Println(asJSON(m.Settings().Optimizer))
	// Output: {"kind":"adam","rate":0.01}
}

func ExampleSGD() {
	m := trained(gnn.WithOptimizer(gnn.SGD(0.1, 0.9)))
	fmt.Println(asJSON(m.Settings().Optimizer))
	// Output: {"kind":"sgd","rate":0.1,"momentum":0.9}
}

// Decay that goes through the moments, as PyTorch's Adam has it.
func ExampleOptimizer_WithDecay() {
	fmt.Println(asJSON(gnn.Adam(1e-3).WithDecay(5e-4)))
	// Output: {"kind":"adam","rate":0.001,"decay":0.0005}
}

// Decay beside the moments: AdamW.
func ExampleOptimizer_WithDecoupledDecay() {
	fmt.Println(asJSON(gnn.Adam(1e-3).WithDecoupledDecay(0.01)))
	// Output: {"kind":"adam","rate":0.001,"decay":0.01,"decoupled":true}
}

// The rate stays.
func ExampleConstant() {
	fmt.Println(asJSON(trained(gnn.WithSchedule(gnn.Constant())).Settings().Schedule))
	// Output: {"kind":"constant"}
}

// The rate rises for two epochs and then falls to nothing along half a wave.
func ExampleCosine() {
	fmt.Println(asJSON(trained(gnn.WithSchedule(gnn.Cosine(2))).Settings().Schedule))
	// Output: {"kind":"cosine","warmup":2}
}

// The rate falls by a tenth every epoch.
func ExampleExponential() {
	fmt.Println(asJSON(trained(gnn.WithSchedule(gnn.Exponential(0.9))).Settings().Schedule))
	// Output: {"kind":"exponential","factor":0.9}
}

// Two views of the graph, each without some of its edges and features.
func ExampleWithAugmentation() {
	m := trained(gnn.WithAugmentation(gnn.Augmentation{DropEdges: [2]float64{0.2, 0.4}, MaskFeatures: [2]float64{0.3, 0.4}}))
	fmt.Println(m.Settings().Augmentation.DropEdges)
	// Output: [0.2 0.4]
}

// A training that may be interrupted keeps its state in a file from time to time.
func ExampleWithCheckpoints() {
	var last *gnn.Checkpoint
	trained(gnn.WithEpochs(4), gnn.WithCheckpoints(2, func(c *gnn.Checkpoint) error {
		last = c
		return nil
	}))
	fmt.Println("goes on from epoch", last.Epoch())
	// Output: goes on from epoch 4
}

func ExampleCheckpoint_WriteTo() {
	var file bytes.Buffer
	trained(gnn.WithCheckpoints(3, func(c *gnn.Checkpoint) error {
		_, err := c.WriteTo(&file)
		return err
	}))
	c, err := gnn.ReadCheckpoint(&file)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Epoch(), c.Settings().Epochs)
	// Output: 3 3
}

func ExampleWithEpochs() {
	fmt.Println(trained(gnn.WithEpochs(7)).Report().Epochs)
	// Output: 7
}

// What is left of the negatives' pull where many pairs of the graph are no friends by chance only.
func ExampleWithEta() {
	fmt.Println(trained(gnn.WithEta(0.9)).Settings().Eta)
	// Output: 0.9
}

func ExampleWithKappa() {
	m := trained(gnn.WithNegatives(coles.UniformNegatives(5)), gnn.WithKappa(3))
	fmt.Println(m.Settings().Negatives, m.Settings().Kappa)
	// Output: uniform(5) 3
}

func ExampleWithNegatives() {
	fmt.Println(trained(gnn.WithNegatives(coles.DegreeNegatives(5))).Settings().Negatives)
	// Output: degree(5)
}

// Other negatives in every epoch: less to learn by heart.
func ExampleWithFreshNegatives() {
	fixed := trained(gnn.WithNegatives(coles.UniformNegatives(5)), gnn.WithFreshNegatives(false))
	fresh := trained(gnn.WithNegatives(coles.UniformNegatives(5)), gnn.WithFreshNegatives(true))
	fmt.Println(mat.Equal(fixed.Embedding(), fresh.Embedding()))
	// Output: false
}

// Rows of length 5: steps of Adam are of one size whatever the features are.
func ExampleWithFeatures() {
	m := trained(gnn.WithFeatures(coles.PrepareRowL2, 5))
	fmt.Println(m.Settings().Features, m.Settings().FeatureScale)
	// Output: row-l2 5
}

func ExampleWithNetwork() {
	m := trained(gnn.WithNetwork(gnn.SAGE(16), gnn.PReLU(), gnn.SAGE(4)))
	fmt.Println(m.Embedding().Dims())
	// Output: 34 4
}

// The mean length of a row, as of the closed form.
func ExampleWithNorm() {
	fmt.Println(trained(gnn.WithNorm(2)).Settings().Norm)
	// Output: 2
}

func ExampleWithObjective() {
	fmt.Println(trained(gnn.WithObjective(gnn.SampledNCE(5, 1))).Settings().Objective)
	// Output: sampled-nce(5, η = 1)
}

func ExampleWithOptimizer() {
	m := trained(gnn.WithOptimizer(gnn.Adam(0.02).WithDecay(0.01)))
	fmt.Println(asJSON(m.Settings().Optimizer))
	// Output: {"kind":"adam","rate":0.02,"decay":0.01}
}

// Double precision, for gradients to compare with.
func ExampleWithPrecision() {
	fmt.Println(trained(gnn.WithPrecision(coles.Float64)).Report().Precision)
	// Output: float64
}

// What each epoch has come to.
func ExampleWithProgress() {
	falls, last := true, 0.0
	trained(gnn.WithEpochs(5), gnn.WithProgress(func(p gnn.Progress) {
		if p.Epoch > 1 && p.Loss > last {
			falls = false
		}
		last = p.Loss
	}))
	fmt.Println("the loss falls:", falls)
	// Output: the loss falls: true
}

func ExampleWithSchedule() {
	fmt.Println(asJSON(trained(gnn.WithSchedule(gnn.Cosine(2))).Settings().Schedule))
	// Output: {"kind":"cosine","warmup":2}
}

func ExampleWithSeed() {
	same := mat.Equal(trained(gnn.WithSeed(7)).Embedding(), trained(gnn.WithSeed(7)).Embedding())
	other := mat.Equal(trained(gnn.WithSeed(7)).Embedding(), trained(gnn.WithSeed(8)).Embedding())
	fmt.Println(same, other)
	// Output: true false
}
