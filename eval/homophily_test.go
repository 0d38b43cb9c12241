package eval

import (
	"testing"

	"coles"
	"coles/internal/testkit"
)

func TestHomophilyEqualsItsDefinition(t *testing.T) {
	cases := openCases[diagnosticCases](t, "diagnostics").Graphs
	wantCases(t, len(cases))
	for i, c := range cases {
		is := comparer{t, i}
		g := testkit.Must(coles.NewGraph(len(c.X), toEdges(c.Edges)))
		got, err := NodeHomophily(g, c.Labels)
		is.equal("node homophily", got, c.Node, 0, err)
		got, err = EdgeHomophily(g, c.Labels)
		is.equal("edge homophily", got, c.Edge, 0, err)
		got, err = ExpectedHomophily(c.Labels)
		is.equal("expected homophily", got, c.Random, 0, err)
	}
}

// On a path 0-1-2-3 with labels 0, 0, 1, 1 the shares are 1, ½, ½, 1.
func TestHomophilyReadsThePatternOnly(t *testing.T) {
	path := []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 3}}
	looped := append([]coles.Edge{{U: 0, V: 0}, {U: 2, V: 2}, {U: 4, V: 4}}, path...)
	labels := []int{0, 0, 1, 1, 5}
	for name, g := range map[string]*coles.Graph{
		"plain":      testkit.Must(coles.NewGraph(5, path)),
		"weighted":   testkit.Must(coles.NewWeightedGraph(5, path, []float64{1, 7, 0.1})),
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
	labels := randomLabels(60, 4, 5)
	g := testkit.RandomGraph(1, 60, 1)
	all := testkit.Must(NodeHomophily(g, labels))
	expected := testkit.Must(ExpectedHomophily(labels))
	testkit.WantNear(t, "homophily among all pairs", all, (60*expected-1)/59, 1e-14)
}
