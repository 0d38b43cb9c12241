package coles_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// On a small or dense graph many a random pair is a true edge, which would be pushed
// apart and pulled together at once.
func ExampleExcludeEdges() {
	g, _ := karate()
	ties := g.CSR()
	for _, s := range []coles.NegativeSampler{coles.UniformNegatives(5), coles.UniformNegatives(5, coles.ExcludeEdges())} {
		part, err := s.Sample(context.Background(), g, 1)
		if err != nil {
			log.Fatal(err)
		}
		both := 0
		part.Graph.CSR().DoNonZero(func(u, v int, _ float64) {
			if u < v && ties.At(u, v) != 0 {
				both++
			}
		})
		fmt.Println(part.Graph.NNZ()/2, "pairs,", both, "of them ties")
	}
	// Output:
	// 150 pairs, 20 of them ties
	// 149 pairs, 0 of them ties
}

// Partners drawn by degree push the popular nodes apart, as word2vec does with frequent
// words: the administrator (33) is drawn more often.
func ExampleDegreeNegatives() {
	g, _ := karate()
	for _, s := range []coles.NegativeSampler{coles.UniformNegatives(2), coles.DegreeNegatives(2)} {
		pairs := 0
		for seed := range uint64(20) {
			part, err := s.Sample(context.Background(), g, seed)
			if err != nil {
				log.Fatal(err)
			}
			part.Graph.CSR().DoRowNonZero(33, func(int, int, float64) { pairs++ })
		}
		fmt.Printf("%v: %.1f pairs\n", s, float64(pairs)/20)
	}
	// Output:
	// uniform(2): 3.9 pairs
	// degree(2): 7.6 pairs
}

// The paper's random graph. Its number of pairs grows with the square of the nodes: of the
// 561 pairs in the club, p is the share.
func ExampleErdosRenyiNegatives() {
	g, _ := karate()
	for _, p := range []float64{0.01, 0.1, 0.5} {
		part, err := coles.ErdosRenyiNegatives(p).Sample(context.Background(), g, 1)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(p, part.Graph.NNZ()/2)
	}
	// Output:
	// 0.01 5
	// 0.1 56
	// 0.5 278
}

// An expectation in the place of a draw: the same for every seed, and entry i of the vector
// is the root of node i's share in all ends of edges.
func ExampleExpectedDegreeNegatives() {
	g, _ := karate()
	part, err := coles.ExpectedDegreeNegatives().Sample(context.Background(), g, 1)
	if err != nil {
		log.Fatal(err)
	}
	ends := 2 * float64(g.Report().Edges)
	for _, member := range []int{0, 33} {
		fmt.Printf("%.0f of %.0f\n", part.Vector[member]*part.Vector[member]*ends, ends)
	}
	// Output:
	// 16 of 156
	// 17 of 156
}

// Every pair alike: what is left of W⁺X is its difference from the mean of each column
// of X, whatever the degrees.
func ExampleExpectedUniformNegatives() {
	ctx := context.Background()
	g, x := barbell()
	for _, s := range []coles.NegativeSampler{coles.NoNegatives(), coles.ExpectedUniformNegatives()} {
		dw, err := coles.Contrast(ctx, g, s)
		if err != nil {
			log.Fatal(err)
		}
		y, err := dw.Apply(ctx, x)
		if err != nil {
			log.Fatal(err)
		}
		show(y.Slice(0, 1, 0, 3))
	}
	// Output:
	// 0.50  0.00  0.41
	//   0.17 -0.33 -0.26
}

// Locality preserving projections, the rival without a contrast: the trivial direction
// √degree comes first, with eigenvalue 1, and says nothing.
func ExampleNoNegatives() {
	ctx := context.Background()
	g, _ := barbell()
	for _, s := range []coles.NegativeSampler{coles.NoNegatives(), coles.ExpectedDegreeNegatives()} {
		dw, err := coles.Contrast(ctx, g, s)
		if err != nil {
			log.Fatal(err)
		}
		e, err := coles.Eigenmaps(ctx, dw, 1)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v: λ = %.2f\n", s, e.Lambda)
		show(e.Y.T())
	}
	// Output:
	// none: λ = [1.00]
	//   0.38  0.38  0.46  0.46  0.38  0.38
	// expected-degree: λ = [0.80]
	//   0.45  0.45  0.32 -0.32 -0.45 -0.45
}

// Every negative graph costs its pairs in ΔW. None at all is the same as no contrast.
func ExampleWithKappa() {
	g, _ := karate()
	for _, kappa := range []int{0, 1, 5} {
		dw, err := coles.Contrast(context.Background(), g, coles.UniformNegatives(1), coles.WithKappa(kappa))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(kappa, dw.Sparse().NNZ())
	}
	// Output:
	// 0 156
	// 1 214
	// 5 402
}

// How much of the trivial direction is taken away: 1 − η′ of it stays.
func ExampleWithEta() {
	ctx := context.Background()
	g, err := coles.NewGraph(4, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 3}, {U: 3, V: 0}})
	if err != nil {
		log.Fatal(err)
	}
	for _, eta := range []float64{0, 0.75, 1} {
		dw, err := coles.Contrast(ctx, g, coles.ExpectedDegreeNegatives(), coles.WithEta(eta))
		if err != nil {
			log.Fatal(err)
		}
		y, err := dw.Apply(ctx, mat.NewDense(4, 1, []float64{1, 1, 1, 1}))
		if err != nil {
			log.Fatal(err)
		}
		show(y.T())
	}
	// Output:
	// 1.00  1.00  1.00  1.00
	//   0.25  0.25  0.25  0.25
	//   0.00  0.00  0.00  0.00
}

// Negatives that correct for degrees take √degree out of the first direction of P, negatives
// that treat all pairs alike leave some of it in. Where degrees matter to what follows,
// that is wanted.
func ExampleWithNegatives() {
	ctx := context.Background()
	g, x := karate()
	for _, s := range []coles.NegativeSampler{coles.NoNegatives(), coles.ExpectedUniformNegatives(), coles.ExpectedDegreeNegatives()} {
		m, err := coles.Fit(ctx, g, x, coles.WithNegatives(s), coles.WithDim(1),
			coles.WithFeatures(coles.PrepareNone), coles.WithFilter(coles.Identity()))
		if err != nil {
			log.Fatal(err)
		}
		cos, norm := 0.0, 0.0
		for i, d := range g.Degrees() {
			cos += m.Projection().At(0, i) * math.Sqrt(d)
			norm += d
		}
		fmt.Printf("%v: %.2f\n", s, math.Abs(cos)/math.Sqrt(norm))
	}
	// Output:
	// none: 1.00
	// expected-uniform: 0.04
	// expected-degree: 0.00
}
