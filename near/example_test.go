package near_test

import (
	"context"
	"fmt"
	"log"

	"coles"
	"coles/dataset"
	"coles/dataset/synthetic"
	"coles/link"
	"coles/near"

	"gonum.org/v1/gonum/mat"
)

// communities is a graph of 400 nodes in four classes, with features and labels.
func communities(ctx context.Context) (*coles.Graph, *dataset.Dataset) {
	data, err := synthetic.Communities{Nodes: 400, Classes: 4, Degree: 8, Homophily: 0.9, Features: 16, Dense: true, Seed: 1}.Generate(ctx)
	if err != nil {
		log.Fatal(err)
	}
	g, err := data.Graph()
	if err != nil {
		log.Fatal(err)
	}
	return g, data
}

// An embedding of six unit rows.
var rows = mat.NewDense(6, 2, []float64{1, 0, 1, 0, 0.8, 0.6, 0.6, 0.8, 0, 1, 0, 1})

// By vectors alone: the three nodes most similar to a node of those that no edge joins to it, among them perhaps
// some whose edges were held out.
func ExampleIndex_RecommendLinks() {
	ctx := context.Background()
	g, data := communities(ctx)
	links, err := link.HoldOut(ctx, g, 0.1, 1)
	if err != nil {
		log.Fatal(err)
	}
	settings := coles.LinkSettings(data.Features.Dims())
	model, err := coles.Fit(ctx, links.Train, data.Features, coles.WithSettings(settings))
	if err != nil {
		log.Fatal(err)
	}
	index, err := near.NewIndex(ctx, model.Embedding(), near.Cosine)
	if err != nil {
		log.Fatal(err)
	}
	found, err := index.RecommendLinks(ctx, links.Train, []int{7}, 3, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range found[0] {
		fmt.Printf("7 and %d, %.2f\n", m.Row, m.Score)
	}
	// Output:
	// 7 and 229, 0.79
	// 7 and 222, 0.72
	// 7 and 301, 0.68
}

// An index is made once and asked many times: about its own rows, and about others.
func ExampleIndex() {
	ctx := context.Background()
	index, err := near.NewIndex(ctx, rows, near.Cosine)
	if err != nil {
		log.Fatal(err)
	}
	found, err := index.Rows(ctx, []int{3}, 3)
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range found[0] {
		fmt.Printf("row %d, %.2f\n", m.Row, m.Score)
	}
	found, err = index.Vectors(ctx, mat.NewDense(1, 2, []float64{1, 0}), 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("row %d is most like (1, 0)\n", found[0][0].Row)
	// Output:
	// row 2, 0.96
	// row 4, 0.80
	// row 5, 0.80
	// row 0 is most like (1, 0)
}
