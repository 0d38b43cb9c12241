package coles_test

import (
	"context"
	"fmt"
	"log"

	"coles"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// Features of float32 go to gonum's BLAS as they lie: here the sum of every column.
func ExampleDense32_RawMatrix() {
	x, err := coles.NewDense32(3, 2, []float32{1, 2, 3, 4, 5, 6})
	if err != nil {
		log.Fatal(err)
	}
	ones := blas32.Vector{N: 3, Inc: 1, Data: []float32{1, 1, 1}}
	sums := blas32.Vector{N: 2, Inc: 1, Data: make([]float32, 2)}
	blas32.Gemv(blas.Trans, 1, x.RawMatrix(), ones, 0, sums)
	fmt.Println(sums.Data)
	// Output: [9 12]
}

// A normalised graph for another library's products: W·1 of a path.
func ExampleSymCSR_CSR() {
	g, err := coles.NewGraph(3, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}})
	if err != nil {
		log.Fatal(err)
	}
	var y mat.Dense
	y.Mul(coles.Normalize(g, coles.NoSelfLoops).CSR(), mat.NewDense(3, 1, []float64{1, 1, 1}))
	show(y.T())
	// Output: 0.71  1.41  0.71
}

// What a product costs: both triangles, and with self loops the diagonal.
func ExampleSymCSR_NNZ() {
	g, _ := karate()
	fmt.Println(coles.Normalize(g, coles.NoSelfLoops).NNZ(), coles.Normalize(g, coles.SelfLoops).NNZ())
	// Output: 156 190
}

// How much of a vector comes from how far: S²GC spreads evenly, APPNP fades.
func ExampleFilter_Coefficients() {
	for _, f := range []coles.Filter{coles.S2GC(4, 0.2), coles.APPNP(4, 0.2)} {
		fmt.Printf("%v: %.2f\n", f, f.Coefficients())
	}
	// Output:
	// S2GC(4, 0.2): [0.20 0.20 0.20 0.20 0.20]
	// APPNP(4, 0.2): [0.20 0.16 0.13 0.10 0.41]
}

// How many edges away a change can still be seen: what a node that comes later moves.
func ExampleFilter_Hops() {
	fmt.Println(coles.Identity().Hops(), coles.S2GCSum(8).Hops(), coles.Polynomial(0.5, 0, 0.5).Hops())
	// Output: 0 8 2
}

// Later nodes are measured by the mean and deviation of those that the preparation was
// fitted to, not by their own.
func ExamplePreparer_Apply() {
	p, err := coles.FitPreparation(context.Background(), mat.NewDense(4, 1, []float64{10, 10, 20, 20}), coles.PrepareStandardize)
	if err != nil {
		log.Fatal(err)
	}
	later, err := p.Apply(context.Background(), mat.NewDense(2, 1, []float64{15, 30}))
	if err != nil {
		log.Fatal(err)
	}
	show(later.T())
	// Output: 0.00  3.00
}

// What PrepareAuto has taken the features for.
func ExamplePreparer_Preparation() {
	for _, x := range []*mat.Dense{
		mat.NewDense(2, 3, []float64{0, 2, 0, 1, 0, 0}),
		mat.NewDense(2, 3, []float64{0, 0.2, 0, 0.7, 0, 0}),
		mat.NewDense(2, 3, []float64{-1, 0.2, 3, 0.7, 2, 8}),
	} {
		p, err := coles.FitPreparation(context.Background(), x, coles.PrepareAuto)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(p.Preparation())
	}
	// Output:
	// tfidf
	// row-l2
	// standardize
}
