package coles_test

import (
	"context"
	"fmt"
	"log"

	"coles"
	"coles/dataset"

	"gonum.org/v1/gonum/mat"
)

// What an embedding y is worth to the contrast, yᵀΔWy: the two factions of the club against
// a division into odd and even numbers.
func ExampleDeltaW_Apply() {
	ctx := context.Background()
	g, _ := karate()
	dw, err := coles.Contrast(ctx, g, coles.ExpectedDegreeNegatives())
	if err != nil {
		log.Fatal(err)
	}
	y := mat.NewDense(34, 2, nil)
	for i, faction := range dataset.KarateClub().Labels {
		y.Set(i, 0, float64(2*faction-1))
		y.Set(i, 1, float64(2*(i%2)-1))
	}
	z, err := dw.Apply(ctx, y)
	if err != nil {
		log.Fatal(err)
	}
	for j, name := range []string{"factions", "odd and even"} {
		fmt.Printf("%s: %.1f\n", name, mat.Dot(y.ColView(j), z.ColView(j)))
	}
	// Output:
	// factions: 21.4
	// odd and even: -0.1
}

// ΔW is never written out. An entry of it is that of the sparse part and that of coef·v·vᵀ:
// what a solver of one's own has to know.
func ExampleDeltaW_RankOne() {
	g, _ := barbell()
	dw, err := coles.Contrast(context.Background(), g, coles.ExpectedDegreeNegatives(), coles.WithEta(0.9))
	if err != nil {
		log.Fatal(err)
	}
	coef, v := dw.RankOne()
	fmt.Printf("coef = %.1f\n", coef)
	for _, pair := range [][2]int{{0, 1}, {0, 5}} { // an edge, and none
		u, w := pair[0], pair[1]
		fmt.Printf("%.2f\n", dw.Sparse().At(u, w)+coef*v[u]*v[w])
	}
	// Output:
	// coef = -0.9
	// 0.37
	// -0.13
}

// Drawn negatives are in the sparse part: what attracts is positive there and what repels
// negative.
func ExampleDeltaW_Sparse() {
	g, _ := karate()
	dw, err := coles.Contrast(context.Background(), g, coles.UniformNegatives(1, coles.ExcludeEdges()))
	if err != nil {
		log.Fatal(err)
	}
	var attract, repel int
	dw.Sparse().CSR().DoNonZero(func(u, v int, w float64) {
		switch {
		case u > v:
		case w > 0:
			attract++
		default:
			repel++
		}
	})
	coef, v := dw.RankOne()
	fmt.Println(attract, "ties,", repel, "negatives, rank one:", coef, v)
	// Output: 78 ties, 34 negatives, rank one: 0 []
}
