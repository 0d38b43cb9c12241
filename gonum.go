package coles

import (
	"fmt"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/simple"
)

// FromGonum builds a graph from gonum's. Rows follow ascending node ids, which, as decimals, are
// the names of the nodes unless [WithIDs] gives others. Weights are read where g is a
// graph.Weighted; absent means 1.
//
// Errors: those of [NewWeightedGraph].
func FromGonum(g graph.Undirected, opts ...GraphOption) (*Graph, error) {
	nodes := graph.NodesOf(g.Nodes())
	ids := make([]int64, len(nodes))
	for i, node := range nodes {
		ids[i] = node.ID()
	}
	slices.Sort(ids)
	names := make([]string, len(ids))
	row := make(map[int64]int, len(ids))
	for i, id := range ids {
		names[i], row[id] = strconv.FormatInt(id, 10), i
	}
	weighted, _ := g.(graph.Weighted)
	var edges []Edge
	var weights []float64
	for i, id := range ids {
		for neighbours := g.From(id); neighbours.Next(); {
			other := neighbours.Node().ID()
			j, ok := row[other]
			if !ok {
				return nil, fmt.Errorf("coles: graph: %w: node %d has the neighbour %d, which the graph does not list", ErrIndex, id, other)
			}
			if j < i {
				continue // seen from the other end
			}
			edges = append(edges, Edge{i, j})
			if weighted != nil {
				w, _ := weighted.Weight(id, other)
				weights = append(weights, w)
			}
		}
	}
	return NewWeightedGraph(len(ids), edges, weights, append([]GraphOption{WithIDs(names)}, opts...)...)
}

// Gonum returns the graph as one of gonum's, its node ids the row numbers. Self loops, which
// gonum's simple graphs cannot hold, are left out.
func (g *Graph) Gonum() *simple.WeightedUndirectedGraph {
	out := simple.NewWeightedUndirectedGraph(0, 0)
	for i := range g.adj.Rows {
		out.AddNode(simple.Node(i))
	}
	for i := range g.adj.Rows {
		cols, vals := g.Raw().Row(i)
		for q, j := range cols {
			if int(j) > i {
				out.SetWeightedEdge(simple.WeightedEdge{F: simple.Node(i), T: simple.Node(j), W: vals[q]})
			}
		}
	}
	return out
}
