package gnn_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"coles/gnn"
)

func ExampleModel_Embedding() {
	fmt.Println(trained().Embedding().Dims())
	// Output: 34 8
}

// Parameters by name, to look at or to set another program's weights beside.
func ExampleModel_Parameter() {
	m := trained(gnn.WithNetwork(gnn.GCN(16), gnn.ReLU(), gnn.GCN(4)))
	w, ok := m.Parameter(m.Parameters()[0])
	fmt.Println(ok)
	fmt.Println(w.Dims())
	// Output:
	// true
	// 34 16
}

func ExampleModel_Parameters() {
	fmt.Println(trained(gnn.WithNetwork(gnn.GCN(16), gnn.ReLU(), gnn.GCN(4))).Parameters())
	// Output: [0.weight 0.bias 2.weight 2.bias]
}

func ExampleModel_Report() {
	r := trained().Report()
	fmt.Println(r.Graph, "|", r.Epochs, "epochs")
	// Output: 34 nodes, 78 edges | 3 epochs
}

func ExampleModel_Settings() {
	fmt.Println(trained().Settings().Epochs)
	// Output: 3
}

func ExampleModel_WriteTo() {
	var file bytes.Buffer
	if _, err := trained().WriteTo(&file); err != nil {
		log.Fatal(err)
	}
	m, err := gnn.ReadModel(&file)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Settings().Network)
	// Output: gcn(8)
}

// classifier learns the sides of the club from two members each.
func classifier() *gnn.Classifier {
	g, x, labels := club()
	c, err := gnn.TrainClassifier(context.Background(), g, x, labels, []int{0, 1, 32, 33}, []int{2, 31}, gnn.WithEpochs(50))
	if err != nil {
		log.Fatal(err)
	}
	return c
}

func ExampleClassifier_Predict() {
	g, x, labels := club()
	predicted, err := classifier().Predict(context.Background(), g, x)
	if err != nil {
		log.Fatal(err)
	}
	right := 0
	for i, l := range labels {
		if predicted[i] == l {
			right++
		}
	}
	fmt.Println("thirty and more of 34:", right >= 30)
	// Output: thirty and more of 34: true
}

// Scores say how sure a prediction is: before the softmax, a column a class.
func ExampleClassifier_Scores() {
	g, x, _ := club()
	s, err := classifier().Scores(context.Background(), g, x)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Dims())
	// Output: 34 2
}

func ExampleClassifier_Classes() {
	fmt.Println(classifier().Classes())
	// Output: [0 1]
}

func ExampleClassifier_Report() {
	fmt.Println(classifier().Report().Graph)
	// Output: 34 nodes, 78 edges
}

func ExampleClassifier_Settings() {
	fmt.Println(classifier().Settings().Epochs)
	// Output: 50
}

func ExampleClassifier_Provenance() {
	fmt.Println(classifier().Provenance().Settings.Epochs)
	// Output: 50
}

func ExampleClassifier_WriteTo() {
	var file bytes.Buffer
	if _, err := classifier().WriteTo(&file); err != nil {
		log.Fatal(err)
	}
	c, err := gnn.ReadClassifier(&file)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Classes())
	// Output: [0 1]
}

// Settings that are a place to start from: one field changed.
func ExampleDefaultSettings() {
	s := gnn.DefaultSettings()
	s.Epochs = 2
	fmt.Println(trained(gnn.WithSettings(s)).Report().Epochs)
	// Output: 2
}

// The linear encoder of the authors' code, trained by Adam.
func ExampleLinearSettings() {
	fmt.Println(gnn.LinearSettings().Network)
	// Output: propagate(S2GCSum(8)) → linear
}

// Two augmented views.
func ExampleAugmentedSettings() {
	fmt.Println(gnn.AugmentedSettings().Augmentation)
	// Output: {[0.1 0.2] [0.1 0.2]}
}

// The semi-supervised baseline of the paper: 16 hidden columns, half of them dropped.
func ExampleClassifierSettings() {
	fmt.Println(gnn.ClassifierSettings().Network)
	// Output: gcn(16) → relu → dropout(0.5) → gcn
}

// A file may hold only what differs from the default.
func ExampleSettings_UnmarshalJSON() {
	s := gnn.DefaultSettings()
	if err := s.UnmarshalJSON([]byte(`{"epochs": 7}`)); err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Epochs, s.Kappa == gnn.DefaultSettings().Kappa)
	fmt.Println(s.UnmarshalJSON([]byte(`{"epocs": 7}`)) != nil)
	// Output:
	// 7 true
	// true
}
