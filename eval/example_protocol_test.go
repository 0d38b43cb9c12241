package eval_test

import (
	"context"
	"fmt"
	"log"

	"coles"
	"coles/dataset"
	"coles/eval"
)

// communities is a graph of 400 nodes in four classes, and its features.
func communities(ctx context.Context) (*coles.Graph, *dataset.Dataset) {
	data, err := dataset.Communities{Nodes: 400, Classes: 4, Degree: 8, Homophily: 0.9, Features: 16, Dense: true, Seed: 1}.Generate(ctx)
	if err != nil {
		log.Fatal(err)
	}
	g, err := coles.FromCSR(data.Adjacency)
	if err != nil {
		log.Fatal(err)
	}
	return g, data
}

func ExampleInduce() {
	part, err := eval.Induce(context.Background(), triangles, triangleRows, []int{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	pairs, err := eval.PositivePairs(part.Graph)
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range pairs {
		fmt.Println(part.Nodes[e.U], "-", part.Nodes[e.V])
	}
	// Output:
	// 1 - 2
	// 2 - 3
}

// The model learns from three of four nodes; the others are classified.
func ExampleEmbedInductive() {
	ctx := context.Background()
	g, data := communities(ctx)
	var seen, unseen []int
	for i := range g.Nodes() {
		if i%4 < 3 {
			seen = append(seen, i)
		} else {
			unseen = append(unseen, i)
		}
	}
	x, err := eval.EmbedInductive(ctx, g, data.Features, seen, coles.WithDim(8))
	if err != nil {
		log.Fatal(err)
	}
	c, err := eval.Classify(ctx, x, data.Labels, []dataset.Split{{Train: seen, Test: unseen}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.0f %% of %d unseen nodes\n", c.Mean, len(unseen))
	// Output: 98 % of 100 unseen nodes
}

func ExampleLabelRates() {
	ctx := context.Background()
	g, data := communities(ctx)
	model, err := coles.Fit(ctx, g, data.Features, coles.WithDim(8))
	if err != nil {
		log.Fatal(err)
	}
	curve, err := eval.LabelRates(ctx, model.Embedding(), data.Labels, []int{1, 5, 20}, 10, 1)
	if err != nil {
		log.Fatal(err)
	}
	for _, point := range curve {
		fmt.Printf("%2d labels a class: %.0f ± %.0f %%\n", point.PerClass, point.Mean, point.Std)
	}
	// Output:
	//  1 labels a class: 94 ± 2 %
	//  5 labels a class: 97 ± 1 %
	// 20 labels a class: 98 ± 1 %
}

// Accuracies of two methods on the same six splits.
var before, after = []float64{80.1, 79.5, 81.0, 78.8, 80.4, 79.9}, []float64{81.0, 80.1, 81.2, 80.2, 81.1, 79.8}

func ExampleCompare() {
	c, err := eval.Compare(after, before)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f points, 95 %% from %.2f to %.2f, p = %.3f\n", c.Mean, c.Low, c.High, c.P)
	fmt.Printf("%d wins, %d losses, p = %.3f\n", c.Wins, c.Losses, c.SignP)
	// Output:
	// 0.62 points, 95 % from 0.06 to 1.17, p = 0.035
	// 5 wins, 1 losses, p = 0.219
}

func ExampleWithLevel() {
	c, err := eval.Compare(after, before, eval.WithLevel(0.8))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f to %.2f\n", c.Low, c.High)
	// Output: 0.30 to 0.93
}

// Each split tests on a tenth of the nodes and trains on the others.
func ExampleWithCorrection() {
	c, err := eval.Compare(after, before, eval.WithCorrection(90, 10))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f to %.2f\n", c.Low, c.High)
	// Output: -0.10 to 1.33
}

// Better on nine splits of ten.
func ExampleSignTest() {
	p, err := eval.SignTest([]float64{2, 2, 2, 2, 2, 2, 2, 2, 2, 0}, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f\n", p)
	// Output: 0.0215
}
