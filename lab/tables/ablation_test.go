package main

import (
	"io"
	"testing"

	"coles"
	"coles/eval"
	"coles/examples/shared/cli"
	"coles/internal/testkit"
)

// What a rule is worth is the difference of two fits, and nothing where both have the same vectors.
func TestAblation(t *testing.T) {
	ctx, o, table := t.Context(), options{data: archives(t), splits: 2}, ablationTable()
	p := testkit.Must(load(ctx, o, "two", cli.NewLine(io.Discard)))
	accuracy := func(opts ...coles.Option) float64 {
		y := testkit.Must(coles.Fit(ctx, p.graph, p.Features, opts...)).Embedding()
		return 100 * testkit.Must(eval.Protocol{}.Classify(ctx, y, p.Labels, testkit.Must(p.splits(5)))).Mean
	}
	found := make(map[string][]cell)
	for _, m := range table.rows {
		found[m.name] = testkit.Must(table.measure(ctx, o, p, m))
	}
	whole := accuracy()
	steep := accuracy(coles.With(func(s *coles.Settings) { s.Scaling = coles.ScalingRule{Power: 1, Norm: 4} })) - whole
	testkit.WantNear(t, "the default", found["COLES"][0].Measures[0].Mean, whole, 0.05) // as it is printed
	testkit.WantNear(t, "γ = 1", found["γ = 1"][0].Measures[0].Mean, steep, 0.05)
	if steep == 0 {
		t.Error("both fits are alike: the test shows nothing")
	}
	for _, name := range []string{"weights as they are", "without r"} {
		if found[name] != nil {
			t.Errorf("%s: %v of the same vectors", name, found[name])
		}
	}
}

// The 3,224 counties of 55 states and territories, with 9,483 borders and eight numbers each.
func TestCountyTables(t *testing.T) {
	d := testkit.Must(open(t.Context(), options{data: testkit.Shared(t, "data")}, "counties-state"))
	g := testkit.Must(d.Graph())
	_, columns := d.Features.Dims()
	testkit.WantSame(t, "counties", [4]int{g.Nodes(), g.Report().Edges, columns, d.NumClasses()}, [4]int{3224, 9483, 8, 55})
}
