package coles_test

import (
	"context"
	"fmt"
	"math"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// W⁺ less its degree expectation: the direction √degree, which says nothing about
// the nodes, is gone.
func ExampleContrast() {
	ctx := context.Background()
	g, err := coles.NewGraph(4, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 3}, {U: 3, V: 0}})
	if err != nil {
		fmt.Println(err)
		return
	}
	dw, err := coles.Contrast(ctx, g, coles.ExpectedDegreeNegatives())
	if err != nil {
		fmt.Println(err)
		return
	}
	trivial := mat.NewDense(4, 1, []float64{1, 1, 1, 1})
	y, err := dw.Apply(ctx, trivial)
	if err != nil {
		fmt.Println(err)
		return
	}
	show(y.T())
	// Output:
	// 0.00  0.00  0.00  0.00
}

// ΔW + c·I adds a share of the covariance of the features.
func ExampleDeltaW_Shift() {
	ctx := context.Background()
	g, x := barbell()
	dw, err := coles.Contrast(ctx, g, coles.NoNegatives())
	if err != nil {
		fmt.Println(err)
		return
	}
	plain, err := dw.Apply(ctx, x)
	if err != nil {
		fmt.Println(err)
		return
	}
	shifted, err := dw.Shift(0.4).Apply(ctx, x)
	if err != nil {
		fmt.Println(err)
		return
	}
	shifted.Sub(shifted, plain)
	show(shifted.Slice(0, 2, 0, 3)) // 0.4·x
	// Output:
	// 0.40  0.00  0.40
	//   0.40  0.00  0.00
}

// On a homophilous graph a filtered signal agrees along the edges.
func ExampleSmoothness() {
	g, _ := barbell()
	for _, f := range []coles.Filter{coles.Identity(), coles.SGC(8)} {
		rho, err := coles.Smoothness(context.Background(), g, f, 1)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v: %.1f\n", f, math.Abs(rho))
	}
	// Output:
	// Identity: 0.0
	// SGC(8): 1.0
}

// Every way to draw negatives, and how many entries its graph has.
func ExampleNegativeSampler_Sample() {
	g, _ := barbell()
	for _, s := range []coles.NegativeSampler{
		coles.UniformNegatives(1),
		coles.UniformNegatives(1, coles.ExcludeEdges()),
		coles.DegreeNegatives(1),
		coles.ErdosRenyiNegatives(1),
		coles.ErdosRenyiNegatives(1, coles.ExcludeEdges()),
		coles.ExpectedUniformNegatives(),
		coles.ExpectedDegreeNegatives(),
	} {
		part, err := s.Sample(context.Background(), g, 1)
		switch {
		case err != nil:
			fmt.Println(err)
		case part.Vector != nil:
			fmt.Printf("%v: the rank-one matrix of %.2f\n", s, part.Vector)
		default:
			fmt.Printf("%v: %d pairs\n", s, part.Graph.NNZ()/2)
		}
	}
	// Output:
	// uniform(1): 5 pairs
	// uniform(1) without edges: 4 pairs
	// degree(1): 5 pairs
	// erdos-renyi(1): 15 pairs
	// erdos-renyi(1) without edges: 8 pairs
	// expected-uniform: the rank-one matrix of [0.41 0.41 0.41 0.41 0.41 0.41]
	// expected-degree: the rank-one matrix of [0.38 0.38 0.46 0.46 0.38 0.38]
}

// Negatives that are too few to be drawn are an error, not a smaller sample.
func ExampleUniformNegatives() {
	g, err := coles.NewGraph(3, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = coles.Contrast(context.Background(), g, coles.UniformNegatives(1, coles.ExcludeEdges()))
	fmt.Println(err)
	// Output:
	// coles: negatives: graph too dense for negatives without true edges: node 1 has 0 nodes to draw 1 partners from
}

// A sampler of one's own: every node against the one opposite in the order.
func ExampleNegativeFunc() {
	ctx := context.Background()
	opposite := coles.NegativeFunc("opposite", func(_ context.Context, g *coles.Graph, _ uint64) (coles.Negative, error) {
		var pairs []coles.Edge
		n := g.Nodes()
		for u := range n / 2 {
			pairs = append(pairs, coles.Edge{U: u, V: n - 1 - u})
		}
		return coles.NegativeFromEdges(n, pairs)
	})
	g, x := barbell()
	m, err := coles.Fit(ctx, g, x, coles.WithNegatives(opposite), coles.WithEta(0.5), coles.WithDim(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Settings().Negatives)
	// Output:
	// opposite
}

func ExampleNegativeFromEdges() {
	part, err := coles.NegativeFromEdges(3, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 0}, {U: 1, V: 2}, {U: 2, V: 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	show(part.Graph) // degrees 2, 3, 1
	// Output:
	// 0.00  0.82  0.00
	//   0.82  0.00  0.58
	//   0.00  0.58  0.00
}

// Y of its own, not a map of features: the second eigenvector of W⁺ parts the triangles.
func ExampleEigenmaps() {
	ctx := context.Background()
	g, _ := barbell()
	dw, err := coles.Contrast(ctx, g, coles.NoNegatives())
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := coles.Eigenmaps(ctx, dw, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("λ = %.2f, %d component vector\n", e.Lambda, e.ComponentVectors)
	show(e.Y.T())
	// Output:
	// λ = [1.00 0.80], 1 component vector
	//   0.38  0.38  0.46  0.46  0.38  0.38
	//   0.45  0.45  0.32 -0.32 -0.45 -0.45
}

// With more components than columns nothing but components would be seen.
func ExampleWithoutComponentVectors() {
	ctx := context.Background()
	g, err := coles.NewGraph(5, []coles.Edge{{U: 0, V: 1}, {U: 2, V: 3}, {U: 3, V: 4}})
	if err != nil {
		fmt.Println(err)
		return
	}
	dw, err := coles.Contrast(ctx, g, coles.NoNegatives())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, opts := range [][]coles.Option{nil, {coles.WithoutComponentVectors()}} {
		e, err := coles.Eigenmaps(ctx, dw, 1, opts...)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("λ = %.0f\n", e.Lambda[0]+0)
	}
	// Output:
	// λ = 1
	// λ = 0
}
