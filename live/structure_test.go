package live_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
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
		{{U: n + 3, V: n + 2}, {U: n + 4, V: n + 4}},          // a newcomer of a newcomer, and one of nobody
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
	again, _ := refit(t, f)
	testkit.WantClose(t, "refitted", testkit.Must(again.Embed(ctx, testkit.Must(f.Graph()), nil)), again.Embedding(), 1e-9)
	for _, bad := range [][]coles.Edge{{{U: n + 9, V: 1}}, {{U: n + 5, V: 1}, {U: 0, V: 1 << 28}}} { // and new nodes without edges before it
		testkit.WantError(t, testkit.Err(f.Add(ctx, live.Change{Edges: bad})), coles.ErrIndex)
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
	testkit.WantError(t, testkit.Err(frozen.Embed(ctx, nil, []coles.Edge{{U: n + 1, V: 4}}, nil)), coles.ErrIndex)
	for _, bad := range [][]coles.Edge{nil, {{U: n, V: n}}, {{U: n, V: n + 1}}} {
		testkit.WantError(t, testkit.Err(frozen.Embed(ctx, nil, bad, nil)), coles.ErrUnplaced)
	}
}

// Who joins a newcomer is placed by it, whoever joins nobody waits for an edge, and whose neighbour goes has the vector of a
// graph that never had it. A name that comes back is the node that the model knows.
func TestNewcomersOfNewcomers(t *testing.T) {
	const n = 60
	names := make([]string, n, n+4)
	for i := range names {
		names[i] = fmt.Sprint("node ", i)
	}
	list := testkit.Ring(n, 2)
	g := testkit.Must(coles.NewGraph(n, list, coles.WithIDs(names)))
	m := testkit.Must(coles.Fit(ctx, g, nil, coles.WithDim(8)))
	f, frozen := testkit.Must(live.Follow(ctx, m, g, nil)), testkit.Must(live.Freeze(ctx, m, g, nil))
	length := func(id string) float64 {
		row, _ := f.Row(id)
		return mat.Norm(testkit.Must(f.Embed(ctx, []int{row})), 2)
	}
	like := func(id string, i int) float64 {
		row, _ := f.Row(id)
		y := testkit.Must(f.Embed(ctx, []int{row, i}))
		return mat.Dot(y.RowView(0), y.RowView(1)) / mat.Norm(y.RowView(0), 2) / mat.Norm(y.RowView(1), 2)
	}
	testkit.Must(f.Add(ctx, live.Change{IDs: []string{"kim"}, Edges: []coles.Edge{{U: n, V: 5}}}))
	testkit.Must(f.Add(ctx, live.Change{IDs: []string{"lea", "solo"}, Edges: []coles.Edge{{U: n + 1, V: n}}}))
	if like("kim", 5) < 0.9 || like("lea", 5) < 0.9 || length("solo") != 0 {
		t.Errorf("kim and lea are like their neighbours by %v and %v, solo has the length %v", like("kim", 5), like("lea", 5), length("solo"))
	}
	y := testkit.Must(frozen.Embed(ctx, nil, []coles.Edge{{U: n, V: 5}, {U: n + 1, V: n}, {U: n + 2, V: n + 2}}, nil))
	kim, lea, solo := y.RowView(0), y.RowView(1), y.RowView(2)
	if c := mat.Dot(kim, lea) / mat.Norm(kim, 2) / mat.Norm(lea, 2); !(c > 0.99) || mat.Norm(solo, 2) != 0 {
		t.Errorf("frozen, the cosine is %v, and solo has the length %v", c, mat.Norm(solo, 2))
	}
	testkit.Must(f.SetWeights(ctx, []coles.Edge{{U: n + 2, V: 40}, {U: n, V: 5}}, []float64{1, 0}))
	if like("solo", 40) < 0.9 || length("kim") != 0 || length("lea") != 0 {
		t.Errorf("solo is like its neighbour by %v, kim and lea, without one, have the lengths %v and %v", like("solo", 40), length("kim"), length("lea"))
	}
	testkit.Must(f.SetWeights(ctx, []coles.Edge{{U: n, V: 5}, {U: n, V: 30}}, []float64{1, 1}))
	testkit.WantSame(t, "who moved", slices.Contains(testkit.Must(f.Remove(ctx, []int{5})).Moved, n), true)
	never := testkit.Must(live.Follow(ctx, m, testkit.Must(f.Graph()), nil))
	all := numbers(f.Nodes())
	testkit.WantClose(t, "without the neighbour", testkit.Must(f.Embed(ctx, all)), testkit.Must(never.Embed(ctx, all)), 1e-6)
	testkit.Must(f.Add(ctx, live.Change{IDs: []string{"node 5"}, Edges: []coles.Edge{{U: f.Nodes(), V: 4}, {U: f.Nodes(), V: 6}}}))
	testkit.WantClose(t, "come back", testkit.Must(f.Embed(ctx, numbers(f.Nodes()))), testkit.Must(m.Embed(ctx, testkit.Must(f.Graph()), nil)), 1e-6)
	rows := make([]int, n)
	for i, id := range names {
		rows[i], _ = f.Row(id)
	}
	before := testkit.Must(f.Embed(ctx, all))
	testkit.WantError(t, testkit.Err(f.Remove(ctx, rows)), coles.ErrUnplaced)
	testkit.WantSame(t, "refused", testkit.Bits(testkit.Must(f.Embed(ctx, all))), testkit.Bits(before))
}

// The model of a refit is that of the graph as it is, whatever was removed before, with names and without: what it says of
// the graph, also read from a file, and what a fit has that gets the features as the first model makes them, by names.
func TestRefitAfterAnyHistory(t *testing.T) {
	for _, numbered := range []bool{false, true} {
		for seed := range uint64(12) {
			opts := []coles.Option{coles.WithDim(6), coles.With(func(s *coles.Settings) { s.Precision = coles.Float64 })}
			g, first, h := mirrored(t, 40, 0, false, opts...)
			if h.numbered = numbered; numbered {
				g = testkit.Must(live.Follow(ctx, testkit.Must(coles.Fit(ctx, h.plain(t), nil, opts...)), h.plain(t), nil))
			}
			rng := testkit.Random(seed)
			for range 3 {
				for range 12 {
					h.change(t, rng, g, 0, false)
				}
				m, _ := refit(t, g)
				now, y := testkit.Must(g.Graph()), testkit.Must(g.Embed(ctx, numbers(g.Nodes())))
				close := 1e-5 * mat.Norm(y, 2)
				testkit.WantClose(t, "the model on the graph", testkit.Must(m.Embed(ctx, now, nil)), y, close)
				var file bytes.Buffer
				testkit.Must(m.WriteTo(&file))
				testkit.WantClose(t, "read from a file", testkit.Must(testkit.Must(coles.ReadModel(&file)).Embed(ctx, now, nil)), y, close)
				x := testkit.DenseOf(testkit.Must(first.Parts()[0].Structure().Encode(ctx, h.graph(t))))
				s := m.Settings()
				s.Preparation, s.Structure = coles.PrepareNone, 0
				scratch := testkit.Must(coles.Fit(ctx, h.graph(t), x, coles.WithSettings(s)))
				for k, v := range scratch.Parts()[0].Lambda {
					testkit.WantNear(t, "an eigenvalue", m.Parts()[0].Lambda[k], v, 1e-5*scratch.Parts()[0].Lambda[0])
				}
				own, other := testkit.Product(y, y.T()), testkit.Product(scratch.Embedding(), scratch.Embedding().T())
				testkit.WantClose(t, "YYᵀ", own, other, 1e-4*mat.Norm(other, 2))
				if !numbered {
					g = testkit.Must(live.Read(bytes.NewReader(saved(t, g))))
				}
			}
		}
	}
}

// A graph whose model has columns of the structure beside those of features is followed as a whole: by every change its
// vectors are those that the model gives it, also read from a file, and by a refit those of the new model.
func TestFollowStructureBesideFeatures(t *testing.T) {
	const n, d = 400, 30
	rng := testkit.Random(31)
	names, x := make([]string, n+2), testkit.RandomDense(rng, n+2, d)
	for i := range names {
		names[i] = fmt.Sprint("node ", i)
	}
	g := testkit.Must(coles.NewGraph(n, testkit.RandomEdges(rng, n, 0.01), coles.WithIDs(names[:n])))
	opts := []coles.Option{coles.WithFilter(coles.S2GCSum(2)), coles.WithDim(48), coles.With(func(s *coles.Settings) { s.Structure = 0.4 })}
	for kind, whole := range map[coles.Kind]bool{coles.UseGraph: false, coles.UseFeatures: true} { // which has 24 hops
		m := testkit.Must(coles.Fit(ctx, g, x.Slice(0, n, 0, d), append(opts, coles.With(func(s *coles.Settings) {
			if s.Kind = kind; kind == coles.UseFeatures {
				*s = s.WithoutGraph()
			}
		}))...))
		testkit.WantSame(t, "parts", len(m.Parts()), 2)
		f := testkit.Must(live.Follow(ctx, m, g, x.Slice(0, n, 0, d)))
		features := mat.DenseCopyOf(x.Slice(0, n, 0, d))
		same := func(what string, m *coles.Model) {
			t.Helper()
			y := testkit.Must(f.Embed(ctx, numbers(f.Nodes())))
			testkit.WantClose(t, what, y, testkit.Must(m.Embed(ctx, testkit.Must(f.Graph()), features)), 1e-9*mat.Norm(y, 2))
		}
		same("at first", m)
		update := testkit.Must(f.Add(ctx, live.Change{Features: x.Slice(n, n+2, 0, d), IDs: names[n:], Edges: []coles.Edge{{U: n, V: 5}, {U: n, V: n + 1}, {U: 7, V: 90}}}))
		features = mat.DenseCopyOf(x)
		m, _ = refit(t, f)
		same("grown", m)
		testkit.WantSame(t, "everything anew", update.Whole, whole)
		testkit.Must(f.SetWeights(ctx, []coles.Edge{{U: n, V: 5}, {U: n, V: 6}}, []float64{0, 2}))
		same("other weights", m)
		features.SetRow(3, x.RawRowView(4))
		testkit.Must(f.SetFeatures(ctx, []int{3}, x.Slice(4, 5, 0, d)))
		same("other features", m)
		f = testkit.Must(live.Read(bytes.NewReader(saved(t, f))))
		same("read", m)
		testkit.Must(f.Remove(ctx, []int{9}))
		features.SetRow(9, features.RawRowView(n+1))
		features = mat.DenseCopyOf(features.Slice(0, n+1, 0, d))
		same("one less", m)
		before := testkit.Bits(testkit.Must(f.Embed(ctx, numbers(n+1))))
		testkit.WantError(t, testkit.Err(f.Add(ctx, live.Change{Edges: []coles.Edge{{U: 0, V: 1}}, Weights: []float64{math.MaxFloat64}})), coles.ErrNotFinite)
		testkit.WantSame(t, "refused", testkit.Bits(testkit.Must(f.Embed(ctx, numbers(n+1)))), before)
		next, _ := refit(t, f)
		same("refitted", next)
		testkit.WantClose(t, "the model's own vectors", next.Embedding(), testkit.Must(f.Embed(ctx, numbers(n+1))), 1e-9)
		testkit.WantSame(t, "what the report has", [3]any{next.Report().StructureShare, next.Report().Dim, next.Report().Refitted}, [3]any{0.4, m.Report().Dim, true})
		f = testkit.Must(live.Read(bytes.NewReader(saved(t, f))))
		testkit.Must(f.SetWeights(ctx, []coles.Edge{{U: 20, V: 40}}, []float64{1}))
		same("changed after that", next)
		strangers, of := testkit.Must(coles.NewGraph(2, testkit.Ring(2, 1), coles.WithIDs([]string{"kim", "lea"}))), x.Slice(0, 2, 0, d)
		testkit.WantClose(t, "strangers", testkit.Must(testkit.Must(live.Follow(ctx, next, strangers, of)).Embed(ctx, numbers(2))), testkit.Must(next.Embed(ctx, strangers, of)), 1e-9)
		testkit.Check(t, testkit.Err(live.Freeze(ctx, next, strangers, of)))
	}
}

// Where a share leaves no column to the features, a graph is followed, read and changed all the same.
func TestFollowNoColumnOfFeatures(t *testing.T) {
	const n = 60
	g, x := testkit.RandomGraph(3, n, 0.1), testkit.RandomDense(testkit.Random(4), n+1, 5)
	m := testkit.Must(coles.Fit(ctx, g, x.Slice(0, n, 0, 5), coles.WithDim(1), coles.With(func(s *coles.Settings) { s.Kind, s.Structure = coles.UseGraph, 0.5 })))
	testkit.WantSame(t, "columns of features", len(m.Parts()[0].Scaling.Factors), 0)
	f := testkit.Must(live.Follow(ctx, m, g, x.Slice(0, n, 0, 5)))
	back := testkit.Must(live.Read(bytes.NewReader(saved(t, f))))
	for _, of := range []*live.Graph{f, back} {
		testkit.Must(of.Add(ctx, live.Change{Features: x.Slice(n, n+1, 0, 5), Edges: []coles.Edge{{U: n, V: 5}, {U: n, V: 6}}}))
		testkit.WantClose(t, "grown", testkit.Must(of.Embed(ctx, numbers(n+1))), testkit.Must(m.Embed(ctx, testkit.Must(of.Graph()), x)), 1e-9)
	}
}

// The columns of roles of a newcomer are those that it has in the double cover, frozen alike; to follow them is refused.
func TestFrozenRoles(t *testing.T) {
	const n = 200
	list := testkit.RandomEdges(testkit.Random(4), n, 0.03)
	g := testkit.Must(coles.NewGraph(n, list, coles.WithArcs()))
	x := testkit.RandomDense(testkit.Random(5), n+2, 10)
	m := testkit.Must(coles.Fit(ctx, g, x.Slice(0, n, 0, 10)))
	last := m.Parts()[1]
	roles := testkit.Must(coles.Fit(ctx, g.Roles(), nil, coles.WithSettings(last.Settings)))
	arcs := []coles.Edge{{U: n, V: 150}, {U: 20, V: n}, {U: n + 1, V: 160}, {U: 30, V: n + 1}, {U: n, V: n + 1}}
	weights := []float64{1, 2, 1, 3, 1}
	y := testkit.Must(testkit.Must(live.Freeze(ctx, m, g, x.Slice(0, n, 0, 10))).Embed(ctx, x.Slice(n, n+2, 0, 10), arcs, weights))
	cover := []coles.Edge{{U: 2 * n, V: 301}, {U: 40, V: 2*n + 1}, {U: 2*n + 2, V: 321}, {U: 60, V: 2*n + 3}, {U: 2 * n, V: 2*n + 3}}
	z := testkit.Must(testkit.Must(live.Freeze(ctx, roles, g.Roles(), nil)).Embed(ctx, nil, cover, weights))
	_, all := y.Dims()
	_, k := z.Dims()
	for i := range 2 {
		for j := range 2 * k {
			want := math.Sqrt(last.Share/2) * z.At(2*i+j/k, j%k)
			if got := y.At(i, all-2*k+j); math.Abs(got-want) > 1e-12 {
				t.Fatalf("newcomer %d, column %d of roles: %v, want %v", i, j, got, want)
			}
		}
	}
	testkit.WantError(t, testkit.Err(live.Freeze(ctx, m, testkit.Must(coles.NewGraph(n, list)), x.Slice(0, n, 0, 10))), coles.ErrShape)
	testkit.WantError(t, testkit.Err(live.Follow(ctx, m, g, x.Slice(0, n, 0, 10))), coles.ErrSetting)
}
