package main

import (
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// The published sizes (Ribeiro, Saverese and Figueiredo 2017; Rozemberczki and Sarkar 2020).
func TestSingleData(t *testing.T) {
	data := testkit.Shared(t, "data")
	for name, want := range map[string][3]int{"usa_flights": {1190, 13599, 4}, "lastfm": {7624, 27806, 18}} {
		d := testkit.Must(open(t.Context(), options{data: data}, name))
		g := testkit.Must(d.Graph())
		testkit.WantSame(t, name, [3]int{g.Nodes(), g.Report().Edges, d.NumClasses()}, want)
	}
}

// Grades of activity follow degrees, which COLES tells from the structure.
func TestStructureTable(t *testing.T) {
	mean := map[string]float64{}
	for _, line := range measuredIn(t, testkit.Shared(t, "data"), 2*len(structureMethods), "-table", "structure", "-datasets", "usa_flights", "-splits", "5") {
		if line["per_class"] == 20.0 {
			mean[line["method"].(string)] = line["mean"].(float64)
		}
	}
	for name, share := range mean {
		if share < 30 || share > mean["COLES without features"] && !strings.HasPrefix(name, "COLES") {
			t.Errorf("%s: %v", name, mean)
		}
	}
}

// Every row ranks most hidden routes above chance, 50 and about 5 %.
func TestStructureLinksTable(t *testing.T) {
	testkit.Long(t)
	for _, l := range measuredIn(t, testkit.Shared(t, "data"), len(structureMethods)+1, "-table", "structure-links", "-datasets", "usa_flights", "-seeds", "1") {
		if auc, mrr := l["auc"].(float64), l["mrr"].(float64); auc < 70 || auc > 99 || mrr < 15 || mrr > 60 {
			t.Errorf("%v", l)
		}
	}
}

// A star whose centre is row 0 of ones: its edges are drawn with the centre or a leaf for an end. From leaf 1 to the centre,
// leaves compete that have a larger product; from the centre to a leaf nothing does, since all are joined to it.
func TestReciprocalRank(t *testing.T) {
	g := testkit.Must(coles.NewGraph(4, []coles.Edge{{U: 0, V: 1}, {U: 0, V: 2}, {U: 0, V: 3}}))
	y := mat.NewDense(4, 1, []float64{1, 2, 3, 4})
	testkit.WantNear(t, "from the centre", reciprocalRank(g, y, []coles.Edge{{U: 0, V: 3}}, 1), 1, 1e-15)
	one := reciprocalRank(g, y, []coles.Edge{{U: 1, V: 0}}, 1) // the other leaves are a third of the hundred
	if one < 1./55 || one > 1./20 {
		t.Errorf("from a leaf: %v", one)
	}
}

// Of a hidden edge each end is the first one for some seed, and no edge comes twice.
func TestLostEdges(t *testing.T) {
	seen := map[coles.Edge]bool{}
	for seed := range uint64(20) {
		edges := lostEdges(map[int][]int{0: {1}, 1: {0, 2}, 2: {1}}, 3, seed)
		testkit.WantSame(t, "number", len(edges), 2)
		for _, e := range edges {
			seen[e] = true
		}
	}
	testkit.WantSame(t, "all", []bool{seen[coles.Edge{U: 0, V: 1}], seen[coles.Edge{U: 1, V: 0}], seen[coles.Edge{U: 2, V: 1}]}, slices.Repeat([]bool{true}, 3))
}
