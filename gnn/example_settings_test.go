package gnn_test

import (
	"fmt"

	"coles/gnn"
)

// The place to start: a copy, to change what one knows better.
func ExampleDefaultSettings() {
	s := gnn.DefaultSettings()
	s.Network = gnn.Network{gnn.GCN(8), gnn.ReLU(), gnn.GCN(3)}
	m := train(gnn.WithSettings(s))
	fmt.Println(m.Settings().Objective, m.Report().Epochs, m.Report().Dim)
	// Output: coles(β = 10) 20 3
}

// Two views of the graph, for one whose ties are noisy: the second loses more edges and
// features than the first.
func ExampleAugmentedSettings() {
	s := gnn.AugmentedSettings()
	fmt.Println(s.Augmentation.DropEdges, s.Augmentation.MaskFeatures)
	// Output: [0.1 0.2] [0.1 0.2]
}

// What TrainClassifier does, for what is to be changed in it.
func ExampleClassifierSettings() {
	s := gnn.ClassifierSettings()
	fmt.Println(s.Network, s.Epochs)
	// Output: gcn(16) → relu → dropout(0.5) → gcn 200
}

// The encoder without hidden layer, for a comparison with coles.Fit: where it is as good, a
// network is not worth its time. It stops by rank.
func ExampleLinearSettings() {
	m := train(gnn.WithSettings(gnn.LinearSettings()))
	fmt.Println(m.Settings().Network, m.Settings().StopRank, m.Report().Epochs < m.Settings().Epochs)
	// Output: propagate(S2GCSum(8)) → linear(256) 9 true
}

// The paper's relaxation. The penalty keeps columns apart: without it they are further from
// orthonormal.
func ExampleCOLES() {
	apart := func(beta float64) (last float64) {
		train(gnn.WithObjective(gnn.COLES(beta)), gnn.WithEpochs(100), gnn.WithOptimizer(gnn.Adam(0.01)),
			gnn.WithProgress(func(p gnn.Progress) { last = p.Orthogonality }))
		return last
	}
	fmt.Println(apart(10) < 0.1, apart(0) > 0.5)
	// Output: true true
}
