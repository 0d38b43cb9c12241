package rivals_test

import (
	"context"
	"fmt"
	"log"

	"coles"
	"coles/dataset/synthetic"
	"coles/eval"
	"coles/gnn"
	"coles/lab/rivals"

	"gonum.org/v1/gonum/floats"
)

// Deep Graph Infomax on a graph with communities: accuracy with ten labels a class.
func ExampleDGI() {
	ctx := context.Background()
	d, err := synthetic.Communities{Nodes: 300, Classes: 3, Features: 200, Seed: 1}.Generate(ctx)
	if err != nil {
		log.Fatal(err)
	}
	g, err := d.Graph()
	if err != nil {
		log.Fatal(err)
	}
	splits, err := d.RandomSplits(10, 10, 1)
	if err != nil {
		log.Fatal(err)
	}
	m, err := gnn.Train(ctx, g, d.Features, gnn.WithSettings(rivals.DGI("communities")))
	if err != nil {
		log.Fatal(err)
	}
	result, err := eval.Protocol{}.Classify(ctx, m.Embedding(), d.Labels, splits)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("more than 60 %:", result.Mean > 0.6)
	// Output: more than 60 %: true
}

// Two cliques that are joined by an edge: nodes are most alike within their own.
func ExampleSkipGram() {
	var edges []coles.Edge
	for u := range 5 {
		for v := range u {
			edges = append(edges, coles.Edge{U: u, V: v}, coles.Edge{U: 5 + u, V: 5 + v})
		}
	}
	g, err := coles.NewGraph(10, append(edges, coles.Edge{U: 4, V: 5}))
	if err != nil {
		panic(err)
	}
	s := rivals.DeepWalk()
	s.Dim = 16
	s.Window = 2
	e, err := s.Fit(context.Background(), g, nil)
	if err != nil {
		panic(err)
	}
	cosine := func(u, v int) float64 {
		a, b := e.RawRowView(u), e.RawRowView(v)
		return floats.Dot(a, b) / (floats.Norm(a, 2) * floats.Norm(b, 2))
	}
	for u := range 10 {
		nearest := -1
		for v := range 10 {
			if v != u && (nearest < 0 || cosine(u, v) > cosine(u, nearest)) {
				nearest = v
			}
		}
		fmt.Print(nearest/5, " ")
	}
	// Output: 0 0 0 0 0 1 1 1 1 1
}
