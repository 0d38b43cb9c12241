package eval_test

import (
	"context"
	"fmt"
	"log"

	"coles"
	"coles/eval"

	"gonum.org/v1/gonum/mat"
)

// Three positives and two negatives make six pairs: four in the right order, a tie.
func ExampleAUC() {
	area, err := eval.AUC([]float64{3, 2, 1}, []float64{2, 0})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", area) // 4½ of 6
	// Output: 0.750
}

func ExampleAveragePrecision() {
	ap, err := eval.AveragePrecision([]float64{4, 2}, []float64{3, 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", ap) // (1/1 + 2/3)/2
	// Output: 0.833
}

func ExampleHitsAt() {
	positive, negative := []float64{9, 5, 2}, []float64{7, 4, 1}
	for k := 1; k <= 3; k++ {
		hits, err := eval.HitsAt(positive, negative, k)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("hits@%d %.2f\n", k, hits)
	}
	// Output:
	// hits@1 0.33
	// hits@2 0.67
	// hits@3 1.00
}

// Of the seven edges five hold the two triangles together.
func ExampleHoldOutLinks() {
	links, err := eval.HoldOutLinks(context.Background(), triangles, 0.28, 1)
	if err != nil {
		log.Fatal(err)
	}
	_, components := links.Train.Components()
	fmt.Println(len(links.Positive), "held out,", links.Train.Report().Edges, "left,", components, "component")
	// Output: 2 held out, 5 left, 1 component
}

// An embedding of a graph of communities without a tenth of its edges finds those
// again.
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

func ExampleNearestTo() {
	query := mat.NewDense(1, 2, []float64{0, 5})
	found, err := eval.NearestTo(context.Background(), triangleRows, query, 3, eval.DotProduct)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found[0])
	// Output: [{4 5} {5 5} {3 4}]
}

func ExampleSimilarity() {
	var s eval.Similarity
	if err := s.UnmarshalText([]byte("dot")); err != nil {
		log.Fatal(err)
	}
	fmt.Println(s == eval.DotProduct, eval.Cosine)
	// Output: true cosine
}
