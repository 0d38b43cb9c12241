package link

import (
	"cmp"
	"slices"

	"coles"
)

// InCommon are up to most neighbours that two nodes of a graph share. Nodes of few edges come first, as they tell most;
// of equal ones the lower. It panics for a node that does not exist, as [coles.Graph.Neighbors].
func InCommon(g *coles.Graph, u, v, most int) []int32 {
	var both []int32
	ofU, _ := g.Neighbors(u)
	ofV, _ := g.Neighbors(v)
	for _, i := range ofU {
		if _, found := slices.BinarySearch(ofV, i); found {
			both = append(both, i)
		}
	}
	edges := func(i int32) int { near, _ := g.Neighbors(int(i)); return len(near) }
	slices.SortStableFunc(both, func(i, j int32) int { return cmp.Compare(edges(i), edges(j)) })
	return both[:min(most, len(both))]
}
