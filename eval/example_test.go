package eval_test

import (
	"context"
	"fmt"
	"log"

	"coles"
	"coles/dataset"
	"coles/dataset/synthetic"
	"coles/eval"

	"gonum.org/v1/gonum/mat"
)

// Six points of the plane in two classes, one on each side of the line x = y.
var (
	points = mat.NewDense(6, 2, []float64{0, 1, 0, 2, 1, 3, 1, 0, 2, 0, 3, 1})
	sides  = []int{0, 0, 0, 1, 1, 1}
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

// embedded is the graph of communities with its embedding in eight columns.
func embedded(ctx context.Context) (*dataset.Dataset, *mat.Dense) {
	g, data := communities(ctx)
	model, err := coles.Fit(ctx, g, data.Features, coles.WithDim(8))
	if err != nil {
		log.Fatal(err)
	}
	return data, model.Embedding()
}

// Two triangles joined by an edge, the labels of their nodes, and an embedding of unit rows that
// keeps the triangles apart.
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

func ExampleProtocol_Classify() {
	splits := []dataset.Split{
		{Train: []int{0, 3}},
		{Train: []int{1, 4}, Val: []int{0}},
		{Train: []int{2, 5}, Test: []int{0, 1}},
	}
	c, err := eval.Protocol{}.Classify(context.Background(), points, sides, splits)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v over %d splits\n", c, len(c.Each))
	// Output: 100.0 ± 0.0 % over 3 splits
}

// A graph of which the class of every fifth node is known, and −1 stands for the others: the
// embedding is of all nodes, splits are drawn among the known ones, and so are the nodes tested on.
func ExampleProtocol_Classify_partlyLabelled() {
	ctx := context.Background()
	data, y := embedded(ctx)
	labels, known := make([]int, data.Nodes()), []int(nil)
	for i := range labels {
		labels[i] = -1
		if i%5 == 0 {
			labels[i] = data.Labels[i]
			known = append(known, i)
		}
	}
	splits, err := dataset.RandomSplits(labels, 5, 10, 1)
	if err != nil {
		log.Fatal(err)
	}
	c, err := eval.Protocol{}.Classify(ctx, y, labels, splits)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("accuracy %v on %d nodes\n", c, len(known)-len(splits[0].Train)-len(splits[0].Val))
	// Output: accuracy 99.8 ± 0.8 % on 40 nodes
}

// The model learns from three of four nodes; the others are classified.
func ExampleInduce() {
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
	part, err := eval.Induce(ctx, g, data.Features, seen)
	if err != nil {
		log.Fatal(err)
	}
	model, err := coles.Fit(ctx, part.Graph, part.Features, coles.WithDim(8))
	if err != nil {
		log.Fatal(err)
	}
	x, err := model.Embed(ctx, g, data.Features)
	if err != nil {
		log.Fatal(err)
	}
	c, err := eval.Protocol{}.Classify(ctx, x, data.Labels, []dataset.Split{{Train: seen, Test: unseen}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.0f %% of %d unseen nodes\n", 100*c.Mean, len(unseen))
	// Output: 98 % of 100 unseen nodes
}

// The protocol of the paper's clustering table.
func ExampleProtocol_Cluster() {
	ctx := context.Background()
	c, err := eval.Protocol{Runs: 3}.Cluster(ctx, triangleRows, corners)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v over %d runs\n", c, len(c.NMI.Each))
	// Output: accuracy 100.0 ± 0.0 %, NMI 100.0 ± 0.0 %, F1 100.0 ± 0.0 % over 3 runs
}

// Six things of three kinds, and the clusters they were put in.
func ExampleNMI() {
	kinds, clusters := []int{0, 0, 0, 1, 1, 2}, []int{5, 5, 7, 7, 7, 7}
	nmi, err := eval.NMI(clusters, kinds)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("NMI %.3f\n", nmi)
	// Output: NMI 0.386
}

// ΔH = H(G⁺) − H(G⁻), by which the paper explains the gain of a contrast.
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
