package link

import (
	"context"
	"testing"

	"coles"
	"coles/internal/contingency"
	"coles/internal/testkit"
)

// Edges held out are those that close a cycle when edges come in a random order, the last of them. All orders
// are tried.
func TestHeldOutLinksHaveTheirLaw(t *testing.T) {
	for name, c := range map[string]struct {
		nodes int
		edges []coles.Edge
	}{
		"two triangles with a side in common, and a tail": {5, []coles.Edge{{U: 0, V: 1}, {U: 0, V: 2}, {U: 1, V: 2}, {U: 1, V: 3}, {U: 2, V: 3}, {U: 3, V: 4}}},
		"a cycle": {6, testkit.Ring(6, 1)},
	} {
		g := testkit.Must(coles.NewGraph(c.nodes, c.edges))
		held, orders := map[coles.Edge]float64{}, 0
		testkit.Tuples(len(c.edges), len(c.edges), func(order []int) {
			if len(contingency.Distinct(order)) < len(c.edges) {
				return
			}
			orders++
			trees, last := forest(testkit.UpTo(c.nodes)), coles.Edge{}
			for _, q := range order {
				if e := c.edges[q]; !trees.join(e.U, e.V) {
					last = coles.Edge{U: min(e.U, e.V), V: max(e.U, e.V)}
				}
			}
			held[last]++
		})
		for e := range held {
			held[e] /= float64(orders)
		}
		counts := map[coles.Edge]int{}
		for seed := range uint64(testkit.Draws(5000)) {
			counts[testkit.Must(HoldOut(context.Background(), g, 0.01, seed)).Edges[0]]++ // one at least
		}
		testkit.WantLaw(t, "held out of "+name, counts, held)
	}
}
