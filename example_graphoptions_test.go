package coles_test

import (
	"errors"
	"fmt"
	"log"

	"coles"

	"github.com/james-bowman/sparse"
)

// Flows between hosts are not all alike. With weights the host in the middle listens
// nearly only to the one it talks to most.
func ExampleWithEdgeWeights() {
	flows := []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}}
	for _, bytes := range [][]float64{{1, 1}, {99, 1}} {
		g, err := coles.NewGraph(3, flows, coles.WithEdgeWeights(bytes))
		if err != nil {
			log.Fatal(err)
		}
		w := coles.Normalize(g, coles.NoSelfLoops)
		fmt.Printf("%.2f %.2f\n", w.At(1, 0), w.At(1, 2))
	}
	// Output:
	// 0.71 0.71
	// 0.99 0.10
}

// Names go with the nodes from here to the files that are written. A name given twice is
// an error, not two nodes that cannot be told apart.
func ExampleWithIDs() {
	edges := []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}}
	for _, names := range [][]string{{"ann", "bob", "zoe"}, {"ann", "bob", "ann"}} {
		g, err := coles.NewGraph(3, edges, coles.WithIDs(names))
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(g.IDs())
	}
	// Output:
	// [ann bob zoe]
	// coles: bad node ids: nodes 0 and 2 are both called ann
}

// Keys of a database, which are numbers but not those of the rows.
func ExampleWithIntIDs() {
	keys := []int64{70001, 70002, 81000}
	g, err := coles.NewGraph(3, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}}, coles.WithIntIDs(keys))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(g.Row("81000"))
	// Output: 2 true
}

// Where a loop means something, such as a paper that cites itself, it makes its node
// listen more to itself when features are filtered.
func ExampleWithSelfLoopsKept() {
	edges := []coles.Edge{{U: 0, V: 0}, {U: 0, V: 1}}
	for _, opts := range [][]coles.GraphOption{nil, {coles.WithSelfLoopsKept()}} {
		g, err := coles.NewGraph(2, edges, opts...)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v: %.2f\n", g.Report(), coles.Normalize(g, coles.SelfLoops).At(0, 0))
	}
	// Output:
	// 2 nodes, 1 edge, 1 self loop dropped: 0.50
	// 2 nodes, 1 edge, 1 self loop kept: 0.67
}

// Citations have a direction. They are refused, unless it is said that it does not count.
func ExampleWithSymmetrization() {
	cites := sparse.NewCOO(3, 3, []int{1, 2}, []int{0, 0}, []float64{1, 1}).ToCSR()
	_, err := coles.FromCSR(cites)
	fmt.Println(errors.Is(err, coles.ErrAsymmetric))
	g, err := coles.FromCSR(cites, coles.WithSymmetrization())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(g.Degrees(), g.Report().MirrorsAdded)
	// Output:
	// true
	// [2 1 1] 2
}
