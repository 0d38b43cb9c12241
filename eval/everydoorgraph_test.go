package eval

import (
	"math"
	"slices"
	"testing"

	"coles"
)

// The table of graphs, labels of their nodes and counts for every door that reads a graph.
func TestGraphDoors(t *testing.T) {
	const n, wide = 12, 50_000 // wide² > 2³¹
	ring := func(n int) (edges []coles.Edge) {
		for i := range n {
			edges = append(edges, coles.Edge{U: i, V: (i + 1) % n})
		}
		return edges
	}
	var pairs []coles.Edge
	for u := range n {
		for v := range u {
			pairs = append(pairs, coles.Edge{U: u, V: v})
		}
	}
	weighing := func(a, b float64) *coles.Graph {
		return graphOf(n, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}}, coles.WithEdgeWeights([]float64{a, b}))
	}
	labels, cycle := randomLabels(n, 3, 1), graphOf(n, ring(n))
	homophily, joined := []string{"NodeHomophily", "EdgeHomophily"}, []string{"NodeHomophily", "EdgeHomophily", "Modularity", "PositivePairs", "Triples", "HoldOutLinks"}
	counted := []string{"NegativePairs", "Triples"}
	none := []refusal{by(ErrEmpty, joined...), by(ErrEmpty, "NegativePairs"), by(ErrDimension, "SpectralGraph"), by(ErrRow, "Induce", "EmbedInductive")}
	apart := []refusal{by(ErrEmpty, joined...)}
	tree := []refusal{by(ErrParameter, "HoldOutLinks")}
	badK := []refusal{by(ErrParameter, counted...), by(ErrDimension, "SpectralGraph")}
	for _, c := range []struct {
		name   string
		g      *coles.Graph
		labels []int
		k      int
		want   []refusal
	}{
		{"plain", graphOf(n, append(ring(n), coles.Edge{U: 0, V: 5})), labels, 3, nil},
		{"nil", nil, nil, 3, none},
		{"nil, labels", nil, labels, 3, append(slices.Clone(none), by(ErrShape, "Modularity"))},
		{"zero", new(coles.Graph), nil, 3, none},
		{"one node", graphOf(1, nil), []int{0}, 1, append(slices.Clone(apart), by(ErrDense, "NegativePairs"))},
		{"one edge", graphOf(2, ring(2)), []int{0, 1}, 1, append(slices.Clone(tree), by(ErrDense, counted...))},
		{"no edges", graphOf(n, nil), labels, 3, apart},
		{"isolated nodes", graphOf(n, []coles.Edge{{U: 0, V: 1}, {U: 5, V: 6}}), labels, 3, tree},
		{"every edge", graphOf(n, pairs), labels, 3, []refusal{by(ErrDense, counted...), by(ErrDense, "HoldOutLinks")}},
		{"edges twice", graphOf(n, append(ring(n), ring(n)...)), labels, 3, nil},
		{"self loops only", graphOf(n, []coles.Edge{{U: 0, V: 0}}, coles.WithSelfLoopsKept()), labels, 3, apart},
		{"the largest weights", weighing(1.5e308, 1e307), labels, 3, tree},
		{"the smallest weights", weighing(5e-324, 5e-324), labels, 3, tree},
		{"huge and tiny weights", weighing(1e300, 1e-300), labels, 3, tree},
		{"n² > 2³¹", graphOf(wide, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 7, V: wide - 1}}), make([]int, wide), 2, tree},
		{"k = 0", cycle, labels, 0, badK},
		{"k < 0", cycle, labels, -1, badK},
		{"k = n", cycle, labels, n, nil},
		{"k > n", cycle, labels, n + 1, []refusal{by(ErrDimension, "SpectralGraph")}},
		{"the largest k", cycle, labels, math.MaxInt, badK},
		{"no labels", cycle, nil, 3, []refusal{by(ErrShape, homophily...), by(ErrShape, "Modularity")}},
		{"a label too few", cycle, labels[:n-1], 3, []refusal{by(ErrShape, homophily...), by(ErrShape, "Modularity")}},
		{"negative labels", cycle, slices.Repeat([]int{math.MinInt, -1}, n/2), 3, []refusal{by(ErrLabel, homophily...)}},
		{"the largest labels", cycle, slices.Repeat([]int{math.MaxInt, math.MaxInt - 1}, n/2), 3, nil},
	} {
		for name, open := range map[string]func() (any, error){
			"NodeHomophily": func() (any, error) { return NodeHomophily(c.g, c.labels) },
			"EdgeHomophily": func() (any, error) { return EdgeHomophily(c.g, c.labels) },
			"Modularity":    func() (any, error) { return Modularity(c.g, c.labels) },
			"PositivePairs": func() (any, error) { return PositivePairs(c.g) },
			"NegativePairs": func() (any, error) { return NegativePairs(background, c.g, c.k, 1) },
			"Triples":       func() (any, error) { return Triples(background, c.g, c.k, 1) },
			"HoldOutLinks": func() (any, error) {
				links, err := HoldOutLinks(background, c.g, 0.08, 1)
				if err != nil {
					return nil, err
				}
				return links.Train.Degrees(), nil
			},
			"SpectralGraph": func() (any, error) { return SpectralGraph(background, c.g, c.k) },
			"Induce": func() (any, error) {
				part, err := Induce(background, c.g, nil, []int{0})
				if err != nil {
					return nil, err
				}
				return part.Graph.Degrees(), nil
			},
			"EmbedInductive": func() (any, error) {
				return EmbedInductive(background, c.g, normal(max(1, c.g.Nodes()), 2, 1, 1), []int{0}, coles.WithDim(1))
			},
		} {
			t.Run(c.name+", "+name, func(t *testing.T) { try(t, name, c.want, open) })
		}
	}
}
