package eval_test

import (
	"context"
	"fmt"
	"log"

	"coles/dataset"
	"coles/eval"

	"gonum.org/v1/gonum/mat"
)

// Nine points of the plane in three classes, one in each of three corners.
var (
	corner       = mat.NewDense(9, 2, []float64{-4, -4, -4, -3, -3, -4, 4, -4, 4, -3, 3, -4, -4, 4, -4, 3, -3, 4})
	cornerLabels = []int{0, 0, 0, 1, 1, 1, 2, 2, 2}
	cornerSplits = []dataset.Split{{Train: []int{0, 3, 6}, Val: []int{1, 4, 7}}}
)

func ExampleWithClassifier() {
	for _, option := range []eval.ClassifyOption{
		eval.WithClassifier(eval.LogisticRegression{C: 10}.Fit),
		eval.WithClassifier(eval.KNN{K: 1}.Fit),
	} {
		c, err := eval.Classify(context.Background(), corner, cornerLabels, cornerSplits, option)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(c.Mean, " ")
	}
	// Output: 100 100
}

func ExampleWithValidatedClassifier() {
	p := eval.DefaultMLP()
	p.Patience = 10
	c, err := eval.Classify(context.Background(), corner, cornerLabels, cornerSplits, eval.WithValidatedClassifier(p.Fit))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Mean)
	// Output: 100
}

// Cross-validation chooses how much to trust the data.
func ExampleLogisticRegression_Fit_crossValidation() {
	line := mat.NewDense(6, 1, []float64{1, 2, 3, 4, 5, 6})
	l := eval.LogisticRegression{Cs: []float64{0.001, 100}, Folds: 3}
	m, err := l.Fit(context.Background(), line, []int{0, 1, 2, 3, 4, 5}, []int{0, 0, 0, 1, 1, 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("C =", m.C)
	// Output: C = 100
}

func ExampleKNN_Fit() {
	ctx := context.Background()
	m, err := eval.KNN{K: 2, Cosine: true, ByDistance: true}.Fit(ctx, points, []int{0, 2, 3, 5}, sides)
	if err != nil {
		log.Fatal(err)
	}
	labels, err := m.Predict(ctx, points, []int{1, 4})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(labels)
	// Output: [0 1]
}

func ExampleKNNModel_Predict() {
	ctx := context.Background()
	m, err := eval.KNN{K: 3}.Fit(ctx, corner, []int{0, 1, 2, 3, 4, 5}, cornerLabels)
	if err != nil {
		log.Fatal(err)
	}
	// Not only rows of the matrix it was fitted to.
	labels, err := m.Predict(ctx, mat.NewDense(2, 2, []float64{-2, -3, 1, -3}), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(labels)
	// Output: [0 1]
}

func ExampleDefaultMLP() {
	p := eval.DefaultMLP()
	fmt.Println(p.Hidden, p.Dropout, p.Rate)
	// Output: [256 256] 0.4 0.005
}

// No line tells the corners of a square apart by their diagonals.
func ExampleMLP_Fit() {
	square := mat.NewDense(4, 2, []float64{1, 1, -1, -1, 1, -1, -1, 1})
	p := eval.MLP{Hidden: []int{16}, Rate: 0.05, Epochs: 100}
	m, err := p.Fit(context.Background(), square, []int{0, 1, 2, 3}, nil, []int{0, 0, 1, 1})
	if err != nil {
		log.Fatal(err)
	}
	labels, err := m.Predict(context.Background(), square, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(labels)
	// Output: [0 0 1 1]
}

func ExampleMLPModel_Predict() {
	ctx := context.Background()
	m, err := eval.DefaultMLP().Fit(ctx, corner, []int{0, 3, 6}, []int{1, 4, 7}, cornerLabels)
	if err != nil {
		log.Fatal(err)
	}
	labels, err := m.Predict(ctx, corner, []int{2, 5, 8})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(labels)
	// Output: [0 1 2]
}
