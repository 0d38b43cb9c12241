package live_test

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/internal/testkit"
	"coles/live"

	"gonum.org/v1/gonum/mat"
)

// wholeM is M itself, of all its eigenpairs.
func wholeM(p *mat.Dense, lambda []float64) *mat.Dense {
	return testkit.Product(p.T(), mat.NewDiagDense(len(lambda), lambda), p)
}

// wantM compares the M that is followed with the M of a fit from scratch, both with d′ = d. It
// returns the difference as a part of ‖M‖.
func wantM(t *testing.T, g *live.Graph, want *coles.Model) float64 {
	t.Helper()
	p := testkit.Must(g.Solve(ctx))
	m := wholeM(want.P(), want.Parts()[0].Lambda)
	var difference mat.Dense
	difference.Sub(wholeM(p.P, p.Lambda), m)
	off := mat.Norm(&difference, 2) / mat.Norm(m, 2)
	if !(off <= 1e-9) {
		t.Errorf("M is off by %.2g of it", off)
	}
	return off
}

// Features with a large mean are the hard case: what the negatives take out of M is far larger than
// what is left. Rebuild takes the rounding of a history away. The input may be written to after Follow.
func TestMIsFollowed(t *testing.T) {
	const n, d = 500, 7
	for _, mean := range []float64{0, 10, 1e4} {
		rng := testkit.Random(21)
		x := testkit.RandomDense(rng, n, d)
		x.Apply(func(_, _ int, v float64) float64 { return v + mean }, x)
		h := ring(x, n, 2, coles.With(func(s *coles.Settings) {
			s.Filter = coles.SGC(2)
			s.Preparation = coles.PrepareNone
			s.Dim = d
		}))
		_, g := h.follow(n)
		kept := mat.DenseCopyOf(x)
		x.Zero()
		for range 300 {
			u := rng.IntN(n)
			h.add(t, g, 0, []coles.Edge{{U: u, V: (u + 3 + rng.IntN(5)) % n}}, nil)
		}
		x.Copy(kept)
		want := h.fit(n)
		grown := wantM(t, g, want)
		if err := g.Rebuild(ctx); err != nil {
			t.Fatal(err)
		}
		t.Logf("mean %g: M is off by %.2g, rebuilt by %.2g", mean, grown, wantM(t, g, want))
		_, fresh := h.follow(n)
		testkit.WantSame(t, "eigenvalues rebuilt, and of a graph that is followed anew", testkit.Must(g.Solve(ctx)).Lambda, testkit.Must(fresh.Solve(ctx)).Lambda)
	}
}

// A weight or a feature that is far too large, and then as it should be, leaves no rounding of its size behind.
func TestMistakesLeaveNoTrace(t *testing.T) {
	const n, d = 200, 4
	opts := []coles.Option{coles.With(func(s *coles.Settings) {
		s.Kind, s.Filter, s.Preparation, s.Dim, s.WeightSpan = coles.UseGraph, coles.SGC(2), coles.PrepareNone, d, 0
	})}
	for _, large := range []float64{1e2, 1e5, 1e12, 1e40, 1e140} {
		h := ring(testkit.RandomDense(testkit.Random(25), n, d), n, 2, opts...)
		_, g := h.follow(n)
		testkit.Must(g.Add(ctx, live.Change{Edges: []coles.Edge{{U: 0, V: 9}}, Weights: []float64{large}}))
		g = testkit.Must(live.Read(bytes.NewReader(saved(t, g))))
		testkit.Must(g.SetWeights(ctx, []coles.Edge{{U: 0, V: 9}}, []float64{0}))
		wantM(t, g, h.fit(n))
		testkit.Must(g.SetFeatures(ctx, []int{7}, mat.NewDense(1, d, []float64{1, large, 0, 1})))
		g = testkit.Must(live.Read(bytes.NewReader(saved(t, g))))
		testkit.Must(g.SetFeatures(ctx, []int{7}, h.features(7, 8)))
		wantM(t, g, h.fit(n))
	}
}

// A hub gains half the graph in no order, much of it twice or already there, and a new node joins
// all of it. Loops are kept where the graph keeps them, be it the first one.
func TestHubsGrow(t *testing.T) {
	const n, d = 300, 5
	rng := testkit.Random(22)
	for _, keep := range []bool{false, true} {
		h := ring(testkit.RandomDense(rng, n+1, d), n, 2, coles.With(func(s *coles.Settings) {
			s.Filter = coles.SGC(1)
			s.Preparation = coles.PrepareNone
			s.Dim = d
		}))
		h.loops = keep
		_, g := h.follow(n)
		for _, what := range []struct{ hub, count, nodes int }{{7, 20, 0}, {7, 60, 0}, {8, 30, 0}, {n, n, 1}} {
			edges, weights := []coles.Edge{{U: what.hub, V: what.hub}}, []float64{1}
			for _, v := range rng.Perm(n)[:what.count] {
				for range 1 + rng.IntN(2) {
					edges = append(edges, []coles.Edge{{U: what.hub, V: v}, {U: v, V: what.hub}}[rng.IntN(2)])
					weights = append(weights, float64(rng.IntN(4))/2) // also 0: no edge
				}
			}
			h.add(t, g, what.nodes, edges, weights)
			want := h.fit(g.Nodes())
			m, _ := refit(t, g)
			testkit.WantSame(t, "the graph", m.Report().GraphHash, want.Report().GraphHash)
			testkit.WantSame(t, "loops are kept", m.Report().Graph.SelfLoops > 0, keep)
			wantM(t, g, want)
		}
	}
}

// Above 2,000 features P is found by products with M, to the same accuracy.
func TestManyFeatures(t *testing.T) {
	if testing.Short() {
		t.Skip("M has four million entries")
	}
	const n, d = 80, 2001
	h := ring(testkit.RandomDense(testkit.Random(24), n, d), n, 2, coles.With(func(s *coles.Settings) { s.Filter, s.Preparation, s.Dim = coles.SGC(1), coles.PrepareNone, 4 }))
	_, g := h.follow(n)
	if h.add(t, g, 0, []coles.Edge{{U: 3, V: 9}, {U: 3, V: 11}}, nil).Whole {
		t.Fatal("everything was computed again: the case is too small")
	}
	got, _ := refit(t, g)
	want := h.fit(n)
	wantModel(t, got, want)
	if angle := testkit.Must(live.PrincipalAngle(got.P(), want.P())); angle > 1e-9 {
		t.Errorf("P is %v radians off", angle)
	}
	if by := got.Report().Solver; by != coles.SolverKrylov {
		t.Errorf("P was found by the %v solver", by)
	}
}

// The drift is the principal angle between the P before and after.
func TestRefitSaysHowFarPHasTurned(t *testing.T) {
	const n = 100
	h := ring(testkit.RandomDense(testkit.Random(26), n, 9), n, 1, coles.With(func(s *coles.Settings) { s.Filter, s.Dim, s.Kind = coles.SGC(1), 3, coles.UseGraph }))
	m, g := h.follow(n)
	if _, drift := refit(t, g); drift > 1e-7 { // nothing is new
		t.Errorf("P has turned by %v on the same graph", drift)
	}
	h.add(t, g, 0, []coles.Edge{{U: 3, V: 50}, {U: 4, V: 90}, {U: 60, V: 20}}, nil)
	p := testkit.Must(g.Solve(ctx))
	got, drift := refit(t, g)
	testkit.WantSame(t, "P of Solve and of Refit", testkit.Bits(got.P()), testkit.Bits(p.P))
	if want := testkit.Must(live.PrincipalAngle(m.P(), got.P())); math.Abs(drift-want) > 1e-7 || drift < 1e-3 {
		t.Errorf("drift %v, want %v", drift, want)
	}
}

// Truncation leaves P as many rows as there are positive eigenvalues, of which growth makes more or
// fewer, or none.
func TestTruncation(t *testing.T) {
	const n, d = 60, 6
	opts := []coles.Option{coles.With(func(s *coles.Settings) { s.Kind, s.Preparation, s.Truncate = coles.UseGraph, coles.PrepareNone, true })}
	fewer := 0
	for seed := range uint64(40) {
		rng := testkit.Random(seed / 2)
		h := ring(testkit.RandomDense(rng, n, d), n, 1, append(opts, coles.With(func(s *coles.Settings) { s.Filter = coles.SGC(1) }))...)
		m, g := h.follow(n)
		var edges []coles.Edge
		for range 40 {
			edges = append(edges, coles.Edge{U: rng.IntN(n), V: rng.IntN(n)})
		}
		h.add(t, g, 0, edges, nil)
		got, drift := refit(t, g)
		wantModel(t, got, h.fit(n))
		// All six rows span everything, so that nothing can have turned out of it.
		if len(m.Parts()[0].Lambda) == d && drift > 1e-12 {
			t.Errorf("P has turned by %v out of the whole space", drift)
		}
		if len(got.Parts()[0].Lambda) < len(m.Parts()[0].Lambda) {
			fewer++
		}
		h.add(t, g, 0, testkit.Ring(n, 2), slices.Repeat([]float64{50}, 2*n)) // as without the other edges
		got, _ = refit(t, g)
		wantModel(t, got, h.fit(n))
	}
	testkit.WantSame(t, "some P has lost a row", fewer > 0, true) // or the case is not tested

	// Two nodes that disagree, without an edge and then with one: M becomes negative.
	h := &history{x: mat.NewDense(2, 1, []float64{1, -1}), opts: append(opts, coles.WithFilter(coles.SGC(0)))}
	_, g := h.follow(2)
	h.add(t, g, 0, []coles.Edge{{U: 0, V: 1}}, nil)
	got, drift := refit(t, g)
	testkit.WantSame(t, "rows of P, and drift", [2]float64{float64(len(got.Parts()[0].Lambda)), drift}, [2]float64{})
	if y := testkit.Must(g.Embed(ctx, []int{0, 1})); !y.IsEmpty() {
		t.Errorf("vectors of no columns: %v", y)
	}
	f := testkit.Must(live.Freeze(ctx, got, h.graph(2), h.x))
	if y := testkit.Must(f.Embed(ctx, mat.NewDense(1, 1, nil), nil, nil)); !y.IsEmpty() {
		t.Errorf("a frozen vector of no columns: %v", y)
	}
}

// Weights from the smallest number there is to the largest are as in a fit, also where there is no edge before.
func TestExtremeWeights(t *testing.T) {
	const n, d = 40, 4
	// More of a node's own features than of its neighbours': otherwise one heavy edge makes the
	// rows of both ends equal, and M nothing but rounding.
	opts := []coles.Option{coles.With(func(s *coles.Settings) {
		s.Kind = coles.UseGraph
		s.Filter = coles.Polynomial(0.7, 0.3)
		s.Preparation = coles.PrepareNone
		s.Dim = d
		s.WeightSpan = 0 // which the first edges would not reach
	})}
	for _, start := range [][]coles.Edge{nil, {{U: 30, V: 31}}} {
		for _, weights := range [][]float64{{5e-324}, {5e-324, 1e-310}, {1e-300, 1}, {1, 1e300}, {1e307, 1e307}} {
			h := &history{x: testkit.RandomDense(testkit.Random(25), n, d), edges: slices.Clone(start), weights: slices.Repeat([]float64{weights[0]}, len(start)), opts: opts}
			_, g := h.follow(n)
			h.add(t, g, 0, []coles.Edge{{U: 0, V: 9}, {U: 9, V: 17}}[:len(weights)], weights)
			wantM(t, g, h.fit(n))
		}
	}
}
