package gnn_test

import (
	"context"
	"errors"
	"fmt"
	"math"

	"coles"
	"coles/gnn"

	"gonum.org/v1/gonum/mat"
)

// losses are those of every epoch.
func losses(opts ...gnn.Option) (all []float64) {
	train(append(opts, gnn.WithProgress(func(p gnn.Progress) { all = append(all, p.Loss) }))...)
	return all
}

// Views are for the training only: the embedding is that of the whole graph, with all
// features, and the same each time.
func ExampleWithAugmentation() {
	views := gnn.Augmentation{DropEdges: [2]float64{0.2, 0.4}, MaskFeatures: [2]float64{0.1, 0.2}}
	m := train(gnn.WithAugmentation(views))
	fmt.Println("as without:", mat.Equal(m.Embedding(), train().Embedding()), "twice the same:", mat.Equal(embed(m), embed(m)))
	// Output: as without: false twice the same: true
}

// More epochs bring the loss down, and after some time overfit.
func ExampleWithEpochs() {
	few, many := train(gnn.WithEpochs(5)).Report(), train(gnn.WithEpochs(80)).Report()
	fmt.Println(few.Epochs, many.Epochs, many.Loss < few.Loss)
	// Output: 5 80 true
}

// The trivial direction √degree is a large part of a column where the negatives weigh nothing, and
// none of it where they weigh as by default.
func ExampleWithEta() {
	g, _, _ := karate()
	for _, eta := range []float64{0, 1} {
		h := train(gnn.WithEta(eta), gnn.WithNetwork(gnn.GCN(1)), gnn.WithEpochs(100), gnn.WithOptimizer(gnn.Adam(0.01)), gnn.WithNorm(0)).Embedding()
		var dot float64
		for i, d := range g.Degrees() {
			dot += math.Sqrt(d/156) * h.At(i, 0) // 156 is the sum of all degrees
		}
		fmt.Printf("%.1f\n", math.Abs(dot)/mat.Norm(h, 2))
	}
	// Output:
	// 0.5
	// 0.0
}

// What a network sees of the features: larger numbers learn faster under Adam. The first
// loss, a square, is 25 times as large with five times the features.
func ExampleWithFeatures() {
	first := func(scale float64) float64 {
		return losses(gnn.WithFeatures(coles.PrepareRowL2, scale), gnn.WithObjective(gnn.COLES(0)))[0]
	}
	fmt.Printf("%.1f\n", first(5)/first(1))
	// Output: 25.0
}

// A sample kept for all epochs is learned by heart. Drawn anew it is another from the second
// epoch on.
func ExampleWithFreshNegatives() {
	sampled := gnn.WithNegatives(coles.UniformNegatives(5))
	kept := losses(sampled, gnn.WithFreshNegatives(false))
	fresh := losses(sampled, gnn.WithFreshNegatives(true))
	fmt.Println(kept[0] == fresh[0], kept[2] == fresh[2])
	// Output: true false
}

// No negatives is a contrast of weight zero: the same training.
func ExampleWithKappa() {
	fmt.Println(mat.Equal(train(gnn.WithKappa(0)).Embedding(), train(gnn.WithEta(0)).Embedding()))
	// Output: true
}

// Samplers are those of coles, with their errors: the middle of a star has nobody who is not
// its neighbour.
func ExampleWithNegatives() {
	star, err := coles.NewGraph(3, []coles.Edge{{U: 0, V: 1}, {U: 0, V: 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	x := mat.NewDense(3, 2, []float64{1, 0, 0, 1, 1, 1})
	_, err = gnn.Train(context.Background(), star, x, gnn.WithNetwork(gnn.GCN(2)),
		gnn.WithNegatives(coles.UniformNegatives(1, coles.ExcludeEdges())))
	fmt.Println(errors.Is(err, coles.ErrDense))
	// Output: true
}

// Layers from features to embeddings: a slope that is learned between two of them, and as
// many columns as the last has.
func ExampleWithNetwork() {
	m := train(gnn.WithNetwork(gnn.GCN(8), gnn.PReLU(), gnn.Linear(3)))
	fmt.Println(m.Settings().Network)
	fmt.Println(m.Parameters(), m.Report().Dim)
	// Output:
	// gcn(8) → prelu → linear(3)
	// [0.weight 0.bias 1.slope 2.weight 2.bias] 3
}

// One factor on the whole output, after training: four times the norm, four times the
// numbers.
func ExampleWithNorm() {
	var four mat.Dense
	four.Scale(4, train(gnn.WithNorm(1)).Embedding())
	fmt.Println(mat.EqualApprox(&four, train(gnn.WithNorm(4)).Embedding(), 1e-12))
	// Output: true
}

// Another thing to train for, with all else equal.
func ExampleWithObjective() {
	for _, o := range []gnn.Objective{gnn.COLES(10), gnn.SampledNCE(5, 1), gnn.PowerMean(0, 5)} {
		all := losses(gnn.WithObjective(o), gnn.WithEpochs(60), gnn.WithOptimizer(gnn.Adam(0.01)))
		fmt.Printf("%v falls: %v\n", o, all[59] < all[0])
	}
	// Output:
	// coles(β = 10) falls: true
	// sampled-nce(5, η = 1) falls: true
	// power-mean(p = 0, 5) falls: true
}

// Twice the precision at half the speed: for comparing gradients and runs, not for accuracy.
func ExampleWithPrecision() {
	double := train()
	single := train(gnn.WithPrecision(coles.PrecisionAuto))
	fmt.Println(double.Report().Precision, single.Report().Precision)
	fmt.Println("within 1e-3:", mat.EqualApprox(double.Embedding(), single.Embedding(), 1e-3))
	// Output:
	// float64 float32
	// within 1e-3: true
}

// For a bar, a plot or a log: it is called after every epoch.
func ExampleWithProgress() {
	train(gnn.WithEpochs(3), gnn.WithProgress(func(p gnn.Progress) {
		fmt.Println("epoch", p.Epoch, "of", p.Epochs, math.IsNaN(p.Score)) // there is no validation
	}))
	// Output:
	// epoch 1 of 3 true
	// epoch 2 of 3 true
	// epoch 3 of 3 true
}

// The seed chooses where the weights begin: a mean over some seeds says what a network is
// worth, and a result can be made again.
func ExampleWithSeed() {
	seven := train(gnn.WithSeed(7)).Embedding()
	fmt.Println(mat.Equal(seven, train(gnn.WithSeed(7)).Embedding()), mat.Equal(seven, train(gnn.WithSeed(8)).Embedding()))
	// Output: true false
}
