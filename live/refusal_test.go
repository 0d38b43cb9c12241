package live_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"coles"
	"coles/internal/race"
	"coles/internal/testkit"
	"coles/live"

	"gonum.org/v1/gonum/mat"
)

// A state holds what can be seen of a graph that is followed.
type state struct {
	Nodes  int
	Graph  string
	Y      []uint64
	Lambda []float64
}

func stateOf(g *live.Graph) state {
	now := testkit.Must(g.Graph())
	m := testkit.Must(coles.Fit(ctx, now, nil, coles.WithDim(1))) // for its hash
	return state{g.Nodes(), m.Report().GraphHash, testkit.Bits(testkit.Must(g.Embed(ctx, numbers(g.Nodes())))), testkit.Must(g.Solve(ctx)).Lambda}
}

func cancelled() context.Context {
	c, cancel := context.WithCancel(ctx)
	cancel()
	return c
}

// What cannot be added leaves everything as it was, to the byte.
func TestRefusedChangesLeaveEverythingAsItWas(t *testing.T) {
	const n, d = 60, 5
	x := testkit.RandomDense(testkit.Random(4), n+3, d)
	h := ring(x, n, 2, coles.With(func(s *coles.Settings) { s.Filter, s.Preparation = coles.SGC(2), coles.PrepareNone }))
	_, g := h.follow(n)
	h.add(t, g, 1, []coles.Edge{{U: n, V: 4}}, nil)
	next := h.features(n+1, n+2)
	before := stateOf(g)
	refuse := func(name string, what live.Change, want error) {
		t.Run(name, func(t *testing.T) {
			if _, err := g.Add(ctx, what); !errors.Is(err, want) {
				t.Errorf("error %v, want %v", err, want)
			}
			testkit.WantSame(t, "the state", stateOf(g), before)
		})
	}
	for name, bad := range testkit.BadGraphs(n + 2) {
		refuse(name, live.Change{Features: next, Edges: bad.Edges, Weights: bad.Weights}, bad.Want)
	}
	for name, bad := range testkit.BadMatrices(2, d) {
		refuse(name, live.Change{Features: bad.X, Edges: []coles.Edge{{U: 0, V: 30}}}, bad.Want)
	}
	refuse("an edge to a node that is not new", live.Change{Edges: []coles.Edge{{U: 0, V: n + 1}}}, coles.ErrIndex)
	refuse("narrow features", live.Change{Features: mat.NewDense(1, d-1, nil)}, coles.ErrShape)
	refuse("names for numbered nodes", live.Change{Features: next, IDs: []string{"a"}}, coles.ErrIDs)
	for name, call := range map[string]func() error{
		"Embed":   func() error { return testkit.Err(g.Embed(cancelled(), []int{1})) },
		"Solve":   func() error { return testkit.Err(g.Solve(cancelled())) },
		"Refit":   func() error { _, _, err := g.Refit(cancelled()); return err },
		"Rebuild": func() error { return g.Rebuild(cancelled()) },
	} {
		if err := call(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", name, err)
		}
		testkit.WantSame(t, "after "+name, stateOf(g), before)
	}
	for _, nodes := range [][]int{{0, n + 1}, {-1}} {
		testkit.WantError(t, testkit.Err(g.Embed(ctx, nodes)), coles.ErrIndex)
	}
	// And it still takes what fits.
	h.add(t, g, 1, []coles.Edge{{U: n + 1, V: n}}, nil)
	m, _ := refit(t, g)
	wantModel(t, m, h.fit(n+2))
}

// The doors, with bad matrices and with models and graphs that do not fit.
func TestFollowAndFreezeRefuse(t *testing.T) {
	const n, d = 6, 4
	x, g := testkit.RandomDense(testkit.Random(1), n, d), testkit.Must(coles.NewGraph(n, testkit.Ring(n, 1)))
	m := testkit.Must(coles.Fit(ctx, g, x))
	frozen := testkit.Must(live.Freeze(ctx, m, g, x))
	testkit.RefuseMatrices(t, n, d, map[string]func(x mat.Matrix) error{
		"Follow":       func(x mat.Matrix) error { return testkit.Err(live.Follow(ctx, m, g, x)) },
		"Freeze":       func(x mat.Matrix) error { return testkit.Err(live.Freeze(ctx, m, g, x)) },
		"Frozen.Embed": func(x mat.Matrix) error { return testkit.Err(frozen.Embed(ctx, x, nil, nil)) },
	})
	bare, plain := testkit.Must(coles.Fit(ctx, g, nil)), testkit.Must(coles.Fit(ctx, g, x, coles.With(func(s *coles.Settings) { s.Preparation = coles.PrepareNone })))
	words := testkit.Must(coles.Fit(ctx, g, testkit.SparseOf(mat.NewDiagDense(n, slices.Repeat([]float64{1}, n))), coles.With(func(s *coles.Settings) { s.Preparation = coles.PrepareTFIDF })))
	negative := mat.NewDense(n, n, nil)
	negative.Set(2, 3, -1)
	huge := mat.DenseCopyOf(x)
	huge.Set(0, 0, 1e300)
	for name, c := range map[string]struct {
		m              *coles.Model
		x              mat.Matrix
		follow, freeze error
	}{
		"a model without features": {bare, x, coles.ErrShape, coles.ErrShape},
		"fewer rows":               {m, x.Slice(1, n, 0, d), coles.ErrShape, coles.ErrShape},
		"fewer columns":            {m, x.Slice(0, n, 1, d), coles.ErrShape, coles.ErrShape},
		"negative words":           {words, negative, coles.ErrNegative, coles.ErrNegative},
		"features beyond float32":  {plain, huge, coles.ErrNotFinite, coles.ErrPrecision}, // and M holds squares
	} {
		t.Run(name, func(t *testing.T) {
			testkit.WantError(t, testkit.Err(live.Follow(ctx, c.m, g, c.x)), c.follow)
			testkit.WantError(t, testkit.Err(live.Freeze(ctx, c.m, g, c.x)), c.freeze)
		})
	}
	if _, err := frozen.Embed(cancelled(), x, nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}

	// Negatives that are drawn are others for every number of nodes, unless they count for nothing.
	for _, c := range []struct {
		kappa int
		eta   float64
		fine  bool
	}{{1, 1, false}, {0, 1, true}, {1, 0, true}} {
		drawn := testkit.Must(coles.Fit(ctx, g, x, coles.With(func(s *coles.Settings) { s.Negatives, s.Kappa, s.Eta = coles.UniformNegatives(2), c.kappa, c.eta })))
		if _, err := live.Follow(ctx, drawn, g, x); !c.fine {
			testkit.WantError(t, err, coles.ErrSetting)
		} else if err != nil {
			t.Errorf("κ = %d, η′ = %v: %v", c.kappa, c.eta, err)
		}
	}
}

// What overflows would stay in M for good, and is refused.
func TestOverflowIsRefused(t *testing.T) {
	const n, d = 60, 4
	for name, negatives := range map[string]coles.NegativeSampler{"degree": coles.ExpectedDegreeNegatives(), "none": {}} {
		opts := []coles.Option{coles.With(func(s *coles.Settings) {
			s.Filter = coles.SGC(1)
			s.Preparation = coles.PrepareNone
			s.Negatives, s.Kappa, s.Eta = negatives, 1, 1
		})}
		h := ring(testkit.RandomDense(testkit.Random(5), n, d), n, 1, opts...)
		m, g := h.follow(n)
		before := stateOf(g)
		everywhere := make([]coles.Edge, n)
		for v := range everywhere {
			everywhere[v] = coles.Edge{U: n, V: v}
		}
		for _, large := range []float64{1e155, 1e160, 1.7e308} {
			row := []float64{large, large, -large, large}
			for _, edges := range [][]coles.Edge{{{U: n, V: 3}}, everywhere} {
				testkit.WantError(t, testkit.Err(g.Add(ctx, live.Change{Features: mat.NewDense(1, d, row), Edges: edges})), coles.ErrNotFinite)
			}
			high := mat.DenseCopyOf(h.x)
			high.SetRow(n-1, row)
			testkit.WantError(t, testkit.Err(live.Follow(ctx, m, h.graph(n), high)), coles.ErrNotFinite)
		}
		heavy := live.Change{Edges: []coles.Edge{{U: 0, V: 9}, {U: 20, V: 40}, {U: 5, V: 55}}, Weights: []float64{8e307, 8e307, 8e307}}
		testkit.WantError(t, testkit.Err(g.Add(ctx, heavy)), coles.ErrNotFinite)
		testkit.WantSame(t, name, stateOf(g), before)

		// M holds the squares of large features, of which factors make vectors that are too large.
		h.opts = append(opts, coles.With(func(s *coles.Settings) { s.Scaling = coles.ScalingRule{Rank: 20, Floor: 8, Norm: 1e200} }))
		_, tall := h.follow(n)
		testkit.Must(tall.Add(ctx, live.Change{Features: mat.NewDense(1, d, []float64{1e150, 0, 0, 0})}))
		testkit.WantError(t, testkit.Err(tall.Embed(ctx, []int{1, n})), coles.ErrNotFinite)
		f := testkit.Must(live.Freeze(ctx, m, h.graph(n), h.x))
		testkit.WantError(t, testkit.Err(f.Embed(ctx, mat.NewDense(1, d, []float64{1.7e308, 1.7e308, -1.7e308, 1.7e308}), []coles.Edge{{U: n, V: 3}}, nil)), coles.ErrNotFinite)
	}
	// Two edges whose weights add up to infinity, at different nodes.
	heavy := testkit.Must(coles.NewGraph(4, []coles.Edge{{U: 0, V: 1}, {U: 2, V: 3}}, coles.WithWeights([]float64{8e307, 8e307})))
	x := testkit.RandomDense(testkit.Random(6), 4, 2)
	m := testkit.Must(coles.Fit(ctx, testkit.Must(coles.NewGraph(4, nil)), x))
	testkit.WantError(t, testkit.Err(live.Follow(ctx, m, heavy, x)), coles.ErrNotFinite)
	// An edge and a loop of the same node.
	one := testkit.Must(coles.NewGraph(4, []coles.Edge{{U: 0, V: 1}}, coles.WithWeights([]float64{8e307}), coles.WithSelfLoopsKept()))
	g := testkit.Must(live.Follow(ctx, m, one, x))
	before := stateOf(g)
	loop := live.Change{Edges: []coles.Edge{{U: 0, V: 0}}, Weights: []float64{1e308}}
	testkit.WantError(t, testkit.Err(g.Add(ctx, loop)), coles.ErrNotFinite)
	testkit.WantSame(t, "a loop", stateOf(g), before)
}

// A fading context is cancelled once it has been asked some number of times.
type fading struct {
	context.Context
	left atomic.Int64
}

func (f *fading) Err() error {
	if f.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// Wherever an addition stops, and be it at the last moment, everything is as it was.
func TestAdditionsStopAnywhere(t *testing.T) {
	const n = 80
	for name, edges := range map[string][]coles.Edge{
		"nearby":     {{U: n, V: 4}, {U: 20, V: 23}},
		"everywhere": {{U: n, V: 4}, {U: n, V: 14}, {U: n, V: 24}, {U: n, V: 34}, {U: n, V: 44}, {U: n, V: 54}, {U: n, V: 64}, {U: n, V: 74}},
	} {
		h := ring(testkit.RandomDense(testkit.Random(6), n+1, 5), n, 2, coles.With(func(s *coles.Settings) { s.Filter, s.Preparation = coles.SGC(2), coles.PrepareNone }))
		m, fresh := h.follow(n)
		g := testkit.Must(live.Follow(ctx, m, h.graph(n), h.features(0, n)))
		before := stateOf(g)
		what := live.Change{Features: h.features(n, n+1), Edges: edges}
		whole := testkit.Must(fresh.Add(ctx, what)).Whole
		stops := 0
		for {
			late := &fading{Context: ctx}
			late.left.Store(int64(stops))
			_, err := g.Add(late, what)
			if err == nil {
				break
			}
			stops++
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("%s: error %v", name, err)
			}
			testkit.WantSame(t, name, stateOf(g), before)
		}
		if stops < 5 || whole != (name == "everywhere") {
			t.Errorf("%s: it asked %d times, whole: %v", name, stops, whole)
		}
		testkit.WantSame(t, name+" after failures, and without", stateOf(g), stateOf(fresh))
	}
}

func TestCallsStopPromptly(t *testing.T) {
	n, d := 50_000, 128
	if race.Enabled {
		n = 10_000
	}
	h := ring(testkit.RandomDense(testkit.Random(90), n+1, d), n, 5, coles.WithDim(64), coles.With(func(s *coles.Settings) { s.Structure = 0 }))
	g, old := h.graph(n), h.x.Slice(0, n, 0, d)
	m := testkit.Must(coles.Fit(ctx, g, old, h.opts...))
	testkit.Stops(t, func(ctx context.Context) error { return testkit.Err(live.Follow(ctx, m, g, old)) })
	testkit.Stops(t, func(ctx context.Context) error { return testkit.Err(live.Freeze(ctx, m, g, old)) })
	r := testkit.Must(live.Follow(ctx, m, g, old))
	hub := make([]coles.Edge, n)
	for k, v := range testkit.Random(91).Perm(n) {
		hub[k] = coles.Edge{U: n, V: v}
	}
	testkit.Stops(t, func(ctx context.Context) error {
		return testkit.Err(r.Add(ctx, live.Change{Features: h.x.Slice(n, n+1, 0, d), Edges: hub}))
	})
	testkit.Stops(t, r.Rebuild)
	if nodes := r.Nodes(); nodes != n && nodes != n+1 {
		t.Errorf("%d nodes, want %d, or one more where the addition was over first", nodes, n)
	}
}
