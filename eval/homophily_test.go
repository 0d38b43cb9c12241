package eval

import (
	"errors"
	"testing"

	"coles"
)

// On a path 0-1-2-3 with labels 0, 0, 1, 1 the shares are 1, ½, ½, 1.
func TestHomophilyReadsThePatternOnly(t *testing.T) {
	path := []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 3}}
	labels := []int{0, 0, 1, 1, 5}
	for _, c := range []struct {
		name  string
		edges []coles.Edge
		opts  []coles.GraphOption
	}{
		{"plain", path, nil},
		{"weighted", path, []coles.GraphOption{coles.WithEdgeWeights([]float64{1, 7, 0.1})}},
		{"self loops", append([]coles.Edge{{U: 0, V: 0}, {U: 2, V: 2}, {U: 4, V: 4}}, path...), []coles.GraphOption{coles.WithSelfLoopsKept()}},
	} {
		g, err := coles.NewGraph(5, c.edges, c.opts...)
		if err != nil {
			t.Fatal(err)
		}
		if h, err := NodeHomophily(g, labels); h != 0.75 || err != nil {
			t.Errorf("%s: node homophily %v, %v, want 0.75", c.name, h, err)
		}
		if h, err := EdgeHomophily(g, labels); h != 2./3 || err != nil {
			t.Errorf("%s: edge homophily %v, %v, want 2/3", c.name, h, err)
		}
	}
}

// A graph of all pairs is every draw at once: its homophily is the expectation
// but for the node itself, Σ ρ_c(nρ_c − 1)/(n − 1).
func TestExpectedHomophilyIsThatOfAllPairs(t *testing.T) {
	labels := randomLabels(60, 4, 5)
	var edges []coles.Edge
	for u := range labels {
		for v := range u {
			edges = append(edges, coles.Edge{U: u, V: v})
		}
	}
	g, err := coles.NewGraph(60, edges)
	if err != nil {
		t.Fatal(err)
	}
	all, err := NodeHomophily(g, labels)
	if err != nil {
		t.Fatal(err)
	}
	expected, err := ExpectedHomophily(labels)
	if err != nil {
		t.Fatal(err)
	}
	if want := (60*expected - 1) / 59; all < want-1e-14 || all > want+1e-14 {
		t.Errorf("%v among all pairs, want %v", all, want)
	}
}

func TestHomophilyNamesBadInput(t *testing.T) {
	g, err := coles.NewGraph(3, []coles.Edge{{U: 0, V: 1}})
	if err != nil {
		t.Fatal(err)
	}
	none, err := coles.NewGraph(3, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		g      *coles.Graph
		labels []int
		want   error
	}{
		{"nil graph", nil, []int{0, 1, 0}, ErrEmpty},
		{"zero graph", new(coles.Graph), []int{0, 1, 0}, ErrEmpty},
		{"no edges", none, []int{0, 1, 0}, ErrEmpty},
		{"too few labels", g, []int{0, 1}, ErrShape},
		{"too many labels", g, []int{0, 1, 0, 1}, ErrShape},
		{"negative label", g, []int{0, 1, -1}, ErrLabel},
	} {
		if _, err := NodeHomophily(c.g, c.labels); !errors.Is(err, c.want) {
			t.Errorf("node homophily, %s: error %v, want %v", c.name, err, c.want)
		}
		if _, err := EdgeHomophily(c.g, c.labels); !errors.Is(err, c.want) {
			t.Errorf("edge homophily, %s: error %v, want %v", c.name, err, c.want)
		}
	}
	if _, err := ExpectedHomophily(nil); !errors.Is(err, ErrEmpty) {
		t.Errorf("no labels: error %v", err)
	}
	if _, err := ExpectedHomophily([]int{1, -2}); !errors.Is(err, ErrLabel) {
		t.Errorf("negative label: error %v", err)
	}
}
