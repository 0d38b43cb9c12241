package coles_test

import (
	"context"
	"fmt"
	"log"

	"coles"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// path is a graph of three nodes in a row.
func path(opts ...coles.GraphOption) *coles.Graph {
	g, err := coles.NewGraph(3, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}}, opts...)
	if err != nil {
		log.Fatal(err)
	}
	return g
}

func ExampleGraph_CSR() {
	a := path().CSR()
	fmt.Println(a.NNZ(), a.At(0, 1), a.At(0, 2))
	// Output: 4 1 0
}

// Weights count in degrees.
func ExampleGraph_Degrees() {
	fmt.Println(path(coles.WithEdgeWeights([]float64{2, 0.5})).Degrees())
	// Output: [2 2.5 0.5]
}

// For gonum's algorithms: shortest paths, communities, drawings.
func ExampleGraph_Gonum() {
	g := path().Gonum()
	fmt.Println(g.Nodes().Len(), g.HasEdgeBetween(0, 1), g.HasEdgeBetween(0, 2))
	// Output: 3 true false
}

// Without names the ids are the row numbers.
func ExampleGraph_IDs() {
	fmt.Println(path().IDs(), path(coles.WithIDs([]string{"a", "b", "c"})).IDs())
	// Output: [0 1 2] [a b c]
}

func ExampleGraph_Nodes() {
	fmt.Println(path().Nodes())
	// Output: 3
}

// What was done to the input: read it before anything else.
func ExampleGraph_Report() {
	g, err := coles.NewGraph(4, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 0}, {U: 2, V: 2}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(g.Report())
	// Output: 4 nodes, 1 edges, 1 duplicates merged, 1 self loops dropped, 2 isolated nodes
}

func ExampleGraph_Row() {
	row, ok := path(coles.WithIDs([]string{"a", "b", "c"})).Row("b")
	fmt.Println(row, ok)
	// Output: 1 true
}

func ExampleWithEdgeWeights() {
	fmt.Println(path(coles.WithEdgeWeights([]float64{2, 0.5})).CSR().At(1, 2))
	// Output: 0.5
}

func ExampleWithIDs() {
	_, err := coles.NewGraph(2, nil, coles.WithIDs([]string{"ann", "ann"}))
	fmt.Println(err)
	// Output: coles: bad node ids: nodes 0 and 1 are both called ann
}

// Ids of a database, without making text of them.
func ExampleWithIntIDs() {
	row, ok := path(coles.WithIntIDs([]int64{1001, 1002, 1007})).Row("1007")
	fmt.Println(row, ok)
	// Output: 2 true
}

// A loop that means something, such as a paper that cites itself, stays in the filter.
func ExampleWithSelfLoopsKept() {
	g, err := coles.NewGraph(2, []coles.Edge{{U: 0, V: 1}, {U: 0, V: 0}}, coles.WithSelfLoopsKept())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(g.CSR().At(0, 0), g.Degrees())
	// Output: 1 [1 1]
}

// Citations have a direction; for this method they are links.
func ExampleWithSymmetrization() {
	cites := sparse.NewCSR(2, 2, []int{0, 1, 1}, []int{1}, []float64{1})
	if _, err := coles.FromCSR(cites); err != nil {
		fmt.Println("as it is: refused")
	}
	g, err := coles.FromCSR(cites, coles.WithSymmetrization())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(g.Report())
	// Output:
	// as it is: refused
	// 2 nodes, 1 edges, 1 directed entries mirrored
}

// ΔW takes nothing from vectors that are as the degrees are: the trivial direction.
func ExampleDeltaW_Apply() {
	dw, err := coles.Contrast(context.Background(), path(), coles.ExpectedDegreeNegatives())
	if err != nil {
		log.Fatal(err)
	}
	y, err := dw.Apply(context.Background(), mat.NewDense(3, 1, []float64{1, 1.4142135623730951, 1}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(mat.Norm(y, 2) < 1e-15)
	// Output: true
}

// The expected negatives are no graph but a vector.
func ExampleDeltaW_RankOne() {
	dw, err := coles.Contrast(context.Background(), path(), coles.ExpectedUniformNegatives(), coles.WithEta(0.5))
	if err != nil {
		log.Fatal(err)
	}
	coef, v := dw.RankOne()
	fmt.Printf("%g %.3f\n", coef, v)
	// Output: -0.5 [0.577 0.577 0.577]
}

func ExampleDeltaW_Sparse() {
	dw, err := coles.Contrast(context.Background(), path(), coles.NoNegatives())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", dw.Sparse().At(0, 1)) // W⁺ alone
	// Output: 0.707
}

// Negative weights make a high-pass: what a node has that its neighbours lack.
func ExampleFilter_Coefficients() {
	fmt.Println(coles.Polynomial(1, -1).Coefficients(), coles.S2GCSum(2).Coefficients())
	// Output: [1 -1] [0.5 0.5 0.5]
}

func ExampleFilter_Hops() {
	fmt.Println(coles.APPNP(8, 0.1).Hops(), coles.Identity().Hops())
	// Output: 8 0
}

func ExampleSymCSR_CSR() {
	w := coles.Normalize(path(), coles.SelfLoops).CSR()
	fmt.Printf("%.2f\n", w.At(0, 0)) // one loop of a degree of two
	// Output: 0.50
}

func ExampleSymCSR_NNZ() {
	fmt.Println(coles.Normalize(path(), coles.NoSelfLoops).NNZ(), coles.Normalize(path(), coles.SelfLoops).NNZ())
	// Output: 4 7
}

// Float32 features as blas32 has them.
func ExampleDense32_RawMatrix() {
	x, err := coles.NewDense32(2, 2, []float32{1, 2, 3, 4})
	if err != nil {
		log.Fatal(err)
	}
	raw := x.RawMatrix()
	fmt.Println(raw.Rows, raw.Stride, raw.Data)
	// Output: 2 2 [1 2 3 4]
}

// A sampler by its name, how many pairs of the club's graph it draws, and how many of
// these are friends.
func drawn(s coles.NegativeSampler) {
	g, _ := karate()
	part, err := s.Sample(context.Background(), g, 1)
	if err != nil {
		log.Fatal(err)
	}
	friends, w := 0, part.Graph.CSR()
	w.DoNonZero(func(i, j int, _ float64) {
		if g.CSR().At(i, j) > 0 {
			friends++
		}
	})
	fmt.Println(s, friends > 0)
}

// Negatives that are no edges: a graph of few nodes would otherwise push friends apart.
func ExampleExcludeEdges() {
	drawn(coles.UniformNegatives(3))
	drawn(coles.UniformNegatives(3, coles.ExcludeEdges()))
	// Output:
	// uniform(3) true
	// uniform(3) without edges false
}

// Partners in proportion to degree^0.75, as word2vec draws words.
func ExampleDegreeNegatives() {
	drawn(coles.DegreeNegatives(3))
	// Output: degree(3) true
}

// Every pair with the same probability.
func ExampleErdosRenyiNegatives() {
	drawn(coles.ErdosRenyiNegatives(0.2))
	// Output: erdos-renyi(0.2) true
}

// No sampling, the same for every seed: the default.
func ExampleExpectedDegreeNegatives() {
	part, err := coles.ExpectedDegreeNegatives().Sample(context.Background(), path(), 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f\n", part.Vector) // √degree, of length 1
	// Output: [0.50 0.71 0.50]
}

func ExampleExpectedUniformNegatives() {
	part, err := coles.ExpectedUniformNegatives().Sample(context.Background(), path(), 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f\n", part.Vector)
	// Output: [0.58 0.58 0.58]
}

// Laplacian Eigenmaps or, after a filter, locality preserving projections.
func ExampleNoNegatives() {
	fmt.Printf("%.1f\n", fitKarate(coles.WithNegatives(coles.NoNegatives()), coles.WithFilter(coles.Identity())).Lambda()[0])
	// Output: 1.0
}
