package coles_test

import (
	"context"
	"encoding/json"
	"fmt"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// The steps of Fit, one door at a time.
func Example() {
	ctx := context.Background()
	g, x := barbell()

	prepare, err := coles.FitPreparation(context.Background(), x, coles.PrepareTFIDF)
	if err != nil {
		fmt.Println(err)
		return
	}
	prepared, err := prepare.Apply(context.Background(), x)
	if err != nil {
		fmt.Println(err)
		return
	}
	fx, err := coles.S2GCSum(8).Apply(ctx, coles.Normalize(g, coles.SelfLoops), prepared)
	if err != nil {
		fmt.Println(err)
		return
	}
	dw, err := coles.Contrast(ctx, g, coles.ExpectedDegreeNegatives())
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := coles.Solve(ctx, fx, dw, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	var e mat.Dense
	e.Mul(fx, p.P.T())
	scaling, err := coles.SpectralScaling(context.Background(), &e, p.Lambda)
	if err != nil {
		fmt.Println(err)
		return
	}
	y, err := scaling.Apply(context.Background(), &e)
	if err != nil {
		fmt.Println(err)
		return
	}

	m, err := coles.Fit(ctx, g, x, coles.WithFeatures(coles.PrepareTFIDF), coles.WithDim(2))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("the same as Fit:", mat.EqualApprox(y, m.Embedding(), 1e-12))
	// Output:
	// the same as Fit: true
}

// One hop moves half of a value along an edge.
func ExampleFilter_Apply() {
	g, err := coles.NewGraph(2, []coles.Edge{{U: 0, V: 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	x := mat.NewDense(2, 1, []float64{1, 0})
	w := coles.Normalize(g, coles.SelfLoops)
	for _, f := range []coles.Filter{coles.Identity(), coles.SGC(1), coles.APPNP(1, 0.5)} {
		fx, err := f.Apply(context.Background(), w, x)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v: %.2f\n", f, fx.RawMatrix().Data)
	}
	// Output:
	// Identity: [1.00 0.00]
	// SGC(1): [0.50 0.50]
	// APPNP(1, 0.5): [0.75 0.25]
}

func ExampleSGC() {
	printFilter(coles.SGC(2))
	// Output:
	// SGC(2) [0.000 0.000 1.000]
}

func ExampleS2GC() {
	printFilter(coles.S2GC(2, 0.05))
	// Output:
	// S2GC(2, 0.05) [0.050 0.475 0.475]
}

func ExampleS2GCSum() {
	printFilter(coles.S2GCSum(2))
	// Output:
	// S2GCSum(2) [0.500 0.500 0.500]
}

func ExampleAPPNP() {
	printFilter(coles.APPNP(2, 0.1))
	// Output:
	// APPNP(2, 0.1) [0.100 0.090 0.810]
}

func ExampleHeat() {
	printFilter(coles.Heat(2, 1))
	// Output:
	// Heat(2, 1) [0.368 0.368 0.184]
}

func ExampleIdentity() {
	printFilter(coles.Identity())
	// Output:
	// Identity [1.000]
}

func ExamplePolynomial() {
	printFilter(coles.Polynomial(1, -0.5))
	// Output:
	// Polynomial [1.000 -0.500]
}

func printFilter(f coles.Filter) { fmt.Printf("%v %.3f\n", f, f.Coefficients()) }

// The weights learned from some rows are used on others.
func ExampleFitPreparation() {
	x := mat.NewDense(2, 2, []float64{1, 10, 3, 10})
	p, err := coles.FitPreparation(context.Background(), x, coles.PrepareStandardize)
	if err != nil {
		fmt.Println(err)
		return
	}
	later, err := p.Apply(context.Background(), mat.NewDense(1, 2, []float64{4, 11}))
	if err != nil {
		fmt.Println(err)
		return
	}
	show(later) // mean 2, deviation 1; the second column is constant
	_, err = coles.FitPreparation(context.Background(), mat.NewDense(1, 1, []float64{-1}), coles.PrepareTFIDF)
	fmt.Println(err)
	// Output:
	// 2.00  0.00
	// coles: features: features do not suit this preparation: -1 at row 0, column 0, but tfidf takes values from 0 up
}

// P has orthonormal rows, and λ descends.
func ExampleSolve() {
	ctx := context.Background()
	g, x := barbell()
	fx, err := coles.SGC(2).Apply(ctx, coles.Normalize(g, coles.SelfLoops), x)
	if err != nil {
		fmt.Println(err)
		return
	}
	dw, err := coles.Contrast(ctx, g, coles.ExpectedDegreeNegatives())
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := coles.Solve(ctx, fx, dw, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v, λ₁ = %.3f\n", p.Solver, p.Lambda[0])
	show(p.P)
	// Output:
	// direct, λ₁ = 0.708
	//   0.71 -0.71  0.00
	//  -0.38 -0.38  0.85
}

// The same without ever forming FX or M.
func ExampleSolveImplicit() {
	ctx := context.Background()
	g, x := barbell()
	dw, err := coles.Contrast(ctx, g, coles.ExpectedDegreeNegatives())
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := coles.SolveImplicit(ctx, x, coles.Normalize(g, coles.SelfLoops), coles.SGC(2), dw, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v, λ₁ = %.3f\n", p.Solver, p.Lambda[0])
	show(p.P)
	// Output:
	// krylov, λ₁ = 0.708
	//   0.71 -0.71  0.00
	//  -0.38 -0.38  0.85
}

// Columns are weighted by λ^γ, then all by one number.
func ExampleSpectralScaling() {
	e := mat.NewDense(2, 2, []float64{3, 1, -3, -1})
	s, err := coles.SpectralScaling(context.Background(), e, []float64{4, 1}, coles.WithPower(0.5), coles.WithNorm(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f\n", s.Factors)
	y, err := s.Apply(context.Background(), e)
	if err != nil {
		fmt.Println(err)
		return
	}
	show(y)
	// Output:
	// [0.329 0.164]
	//   0.99  0.16
	//  -0.99 -0.16
}

// Settings are a value: they go to JSON and back.
func ExampleDefaultSettings() {
	text, err := json.Marshal(coles.DefaultSettings().Scaling)
	fmt.Println(string(text), err)
	var s coles.Settings
	whole, _ := json.Marshal(coles.DefaultSettings())
	fmt.Println(json.Unmarshal(whole, &s), s.Filter, s.Negatives)
	// Output:
	// {"fixed_power":false,"power":0,"rank":20,"floor":8,"norm":4} <nil>
	// <nil> S2GCSum(8) expected-degree
}
