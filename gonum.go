package coles

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/simple"
)

// FromGonum builds a graph from gonum's. Rows follow ascending node ids, which
// are kept as integer ids unless [WithIDs] or [WithIntIDs] names the rows.
// Weights are read where g is a graph.Weighted; absent means 1.
//
// Errors: those of [NewGraph], [ErrSetting] for [WithEdgeWeights], and [ErrEmpty] for a
// graph that is nil or panics.
func FromGonum(g graph.Undirected, opts ...GraphOption) (built *Graph, err error) {
	// The code behind the interface is not ours: should it panic, the caller gets an error.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("coles: graph: %w: reading the %T panicked: %v", ErrEmpty, g, r)
		}
	}()
	c := graphOptions(opts)
	if c.weights != nil {
		return nil, fmt.Errorf("coles: graph: %w: the gonum graph has its own weights", ErrSetting)
	}
	if g == nil {
		return nil, fmt.Errorf("coles: graph: %w: gonum graph is nil", ErrEmpty)
	}
	nodes := graph.NodesOf(g.Nodes())
	ids := make([]int64, len(nodes))
	for i, node := range nodes {
		ids[i] = node.ID()
	}
	slices.Sort(ids)
	if c.ids.names == nil && c.ids.numbers == nil {
		opts = append(slices.Clone(opts), WithIntIDs(ids))
	}
	row := make(map[int64]int, len(ids))
	for i, id := range ids {
		row[id] = i
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
	if weighted != nil {
		opts = append(slices.Clone(opts), WithEdgeWeights(weights))
	}
	return NewGraph(len(ids), edges, opts...)
}

// Gonum returns the graph as one of gonum's, its node ids the row numbers.
// Self loops, which gonum's simple graphs cannot hold, are left out.
func (g *Graph) Gonum() *simple.WeightedUndirectedGraph {
	g = g.orEmpty()
	out := simple.NewWeightedUndirectedGraph(0, 0)
	for i := range g.adj.Rows {
		out.AddNode(simple.Node(i))
	}
	for i := range g.adj.Rows {
		cols, vals := g.adj.Row(i)
		for q, j := range cols {
			if int(j) > i {
				out.SetWeightedEdge(simple.WeightedEdge{F: simple.Node(i), T: simple.Node(j), W: vals[q]})
			}
		}
	}
	return out
}
