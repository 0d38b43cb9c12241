package eval_test

import (
	"context"
	"fmt"
	"log"

	"coles"
	"coles/eval"
)

// An embedding of a graph of communities without a tenth of its edges finds those again.
func ExamplePredictLinks() {
	ctx := context.Background()
	g, data := communities(ctx)
	links, err := eval.HoldOutLinks(ctx, g, 0.1, 1)
	if err != nil {
		log.Fatal(err)
	}
	model, err := coles.Fit(ctx, links.Train, data.Features, coles.WithDim(8))
	if err != nil {
		log.Fatal(err)
	}
	p, err := eval.PredictLinks(ctx, model.Embedding(), links, eval.Cosine, 50)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("AUC %.2f, average precision %.2f, hits@50 %.2f\n", p.AUC, p.AveragePrecision, p.Hits)
	// Output: AUC 0.82, average precision 0.79, hits@50 0.87
}

func ExampleNearestRows() {
	found, err := eval.NearestRows(context.Background(), triangleRows, []int{3}, 3, eval.Cosine)
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range found[0] {
		fmt.Printf("row %d, %.2f\n", m.Row, m.Score)
	}
	// Output:
	// row 2, 0.96
	// row 4, 0.80
	// row 5, 0.80
}

// Scores u·v of edges and of pairs without one, the densities of both on one grid, as two lines of
// a plot, and how far apart they are.
func ExampleParzenDensity() {
	ctx := context.Background()
	joined, err := eval.PositivePairs(triangles)
	if err != nil {
		log.Fatal(err)
	}
	apart, err := eval.NegativePairs(ctx, triangles, 100, 1)
	if err != nil {
		log.Fatal(err)
	}
	var scores [2][]float64
	for s, pairs := range [][]coles.Edge{joined, apart} {
		if scores[s], err = eval.PairScores(ctx, triangleRows, pairs); err != nil {
			log.Fatal(err)
		}
	}
	grid, err := eval.DensityGrid(5, 0.2, scores[0], scores[1])
	if err != nil {
		log.Fatal(err)
	}
	for _, sample := range scores {
		density, err := eval.ParzenDensity(ctx, sample, grid, 0.2)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.2f\n", density)
	}
	distance, err := eval.Wasserstein(scores[0], scores[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f apart\n", distance)
	// Output:
	// [0.00 0.00 0.42 0.45 0.00]
	// [0.00 0.53 0.79 0.00 0.00]
	// 0.63 apart
}
