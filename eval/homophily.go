package eval

import (
	"fmt"
	"math"
	"slices"

	"coles"
	"coles/internal/contingency"
	"coles/internal/given"
	"coles/internal/inside"
	"coles/internal/matrix"

	"gonum.org/v1/gonum/stat"
)

// NodeHomophily is the mean, over the nodes that have neighbours, of the share of a node's
// neighbours N_i that carry its label:
//
//	H(G) = mean_i (1/|N_i|)·Σ_{j∈N_i} [l_i = l_j],
//
// from 0 to 1 (Pei et al. 2020). The COLES paper's form by W⁺ is this one only where W⁺ is normalised by rows. Weights are not
// read and self loops do not count. The paper explains the gain of a contrast by ΔH = H(G⁺) − H(G⁻): this less
// [ExpectedHomophily], or less the homophily of negatives drawn. It takes O(n + m).
//
// Errors: [coles.ErrShape] for a graph without edges or unless there is one label for each node,
// [coles.ErrIndex] for a negative label.
func NodeHomophily(g *coles.Graph, labels []int) (float64, error) {
	sum, nodes := 0.0, 0
	err := eachNode(g, labels, func(same, all int) {
		sum += float64(same) / float64(all)
		nodes++
	})
	if err != nil {
		return 0, err
	}
	return sum / float64(nodes), nil
}

// EdgeHomophily is the share of the edges, 0 to 1, that join nodes of one label (Zhu et al. 2020,
// "Beyond homophily in graph neural networks"). Weights are not read and self loops do not count.
// Cost and errors are as for [NodeHomophily].
func EdgeHomophily(g *coles.Graph, labels []int) (float64, error) {
	joined, ends := 0, 0 // each edge twice
	err := eachNode(g, labels, func(same, all int) {
		joined += same
		ends += all
	})
	if err != nil {
		return 0, err
	}
	return float64(joined) / float64(ends), nil
}

// eachNode calls visit for every node that has neighbours, with the number of those that carry its
// label and of all.
func eachNode(g *coles.Graph, labels []int, visit func(same, all int)) error {
	if err := given.CheckEdges(g); err != nil {
		return err
	}
	if len(labels) != g.Nodes() {
		return fmt.Errorf("%w: %d labels for %d nodes", coles.ErrShape, len(labels), g.Nodes())
	}
	if err := given.CheckLabels(nil, labels); err != nil {
		return err
	}
	for i, l := range labels {
		near, _ := inside.Adjacency(g).Row(i)
		same, all := 0, 0
		for _, j := range near {
			if int(j) != i {
				all++
				if labels[j] == l {
					same++
				}
			}
		}
		if all > 0 {
			visit(same, all)
		}
	}
	return nil
}

// ExpectedHomophily is the homophily to expect of a graph whose edges are drawn uniformly, such as
// a negative graph: Σ_c ρ_c², where ρ_c is the share of label c. It counts a node drawn as its own
// partner, at most 1/n. The COLES paper prints (1/C)·Σ_c ρ_c², for C labels, which is not the
// expectation.
//
// Errors: [coles.ErrShape] for no labels, [coles.ErrIndex] for a negative one.
func ExpectedHomophily(labels []int) (float64, error) {
	if len(labels) == 0 {
		return 0, fmt.Errorf("%w: no labels", coles.ErrShape)
	}
	if err := given.CheckLabels(nil, labels); err != nil {
		return 0, err
	}
	squares := 0.0 // whole numbers below 2⁵³ for up to 9·10⁷ nodes
	for _, c := range contingency.PartitionOf(labels).Size {
		squares += float64(c) * float64(c)
	}
	n := float64(len(labels))
	return squares / n / n, nil
}

// Assortativity is the correlation of the values at the two ends of the edges, −1 to 1 (Newman 2003): Pearson's over all
// edges between nodes whose value is not NaN, each in both directions. Weights are not read. It takes O(n + m).
//
// Errors: [coles.ErrShape] unless there is one value for each node and an edge between two that differ, and
// [coles.ErrNotFinite].
func Assortativity(g *coles.Graph, values []float64) (float64, error) {
	if len(values) != g.Nodes() {
		return 0, fmt.Errorf("%w: %d values for %d nodes", coles.ErrShape, len(values), g.Nodes())
	}
	var from, to []float64
	for e := range g.Edges() {
		if u, v := values[e.U], values[e.V]; e.U != e.V && u == u && v == v {
			from, to = append(from, u, v), append(to, v, u)
		}
	}
	if len(from) == 0 || slices.Min(from) == slices.Max(from) {
		return 0, fmt.Errorf("%w: no edge between nodes of different values", coles.ErrShape)
	}
	r := stat.Correlation(from, to, nil)
	if !matrix.Finite(r) {
		return 0, fmt.Errorf("%w: the correlation of values up to %g", coles.ErrNotFinite, slices.Max(from))
	}
	return r, nil
}

// NeighboursError is the mean absolute error of a guess at each value: the mean value of the neighbours that have one, or else
// of all others. NaN is no value; for a single value the error is NaN. It takes O(n + m).
func NeighboursError(g *coles.Graph, values []float64) float64 {
	total, known, off := 0.0, 0.0, 0.0
	for _, v := range values {
		if !math.IsNaN(v) {
			total, known = total+v, known+1
		}
	}
	for i, v := range values {
		if math.IsNaN(v) {
			continue
		}
		sum, count := 0.0, 0.0
		near, _ := g.Neighbors(i)
		for _, j := range near {
			if of := values[j]; int(j) != i && !math.IsNaN(of) {
				sum, count = sum+of, count+1
			}
		}
		if count == 0 {
			sum, count = total-v, known-1
		}
		off += math.Abs(v-sum/count) / known
	}
	return off
}
