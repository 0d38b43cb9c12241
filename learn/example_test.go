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

// What a classifier is for: the classes of the nodes that nobody has labelled, and how sure it is.
// Cross-validation chooses C. The classifier is kept in a file for nodes to come.
func ExampleLinearModel() {
	ctx := context.Background()
	data, y := embedded(ctx)
	var labelled, others []int
	for i := range data.Nodes() {
		if i%10 == 0 {
			labelled = append(labelled, i)
		} else {
			others = append(others, i)
		}
	}
	classifier, err := learn.LogisticRegression{Cs: learn.DefaultCs()}.Fit(ctx, y, labelled, data.Labels)
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := classifier.WriteTo(&file); err != nil {
		log.Fatal(err)
	}
	if classifier, err = learn.ReadLinearModel(&file); err != nil {
		log.Fatal(err)
	}
	classes, err := classifier.Predict(ctx, y, others)
	if err != nil {
		log.Fatal(err)
	}
	p, err := classifier.Probabilities(ctx, y, others)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("C = %v; node %d: class %d, %.0f %% sure\n", classifier.C, others[0], classes[0], 100*mat.Max(p.RowView(0)))
	// Output: C = 0.5; node 1: class 3, 74 % sure
}

// How good predictions of the other nodes will be, and which classes are taken for which. Names
// come from the dataset, if it has some.
func ExampleLogisticRegression_CrossValidate() {
	ctx := context.Background()
	data, y := embedded(ctx)
	var labelled []int
	for i := 0; i < data.Nodes(); i += 5 {
		labelled = append(labelled, i)
	}
	c, err := learn.LogisticRegression{}.CrossValidate(ctx, y, labelled, data.Labels, 1)
	if err != nil {
		log.Fatal(err)
	}
	c.Names = []string{"ash", "birch", "cedar", "elm"}
	fmt.Printf("%.1f %% of %d right\n%v", 100*c.Accuracy(), c.Total(), c)
	// Output:
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
	c, err := learn.ChooseModel(ctx, g, data.Features, learn.Labels{Classes: labels}, learn.Smoothing{Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("q alone: %v; %d labels: %v\n", c.Alone, c.Labels, c.Model.Report().Kind)
	for _, of := range c.Tried[:2] {
		fmt.Printf("%v %.0f %%\n", of.Kind, 100*of.Score)
	}
	// Output:
	// q alone: graph; 140 labels: features
	// graph 85 %
	// features 99 %
}

// A number of every node, such as a price, from vectors and some that are known: the third is about their sum.
func ExampleLearnRidge() {
	x := mat.NewDense(6, 2, []float64{1, 0, 0, 1, 1, 1, 2, 1, 3, 0, 2, 2})
	unknown := math.NaN()
	r, err := learn.LearnRidge(context.Background(), x, []float64{1.1, 0.9, unknown, 3.1, 2.9, 4.0})
	if err != nil {
		log.Fatal(err)
	}
	values, low, high, err := r.Predict(context.Background(), x, []int{2})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.1f, between %.1f and %.1f; R² %.2f\n", values[0], low[0], high[0], r.Found.R2)
	// Output: 2.0, between 1.6 and 2.4; R² 0.97
}
