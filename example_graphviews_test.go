package coles_test

import (
	"fmt"
	"log"
	"slices"

	"coles"

	"gonum.org/v1/gonum/graph/path"
	"gonum.org/v1/gonum/graph/simple"
)

// The way back to any other library for sparse matrices. It is a copy: what is done to it
// does not reach the graph.
func ExampleGraph_CSR() {
	g, _ := karate()
	a := g.CSR()
	fmt.Println(a.NNZ(), "entries,", g.Report().Edges, "ties")
	a.Set(0, 1, 7)
	fmt.Println(a.At(0, 1), g.CSR().At(0, 1))
	// Output:
	// 156 entries, 78 ties
	// 7 1
}

// Who knows most of the club: the instructor (0) and the administrator (33).
func ExampleGraph_Degrees() {
	g, _ := karate()
	degrees := g.Degrees()
	for _, member := range []int{0, 33} {
		fmt.Println(member, degrees[member])
	}
	fmt.Println("at most", slices.Max(degrees))
	// Output:
	// 0 16
	// 33 17
	// at most 17
}

// gonum's algorithms take the graph from here: over how many ties a rumour reaches the
// administrator.
func ExampleGraph_Gonum() {
	g, _ := karate()
	club := g.Gonum()
	from := path.DijkstraFrom(club.Node(16), club)
	way, ties := from.To(33)
	fmt.Println(ties, "ties,", len(way), "members")
	// Output: 4 ties, 5 members
}

// Row i of an embedding belongs to IDs()[i]. Nodes of a gonum graph keep their ids.
func ExampleGraph_IDs() {
	people := simple.NewUndirectedGraph()
	people.SetEdge(simple.Edge{F: simple.Node(300), T: simple.Node(100)})
	people.SetEdge(simple.Edge{F: simple.Node(100), T: simple.Node(200)})
	g, err := coles.FromGonum(people)
	if err != nil {
		log.Fatal(err)
	}
	for row, id := range g.IDs() {
		fmt.Println(row, id, g.Degrees()[row])
	}
	// Output:
	// 0 100 2
	// 1 200 1
	// 2 300 1
}

// Nodes without edges are nodes; a graph that was never built has none.
func ExampleGraph_Nodes() {
	g, err := coles.NewGraph(5, []coles.Edge{{U: 0, V: 1}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(g.Nodes(), new(coles.Graph).Nodes())
	// Output: 5 0
}

// Real edge lists are untidy. The report says what was merged and dropped, so that a
// mistake in the data is seen before it is embedded.
func ExampleGraph_Report() {
	edges := []coles.Edge{{U: 0, V: 1}, {U: 1, V: 0}, {U: 1, V: 1}, {U: 1, V: 2}, {U: 2, V: 3}}
	g, err := coles.NewGraph(5, edges, coles.WithEdgeWeights([]float64{1, 2, 1, 0, 1}))
	if err != nil {
		log.Fatal(err)
	}
	r := g.Report()
	fmt.Println(r.Edges, "edges,", r.Isolated, "isolated node, weighted:", r.Weighted)
	fmt.Println("merged", r.DuplicatesMerged, "loops dropped", r.SelfLoopsDropped, "of weight zero", r.ZeroWeightDropped)
	// Output:
	// 2 edges, 1 isolated node, weighted: true
	// merged 1 loops dropped 1 of weight zero 1
}

// From a name to its row, and whether there is such a node at all.
func ExampleGraph_Row() {
	g, err := coles.NewGraph(3, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}}, coles.WithIDs([]string{"ann", "bob", "zoe"}))
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"zoe", "max"} {
		row, ok := g.Row(name)
		fmt.Println(name, row, ok)
	}
	// Output:
	// zoe 2 true
	// max 0 false
}
