package gnn_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"coles"
	"coles/gnn"
)

// Labels may be any numbers; a classifier tells apart those it was trained on.
func ExampleClassifier_Classes() {
	g, x, labels := karate()
	for i := range labels {
		labels[i] = 10 + 5*labels[i]
	}
	c, err := gnn.TrainClassifier(context.Background(), g, x, labels, []int{0, 33}, []int{1, 32})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Classes())
	// Output: [10 15]
}

// From two known members to all 34: nearly everybody followed whom their friends did.
func ExampleClassifier_Predict() {
	g, x, labels := karate()
	sides, err := classifier().Predict(context.Background(), g, x)
	if err != nil {
		log.Fatal(err)
	}
	right := 0
	for i := range sides {
		if sides[i] == labels[i] {
			right++
		}
	}
	fmt.Println("more than 28 of 34:", right > 28)
	// Output: more than 28 of 34: true
}

// Months later: is this the classifier of these data?
func ExampleClassifier_Provenance() {
	g, x, _ := karate()
	p := classifier().Provenance()
	same, err := coles.HashInput(context.Background(), g, x)
	if err != nil {
		log.Fatal(err)
	}
	x.Set(5, 5, 2)
	other, err := coles.HashInput(context.Background(), g, x)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Input == same, p.Input == other)
	// Output: true false
}

// How long it trained, and where it was best on the nodes to stop by.
func ExampleClassifier_Report() {
	r := classifier().Report()
	fmt.Println(r.Dim, "classes,", r.Parameters, "parameters")
	fmt.Println("best before the end or at it:", r.BestEpoch <= r.Epochs)
	// Output:
	// 2 classes, 594 parameters
	// best before the end or at it: true
}

// How sure it is: by less for a member with friends on both sides than for a leader.
func ExampleClassifier_Scores() {
	g, x, _ := karate()
	scores, err := classifier().Scores(context.Background(), g, x)
	if err != nil {
		log.Fatal(err)
	}
	lead := func(member int) float64 { return scores.At(member, 0) - scores.At(member, 1) }
	fmt.Println("the instructor is on side 0:", lead(0) > 0)
	fmt.Println("member 8 less surely so:", lead(8) < lead(0))
	// Output:
	// the instructor is on side 0: true
	// member 8 less surely so: true
}

// Widths that were left open are numbers after training: two classes, two columns.
func ExampleClassifier_Settings() {
	fmt.Println(gnn.ClassifierSettings().Network)
	fmt.Println(classifier().Settings().Network)
	// Output:
	// gcn(16) → relu → dropout(0.5) → gcn
	// gcn(16) → relu → dropout(0.5) → gcn(2)
}

// The file ends in a checksum: one that was cut off on its way is refused.
func ExampleClassifier_WriteTo() {
	var file bytes.Buffer
	n, err := classifier().WriteTo(&file)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(n == int64(file.Len()))
	_, err = gnn.ReadClassifier(bytes.NewReader(file.Bytes()[:n/2]))
	fmt.Println(err != nil)
	// Output:
	// true
	// true
}
