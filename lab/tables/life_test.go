package main

import (
	"testing"

	"coles/internal/testkit"
)

// The counts of the airports' page: 3,214 that a route joins to another, in seven regions or 25 countries.
func TestFlightTables(t *testing.T) {
	data := testkit.Shared(t, "data")
	for name, want := range map[string][3]int{"flights": {3214, 18858, 7}, "flights-country": {3214, 18858, 25}} {
		d := testkit.Must(flightTables[name].open(data))
		g := testkit.Must(d.Graph())
		testkit.WantSame(t, name, [3]int{g.Nodes(), g.Report().Edges, d.NumClasses()}, want)
	}
}

func TestTablesFromLife(t *testing.T) {
	mean := map[string]float64{}
	for _, line := range measuredIn(t, testkit.Shared(t, "data"), 2*5, "-table", "life", "-datasets", "flights", "-splits", "5") {
		mean[line["method"].(string)] = line["mean"].(float64) // of 20 labels, which come last
	}
	if !(mean["COLES"] > mean["COLES without structure"]+5 && mean["Label propagation"] > 80 && mean["SVD"] > 40) {
		t.Errorf("%v", mean)
	}
}
