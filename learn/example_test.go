package learn_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"math"

	"coles"
	"coles/dataset"
	"coles/dataset/synthetic"
	"coles/learn"

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

// embedded is the graph of communities with its embedding in eight columns.
func embedded(ctx context.Context) (*dataset.Dataset, *mat.Dense) {
	g, data := communities(ctx)
	model, err := coles.Fit(ctx, g, data.Features, coles.WithDim(8))
	if err != nil {
		log.Fatal(err)
	}
	return data, model.Embedding()
}

// The classes of the nodes that nobody has labelled, how good predictions are, and which classes are taken for which. Names
// come from the dataset, if it has some. A file keeps the predictor for nodes to come.
func ExampleFit() {
	ctx := context.Background()
	g, data := communities(ctx)
	_, y := embedded(ctx)
	labels := make([]int, data.Nodes())
	for i := range labels {
		if labels[i] = -1; i%5 == 0 {
			labels[i] = data.Labels[i]
		}
	}
	known := learn.Labels{Classes: labels}
	p, err := learn.Fit(ctx, g, y, known, learn.Options{Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	c := p.Confusion // which a file does not keep
	var file bytes.Buffer
	if _, err := p.WriteTo(&file); err != nil {
		log.Fatal(err)
	}
	if p, err = learn.ReadPredictor(&file); err != nil {
		log.Fatal(err)
	}
	found, err := p.Predict(ctx, g, y, known, []int{1})
	if err != nil {
		log.Fatal(err)
	}
	c.Names = []string{"ash", "birch", "cedar", "elm"}
	likeliest := found[0].Classes[0]
	fmt.Printf("node 1: %s, %.1f %% sure\n", c.Names[likeliest.Class], 100*likeliest.Probability)
	fmt.Printf("%.1f %% of %d right\n%v", 100*c.Accuracy(), c.Total(), c)
	// Output:
	// node 1: elm, 99.9 % sure
	// 98.8 % of 80 right
	// class   nodes   recall  precision  most often taken for
	// ash        22  100.0 %    100.0 %
	// birch      16   93.8 %    100.0 %  cedar (1)
	// cedar      20  100.0 %     95.2 %
	// elm        22  100.0 %    100.0 %
}

// Words that predict their class better than the neighbours do, who are of another class more often than
// not: q takes the graph, and the labels of every fifth node correct it.
func ExampleChooseModel() {
	ctx := context.Background()
	data, err := synthetic.Communities{Nodes: 700, Homophily: 0.5, Topic: 0.5, Seed: 3}.Generate(ctx)
	if err != nil {
		log.Fatal(err)
	}
	g, err := data.Graph()
	if err != nil {
		log.Fatal(err)
	}
	labels := make([]int, data.Nodes())
	for i := range labels {
		labels[i] = -1
		if i%5 == 0 {
			labels[i] = data.Labels[i]
		}
	}
	c, err := learn.ChooseModel(ctx, g, data.Features, learn.Labels{Classes: labels}, learn.Options{Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("q alone: %v; %d labels: %v\n", c.Alone, c.Labels, c.Model.Report().Kind)
	for _, of := range c.Tried[:2] {
		fmt.Printf("%v %.0f %%\n", of.Kind, 100*of.Score)
	}
	// Output:
	// q alone: graph; 140 labels: features
	// graph 86 %
	// features 99 %
}

// A number of every node, such as a price, from vectors and some that are known: the third is about their sum.
func ExampleRidge() {
	ctx := context.Background()
	x := mat.NewDense(6, 2, []float64{1, 0, 0, 1, 1, 1, 2, 1, 3, 0, 2, 2})
	known := learn.Labels{Values: []float64{1.1, 0.9, math.NaN(), 3.1, 2.9, 4.0}}
	p, err := learn.Fit(ctx, nil, x, known, learn.Options{})
	if err != nil {
		log.Fatal(err)
	}
	found, err := p.Predict(ctx, nil, x, known, []int{2})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.1f, between %.1f and %.1f; R² %.2f\n", found[0].Value, found[0].Low, found[0].High, p.Ridge.Found.R2)
	// Output: 2.0, between 1.6 and 2.4; R² 0.97
}
