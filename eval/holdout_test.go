package eval

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"coles"
)

// weightedGraph has components, isolated nodes, self loops, weights and names.
func weightedGraph(t *testing.T, n int, p float64, seed uint64) *coles.Graph {
	t.Helper()
	part := drawnGraph(t, n, p, seed)
	pairs, err := PositivePairs(part)
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, 2*n+3)
	for i := range names {
		names[i] = "node " + string(rune('A'+i))
	}
	var edges []coles.Edge
	var weights []float64
	for q, e := range pairs { // twice, side by side
		for _, shift := range []int{0, n} {
			edges = append(edges, coles.Edge{U: e.U + shift, V: e.V + shift})
			weights = append(weights, 0.5+float64(q))
		}
	}
	edges, weights = append(edges, coles.Edge{U: 1, V: 1}), append(weights, 9)
	g, err := coles.NewGraph(len(names), edges, coles.WithEdgeWeights(weights), coles.WithIDs(names), coles.WithSelfLoopsKept())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestHoldOutLinksDividesTheEdges(t *testing.T) {
	for seed := range uint64(20) {
		g := weightedGraph(t, 40, 0.15, 101)
		links, err := HoldOutLinks(background, g, 0.3, seed)
		if err != nil {
			t.Fatal(err)
		}
		edges := g.Report().Edges
		if want := int(math.Round(0.3 * float64(edges))); len(links.Positive) != want || len(links.Negative) != want {
			t.Errorf("%d edges and %d pairs, want %d of %d", len(links.Positive), len(links.Negative), want, edges)
		}
		labels, count := g.Components()
		got, kept := links.Train.Components()
		if kept != count || !slices.Equal(got, labels) {
			t.Errorf("%d components of %d", kept, count)
		}
		if !slices.Equal(links.Train.IDs(), g.IDs()) {
			t.Error("the nodes have other names")
		}
		// What is left and what is held out is the graph, weights and loops too.
		held := make(map[coles.Edge]bool)
		for _, e := range links.Positive {
			held[e] = true
		}
		if len(held) != len(links.Positive) {
			t.Error("an edge is held out twice")
		}
		before, after := g.CSR(), links.Train.CSR()
		for u := range g.Nodes() {
			for v := range g.Nodes() {
				want := before.At(u, v)
				if held[coles.Edge{U: min(u, v), V: max(u, v)}] {
					if want == 0 {
						t.Errorf("%d, %d is held out and no edge", u, v)
					}
					want = 0
				}
				if after.At(u, v) != want {
					t.Errorf("weight of %d, %d is %v, want %v", u, v, after.At(u, v), want)
				}
			}
		}
		for _, e := range links.Negative {
			if e.U >= e.V || before.At(e.U, e.V) != 0 {
				t.Errorf("%v is no negative", e)
			}
		}
	}
}

func TestHoldOutLinksGrowsWithTheShareAndRepeats(t *testing.T) {
	g := drawnGraph(t, 80, 0.2, 102)
	var last []coles.Edge
	for _, share := range []float64{0.05, 0.2, 0.5} {
		links, err := HoldOutLinks(background, g, share, 3)
		if err != nil {
			t.Fatal(err)
		}
		again, err := HoldOutLinks(background, g, share, 3)
		if err != nil || !slices.Equal(again.Positive, links.Positive) || !slices.Equal(again.Negative, links.Negative) {
			t.Errorf("share %v: not the same twice", share)
		}
		for _, e := range last {
			if !slices.Contains(links.Positive, e) {
				t.Errorf("share %v lets go of %v", share, e)
			}
		}
		last = links.Positive
	}
	other, err := HoldOutLinks(background, g, 0.5, 4)
	if err != nil || slices.Equal(other.Positive, last) {
		t.Errorf("another seed gives the same links, %v", err)
	}
}

// Of a cycle any one edge can go, each as likely; of a tree none.
func TestHoldOutLinksKeepsASpanningForest(t *testing.T) {
	const n = 12
	edges := make([]coles.Edge, n)
	for u := range n {
		edges[u] = coles.Edge{U: u, V: (u + 1) % n}
	}
	cycle, err := coles.NewGraph(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	counts, chances := make([]float64, n), make([]float64, n)
	for seed := range uint64(3000) {
		links, err := HoldOutLinks(background, cycle, 0.01, seed)
		if err != nil || len(links.Positive) != 1 {
			t.Fatalf("%v, %v", links, err)
		}
		e := links.Positive[0]
		if e.U == 0 && e.V == n-1 {
			e.U = n - 1
		}
		counts[e.U]++
	}
	for u := range chances {
		chances[u] = 1. / n
	}
	likely(t, "edges of a cycle", counts, chances)

	path, err := coles.NewGraph(n, edges[:n-1])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := HoldOutLinks(background, path, 0.1, 1); !errors.Is(err, ErrParameter) {
		t.Errorf("a tree: error %v", err)
	}
	if _, err := HoldOutLinks(background, cycle, 0.2, 1); !errors.Is(err, ErrParameter) {
		t.Errorf("two edges of a cycle: error %v", err)
	}
}

func TestHoldOutLinksNamesBadInput(t *testing.T) {
	g := drawnGraph(t, 20, 0.3, 103)
	empty, err := coles.NewGraph(3, nil)
	if err != nil {
		t.Fatal(err)
	}
	triangle, err := coles.NewGraph(3, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 0}})
	if err != nil {
		t.Fatal(err)
	}
	for _, share := range []float64{0, 1, -0.1, math.NaN(), math.Inf(1)} {
		if _, err := HoldOutLinks(background, g, share, 1); !errors.Is(err, ErrParameter) {
			t.Errorf("share %v: error %v", share, err)
		}
	}
	for _, none := range []*coles.Graph{nil, empty} {
		if _, err := HoldOutLinks(background, none, 0.1, 1); !errors.Is(err, ErrEmpty) {
			t.Errorf("no edges: error %v", err)
		}
	}
	if _, err := HoldOutLinks(background, triangle, 0.1, 1); !errors.Is(err, ErrDense) {
		t.Errorf("complete: error %v", err)
	}
	ended, cancel := context.WithCancel(background)
	cancel()
	if _, err := HoldOutLinks(ended, g, 0.1, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}
