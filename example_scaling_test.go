package coles_test

import (
	"context"
	"fmt"
	"log"

	"coles"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// meanLength is the mean length of the rows of y, measured from their mean.
func meanLength(y *mat.Dense) float64 {
	n, dim := y.Dims()
	center := mat.NewVecDense(dim, nil)
	for j := range dim {
		center.SetVec(j, stat.Mean(mat.Col(nil, j, y), nil))
	}
	sum := 0.0
	for i := range n {
		var row mat.VecDense
		row.SubVec(y.RowView(i), center)
		sum += mat.Norm(&row, 2)
	}
	return sum / float64(n)
}

// One factor for all columns, for what is sensitive to the scale: a logistic regression with
// an L2 penalty fits longer rows more closely.
func ExampleWithNorm() {
	g, x := karate()
	for _, r := range []float64{1, 4} {
		m, err := coles.Fit(context.Background(), g, x, coles.WithNorm(r), coles.WithDim(4))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.1f\n", meanLength(m.Embedding()))
	}
	// Output:
	// 1.0
	// 4.0
}

// How much more the leading columns weigh. γ = 0 is the paper's letter, all alike; with
// γ = 1 a column weighs as much as its eigenvalue.
func ExampleWithPower() {
	g, x := karate()
	for _, gamma := range []float64{0, 1} {
		m, err := coles.Fit(context.Background(), g, x, coles.WithPower(gamma), coles.WithDim(3))
		if err != nil {
			log.Fatal(err)
		}
		lambda, factors := m.Lambda(), m.Scaling().Factors
		for j := range factors {
			fmt.Printf(" %.2f (λ %.2f)", factors[j]/factors[0], lambda[j]/lambda[0])
		}
		fmt.Println()
	}
	// Output:
	// 1.00 (λ 1.00) 1.00 (λ 0.36) 1.00 (λ 0.20)
	//  1.00 (λ 1.00) 0.36 (λ 0.36) 0.20 (λ 0.20)
}

// Over how many directions the energy may spread: few for clustering, more for a classifier
// of many classes. A larger γ brings the rank down to what is asked for.
func ExampleWithRank() {
	g, x := karate()
	for _, rank := range []float64{30, 12, 6} {
		m, err := coles.Fit(context.Background(), g, x, coles.WithRank(rank, 2), coles.WithDim(32), coles.WithFilter(coles.SGC(1)))
		if err != nil {
			log.Fatal(err)
		}
		s := m.Scaling()
		fmt.Printf("γ = %.1f, effective rank %.0f\n", s.Power, s.EffectiveRank)
	}
	// Output:
	// γ = 0.0, effective rank 20
	// γ = 0.0, effective rank 12
	// γ = 0.4, effective rank 5
}

// The factors found on some rows weight those that come later; the matrix itself is left
// as it was.
func ExampleScaling_Apply() {
	e := mat.NewDense(4, 2, []float64{1, 1, 1, -1, -1, 1, -1, -1})
	s, err := coles.SpectralScaling(context.Background(), e, []float64{1, 0.25}, coles.WithPower(0.5), coles.WithNorm(1))
	if err != nil {
		log.Fatal(err)
	}
	later, err := s.Apply(context.Background(), mat.NewDense(1, 2, []float64{2, 2}))
	if err != nil {
		log.Fatal(err)
	}
	show(later)
	// Output: 1.79  0.89
}

// The last step from features to an embedding: FXPᵀ, weighted by column. Whoever keeps P and
// the factors can embed with any library for matrices.
func ExampleModel_Scaling() {
	ctx := context.Background()
	g, x := karate()
	m, err := coles.Fit(ctx, g, x, coles.WithDim(2), coles.WithFilter(coles.SGC(2)), coles.WithFeatures(coles.PrepareNone))
	if err != nil {
		log.Fatal(err)
	}
	fx, err := coles.SGC(2).Apply(ctx, coles.Normalize(g, coles.SelfLoops), x)
	if err != nil {
		log.Fatal(err)
	}
	var y mat.Dense
	y.Mul(fx, m.Projection().T())
	y.Apply(func(_, j int, v float64) float64 { return v * m.Scaling().Factors[j] }, &y)
	fmt.Println(mat.EqualApprox(&y, m.Embedding(), 1e-12))
	// Output: true
}
