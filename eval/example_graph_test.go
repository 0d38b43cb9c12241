package eval_test

import (
	"context"
	"fmt"
	"log"

	"coles"
	"coles/eval"

	"gonum.org/v1/gonum/mat"
)

// Two triangles joined by an edge, the labels of their nodes, and an embedding
// of unit rows that keeps the triangles apart.
var (
	triangles    = mustGraph(6, []coles.Edge{{U: 0, V: 1}, {U: 0, V: 2}, {U: 1, V: 2}, {U: 2, V: 3}, {U: 3, V: 4}, {U: 3, V: 5}, {U: 4, V: 5}})
	corners      = []int{0, 0, 0, 1, 1, 1}
	triangleRows = mat.NewDense(6, 2, []float64{1, 0, 1, 0, 0.8, 0.6, 0.6, 0.8, 0, 1, 0, 1})
)

func mustGraph(n int, edges []coles.Edge) *coles.Graph {
	g, err := coles.NewGraph(n, edges)
	if err != nil {
		log.Fatal(err)
	}
	return g
}

func ExampleNodeHomophily() {
	positive, err := eval.NodeHomophily(triangles, corners)
	if err != nil {
		log.Fatal(err)
	}
	negative, err := eval.ExpectedHomophily(corners)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("H = %.3f, ΔH = %.3f\n", positive, positive-negative)
	// Output: H = 0.889, ΔH = 0.389
}

func ExampleEdgeHomophily() {
	h, err := eval.EdgeHomophily(triangles, corners)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", h) // 6 of 7 edges
	// Output: 0.857
}

func ExampleExpectedHomophily() {
	h, err := eval.ExpectedHomophily([]int{0, 0, 0, 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(h) // 0.75² + 0.25²
	// Output: 0.625
}

func ExamplePositivePairs() {
	pairs, err := eval.PositivePairs(triangles)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(pairs)
	// Output: [{0 1} {0 2} {1 2} {2 3} {3 4} {3 5} {4 5}]
}

func ExampleNegativePairs() {
	pairs, err := eval.NegativePairs(context.Background(), triangles, 1000, 7)
	if err != nil {
		log.Fatal(err)
	}
	across := 0
	for _, p := range pairs {
		if corners[p.U] != corners[p.V] {
			across++
		}
	}
	fmt.Println(len(pairs), "pairs,", across, "from one triangle to the other")
	// Output: 1000 pairs, 1000 from one triangle to the other
}

func ExamplePairScores() {
	scores, err := eval.PairScores(context.Background(), triangleRows, []coles.Edge{{U: 0, V: 1}, {U: 0, V: 3}, {U: 0, V: 5}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(scores)
	// Output: [1 0.6 0]
}

func ExampleTriples() {
	triples, err := eval.Triples(context.Background(), triangles, 1000, 7)
	if err != nil {
		log.Fatal(err)
	}
	near, far := 0, 0
	for _, t := range triples {
		if corners[t.Node] == corners[t.Positive] {
			near++
		}
		if corners[t.Node] == corners[t.Negative] {
			far++
		}
	}
	fmt.Println("neighbours of the same triangle:", near > 800, "- others of the same triangle:", far)
	// Output: neighbours of the same triangle: true - others of the same triangle: 0
}

func ExampleSeparation() {
	fmt.Printf("%.3f\n", eval.Separation(2, -2))
	fmt.Printf("%.3f\n", eval.Separation(12, 8)) // both are near σ = 1
	// Output:
	// 0.762
	// 0.000
}

func ExampleMeanSeparation() {
	ctx := context.Background()
	triples := []eval.Triple{{Node: 0, Positive: 1, Negative: 4}, {Node: 2, Positive: 3, Negative: 5}}
	sep, err := eval.MeanSeparation(ctx, triangleRows, triples)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", sep)
	// Output: 0.122
}
