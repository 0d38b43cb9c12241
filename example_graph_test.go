package coles_test

import (
	"context"
	"fmt"

	"coles"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/mat"
)

// A graph says what was done to its input.
func ExampleNewGraph() {
	list := []coles.Edge{{U: 0, V: 1}, {U: 1, V: 0}, {U: 1, V: 2}, {U: 2, V: 2}}
	g, err := coles.NewGraph(4, list, coles.WithIDs([]string{"ada", "ben", "cy", "dee"}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.Report())
	row, _ := g.Row("cy")
	fmt.Println("cy is row", row)

	_, err = coles.NewGraph(2, []coles.Edge{{U: 0, V: 2}})
	fmt.Println(err)
	// Output:
	// 4 nodes, 2 edges, 1 duplicate merged, 1 self loop dropped, 1 isolated node
	// cy is row 2
	// coles: graph: index out of range: edge 0 joins 0 and 2 in a graph of 2 nodes
}

// A directed matrix is refused unless the caller says that it may be made symmetric.
func ExampleFromCSR() {
	a := sparse.NewCSR(3, 3, []int{0, 1, 2, 2}, []int{1, 2}, []float64{1, 0.5})
	_, err := coles.FromCSR(a)
	fmt.Println(err)
	g, err := coles.FromCSR(a, coles.WithSymmetrization())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.Report())
	show(g.CSR())
	// Output:
	// coles: graph: matrix is not symmetric: 1 at (0, 1) but 0 at (1, 0); WithSymmetrization accepts directed graphs
	// 3 nodes, 2 edges, 2 directed entries mirrored, weighted
	//   0.00  1.00  0.00
	//   1.00  0.00  0.50
	//   0.00  0.50  0.00
}

func ExampleFromGonum() {
	in := simple.NewWeightedUndirectedGraph(0, 0)
	in.SetWeightedEdge(simple.WeightedEdge{F: simple.Node(7), T: simple.Node(40), W: 0.5})
	in.SetWeightedEdge(simple.WeightedEdge{F: simple.Node(7), T: simple.Node(12), W: 2})
	g, err := coles.FromGonum(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.IDs(), g.Degrees())
	fmt.Println(g.Gonum().Edges().Len(), "edges")
	// Output:
	// [7 12 40] [2.5 2 0.5]
	// 2 edges
}

// Data without a graph: join every row to the one most like it.
func ExampleKNN() {
	x := mat.NewDense(4, 2, []float64{5, 1, 4, 1, 1, 6, 1, 5})
	g, err := coles.KNN(context.Background(), x, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	show(g.CSR())
	// Output:
	// 0.00  1.00  0.00  0.00
	//   1.00  0.00  0.00  0.00
	//   0.00  0.00  0.00  1.00
	//   0.00  0.00  1.00  0.00
}

func ExampleGraph_Components() {
	g, err := coles.NewGraph(5, []coles.Edge{{U: 0, V: 3}, {U: 1, V: 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.Components())
	// Output:
	// [0 1 1 0 2] 3
}

// The graph of the contrast has no self loops, the one of filters has.
func ExampleNormalize() {
	g, err := coles.NewGraph(3, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	show(coles.Normalize(g, coles.NoSelfLoops))
	fmt.Println()
	show(coles.Normalize(g, coles.SelfLoops))
	// Output:
	// 0.00  0.71  0.00
	//   0.71  0.00  0.71
	//   0.00  0.71  0.00
	//
	//   0.50  0.41  0.00
	//   0.41  0.33  0.41
	//   0.00  0.41  0.50
}

func ExampleLaplacian() {
	g, err := coles.NewGraph(3, []coles.Edge{{U: 0, V: 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	show(coles.Laplacian(g, coles.NoSelfLoops)) // node 2 is isolated
	// Output:
	// 1.00 -1.00  0.00
	//  -1.00  1.00  0.00
	//   0.00  0.00  1.00
}

// A matrix of one's own, for filters to propagate with: here the mean of the
// neighbours on a triangle.
func ExampleNewSymCSR() {
	w, err := coles.NewSymCSR(sparse.NewCSR(3, 3, []int{0, 2, 4, 6}, []int{1, 2, 0, 2, 0, 1}, []float64{.5, .5, .5, .5, .5, .5}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fx, err := coles.SGC(1).Apply(context.Background(), w, mat.NewDense(3, 1, []float64{1, 2, 3}))
	if err != nil {
		fmt.Println(err)
		return
	}
	show(fx.T())
	// Output:
	// 2.50  2.00  1.50
}
