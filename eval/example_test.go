package eval_test

import (
	"context"
	"fmt"
	"log"

	"coles/dataset"
	"coles/eval"

	"gonum.org/v1/gonum/mat"
)

// Six points of the plane in two classes, one on each side of the line x = y.
var (
	points = mat.NewDense(6, 2, []float64{0, 1, 0, 2, 1, 3, 1, 0, 2, 0, 3, 1})
	sides  = []int{0, 0, 0, 1, 1, 1}
)

func ExampleClassify() {
	splits := []dataset.Split{
		{Train: []int{0, 3}},
		{Train: []int{1, 4}, Val: []int{0}},
		{Train: []int{2, 5}, Test: []int{0, 1}},
	}
	c, err := eval.Classify(context.Background(), points, sides, splits)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.1f ± %.1f %% over %d splits\n", c.Mean, c.Std, len(c.Accuracy))
	// Output: 100.0 ± 0.0 % over 3 splits
}

func ExampleWithC() {
	// A tenth of the default weight on the data: a stronger penalty.
	splits := []dataset.Split{{Train: []int{0, 3}}}
	c, err := eval.Classify(context.Background(), points, sides, splits, eval.WithC(0.1))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Accuracy)
	// Output: [100]
}

func ExampleLogisticRegression_Fit() {
	m, err := eval.LogisticRegression{C: 1}.Fit(context.Background(), points, []int{0, 1, 3, 4}, sides)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("classes", m.Classes)
	fmt.Printf("w = (%.3f, %.3f)\n", m.Coef.At(0, 0), m.Coef.At(0, 1))
	// Output:
	// classes [0 1]
	// w = (0.715, -0.715)
}

func ExampleLinearModel_Predict() {
	ctx := context.Background()
	m, err := eval.LogisticRegression{}.Fit(ctx, points, []int{0, 3}, sides)
	if err != nil {
		log.Fatal(err)
	}
	labels, err := m.Predict(ctx, points, []int{1, 2, 4, 5})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(labels)
	// Output: [0 0 1 1]
}

func ExampleLinearModel_Scores() {
	ctx := context.Background()
	m, err := eval.LogisticRegression{}.Fit(ctx, points, []int{0, 3}, sides)
	if err != nil {
		log.Fatal(err)
	}
	scores, err := m.Scores(ctx, points, nil)
	if err != nil {
		log.Fatal(err)
	}
	// One column: a positive score speaks for the second class.
	for i := range sides {
		fmt.Print(scores.At(i, 0) > 0, " ")
	}
	fmt.Println()
	// Output: false false false true true true
}

func ExampleAccuracy() {
	share, err := eval.Accuracy([]int{0, 1, 1, 2}, []int{0, 1, 2, 2})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(share)
	// Output: 0.75
}

func ExampleMeanStd() {
	mean, std, err := eval.MeanStd([]float64{1, 3})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(mean, std)
	// Output: 2 1
}

func ExamplePCA() {
	// Points on a line: one component holds everything.
	line := mat.NewDense(3, 2, []float64{0, 0, 3, 4, 6, 8})
	p, err := eval.PCA(context.Background(), line, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", mat.Formatted(p))
	// Output:
	// ⎡-5.000⎤
	// ⎢ 0.000⎥
	// ⎣ 5.000⎦
}

func ExampleRandomProjection() {
	p, err := eval.RandomProjection(context.Background(), points, 1, 7)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Dims())
	// Output: 6 1
}
