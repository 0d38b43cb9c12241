package eval_test

import (
	"context"
	"fmt"
	"log"

	"coles"
	"coles/eval"

	"gonum.org/v1/gonum/mat"
)

// The three links most likely to be missing at a node, and how many of the edges held out are among
// ten that are recommended to each of their nodes.
func ExampleIndex_RecommendLinks() {
	ctx := context.Background()
	g, data := communities(ctx)
	links, err := eval.HoldOutLinks(ctx, g, 0.1, 1)
	if err != nil {
		log.Fatal(err)
	}
	settings := coles.LinkSettings(data.Features.Dims())
	model, err := coles.Fit(ctx, links.Train, data.Features, coles.WithSettings(settings))
	if err != nil {
		log.Fatal(err)
	}
	index, err := eval.NewIndex(ctx, model.Embedding(), eval.Cosine)
	if err != nil {
		log.Fatal(err)
	}
	found, err := index.RecommendLinks(ctx, links.Train, []int{7}, 3)
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range found[0] {
		fmt.Printf("7 and %d, %.2f\n", m.Row, m.Score)
	}
	r, err := index.RankLinks(ctx, links, 10)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r)
	// Output:
	// 7 and 229, 0.79
	// 7 and 222, 0.72
	// 7 and 301, 0.68
	// recall 13.4 % (by chance 2.6 %), mean reciprocal rank 4.7 %
}

// An index is made once and asked many times: about its own rows, and about others.
func ExampleIndex() {
	ctx := context.Background()
	index, err := eval.NewIndex(ctx, triangleRows, eval.Cosine)
	if err != nil {
		log.Fatal(err)
	}
	near, err := index.Rows(ctx, []int{3}, 3)
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range near[0] {
		fmt.Printf("row %d, %.2f\n", m.Row, m.Score)
	}
	near, err = index.Vectors(ctx, mat.NewDense(1, 2, []float64{1, 0}), 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("row %d is most like (1, 0)\n", near[0][0].Row)
	// Output:
	// row 2, 0.96
	// row 4, 0.80
	// row 5, 0.80
	// row 0 is most like (1, 0)
}
