package task

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"coles"
)

// weigh has each kind of edges weigh by its own degrees: the graph is Σ_r D_r^-½ A_r D_r^-½, of kinds r. So links of a kind
// with few edges count beside those of one with many, and hubs of a kind count less.
func (d *Data) weigh() (err error) {
	var edges []coles.Edge
	var weights []float64
	for _, kind := range slices.Sorted(maps.Keys(d.Kinds)) {
		g, _, err := d.ofKind(kind)
		if err != nil {
			return err
		}
		degrees := g.Degrees()
		for e, w := range g.Edges() {
			edges, weights = append(edges, e), append(weights, w/math.Sqrt(degrees[e.U]*degrees[e.V]))
		}
	}
	d.ByKinds = true
	d.Graph, err = coles.NewGraph(d.Graph.Nodes(), edges, append(named(d.Dataset), coles.WithWeights(weights))...)
	return err
}

// ofKind are the edges of a kind in the graph of d, and the kind of each node where no node is at both ends of them.
func (d *Data) ofKind(kind string) (g *coles.Graph, sides []bool, err error) {
	a, n := d.Kinds[kind], d.Graph.Nodes()
	if a == nil {
		return nil, nil, fmt.Errorf("%w: no edge is of the kind %q; there are %q", coles.ErrShape, kind, slices.Sorted(maps.Keys(d.Kinds)))
	}
	var edges []coles.Edge
	var weights []float64
	tails, heads, both := make([]bool, n), make([]bool, n), false
	a.DoNonZero(func(u, v int, w float64) {
		tails[u], heads[v] = true, true
		if e := (coles.Edge{U: u, V: v}); joins(d.Graph, e) {
			edges, weights = append(edges, e), append(weights, w)
		}
	})
	for i, tail := range tails {
		both = both || tail && heads[i]
	}
	if !both {
		sides = heads
	}
	g, err = coles.NewGraph(n, edges, coles.WithWeights(weights))
	return g, sides, err
}

// joins reports whether an edge joins two nodes.
func joins(g *coles.Graph, e coles.Edge) bool {
	near, _ := g.Neighbors(e.U)
	_, joined := slices.BinarySearch(near, int32(e.V))
	return joined
}
