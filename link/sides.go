package link

import (
	"fmt"

	"coles"
	"coles/internal/setting"
)

// leastCycles are the independent cycles that must all be even before a graph is taken for one of two kinds: were
// each as likely odd, one graph in a million would be taken wrongly.
const leastCycles = 20

// Sides finds the kind of each node of a graph in which edges join different kinds only. It is nil where an edge joins
// nodes of one kind, or where the graph has too few cycles to tell, such as a tree. The first node of each component is
// of the first kind, false. It takes O(n + m).
func Sides(g *coles.Graph) []bool {
	side, seen := make([]bool, g.Nodes()), make([]bool, g.Nodes())
	cycles := g.Report().Edges - g.Nodes()
	for first := range side {
		if seen[first] {
			continue
		}
		cycles++
		seen[first] = true
		for open := []int32{int32(first)}; len(open) > 0; {
			u := open[len(open)-1]
			open = open[:len(open)-1]
			near, _ := g.Neighbors(int(u))
			for _, v := range near {
				switch {
				case !seen[v]:
					seen[v], side[v] = true, !side[u]
					open = append(open, v)
				case side[v] == side[u]:
					return nil
				}
			}
		}
	}
	if cycles < leastCycles {
		return nil
	}
	return side
}

// checkSides reports a side that is missing, and an edge within one.
func checkSides(g *coles.Graph, side []bool) error {
	if side == nil {
		return nil
	}
	if len(side) != g.Nodes() {
		return fmt.Errorf("%w: %d sides for %d nodes", coles.ErrShape, len(side), g.Nodes())
	}
	for e := range g.Edges() {
		if side[e.U] == side[e.V] {
			return setting.Bad("sides", side[e.U], "nodes %d and %d, which an edge joins, on different sides", e.U, e.V)
		}
	}
	return nil
}
