package eval

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"coles"
	"coles/internal/testkit"
)

// twins is a graph with components, isolated nodes, a self loop, weights and names: a drawn one
// twice, side by side.
func twins(n int, p float64, seed uint64) *coles.Graph {
	names := make([]string, 2*n+3)
	for i := range names {
		names[i] = "node " + strconv.Itoa(i)
	}
	var edges []coles.Edge
	var weights []float64
	for q, e := range testkit.RandomEdges(testkit.Random(seed), n, p) {
		edges = append(edges, e, coles.Edge{U: e.U + n, V: e.V + n})
		weights = append(weights, 0.5+float64(q), 0.5+float64(q))
	}
	edges, weights = append(edges, coles.Edge{U: 1, V: 1}), append(weights, 9)
	return testkit.Must(coles.NewGraph(len(names), edges, coles.WithWeights(weights), coles.WithIDs(names), coles.WithSelfLoopsKept()))
}

func TestHoldOutLinksDividesTheEdges(t *testing.T) {
	g := twins(40, 0.15, 101)
	components, count := g.Components()
	before := g.CSR()
	for seed := range uint64(20) {
		links := testkit.Must(HoldOutLinks(background, g, 0.3, seed))
		edges := g.Report().Edges
		if want := int(math.Round(0.3 * float64(edges))); len(links.Edges) != want {
			t.Errorf("%d edges, want %d of %d", len(links.Edges), want, edges)
		}
		if got, kept := links.Train.Components(); kept != count || !slices.Equal(got, components) {
			t.Errorf("%d components of %d", kept, count)
		}
		if !slices.Equal(links.Train.IDs(), g.IDs()) {
			t.Error("the nodes have other names")
		}
		// What is left and what is held out is the graph, weights and loops too.
		want := testkit.DenseOf(before)
		for _, e := range links.Edges {
			if want.At(e.U, e.V) == 0 {
				t.Errorf("%v is no edge, or held out twice", e)
			}
			want.Set(e.U, e.V, 0)
			want.Set(e.V, e.U, 0)
		}
		testkit.WantClose(t, "the graph that is left", links.Train.CSR(), want, 0)
	}
}

func TestHoldOutLinksGrowsWithTheShareAndRepeats(t *testing.T) {
	g := drawnGraph(80, 0.2, 102)
	var last []coles.Edge
	for _, share := range []float64{0.05, 0.2, 0.5} {
		links := testkit.Must(HoldOutLinks(background, g, share, 3))
		again := testkit.Must(HoldOutLinks(background, g, share, 3))
		if !slices.Equal(again.Edges, links.Edges) {
			t.Errorf("share %v: not the same twice", share)
		}
		if links.Train.Named() {
			t.Error("nodes without names have some")
		}
		for _, e := range last {
			if !slices.Contains(links.Edges, e) {
				t.Errorf("share %v lets go of %v", share, e)
			}
		}
		last = links.Edges
	}
	if other := testkit.Must(HoldOutLinks(background, g, 0.5, 4)); slices.Equal(other.Edges, last) {
		t.Error("another seed gives the same links")
	}
}
