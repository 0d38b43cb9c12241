package gnn_test

import (
	"fmt"

	"coles/gnn"

	"gonum.org/v1/gonum/mat"
)

// Averages over neighbours, by degree, and one weight for them and the node itself: the
// encoder of the paper. A weight has the rows that come in and the columns asked for.
func ExampleGCN() {
	m := train(gnn.WithNetwork(gnn.GCN(16), gnn.ReLU(), gnn.GCN(4)))
	for _, name := range m.Parameters() {
		p, _ := m.Parameter(name)
		rows, cols := p.Dims()
		fmt.Println(name, rows, "×", cols)
	}
	// Output:
	// 0.weight 34 × 16
	// 0.bias 1 × 16
	// 2.weight 16 × 4
	// 2.bias 1 × 4
}

// Where a node is unlike its neighbours, a weight of its own for what it says itself.
func ExampleSAGE() {
	m := train(gnn.WithNetwork(gnn.SAGE(4)))
	fmt.Println(m.Parameters())
	// Output: [0.self 0.neighbors 0.bias]
}

// A layer that does not look at neighbours, cheap behind one that does: 34 features go to
// 8 columns along the edges, and these to 2 by 8·2 weights and 2 biases.
func ExampleLinear() {
	m := train(gnn.WithNetwork(gnn.GCN(8), gnn.ReLU(), gnn.Linear(2)))
	fmt.Println(m.Settings().Network, m.Report().Parameters == 34*8+8+8*2+2)
	// Output: gcn(8) → relu → linear(2) true
}

// Behind the last layer it shows what it does: nothing comes out below zero, and where all
// would be, a node is silent.
func ExampleReLU() {
	m := train(gnn.WithNetwork(gnn.GCN(4), gnn.ReLU()))
	fmt.Println(mat.Min(m.Embedding()) >= 0)
	// Output: true
}

// Below zero it falls to −1 and not beyond, so that gradients go on where ReLU has none.
// Without a norm the output of the network is the embedding.
func ExampleELU() {
	m := train(gnn.WithNetwork(gnn.GCN(4), gnn.ELU()), gnn.WithNorm(0), gnn.WithEpochs(50))
	low := mat.Min(m.Embedding())
	fmt.Println(low < 0, low > -1)
	// Output: true true
}

// The slope below zero is learned: 0.25 before the first step.
func ExamplePReLU() {
	for _, epochs := range []int{1, 40} {
		m := train(gnn.WithNetwork(gnn.GCN(8), gnn.PReLU(), gnn.GCN(2)), gnn.WithOptimizer(gnn.Adam(0.01)), gnn.WithEpochs(epochs))
		a, _ := m.Parameter("1.slope")
		fmt.Printf("%.2f is still 0.25: %v\n", a.At(0, 0), a.At(0, 0) > 0.235 && a.At(0, 0) < 0.265)
	}
	// Output:
	// 0.26 is still 0.25: true
	// 0.32 is still 0.25: false
}

// Noise while training, against learning the few labels by heart; what is embedded later is
// not noisy.
func ExampleDropout() {
	m := train(gnn.WithNetwork(gnn.GCN(8), gnn.ReLU(), gnn.Dropout(0.5), gnn.GCN(2)))
	fmt.Println(m.Settings().Network)
	fmt.Println("embeds the same again:", mat.Equal(embed(m), embed(m)))
	// Output:
	// gcn(8) → relu → dropout(0.5) → gcn(2)
	// embeds the same again: true
}
