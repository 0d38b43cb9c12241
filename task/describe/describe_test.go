package describe

import (
	"strings"
	"testing"

	"coles"
	"coles/dataset"
	"coles/dataset/parse"
	"coles/internal/testkit"
	"coles/task"
)

// The karate club has 34 members and 78 ties, 1 to 17 a member (Zachary 1977).
func TestDescription(t *testing.T) {
	d := testkit.Must(task.New(dataset.KarateClub()))
	target := testkit.Must(task.TargetOf(d.Dataset, 34, ""))
	about := testkit.Must(Data(t.Context(), d, target, nil, coles.DefaultSettings()))
	testkit.WantSame(t, "degrees", about.Degrees, degreeRange{1, 3, 78. * 2 / 34, 17})
	testkit.WantSame(t, "components", about.Components, 1)
	within, all := 0., 0.
	for e := range d.Graph.Edges() {
		if all++; d.Labels[e.U] == d.Labels[e.V] {
			within++
		}
	}
	testkit.WantNear(t, "homophily", about.Labels.Homophily.Edge, within/all, 1e-12)
}

// Hub a has three edges of kind x, and e no other edge than one of kind y.
func TestKindsOfEdges(t *testing.T) {
	const text = "source,target,type\na,b,x\na,c,x\na,d,x\nb,c,y\na,b,y\nd,e,y\n"
	d := testkit.Must(task.New(testkit.Must(dataset.ReadEdgeList(strings.NewReader(text), nil, parse.Options{}))))
	about := testkit.Must(Data(t.Context(), d, task.Target{}, nil, coles.DefaultSettings()))
	testkit.WantSame(t, "kinds", about.Kinds, []kindDescription{{"x", 3, 4, 0}, {"y", 3, 5, 1}})
}

// A choice of features is warned of from a quarter of the way from chance to 1 on, by more than the
// noise of the edges seen.
func TestHomophilyDoubtsFeatures(t *testing.T) {
	features, graph := &coles.Alignment{Neighbours: 0.5, Known: true}, &coles.Alignment{Neighbours: 2, Known: true}
	for name, c := range map[string]struct {
		h      *homophily
		chosen *coles.Alignment
		doubts bool
	}{
		"far above":              {&homophily{Edge: 0.74, Expected: 0.08, Edges: 800}, features, true},
		"a quarter of the way":   {&homophily{Edge: 0.4101, Expected: 0.2, Edges: 10_000}, features, true},
		"less than the noise":    {&homophily{Edge: 0.4099, Expected: 0.2, Edges: 10_000}, features, false},
		"three edges, all alike": {&homophily{Edge: 1, Expected: 0.3, Edges: 3}, features, false},
		"six edges, all alike":   {&homophily{Edge: 1, Expected: 0.3, Edges: 6}, features, true},
		"one class":              {&homophily{Edge: 1, Expected: 1, Edges: 800}, features, false},
		"below chance":           {&homophily{Edge: 0.06, Expected: 0.37, Edges: 279}, features, false},
		"the graph is taken":     {&homophily{Edge: 0.74, Expected: 0.08, Edges: 800}, graph, false},
		"the kind is set":        {&homophily{Edge: 0.74, Expected: 0.08, Edges: 800}, nil, false},
		"no edge between labels": {nil, features, false},
	} {
		testkit.WantSame(t, name, c.h.Doubt(c.chosen) != "", c.doubts)
	}
}
