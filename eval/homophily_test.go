package eval

import (
	"math"
	"testing"

	"coles"
	"coles/internal/testkit"
)

// The measures are sums over all entries of a dense adjacency matrix.
func TestHomophilyEqualsItsDefinition(t *testing.T) {
	rng := testkit.Random(2021)
	for i := range 1000 {
		n := 3 + rng.IntN(6)
		edges := append(testkit.RandomEdges(rng, n, 0.2+0.6*rng.Float64()), coles.Edge{U: 0, V: 1})
		g := testkit.Must(coles.NewGraph(n, edges, coles.WithRepeats("first")))
		a, labels, counts := testkit.DenseOf(g.CSR()), testkit.RandomLabels(n, 3, uint64(i)), make([]float64, 3)
		var node, same, all, joined, random float64
		for u := range n {
			counts[labels[u]]++
			alike, degree := 0.0, 0.0
			for v := range n {
				degree += a.At(u, v)
				if labels[u] == labels[v] {
					alike += a.At(u, v)
				}
			}
			if degree > 0 {
				node += alike / degree
				joined++
			}
			same, all = same+alike, all+degree
		}
		for _, c := range counts {
			random += c / float64(n) * c / float64(n)
		}
		is := testkit.Comparer{T: t, Index: i}
		got, err := NodeHomophily(g, labels)
		is.Equal("node homophily", got, node/joined, 0, err)
		got, err = EdgeHomophily(g, labels)
		is.Equal("edge homophily", got, same/all, 0, err)
		got, err = ExpectedHomophily(labels)
		is.Equal("expected homophily", got, random, 0, err)
	}
}

// On a path 0-1-2-3 with labels 0, 0, 1, 1 the shares are 1, ½, ½, 1.
func TestHomophilyReadsThePatternOnly(t *testing.T) {
	path := []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 3}}
	looped := append([]coles.Edge{{U: 0, V: 0}, {U: 2, V: 2}, {U: 4, V: 4}}, path...)
	labels := []int{0, 0, 1, 1, 5}
	for name, g := range map[string]*coles.Graph{
		"plain":      testkit.Must(coles.NewGraph(5, path)),
		"weighted":   testkit.Must(coles.NewGraph(5, path, coles.WithWeights([]float64{1, 7, 0.1}))),
		"self loops": testkit.Must(coles.NewGraph(5, looped, coles.WithSelfLoopsKept())),
	} {
		if h, err := NodeHomophily(g, labels); h != 0.75 || err != nil {
			t.Errorf("%s: node homophily %v, %v, want 0.75", name, h, err)
		}
		if h, err := EdgeHomophily(g, labels); h != 2./3 || err != nil {
			t.Errorf("%s: edge homophily %v, %v, want 2/3", name, h, err)
		}
	}
}

// A graph of all pairs is every draw at once: its homophily is the expectation but for the node
// itself, Σ ρ_c(nρ_c − 1)/(n − 1).
func TestExpectedHomophilyIsThatOfAllPairs(t *testing.T) {
	labels := testkit.RandomLabels(60, 4, 5)
	g := testkit.RandomGraph(1, 60, 1)
	all := testkit.Must(NodeHomophily(g, labels))
	expected := testkit.Must(ExpectedHomophily(labels))
	testkit.WantNear(t, "homophily among all pairs", all, (60*expected-1)/59, 1e-14)
}

// On a path of 1, 2, 4 the pairs are (1,2), (2,1), (2,4), (4,2): Pearson's correlation of these by hand.
func TestAssortativity(t *testing.T) {
	g := testkit.Must(coles.NewGraph(5, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 3}}))
	r := testkit.Must(Assortativity(g, []float64{1, 2, 4, math.NaN(), 9}))
	mean := (1 + 2 + 2 + 4) / 4.
	testkit.WantNear(t, "assortativity", r, 2*((1-mean)*(2-mean)+(2-mean)*(4-mean))/((1-mean)*(1-mean)+2*(2-mean)*(2-mean)+(4-mean)*(4-mean)), 1e-12)
	testkit.WantError(t, testkit.Err(Assortativity(g, []float64{1})), coles.ErrShape)
	testkit.WantError(t, testkit.Err(Assortativity(g, make([]float64, 5))), coles.ErrShape)
}
