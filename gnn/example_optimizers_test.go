package gnn_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"coles/gnn"

	"gonum.org/v1/gonum/mat"
)

// flat are all parameters of a model, one after the other.
func flat(m *gnn.Model) []float64 {
	var all []float64
	for _, name := range m.Parameters() {
		p, _ := m.Parameter(name)
		all = append(all, p.RawMatrix().Data...)
	}
	return all
}

// steps are the lengths of the steps of a training of six epochs, from the second on, and the
// lengths of the gradients there. A validation that likes one epoch best brings its
// parameters back.
func steps(opts ...gnn.Option) (lengths, gradients []float64) {
	var before []float64
	for epoch := 1; epoch <= 6; epoch++ {
		var gradient float64
		m := train(append(opts, gnn.WithEpochs(6),
			gnn.WithProgress(func(p gnn.Progress) {
				if p.Epoch == epoch {
					gradient = p.GradientNorm
				}
			}),
			gnn.WithValidation(func(_ context.Context, at int, _ *mat.Dense) (float64, error) {
				if at == epoch {
					return 1, nil
				}
				return 0, nil
			}, 1, 6))...)
		after := flat(m)
		if before != nil {
			var length float64
			for i := range after {
				length = math.Hypot(length, after[i]-before[i])
			}
			lengths, gradients = append(lengths, length), append(gradients, gradient)
		}
		before = after
	}
	return lengths, gradients
}

// showRates prints the learning rate of each of those steps: without momentum a step of
// gradient descent is the rate times the gradient.
func showRates(s gnn.Schedule) {
	lengths, gradients := steps(gnn.WithOptimizer(gnn.SGD(0.1, 0)), gnn.WithSchedule(s))
	for i := range lengths {
		fmt.Printf(" %.4f", lengths[i]/gradients[i])
	}
	fmt.Println()
}

// The same rate in every epoch: right for few of them.
func ExampleConstant() {
	showRates(gnn.Constant())
	// Output: 0.1000 0.1000 0.1000 0.1000 0.1000
}

// Up in equal steps and down to nearly nothing: large steps where much is to be learned,
// small ones to settle.
func ExampleCosine() {
	showRates(gnn.Cosine(3))
	// Output: 0.0500 0.0750 0.1000 0.0750 0.0250
}

// A tenth less after every epoch, however many there will be.
func ExampleExponential() {
	showRates(gnn.Exponential(0.9))
	// Output: 0.0900 0.0810 0.0729 0.0656 0.0590
}

// A schedule shows in how far the last step goes.
func ExampleWithSchedule() {
	constant, _ := steps()
	cosine, _ := steps(gnn.WithSchedule(gnn.Cosine(0)))
	fmt.Println(cosine[4] < constant[4]/2)
	// Output: true
}

// Every parameter moves by about the rate in each step, be its gradient large or small: one
// rate suits graphs and features of every scale.
func ExampleAdam() {
	lengths, gradients := steps(gnn.WithOptimizer(gnn.Adam(0.01)), gnn.WithFeatures(0, 1))
	large, steep := steps(gnn.WithOptimizer(gnn.Adam(0.01)), gnn.WithFeatures(0, 100))
	fmt.Println("gradient more than 100 times as long:", steep[0] > 100*gradients[0])
	fmt.Println("step less than twice:", large[0] < 2*lengths[0])
	// Output:
	// gradient more than 100 times as long: true
	// step less than twice: true
}

// With momentum steps in one direction add up, so that the same rate comes further.
func ExampleSGD() {
	plain := train(gnn.WithOptimizer(gnn.SGD(0.01, 0)))
	heavy := train(gnn.WithOptimizer(gnn.SGD(0.01, 0.9)))
	fmt.Println(heavy.Report().Loss < plain.Report().Loss)
	// Output: true
}

// length is that of all parameters of a training of 100 epochs.
func length(o gnn.Optimizer) float64 {
	m := train(gnn.WithOptimizer(o), gnn.WithEpochs(100))
	return mat.Norm(mat.NewVecDense(len(flat(m)), flat(m)), 2)
}

// Decay keeps weights small, which a network without labels needs to spread over directions.
// Added to a gradient, it is scaled by Adam like any other part of it.
func ExampleOptimizer_WithDecay() {
	fmt.Println(length(gnn.Adam(0.01).WithDecay(0.1)) < length(gnn.Adam(0.01)))
	// Output: true
}

// Beside Adam, which cannot scale it away, the same λ takes a share of rate·λ from every
// weight in every step: the larger, the shorter the weights become.
func ExampleOptimizer_WithDecoupledDecay() {
	var lengths []float64
	for _, lambda := range []float64{10, 1, 0.1, 0} {
		lengths = append(lengths, length(gnn.Adam(0.01).WithDecoupledDecay(lambda)))
	}
	fmt.Println(slices.IsSorted(lengths), lengths[0] < lengths[3]/2)
	// Output: true true
}

// The rule of the steps and its rate. Too large a rate is told from a result.
func ExampleWithOptimizer() {
	g, x, _ := karate()
	_, err := gnn.Train(context.Background(), g, x, gnn.WithNetwork(gnn.GCN(2)), gnn.WithOptimizer(gnn.SGD(1e6, 0)))
	fmt.Println(errors.Is(err, gnn.ErrDiverged))
	// Output: true
}
