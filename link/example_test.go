package link_test

import (
	"context"
	"fmt"
	"log"

	"coles"
	"coles/dataset"
	"coles/dataset/synthetic"
	"coles/link"

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

// What to recommend to a node, learned from edges that are hidden, and what it is worth.
func ExampleFit() {
	ctx := context.Background()
	g, data := communities(ctx)
	recommender, err := link.Fit(ctx, g, link.Options{Embed: func(ctx context.Context, g *coles.Graph) (mat.Matrix, error) {
		settings := coles.LinkSettings(data.Features.Dims())
		model, err := coles.Fit(ctx, g, data.Features, coles.WithSettings(settings))
		if err != nil {
			return nil, err
		}
		return model.Embedding(), nil
	}})
	if err != nil {
		log.Fatal(err)
	}
	found, err := recommender.Recommend(ctx, []int{7}, 3, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range found[0] {
		fmt.Printf("7 and %d, %.3f\n", m.Row, m.Score)
	}
	fmt.Println(recommender.Worth)
	// Output:
	// 7 and 121, 0.042
	// 7 and 73, 0.028
	// 7 and 229, 0.027
	// recall@10 of 284 ends of hidden edges 16.5 % (two steps alone 13.7, three steps 18.3, vectors 12.7, the most popular 10.2)
}
