package measures_test

import (
	"context"
	"fmt"
	"log"

	"coles"
	"coles/lab/measures"

	"gonum.org/v1/gonum/mat"
)

// Scores u·v of edges and of pairs without one, the densities of both on one grid, as two lines of
// a plot, and how far apart they are.
func ExampleParzenDensity() {
	// Two triangles joined by an edge, and unit rows that keep them apart.
	triangles, err := coles.NewGraph(6, []coles.Edge{{U: 0, V: 1}, {U: 0, V: 2}, {U: 1, V: 2}, {U: 2, V: 3}, {U: 3, V: 4}, {U: 3, V: 5}, {U: 4, V: 5}})
	if err != nil {
		log.Fatal(err)
	}
	triangleRows := mat.NewDense(6, 2, []float64{1, 0, 1, 0, 0.8, 0.6, 0.6, 0.8, 0, 1, 0, 1})
	ctx := context.Background()
	joined, err := measures.PositivePairs(triangles)
	if err != nil {
		log.Fatal(err)
	}
	apart, err := measures.NegativePairs(ctx, triangles, 100, 1)
	if err != nil {
		log.Fatal(err)
	}
	var scores [2][]float64
	for s, pairs := range [][]coles.Edge{joined, apart} {
		if scores[s], err = measures.PairScores(ctx, triangleRows, pairs); err != nil {
			log.Fatal(err)
		}
	}
	grid, err := measures.DensityGrid(5, 0.2, scores[0], scores[1])
	if err != nil {
		log.Fatal(err)
	}
	for _, sample := range scores {
		density, err := measures.ParzenDensity(ctx, sample, grid, 0.2)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.2f\n", density)
	}
	distance, err := measures.Wasserstein(scores[0], scores[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f apart\n", distance)
	// Output:
	// [0.00 0.00 0.42 0.45 0.00]
	// [0.00 0.53 0.79 0.00 0.00]
	// 0.63 apart
}
