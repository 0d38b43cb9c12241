package coles_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// fitKarate fits the karate club, whose features say who a member is, with some options.
func fitKarate(opts ...coles.Option) *coles.Model {
	g, x := karate()
	m, err := coles.Fit(context.Background(), g, x, opts...)
	if err != nil {
		log.Fatal(err)
	}
	return m
}

// meanLength is the mean distance of the rows of y to their mean.
func meanLength(y *mat.Dense) float64 {
	n, d := y.Dims()
	mean := make([]float64, d)
	for i := range n {
		for j, v := range y.RawRowView(i) {
			mean[j] += v / float64(n)
		}
	}
	sum := 0.0
	for i := range n {
		square := 0.0
		for j, v := range y.RawRowView(i) {
			square += (v - mean[j]) * (v - mean[j])
		}
		sum += math.Sqrt(square) / float64(n)
	}
	return sum
}

// Fewer columns where vectors are stored by the million.
func ExampleWithDim() {
	_, columns := fitKarate(coles.WithDim(8)).Embedding().Dims()
	fmt.Println(columns)
	// Output: 8
}

// r is the mean length of a row about the mean of all: what a classifier with a penalty
// has to be in tune with.
func ExampleWithNorm() {
	for _, r := range []float64{1, 4} {
		fmt.Printf("%.2f\n", meanLength(fitKarate(coles.WithNorm(r)).Embedding()))
	}
	// Output:
	// 1.00
	// 4.00
}

// A power of 0 leaves the columns of FXPᵀ as they are, but for one factor for all.
func ExampleWithPower() {
	for _, power := range []float64{0, 1} {
		f := fitKarate(coles.WithDim(3), coles.WithPower(power)).Scaling().Factors
		fmt.Printf("γ = %g: %.2f\n", power, f[2]/f[0])
	}
	// Output:
	// γ = 0: 1.00
	// γ = 1: 0.20
}

// A lower rank weighs the first columns more: for k-means, which counts all alike.
func ExampleWithRank() {
	for _, rank := range []float64{20, 6} {
		r := fitKarate(coles.WithRank(rank, 4)).Report()
		fmt.Printf("at most %g: γ = %.1f, effective rank %.0f\n", rank, r.Power, r.EffectiveRank)
	}
	// Output:
	// at most 20: γ = 0.0, effective rank 17
	// at most 6: γ = 0.1, effective rank 6
}

// η′ weighs the negatives: without them the first eigenvector is nearly trivial, with all of
// them it is gone.
func ExampleWithEta() {
	for _, eta := range []float64{0, 0.5, 1} {
		fmt.Printf("η′ = %.1f: λ₁ = %.2f\n", eta, fitKarate(coles.WithEta(eta)).Lambda()[0])
	}
	// Output:
	// η′ = 0.0: λ₁ = 1.26
	// η′ = 0.5: λ₁ = 0.63
	// η′ = 1.0: λ₁ = 0.49
}

// κ sampled negative graphs are averaged: the more, the nearer to their expectation.
func ExampleWithKappa() {
	g, _ := karate()
	ctx := context.Background()
	ones := mat.NewDense(g.Nodes(), 1, nil)
	for i := range g.Nodes() {
		ones.Set(i, 0, 1)
	}
	for _, kappa := range []int{0, 1, 50} {
		dw, err := coles.Contrast(ctx, g, coles.UniformNegatives(5), coles.WithKappa(kappa))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(kappa, "negative graphs:", dw.Sparse().NNZ() > 156)
	}
	// Output:
	// 0 negative graphs: false
	// 1 negative graphs: true
	// 50 negative graphs: true
}

func ExampleWithNegatives() {
	m := fitKarate(coles.WithNegatives(coles.DegreeNegatives(5)), coles.WithKappa(10))
	fmt.Println(m.Settings().Negatives, m.Settings().Kappa)
	// Output: degree(5) 10
}

// W² in the place of the default filter.
func ExampleWithFilter() {
	fmt.Println(fitKarate(coles.WithFilter(coles.SGC(2))).Settings().Filter)
	// Output: SGC(2)
}

// Features that are vectors already are best left as they are.
func ExampleWithFeatures() {
	fmt.Println(fitKarate(coles.WithFeatures(coles.PrepareNone)).Report().Preparation)
	// Output: none
}

// Samples are drawn from the seed alone: one seed, the same bytes.
func ExampleWithSeed() {
	draw := func(seed uint64) *mat.Dense {
		return fitKarate(coles.WithNegatives(coles.UniformNegatives(3)), coles.WithSeed(seed)).Embedding()
	}
	fmt.Println(mat.Equal(draw(7), draw(7)), mat.Equal(draw(7), draw(8)))
	// Output: true false
}

// Settings kept as JSON make the model again.
func ExampleWithSettings() {
	first := fitKarate(coles.WithDim(4), coles.WithNorm(2))
	again := fitKarate(coles.WithSettings(first.Settings()))
	fmt.Println(mat.Equal(first.Embedding(), again.Embedding()))
	// Output: true
}

// Residuals at the level of rounding, whatever the number of features.
func ExampleWithSolver() {
	fmt.Println(fitKarate(coles.WithSolver(coles.SolverDirect)).Report().Solver)
	// Output: direct
}

// Double precision throughout, for graphs where the default would be float32.
func ExampleWithPrecision() {
	fmt.Println(fitKarate(coles.WithPrecision(coles.Float32)).Report().Precision, fitKarate(coles.WithPrecision(coles.Float64)).Report().Precision)
	// Output: float32 float64
}

// Directions along which neighbours differ more than others do are left out.
func ExampleWithTruncation() {
	all, cut := fitKarate(coles.WithFilter(coles.Identity())), fitKarate(coles.WithFilter(coles.Identity()), coles.WithTruncation())
	fmt.Println(len(all.Lambda()), len(cut.Lambda()) < 34, cut.Lambda()[len(cut.Lambda())-1] >= 0)
	// Output: 34 true true
}

// A share of the covariance of FX in M, which does not look at the graph.
func ExampleWithCovarianceShare() {
	fmt.Println(fitKarate(coles.WithCovarianceShare(0.2)).Report().Share)
	// Output: 0.2
}

// The share that [coles.Smoothness] recommends, where a node's degree may tell its class.
func ExampleWithAutoCovarianceShare() {
	fmt.Printf("%.2f\n", fitKarate(coles.WithAutoCovarianceShare()).Report().Share)
	// Output: 0.40
}
