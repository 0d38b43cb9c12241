package coles_test

import (
	"math"
	"slices"
	"testing"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// wholeM is M itself, of all its eigenpairs.
func wholeM(p *mat.Dense, lambda []float64) *mat.Dense {
	return product(p.T(), mat.NewDiagDense(len(lambda), lambda), p)
}

// sameM compares the M that is followed with that of a fit from scratch, both with d′ = d. It
// returns the difference as a part of ‖M‖.
func sameM(t *testing.T, r *coles.Growing, want *coles.Model) float64 {
	t.Helper()
	p := must(r.Solve(ctx))
	w := wholeM(want.Projection(), want.Lambda())
	var difference mat.Dense
	difference.Sub(wholeM(p.P, p.Lambda), w)
	off := mat.Norm(&difference, 2) / mat.Norm(w, 2)
	if !(off <= 1e-9) {
		t.Errorf("M is off by %.2g of it", off)
	}
	return off
}

// Features with a large mean are the hard case: what the negatives take out of M is far larger
// than what is left. Rebuild takes the rounding of a history away.
func TestGrowingFollowsMItself(t *testing.T) {
	const n, steps, d = 500, 300, 7
	for _, mean := range []float64{0, 10, 1e4} {
		rng := random(21)
		x := randomDense(rng, n, d)
		x.Apply(func(_, _ int, v float64) float64 { return v + mean }, x)
		edges, weights := ringEdges(n, 2), make([]float64, 2*n)
		for q := range weights {
			weights[q] = 0.5 + rng.Float64()
		}
		opts := []coles.Option{coles.WithFilter(coles.SGC(2)), coles.WithFeatures(coles.PrepareNone), coles.WithDim(d)}
		g := must(coles.NewGraph(n, edges, coles.WithEdgeWeights(weights)))
		r := must(must(coles.Fit(ctx, g, x, opts...)).Grow(ctx, g, x))
		for range steps {
			u := rng.IntN(n)
			e, w := coles.Edge{U: u, V: (u + 3 + rng.IntN(5)) % n}, 0.5+rng.Float64()
			edges, weights = append(edges, e), append(weights, w)
			must(r.Add(ctx, coles.Growth{Edges: []coles.Edge{e}, Weights: []float64{w}}))
		}
		now := must(coles.NewGraph(n, edges, coles.WithEdgeWeights(weights)))
		want := refitted(t, now, x, opts...)
		grown := sameM(t, r, want)
		if err := r.Rebuild(ctx); err != nil {
			t.Fatal(err)
		}
		t.Logf("mean %g: M is off by %.2g, rebuilt by %.2g", mean, grown, sameM(t, r, want))
		fresh := must(must(must(coles.Fit(ctx, now, x, opts...)).Grow(ctx, now, x)).Solve(ctx))
		if !slices.Equal(must(r.Solve(ctx)).Lambda, fresh.Lambda) {
			t.Errorf("mean %g: rebuilt is not what Grow makes of the same graph", mean)
		}
	}
}

// A hub gains half the graph in no order, much of it twice or already there, and a new
// node joins all of it.
func TestGrowingTakesHubs(t *testing.T) {
	const n, d = 300, 5
	rng := random(22)
	x := randomDense(rng, n+1, d)
	for _, keep := range []bool{false, true} {
		edges := ringEdges(n, 2)
		weights := slices.Repeat([]float64{1}, len(edges))
		graph := func(n int) *coles.Graph {
			opts := []coles.GraphOption{coles.WithEdgeWeights(weights)}
			if keep {
				opts = append(opts, coles.WithSelfLoopsKept())
			}
			return must(coles.NewGraph(n, edges, opts...))
		}
		if keep {
			edges, weights = append(edges, coles.Edge{U: 8, V: 8}), append(weights, 1)
		}
		opts := []coles.Option{coles.WithFilter(coles.SGC(1)), coles.WithFeatures(coles.PrepareNone), coles.WithDim(d)}
		m := must(coles.Fit(ctx, graph(n), x.Slice(0, n, 0, d), opts...))
		r := must(m.Grow(ctx, graph(n), x.Slice(0, n, 0, d)))
		for _, what := range []struct{ hub, count int }{{7, 20}, {7, 60}, {8, 30}, {n, n}} {
			growth := coles.Growth{}
			if what.hub == n {
				growth.Features = x.Slice(n, n+1, 0, d)
			}
			for _, v := range rng.Perm(n)[:what.count] {
				for range 1 + rng.IntN(2) {
					growth.Edges = append(growth.Edges, []coles.Edge{{U: what.hub, V: v}, {U: v, V: what.hub}}[rng.IntN(2)])
					growth.Weights = append(growth.Weights, float64(rng.IntN(4))/2) // also 0: no edge
				}
			}
			must(r.Add(ctx, growth))
			edges, weights = append(edges, growth.Edges...), append(weights, growth.Weights...)
			now := graph(r.Nodes())
			if !mat.Equal(denseOf(must(r.Graph()).CSR()), denseOf(now.CSR())) {
				t.Fatalf("another graph after %d edges of node %d", what.count, what.hub)
			}
			sameM(t, r, refitted(t, now, x.Slice(0, r.Nodes(), 0, d), opts...))
		}
	}
}

// Sums have an order of their own: with weights whose sums round, the same history gives
// the same bytes every time.
func TestGrowingIsTheSameInEveryRun(t *testing.T) {
	const n, d = 2000, 6
	rng := random(23)
	x := randomDense(rng, n, d)
	g := must(coles.NewGraph(n, ringEdges(n, 1)))
	m := must(coles.Fit(ctx, g, x, coles.WithFilter(coles.SGC(1)), coles.WithFeatures(coles.PrepareNone)))
	var what coles.Growth
	for k := range 60 {
		what.Edges = append(what.Edges, coles.Edge{U: 5 * k, V: 5*k + 3})
		what.Weights = append(what.Weights, math.Exp(2*rng.NormFloat64()))
	}
	var first []float64
	for range 30 {
		r := must(m.Grow(ctx, g, x))
		if must(r.Add(ctx, what)).Whole {
			t.Fatal("everything was computed again: the case is too small")
		}
		lambda := must(r.Solve(ctx)).Lambda
		if first == nil {
			first = lambda
		} else if !slices.Equal(first, lambda) {
			t.Fatalf("eigenvalues %v, before %v", lambda, first)
		}
	}
}

// Above 2,000 features P is found by products with M, to the same accuracy.
func TestGrowingOfManyFeatures(t *testing.T) {
	const n, d = 80, 2001
	x := randomDense(random(24), n, d)
	edges := ringEdges(n, 2)
	opts := []coles.Option{coles.WithFilter(coles.SGC(1)), coles.WithFeatures(coles.PrepareNone), coles.WithDim(4)}
	g := must(coles.NewGraph(n, edges))
	r := must(must(coles.Fit(ctx, g, x, opts...)).Grow(ctx, g, x))
	edges = append(edges, coles.Edge{U: 3, V: 9}, coles.Edge{U: 3, V: 11})
	if must(r.Add(ctx, coles.Growth{Edges: edges[len(edges)-2:]})).Whole {
		t.Fatal("everything was computed again: the case is too small")
	}
	got, _, err := r.Refit(ctx)
	if err != nil {
		t.Fatal(err)
	}
	want := refitted(t, must(coles.NewGraph(n, edges)), x, opts...)
	sameModel(t, got, want)
	if angle := must(coles.PrincipalAngle(got.Projection(), want.Projection())); angle > 1e-9 {
		t.Errorf("P is %v radians off", angle)
	}
	if by := got.Report().Solver; by != coles.SolverKrylov {
		t.Errorf("P was found by the %v solver", by)
	}
}

// Truncation leaves P as many rows as there are positive eigenvalues, of which growth makes
// more or fewer, or none.
func TestGrowingWithTruncation(t *testing.T) {
	const n, d = 60, 6
	fewer := 0
	for seed := range uint64(20) {
		rng := random(seed)
		x := randomDense(rng, n, d)
		edges := ringEdges(n, 1)
		opts := []coles.Option{coles.WithFilter(coles.SGC(1)), coles.WithFeatures(coles.PrepareNone), coles.WithTruncation()}
		g := must(coles.NewGraph(n, edges))
		m := must(coles.Fit(ctx, g, x, opts...))
		r := must(m.Grow(ctx, g, x))
		for range 40 {
			edges = append(edges, coles.Edge{U: rng.IntN(n), V: rng.IntN(n)})
		}
		must(r.Add(ctx, coles.Growth{Edges: edges[n:]}))
		got, drift, err := r.Refit(ctx)
		if err != nil {
			t.Fatal(err)
		}
		want := refitted(t, must(coles.NewGraph(n, edges)), x, opts...)
		sameModel(t, got, want)
		if k := len(got.Lambda()); k != len(want.Lambda()) {
			t.Fatalf("%d rows are left, a refit leaves %d", k, len(want.Lambda()))
		}
		// All six rows span everything, so that nothing can have turned out of it.
		if len(m.Lambda()) == d && drift > 1e-12 {
			t.Errorf("P has turned by %v out of the whole space", drift)
		}
		if len(got.Lambda()) < len(m.Lambda()) {
			fewer++
		}
	}
	if fewer == 0 {
		t.Error("no P has lost a row: the case is not tested")
	}

	// Along the edges of two nodes everything disagrees.
	x := mat.NewDense(2, 1, []float64{1, -1})
	pair := must(coles.NewGraph(2, []coles.Edge{{U: 0, V: 1}}))
	m := must(coles.Fit(ctx, must(coles.NewGraph(2, nil)), x, coles.WithFilter(coles.Identity()), coles.WithFeatures(coles.PrepareNone), coles.WithTruncation()))
	r := must(m.Grow(ctx, pair, x))
	got, drift, err := r.Refit(ctx)
	if err != nil || len(got.Lambda()) != 0 || drift != 0 {
		t.Fatalf("%v, drift %v, error %v", got.Lambda(), drift, err)
	}
	if y, err := r.Embed(ctx, []int{0, 1}); err != nil || !y.IsEmpty() {
		t.Errorf("vectors of no columns: %v, %v", y, err)
	}
}

// Weights from the smallest number there is to the largest are those of a fit.
func TestGrowingWithExtremeWeights(t *testing.T) {
	const n, d = 40, 4
	x := randomDense(random(25), n, d)
	// More of a node's own features than of its neighbours': otherwise one heavy edge makes the
	// rows of both ends equal, and M nothing but rounding.
	opts := []coles.Option{coles.WithFilter(coles.Polynomial(0.7, 0.3)), coles.WithFeatures(coles.PrepareNone), coles.WithDim(d)}
	for _, start := range [][]coles.Edge{nil, {{U: 30, V: 31}}} {
		for _, weights := range [][]float64{{5e-324}, {5e-324, 1e-310}, {1e-300, 1}, {1, 1e300}, {1e307, 1e307}} {
			old := slices.Repeat([]float64{weights[0]}, len(start))
			g := must(coles.NewGraph(n, start, coles.WithEdgeWeights(old)))
			r := must(must(coles.Fit(ctx, g, x, opts...)).Grow(ctx, g, x))
			edges := []coles.Edge{{U: 0, V: 9}, {U: 9, V: 17}}[:len(weights)]
			must(r.Add(ctx, coles.Growth{Edges: edges, Weights: weights}))
			now := must(coles.NewGraph(n, append(slices.Clone(start), edges...), coles.WithEdgeWeights(append(old, weights...))))
			sameM(t, r, refitted(t, now, x, opts...))
		}
	}
}
