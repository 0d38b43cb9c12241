package main

import (
	"slices"
	"testing"

	"coles/internal/testkit"
)

// The counts of the airports' page: 3,214 that a route joins to another, in seven regions or 25 countries.
func TestFlightAndPackageTables(t *testing.T) {
	data := testkit.Shared(t, "data")
	for name, want := range map[string][3]int{"flights": {3214, 18858, 7}, "flights-country": {3214, 18858, 25}} {
		d := testkit.Must(flightTables[name].open(data))
		g := testkit.Must(d.Graph())
		testkit.WantSame(t, name, [3]int{g.Nodes(), g.Report().Edges, d.NumClasses()}, want)
	}
	for _, words := range []bool{true, false} { // the sections are 23, and 539 packages have none
		d := testkit.Must(openPackages(data, words))
		g := testkit.Must(d.Graph())
		known := 0
		for i, c := range d.Labels {
			if _, unlabeled := slices.BinarySearch(d.Unlabeled, i); c >= 0 && !unlabeled {
				known++
			}
		}
		testkit.WantSame(t, "packages", [4]int{g.Nodes(), g.Report().Edges, d.NumClasses(), known}, [4]int{3879, 4366, 23, 3879 - 539})
	}
}

func TestTablesFromLife(t *testing.T) {
	mean := map[string]float64{}
	for _, line := range measuredIn(t, testkit.Shared(t, "data"), 2*6, "-table", "life", "-datasets", "flights", "-splits", "5") {
		mean[line["method"].(string)] = line["mean"].(float64) // of 20 labels, which come last
	}
	if !(mean["COLES"] > mean["COLES without structure"]+5 && mean["Label propagation"] > 80 && mean["SVD"] > 40) {
		t.Errorf("%v", mean)
	}
}
