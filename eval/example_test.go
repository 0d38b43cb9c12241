package eval_test

import (
	"context"
	"fmt"
	"log"

	"coles"
	"coles/dataset"
	"coles/eval"

	"gonum.org/v1/gonum/mat"
)

// Six points of the plane in two classes, one on each side of the line x = y.
var (
	points = mat.NewDense(6, 2, []float64{0, 1, 0, 2, 1, 3, 1, 0, 2, 0, 3, 1})
	sides  = []int{0, 0, 0, 1, 1, 1}
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

func ExampleClassify() {
	splits := []dataset.Split{
		{Train: []int{0, 3}},
		{Train: []int{1, 4}, Val: []int{0}},
		{Train: []int{2, 5}, Test: []int{0, 1}},
	}
	c, err := eval.Classify(context.Background(), points, sides, splits)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.1f ± %.1f %% over %d splits\n", c.Mean, c.Std, len(c.Each))
	// Output: 100.0 ± 0.0 % over 3 splits
}

// Cross-validation chooses how much to trust the data.
func ExampleLogisticRegression() {
	ctx := context.Background()
	l := eval.LogisticRegression{Cs: []float64{0.001, 100}, Folds: 2}
	m, err := l.Fit(ctx, points, []int{0, 1, 3, 4}, sides)
	if err != nil {
		log.Fatal(err)
	}
	labels, err := m.Predict(ctx, points, []int{2, 5})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("C =", m.C, "predicts", labels)
	// Output: C = 0.001 predicts [0 1]
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

// A curve of accuracy over labels, and whether COLES beats the first principal components of the
// features by what chance would leave.
func ExampleLabelRates() {
	ctx := context.Background()
	g, data := communities(ctx)
	model, err := coles.Fit(ctx, g, data.Features, coles.WithDim(8))
	if err != nil {
		log.Fatal(err)
	}
	components, err := eval.PCA(ctx, data.Features, 8)
	if err != nil {
		log.Fatal(err)
	}
	var curves [2][]eval.LabelRate
	for k, x := range []mat.Matrix{model.Embedding(), components} {
		if curves[k], err = eval.LabelRates(ctx, x, data.Labels, []int{1, 5, 20}, 10, 1); err != nil {
			log.Fatal(err)
		}
	}
	for i, point := range curves[0] {
		c, err := eval.Compare(point.Each, curves[1][i].Each)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%2d labels a class: %.0f ± %.0f %%, %.0f to %.0f more\n", point.PerClass, point.Mean, point.Std, c.Low, c.High)
	}
	// Output:
	//  1 labels a class: 94 ± 2 %, 52 to 63 more
	//  5 labels a class: 97 ± 1 %, 50 to 57 more
	// 20 labels a class: 98 ± 1 %, 44 to 49 more
}
