package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"coles"
	"coles/dataset"
	"coles/eval"
	"coles/internal/testkit"
)

// eval -links says what the library says: of drawn edges, and of the latest by a recommender that has seen the earlier.
func TestEvalLinks(t *testing.T) {
	rng, text := rand.New(rand.NewPCG(1, 1)), strings.Builder{}
	for time := range 900 { // circles of ten
		u := rng.IntN(100)
		if v := u/10*10 + rng.IntN(10); u != v {
			fmt.Fprintf(&text, "%d %d %d\n", u, v, 1000+time)
		}
	}
	path := filepath.Join(folder(t, map[string]string{"g.txt": text.String()}), "g.txt")
	d := testkit.Must(dataset.OpenEdgeList(path, "", ""))
	train, latest, err := d.HoldOutLatest(0.1)
	testkit.Check(t, err)
	r := testkit.Must(eval.LearnLinks(t.Context(), train, eval.LinkOptions{Seed: 1}))
	want := testkit.Must(r.Measure(t.Context(), latest, 1))
	code, out, said := call("", "eval", path, "-links", "-times")
	if code != 0 {
		t.Fatal(said)
	}
	testkit.WantText(t, out, "of the latest tenth  "+want.String())
	var edges []coles.Edge
	for e := range testkit.Must(d.Graph()).Edges() {
		edges = append(edges, e)
	}
	g := testkit.Must(coles.NewGraph(d.Nodes(), edges))
	testkit.WantText(t, out, "of a tenth drawn     "+testkit.Must(eval.LearnLinks(t.Context(), g, eval.LinkOptions{Seed: 1})).Worth.String())
	_, alone, _ := call("", "eval", path, "-links", "-unweighted")
	testkit.WantText(t, alone, "of a tenth drawn")
	dir := filepath.Dir(path)
	refused(t, dir, exitUsage, "-times is for -links", "", "eval", path, "-times")
	refused(t, dir, exitUsage, "-links hides edges", "", "eval", path, "-links", "-count", "3")
	refused(t, dir, exitFailure, "has no times", "", "eval", path, "-links", "-times", "-columns", "1,2")
}
