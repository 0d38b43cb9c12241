package link

import (
	"context"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/internal/testkit"
)

func TestHoldOutLinksDividesTheEdges(t *testing.T) {
	g := testkit.Twins(40, 0.15, 101)
	components, count := g.Components()
	before := g.CSR()
	for seed := range uint64(20) {
		links := testkit.Must(HoldOut(context.Background(), g, 0.3, seed))
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
	g := testkit.DrawnGraph(80, 0.2, 102)
	var last []coles.Edge
	for _, share := range []float64{0.05, 0.2, 0.5} {
		links := testkit.Must(HoldOut(context.Background(), g, share, 3))
		again := testkit.Must(HoldOut(context.Background(), g, share, 3))
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
	if other := testkit.Must(HoldOut(context.Background(), g, 0.5, 4)); slices.Equal(other.Edges, last) {
		t.Error("another seed gives the same links")
	}
}
