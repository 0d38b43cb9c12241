package eval_test

import (
	"context"
	"fmt"
	"log"

	"coles/eval"
)

// Scores of positive and of negative pairs.
var nearScores, farScores = []float64{2, 2.5, 3, 3.5, 4}, []float64{-1, 0, 0.5, 1}

func ExampleSilvermanBandwidth() {
	h, err := eval.SilvermanBandwidth(nearScores)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", h)
	// Output: 0.607
}

func ExampleScottBandwidth() {
	h, err := eval.ScottBandwidth(nearScores)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", h)
	// Output: 0.573
}

func ExampleDensityGrid() {
	grid, err := eval.DensityGrid(6, 0.2, nearScores, farScores)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.1f\n", grid)
	// Output: [-2.0 -0.6 0.8 2.2 3.6 5.0]
}

// Both densities on one grid are two lines of a plot.
func ExampleParzenDensity() {
	ctx := context.Background()
	grid, err := eval.DensityGrid(7, 0, nearScores, farScores)
	if err != nil {
		log.Fatal(err)
	}
	for _, sample := range [][]float64{nearScores, farScores} {
		density, err := eval.ParzenDensity(ctx, sample, grid, 0)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.3f\n", density)
	}
	// Output:
	// [0.000 0.000 0.000 0.134 0.362 0.008 0.000]
	// [0.000 0.016 0.290 0.175 0.000 0.000 0.000]
}

func ExampleJensenShannon() {
	js, err := eval.JensenShannon([]float64{3, 1, 0}, []float64{0, 1, 3})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f nats\n", js) // three quarters of log 2
	// Output: 0.520 nats
}

func ExampleJensenShannonOfSamples() {
	js, err := eval.JensenShannonOfSamples(context.Background(), nearScores, farScores, 512, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f of at most 0.693 nats\n", js)
	// Output: 0.538 of at most 0.693 nats
}

func ExampleWasserstein() {
	w, err := eval.Wasserstein(nearScores, farScores)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", w)
	// Output: 2.875
}
