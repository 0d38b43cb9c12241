package eval

import (
	"fmt"

	"coles"
)

// NodeHomophily is the mean, over the nodes that have neighbours, of the share
// of a node's neighbours N_i that carry its label:
//
//	H(G) = mean_i (1/|N_i|)·Σ_{j∈N_i} [l_i = l_j],
//
// from 0 to 1 (Pei et al. 2020; the COLES paper, whose form by W⁺ is this one
// only where W⁺ is normalised by rows). Weights of edges are not
// read and self loops do not count. ΔH = H(G⁺) − H(G⁻), by which the paper
// explains the gain of a contrast, is this less [ExpectedHomophily], or less
// the homophily of negatives drawn. It takes O(n + m) time and a copy of the graph.
//
// Errors: [ErrEmpty] for a graph without edges, [ErrShape] unless there is one
// label for each node, [ErrLabel] for a negative one.
func NodeHomophily(g *coles.Graph, labels []int) (float64, error) {
	a, err := labelledGraph(g, labels)
	if err != nil {
		return 0, err
	}
	sum, nodes := 0.0, 0
	for i, l := range labels {
		if near := a.of(i); len(near) > 0 {
			sum += float64(countLabel(near, labels, l)) / float64(len(near))
			nodes++
		}
	}
	return sum / float64(nodes), nil
}

// EdgeHomophily is the share of the edges, 0 to 1, that join nodes of one label
// (Zhu et al. 2020, "Beyond homophily in graph neural networks"). Weights are not
// read and self loops do not count. It takes O(n + m) time and a copy of the graph.
//
// Errors: those of [NodeHomophily].
func EdgeHomophily(g *coles.Graph, labels []int) (float64, error) {
	a, err := labelledGraph(g, labels)
	if err != nil {
		return 0, err
	}
	same := 0
	for i, l := range labels {
		same += countLabel(a.of(i), labels, l)
	}
	return float64(same) / float64(len(a.col)), nil // both count an edge twice
}

// ExpectedHomophily is the homophily to expect of a graph whose edges are drawn
// uniformly, such as a negative graph: Σ_c ρ_c², where ρ_c is the share of label
// c. A node drawn as its own partner is counted; without those it is lower by
// at most 1/n. The COLES paper prints (1/C)·Σ_c ρ_c², for C labels, which is
// not the expectation.
//
// Errors: [ErrEmpty] for no labels, [ErrLabel] for a negative one.
func ExpectedHomophily(labels []int) (float64, error) {
	if len(labels) == 0 {
		return 0, fmt.Errorf("%w: no labels", ErrEmpty)
	}
	if err := checkEachLabel(labels); err != nil {
		return 0, err
	}
	count := make(map[int]int) // labels may be any numbers
	for _, l := range labels {
		count[l]++
	}
	squares := 0.0 // whole numbers below 2⁵³ for up to 9·10⁷ nodes
	for _, l := range labels {
		squares += float64(count[l])
	}
	n := float64(len(labels))
	return squares / n / n, nil
}

// labelledGraph is the adjacency of a graph that has edges, and a label for each
// of its nodes.
func labelledGraph(g *coles.Graph, labels []int) (*adjacency, error) {
	a, err := adjacencyOf(g)
	if err != nil {
		return nil, err
	}
	if len(labels) != g.Nodes() {
		return nil, fmt.Errorf("%w: %d labels for %d nodes", ErrShape, len(labels), g.Nodes())
	}
	return a, checkEachLabel(labels)
}

func checkEachLabel(labels []int) error {
	for i, l := range labels {
		if l < 0 {
			return fmt.Errorf("%w: node %d has label %d", ErrLabel, i, l)
		}
	}
	return nil
}

// countLabel is how many of nodes carry label.
func countLabel(nodes, labels []int, label int) int {
	count := 0
	for _, j := range nodes {
		if labels[j] == label {
			count++
		}
	}
	return count
}
