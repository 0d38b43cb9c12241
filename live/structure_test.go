package live_test

import (
	"math"
	"testing"

	"coles"
	"coles/internal/testkit"
	"coles/live"

	"gonum.org/v1/gonum/mat"
)

// Without features nodes are encoded by their edges: a graph that has grown, by new nodes and by edges between
// old ones, has the embedding that the model gives it as a whole, and a frozen one nearly that of a newcomer.
func TestGrowthWithoutFeatures(t *testing.T) {
	const n = 400
	list := testkit.RandomEdges(testkit.Random(21), n, 0.01)
	g := testkit.Must(coles.NewGraph(n, list, coles.WithRepeats("max")))
	m := testkit.Must(coles.Fit(ctx, g, nil, coles.WithFilter(coles.S2GCSum(2))))
	f := testkit.Must(live.Follow(ctx, m, g, nil))
	for k, fresh := range [][]coles.Edge{
		{{U: 3, V: 90}}, // between old nodes
		{{U: n, V: 5}, {U: n, V: 6}, {U: n + 1, V: 7}},        // of new ones
		{{U: n, V: n + 1}, {U: n, V: 50}, {U: n + 2, V: 100}}, // of both
	} {
		update := testkit.Must(f.Add(ctx, live.Change{Edges: fresh}))
		list = append(list, fresh...)
		grown := testkit.Must(coles.NewGraph(f.Nodes(), list, coles.WithRepeats("max")))
		all := make([]int, f.Nodes())
		for i := range all {
			all[i] = i
		}
		testkit.WantClose(t, "embedding", testkit.Must(f.Embed(ctx, all)), testkit.Must(m.Embed(ctx, grown, nil)), 1e-9)
		if update.Whole {
			t.Errorf("change %d: everything was computed again, which shows nothing", k)
		}
	}
	again, _, err := f.Refit(ctx)
	if err != nil {
		t.Fatal(err)
	}
	testkit.WantClose(t, "refitted", testkit.Must(again.Embed(ctx, testkit.Must(f.Graph()), nil)), again.Embedding(), 1e-9)
	for _, bad := range []live.Change{
		{Edges: []coles.Edge{{U: n + 3, V: n + 2}}}, // a newcomer of a newcomer
		{Edges: []coles.Edge{{U: n + 9, V: 1}}},     // and nodes without edges before it
		{Edges: []coles.Edge{{U: n + 3, V: 1}, {U: 0, V: 1 << 28}}},
	} {
		testkit.WantError(t, testkit.Err(f.Add(ctx, bad)), coles.ErrUnplaced)
	}
	testkit.WantError(t, testkit.Err(f.Add(ctx, live.Change{Features: mat.NewDense(1, 50, nil)})), coles.ErrShape)

	frozen := testkit.Must(live.Freeze(ctx, m, g, nil))
	y := testkit.Must(frozen.Embed(ctx, nil, []coles.Edge{{U: n, V: 5}, {U: 6, V: n}, {U: n + 1, V: 7}}, nil))
	two := testkit.Must(coles.NewGraph(n+2, append(testkit.RandomEdges(testkit.Random(21), n, 0.01), coles.Edge{U: n, V: 5}, coles.Edge{U: n, V: 6}, coles.Edge{U: n + 1, V: 7}), coles.WithRepeats("max")))
	want := testkit.Must(m.Embed(ctx, two, nil))
	for k := range 2 {
		a, b := y.RowView(k), want.RowView(n+k)
		if c := mat.Dot(a, b) / mat.Norm(a, 2) / mat.Norm(b, 2); !(c > 0.97) {
			t.Errorf("frozen newcomer %d: the cosine to its embedding in the grown graph is %v", k, c)
		}
	}
	for _, bad := range [][]coles.Edge{{{U: n + 1, V: 4}}, {{U: n, V: 3}, {U: n, V: n + 1}}} {
		testkit.WantError(t, testkit.Err(frozen.Embed(ctx, nil, bad, nil)), coles.ErrUnplaced)
	}
}

// The columns of roles of a newcomer are those that it has in the double cover, frozen alike; to follow them is refused.
func TestFrozenRoles(t *testing.T) {
	const n = 200
	list := testkit.RandomEdges(testkit.Random(4), n, 0.03)
	g := testkit.Must(coles.NewGraph(n, list, coles.WithArcs()))
	x := testkit.RandomDense(testkit.Random(5), n+2, 10)
	m := testkit.Must(coles.Fit(ctx, g, x.Slice(0, n, 0, 10)))
	roles, share := m.Roles()
	arcs := []coles.Edge{{U: n, V: 150}, {U: 20, V: n}, {U: n + 1, V: 160}, {U: 30, V: n + 1}, {U: n, V: n + 1}}
	weights := []float64{1, 2, 1, 3, 1}
	y := testkit.Must(testkit.Must(live.Freeze(ctx, m, g, x.Slice(0, n, 0, 10))).Embed(ctx, x.Slice(n, n+2, 0, 10), arcs, weights))
	cover := []coles.Edge{{U: 2 * n, V: 301}, {U: 40, V: 2*n + 1}, {U: 2*n + 2, V: 321}, {U: 60, V: 2*n + 3}, {U: 2 * n, V: 2*n + 3}}
	z := testkit.Must(testkit.Must(live.Freeze(ctx, roles, g.Roles(), nil)).Embed(ctx, nil, cover, weights))
	_, all := y.Dims()
	_, k := z.Dims()
	for i := range 2 {
		for j := range 2 * k {
			want := math.Sqrt(share/2) * z.At(2*i+j/k, j%k)
			if got := y.At(i, all-2*k+j); math.Abs(got-want) > 1e-12 {
				t.Fatalf("newcomer %d, column %d of roles: %v, want %v", i, j, got, want)
			}
		}
	}
	testkit.WantError(t, testkit.Err(live.Freeze(ctx, m, testkit.Must(coles.NewGraph(n, list)), x.Slice(0, n, 0, 10))), coles.ErrShape)
	testkit.WantError(t, testkit.Err(live.Follow(ctx, m, g, x.Slice(0, n, 0, 10))), coles.ErrSetting)
}
