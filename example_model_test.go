package coles_test

import (
	"context"
	"fmt"
	"log"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// The vectors of the nodes that were fitted, a row each.
func ExampleModel_Embedding() {
	y := fitKarate(coles.WithDim(4)).Embedding()
	fmt.Println(y.Dims())
	// Output: 34 4
}

// Rows by their names.
func ExampleModel_IDs() {
	g, err := coles.NewGraph(3, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}}, coles.WithIDs([]string{"ann", "bob", "cleo"}))
	if err != nil {
		log.Fatal(err)
	}
	m, err := coles.Fit(context.Background(), g, mat.NewDense(3, 2, []float64{1, 0, 1, 1, 0, 1}), coles.WithDim(1))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.IDs())
	// Output: [ann bob cleo]
}

// How quickly eigenvalues fall says how many columns are worth having.
func ExampleModel_Lambda() {
	fmt.Printf("%.2f\n", fitKarate(coles.WithDim(4)).Lambda())
	// Output: [0.49 0.18 0.10 0.03]
}

// The rows of P are orthonormal.
func ExampleModel_Projection() {
	p := fitKarate(coles.WithDim(2)).Projection()
	var products mat.Dense
	products.Mul(p, p.T())
	fmt.Println(mat.EqualApprox(&products, mat.NewDense(2, 2, []float64{1, 0, 0, 1}), 1e-13))
	// Output: true
}

// What the fit found and decided: read it once.
func ExampleModel_Report() {
	r := fitKarate().Report()
	fmt.Println(r.Graph, "|", r.Features, r.Preparation, r.Dim, r.Solver, r.Precision)
	// Output: 34 nodes, 78 edges | 34 tfidf 34 direct float64
}

// γ and what the columns were multiplied by.
func ExampleModel_Scaling() {
	s := fitKarate(coles.WithDim(3), coles.WithPower(1)).Scaling()
	fmt.Println(s.Power, len(s.Factors))
	// Output: 1 3
}

// Settings come back resolved: d′ is no longer 0.
func ExampleModel_Settings() {
	fmt.Println(coles.DefaultSettings().Dim, fitKarate().Settings().Dim)
	// Output: 0 34
}

// Factors of a fit for FXPᵀ of other nodes.
func ExampleScaling_Apply() {
	s := coles.Scaling{Factors: []float64{2, 0.5}}
	y, err := s.Apply(mat.NewDense(1, 2, []float64{3, 4}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(y.RawRowView(0))
	// Output: [6 2]
}

// Word counts of another document, weighed as those that the weights were learned from.
func ExamplePreparer_Apply() {
	p, err := coles.FitPreparation(mat.NewDense(3, 2, []float64{1, 1, 1, 0, 1, 2}), coles.PrepareTFIDF)
	if err != nil {
		log.Fatal(err)
	}
	x, err := p.Apply(mat.NewDense(1, 2, []float64{1, 1}))
	if err != nil {
		log.Fatal(err)
	}
	// The first word is in every document, and says less.
	fmt.Println(x.At(0, 0) < x.At(0, 1))
	// Output: true
}

// PrepareAuto says what it became.
func ExamplePreparer_Preparation() {
	p, err := coles.FitPreparation(mat.NewDense(2, 2, []float64{0.5, -1, 2, 3}), coles.PrepareAuto)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Preparation())
	// Output: standardize
}

// Two newcomers who also know each other.
func ExampleFrozen_Embed() {
	g, x := karate()
	club, err := fitKarate(coles.WithDim(2)).Freeze(context.Background(), g, x)
	if err != nil {
		log.Fatal(err)
	}
	y, err := club.Embed(context.Background(), mat.NewDense(2, 34, nil), []coles.Edge{{U: 34, V: 0}, {U: 35, V: 33}, {U: 34, V: 35}}, []float64{1, 1, 0.1})
	if err != nil {
		log.Fatal(err)
	}
	// Each is drawn to the side of the one they know: members 0 and 33 are the rivals.
	side := fitKarate(coles.WithDim(2)).Embedding()
	for k, rival := range []int{0, 33} {
		fmt.Println(y.At(k, 0)*side.At(rival, 0)+y.At(k, 1)*side.At(rival, 1) > 0)
	}
	// Output:
	// true
	// true
}

func ExampleFrozen_Nodes() {
	g, x := karate()
	club, err := fitKarate().Freeze(context.Background(), g, x)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("newcomers are numbered from", club.Nodes())
	// Output: newcomers are numbered from 34
}

// An edge that is there already takes the larger weight. In a club as small as this half of the
// members are within a step, and everything is computed again.
func ExampleGrowing_Add() {
	g, x := karate()
	club, err := fitKarate(coles.WithFilter(coles.SGC(1))).Grow(context.Background(), g, x)
	if err != nil {
		log.Fatal(err)
	}
	grown, err := club.Add(context.Background(), coles.Growth{Edges: []coles.Edge{{U: 11, V: 0}}, Weights: []float64{3}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(grown.Moved), grown.Whole)
	// Output: 17 true
}

func ExampleGrowing_Graph() {
	g, x := karate()
	club, err := fitKarate().Grow(context.Background(), g, x)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := club.Add(context.Background(), coles.Growth{Edges: []coles.Edge{{U: 11, V: 12}}}); err != nil {
		log.Fatal(err)
	}
	now, err := club.Graph()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(g.Report(), "→", now.Report())
	// Output: 34 nodes, 78 edges → 34 nodes, 79 edges
}

func ExampleGrowing_Nodes() {
	g, x := karate()
	club, err := fitKarate().Grow(context.Background(), g, x)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := club.Add(context.Background(), coles.Growth{Features: mat.NewDense(2, 34, nil)}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(club.Nodes())
	// Output: 36
}
