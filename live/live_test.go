package live_test

import (
	"bytes"
	"context"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/internal/testkit"
	"coles/live"

	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

// A history lists the parts of a graph, which can be built from it from scratch.
type history struct {
	x       *mat.Dense // features, also of the nodes to come
	sparse  bool
	loops   bool // are kept
	edges   []coles.Edge
	weights []float64
	opts    []coles.Option
}

// ring has n nodes with 2·side neighbours each, of weights 0.5 to 1.5.
func ring(x *mat.Dense, n, side int, opts ...coles.Option) *history {
	h := &history{x: x, edges: testkit.Ring(n, side), opts: opts}
	rng := testkit.Random(1)
	for range h.edges {
		h.weights = append(h.weights, 0.5+rng.Float64())
	}
	return h
}

func (h *history) features(lo, hi int) mat.Matrix {
	_, d := h.x.Dims()
	part := h.x.Slice(lo, hi, 0, d)
	if h.sparse {
		return testkit.SparseOf(part)
	}
	return part
}

func (h *history) graph(n int) *coles.Graph {
	opts := []coles.GraphOption{coles.WithRepeats("max")}
	if h.loops {
		opts = append(opts, coles.WithSelfLoopsKept())
	}
	return testkit.Must(coles.NewGraph(n, h.edges, append(opts, coles.WithWeights(h.weights))...))
}

// follow fits a model to the first n nodes and follows their graph.
func (h *history) follow(n int) (*coles.Model, *live.Graph) {
	g, x := h.graph(n), h.features(0, n)
	m := testkit.Must(coles.Fit(ctx, g, x, h.opts...))
	return m, testkit.Must(live.Follow(ctx, m, g, x))
}

// add adds nodes and edges to the graph and to its history. Edges without weights get some.
func (h *history) add(t *testing.T, g *live.Graph, nodes int, edges []coles.Edge, weights []float64) *live.Update {
	t.Helper()
	rng := testkit.Random(uint64(len(h.edges)))
	for len(weights) < len(edges) {
		weights = append(weights, 0.5+2*rng.Float64())
	}
	what := live.Change{Edges: edges, Weights: weights}
	if n := g.Nodes(); nodes > 0 {
		what.Features = h.features(n, n+nodes)
	}
	u, err := g.Add(ctx, what)
	if err != nil {
		t.Fatal(err)
	}
	h.edges, h.weights = append(h.edges, edges...), append(h.weights, weights...)
	return u
}

// fit makes what a refit of n nodes is to equal: a fit from scratch in double precision, by M.
func (h *history) fit(n int) *coles.Model {
	opts := append(slices.Clone(h.opts), coles.With(func(s *coles.Settings) { s.Precision, s.Solver = coles.Float64, coles.SolverDirect }))
	return testkit.Must(coles.Fit(ctx, h.graph(n), h.features(0, n), opts...))
}

// refit is Refit where it does not fail.
func refit(t *testing.T, g *live.Graph) (m *coles.Model, drift float64) {
	t.Helper()
	m, drift, err := g.Refit(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return m, drift
}

// wantModel compares two models by what does not depend on the basis of eigenvectors with close
// eigenvalues: the graph, λ, and the products of all rows, within the 1e-9 that is promised.
func wantModel(t *testing.T, got, want *coles.Model) {
	t.Helper()
	lambda := want.Parts()[0].Lambda
	if len(got.Parts()[0].Lambda) != len(lambda) {
		t.Fatalf("%d eigenvalues, a fit has %d", len(got.Parts()[0].Lambda), len(lambda))
	}
	for k, l := range got.Parts()[0].Lambda {
		if math.Abs(l-lambda[k]) > 1e-9*lambda[0] {
			t.Errorf("eigenvalue %d is %v, a fit finds %v", k, l, lambda[k])
		}
	}
	products := testkit.Product(want.Embedding(), want.Embedding().T())
	testkit.WantClose(t, "YYᵀ", testkit.Product(got.Embedding(), got.Embedding().T()), products, 1e-9*mat.Norm(products, 2))
	a, b := got.Report(), want.Report()
	testkit.WantSame(t, "hash of the graph", a.GraphHash, b.GraphHash)
	testkit.WantSame(t, "hash of the features", a.FeaturesHash, b.FeaturesHash)
}

// numbers are 0 … n−1.
func numbers(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// A history of additions: nodes with and without edges, edges between old nodes, weights that rise,
// repeated edges and loops. After each, vectors equal a fresh Embed of the whole graph, and
// the model equals a fresh Fit's.
func TestGrowthEqualsAFit(t *testing.T) {
	const n, more, d = 400, 30, 20
	_, words := testkit.RandomWords(testkit.Random(7), n+more, d)
	expected := coles.ExpectedUniformNegatives()
	for name, c := range map[string]struct {
		opts  []coles.Option
		loops bool
	}{
		"default": {},
		"no hop":  {opts: []coles.Option{coles.WithFilter(coles.SGC(0))}},
		"one hop": {opts: []coles.Option{coles.WithFilter(coles.SGC(1))}},
		"gaps":    {opts: []coles.Option{coles.WithFilter(coles.Polynomial(0.5, 0, 0.3, 0.2))}},
		"no contrast": {opts: []coles.Option{coles.With(func(s *coles.Settings) {
			s.Negatives, s.Kappa, s.Eta = coles.ExpectedDegreeNegatives(), 0, 1
			s.Filter = coles.SGC(2)
		})}},
		"uniform":  {opts: []coles.Option{coles.With(func(s *coles.Settings) { s.Negatives, s.Kappa, s.Eta, s.Filter = expected, 1, 0.7, coles.SGC(2) })}},
		"features": {opts: []coles.Option{coles.With(func(s *coles.Settings) { s.Kind = coles.UseFeatures })}},
		"loops":    {opts: []coles.Option{coles.WithFilter(coles.S2GCSum(2))}, loops: true},
	} {
		for kind, sparse := range map[string]bool{"dense": false, "sparse": true} {
			t.Run(name+" "+kind, func(t *testing.T) {
				h := ring(words, n, 2, append([]coles.Option{coles.With(func(s *coles.Settings) { s.Dim, s.Preparation = 6, coles.PrepareNone })}, c.opts...)...)
				h.sparse, h.loops = sparse, c.loops
				if c.loops {
					h.edges, h.weights = append(h.edges, coles.Edge{U: 3, V: 3}), append(h.weights, 2)
				}
				first, g := h.follow(n)
				whole, local := 0, 0
				for _, what := range []struct {
					nodes int
					edges []coles.Edge
				}{
					{0, []coles.Edge{{U: 5, V: 9}}},
					{1, []coles.Edge{{U: n, V: 17}, {U: n, V: 18}}},
					{2, nil},
					{1, []coles.Edge{{U: n + 3, V: n + 1}, {U: 30, V: n + 2}, {U: n + 3, V: n + 3}}},
					{0, []coles.Edge{{U: 5, V: 9}, {U: 9, V: 5}, {U: 40, V: 41}}}, // there already
					{20, []coles.Edge{{U: 0, V: n + 4}, {U: 50, V: n + 5}, {U: 100, V: n + 6}, {U: 150, V: n + 7}, {U: 200, V: n + 8}, {U: 250, V: n + 9}, {U: 300, V: n + 10}, {U: 350, V: n + 11}, {U: 125, V: 325}}},
				} {
					before := testkit.Must(g.Embed(ctx, numbers(g.Nodes())))
					update := h.add(t, g, what.nodes, what.edges, nil)
					if update.Whole {
						whole++
					} else {
						local++
					}
					now := h.graph(g.Nodes())
					x := h.features(0, g.Nodes())
					exact := testkit.Must(first.Embed(ctx, now, x))
					got := testkit.Must(g.Embed(ctx, numbers(g.Nodes())))
					testkit.WantClose(t, "vectors", got, exact, 1e-12*mat.Norm(exact, 2))
					// Who is not said to have moved has the vector of before.
					rows, _ := before.Dims()
					if update.Whole { // to rounding
						rows = 0
					}
					for i := range rows {
						if _, moved := slices.BinarySearch(update.Moved, i); !moved && !slices.Equal(before.RawRowView(i), got.RawRowView(i)) {
							t.Errorf("node %d has moved", i)
						}
					}
					first, _ = refit(t, g) // by which g embeds from now on
					wantModel(t, first, h.fit(g.Nodes()))
				}
				if local < 5 || name == "default" && whole < 1 {
					t.Errorf("%d additions by their neighbourhood and %d by everything: both are to be tested", local, whole)
				}
			})
		}
	}
}

// On a ring of four neighbours who is within two hops of U is known: all of them have moved, and
// nobody else.
func TestUpdateNamesWhoHasMoved(t *testing.T) {
	const n = 300
	h := ring(testkit.RandomDense(testkit.Random(3), n+1, 12), n, 2, coles.WithDim(5), coles.WithFilter(coles.S2GCSum(2)))
	m, g := h.follow(n)
	before := testkit.Must(g.Embed(ctx, numbers(n)))
	testkit.WantClose(t, "vectors before", before, m.Embedding(), 1e-12)
	update := h.add(t, g, 1, []coles.Edge{{U: n, V: 10}, {U: 100, V: 103}}, []float64{1, 2})
	var want []int
	for i := range n {
		if 10-4 <= i && i <= 10+4 || 100-4 <= i && i <= 103+4 {
			want = append(want, i)
		}
	}
	testkit.WantSame(t, "who has moved", update, &live.Update{Moved: append(want, n)})
	after := testkit.Must(g.Embed(ctx, numbers(n+1)))
	for _, i := range want {
		if slices.Equal(before.RawRowView(i), after.RawRowView(i)) {
			t.Errorf("node %d has not moved", i)
		}
	}
	// No edge, and one that is there already and heavier.
	nothing := h.add(t, g, 0, []coles.Edge{{U: 200, V: 250}, {U: 100, V: 103}}, []float64{0, 0.5})
	testkit.WantSame(t, "who has moved of nothing", len(nothing.Moved), 0)
	some := testkit.Must(g.Embed(ctx, []int{n, 7, 7}))
	testkit.WantSame(t, "some", testkit.Bits(some.Slice(0, 2, 0, 5)), testkit.Bits(mat.NewDense(2, 5, slices.Concat(after.RawRowView(n), after.RawRowView(7)))))
	if !testkit.Must(g.Embed(ctx, nil)).IsEmpty() {
		t.Error("vectors of nobody")
	}
}

// The features of new nodes are weighted as in the fit.
func TestThePreparationIsKept(t *testing.T) {
	const n, more, d = 200, 20, 30
	_, words := testkit.RandomWords(testkit.Random(9), n+more, d)
	for _, how := range []coles.Preparation{coles.PrepareTFIDF, coles.PrepareRowL2, coles.PrepareRowL1, coles.PrepareStandardize} {
		for _, sparse := range []bool{true, false} {
			h := ring(words, n, 3, coles.With(func(s *coles.Settings) { s.Dim, s.Preparation = 5, how }))
			h.sparse = sparse
			m, g := h.follow(n)
			var edges []coles.Edge
			for k := range more {
				edges = append(edges, coles.Edge{U: n + k, V: 7 * k})
			}
			h.add(t, g, more, edges, nil)
			got, _ := refit(t, g)
			prepared := testkit.Must(m.Parts()[0].Preparer.Apply(ctx, h.features(0, n+more)))
			plain := *h
			plain.x, plain.opts = testkit.DenseOf(prepared), []coles.Option{coles.With(func(s *coles.Settings) { s.Dim, s.Preparation = 5, coles.PrepareNone })}
			want := plain.fit(n + more)
			testkit.WantClose(t, how.String(), got.Embedding(), want.Embedding(), 1e-9)
			// Its report of the input equals the report of a fit of all of it, and marks that it is no fit.
			report, fresh := got.Report(), h.fit(n+more).Report()
			testkit.WantSame(t, "hashes", []string{report.GraphHash, report.FeaturesHash}, []string{fresh.GraphHash, fresh.FeaturesHash})
			var file bytes.Buffer
			testkit.Must(got.WriteTo(&file))
			if read := testkit.Must(coles.ReadModel(&file)); !read.Report().Refitted || m.Report().Refitted {
				t.Errorf("refitted: %v, fitted: %v", read.Report().Refitted, m.Report().Refitted)
			}
			testkit.WantClose(t, "embedded again", testkit.Must(got.Embed(ctx, h.graph(n+more), h.features(0, n+more))), got.Embedding(), 1e-11)
		}
	}
}

// A model fitted in float32 follows a graph that it was not fitted on, in float64.
func TestAnotherGraphIsFollowed(t *testing.T) {
	x := testkit.RandomDense(testkit.Random(5), 90, 6)
	fitted := ring(x, 60, 1, coles.WithDim(3), coles.WithPrecision(coles.Float32))
	m, _ := fitted.follow(60)
	other := ring(x, 90, 3)
	g := testkit.Must(live.Follow(ctx, m, other.graph(90), x))
	exact := testkit.Must(m.Embed(ctx, other.graph(90), x))
	// float32 rounds by 6·10⁻⁸, and 9 times as much after 8 hops.
	testkit.WantClose(t, "vectors", testkit.Must(g.Embed(ctx, numbers(90))), exact, 1e-6*mat.Norm(exact, 2))
	refitted, _ := refit(t, g)
	testkit.WantSame(t, "precision", refitted.Report().Precision, coles.Float64)
}

func TestNewNodesHaveNames(t *testing.T) {
	x := testkit.RandomDense(testkit.Random(2), 4, 3)
	old, one := x.Slice(0, 3, 0, 3), x.Slice(3, 4, 0, 3)
	named := testkit.Must(coles.NewGraph(3, testkit.Ring(3, 1), coles.WithIDs([]string{"a", "b", "c"})))
	g := testkit.Must(live.Follow(ctx, testkit.Must(coles.Fit(ctx, named, old)), named, old))
	for _, ids := range [][]string{nil, {"a"}, {"p", "q"}, {}} {
		testkit.WantError(t, testkit.Err(g.Add(ctx, live.Change{Features: one, IDs: ids})), coles.ErrIDs)
	}
	two := mat.NewDense(2, 3, nil)
	testkit.WantError(t, testkit.Err(g.Add(ctx, live.Change{Features: two, IDs: []string{"p", "p"}})), coles.ErrIDs)
	testkit.Must(g.Add(ctx, live.Change{Features: one, IDs: []string{"d"}}))
	testkit.WantError(t, testkit.Err(g.Add(ctx, live.Change{Features: one, IDs: []string{"d"}})), coles.ErrIDs)
	m, _ := refit(t, g)
	testkit.WantSame(t, "names", m.IDs(), []string{"a", "b", "c", "d"})
	testkit.WantSame(t, "names before", named.IDs(), []string{"a", "b", "c"})
	if row, ok := testkit.Must(g.Graph()).Row("d"); !ok || row != 3 {
		t.Errorf("d is row %d: %v", row, ok)
	}
}

// Sums have an order of their own: the same history gives the same bytes in every run, on any
// number of processors.
func TestGrowthIsTheSameForEveryGOMAXPROCS(t *testing.T) {
	const n = 2000
	h := ring(testkit.RandomDense(testkit.Random(6), n, 12), n, 1, coles.WithFilter(coles.SGC(1)), coles.WithDim(8))
	m := h.fit(n)
	rng := testkit.Random(23)
	var what live.Change
	for k := range 60 {
		what.Edges = append(what.Edges, coles.Edge{U: 5 * k, V: 5*k + 3})
		what.Weights = append(what.Weights, math.Exp(2*rng.NormFloat64()))
	}
	var first []uint64
	testkit.ForProcessors(t, func(procs int) {
		for range 3 {
			g := testkit.Must(live.Follow(ctx, m, h.graph(n), h.features(0, n)))
			if testkit.Must(g.Add(ctx, what)).Whole {
				t.Fatal("everything was computed again: the case is too small")
			}
			refitted, _ := refit(t, g)
			now := testkit.Bits(refitted.Embedding())
			if first == nil {
				first = now
			}
			if !slices.Equal(first, now) {
				t.Errorf("other bytes with %d processors", procs)
			}
		}
	})
}
