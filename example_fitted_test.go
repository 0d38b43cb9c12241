package coles_test

import (
	"context"
	"fmt"
	"log"

	"coles"
	"coles/dataset"

	"gonum.org/v1/gonum/mat"
)

// A row a node, to give to whatever learns from vectors. Here nothing learns: the sign of
// the first column alone is compared with what the members did when the club split.
func ExampleModel_Embedding() {
	g, x := karate()
	m, err := coles.Fit(context.Background(), g, x, coles.WithDim(2), coles.WithFilter(coles.SGC(2)))
	if err != nil {
		log.Fatal(err)
	}
	y := m.Embedding()
	var sides [2][2]int // by faction and sign
	for i, faction := range dataset.KarateClub().Labels {
		sign := 0
		if y.At(i, 0) > 0 {
			sign = 1
		}
		sides[faction][sign]++
	}
	fmt.Println(sides)
	// Output: [[2 15] [17 0]]
}

// A model remembers whose row is which, in its file too.
func ExampleModel_IDs() {
	g, err := coles.NewGraph(3, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}}, coles.WithIDs([]string{"ann", "bob", "zoe"}))
	if err != nil {
		log.Fatal(err)
	}
	m, err := coles.Fit(context.Background(), g, mat.NewDense(3, 2, []float64{1, 0, 1, 1, 0, 1}), coles.WithDim(1))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.IDs())
	// Output: [ann bob zoe]
}

// Eigenvalues fall where the structure ends: between the club's first direction, its two
// factions, and the next one there is a gap.
func ExampleModel_Lambda() {
	g, x := karate()
	m, err := coles.Fit(context.Background(), g, x, coles.WithDim(5), coles.WithFeatures(coles.PrepareNone))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f\n", m.Lambda())
	// Output: [0.49 0.18 0.10 0.03 0.02]
}

// P says which features a column is made of: those of the two triangles, one against the
// other. Its rows are orthonormal.
func ExampleModel_Projection() {
	g, x := barbell()
	m, err := coles.Fit(context.Background(), g, x, coles.WithDim(2), coles.WithFilter(coles.SGC(2)))
	if err != nil {
		log.Fatal(err)
	}
	show(m.Projection())
	var gram mat.Dense
	gram.Mul(m.Projection(), m.Projection().T())
	show(&gram)
	// Output:
	// 0.71 -0.71  0.00
	//  -0.25 -0.25  0.94
	//   1.00  0.00
	//   0.00  1.00
}

// What was chosen where the settings leave the choice open.
func ExampleModel_Report() {
	g, x := karate()
	m, err := coles.Fit(context.Background(), g, x)
	if err != nil {
		log.Fatal(err)
	}
	r := m.Report()
	fmt.Println(r.Features, "features, prepared by", r.Preparation)
	fmt.Println(r.Dim, "columns by the solver", r.Solver, "in", r.Precision)
	// Output:
	// 34 features, prepared by tfidf
	// 34 columns by the solver direct in float64
}

// The settings of a fit can be used for the next: the result is the same.
func ExampleModel_Settings() {
	ctx := context.Background()
	g, x := karate()
	m, err := coles.Fit(ctx, g, x, coles.WithDim(3), coles.WithFilter(coles.Heat(6, 2)))
	if err != nil {
		log.Fatal(err)
	}
	again, err := coles.Fit(ctx, g, x, coles.WithSettings(m.Settings()))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(again.Settings().Filter, mat.Equal(again.Embedding(), m.Embedding()))
	// Output: Heat(6, 2) true
}
