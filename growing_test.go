package coles_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"coles"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
)

// ringEdges joins every node of a ring to the next ones on either side: few nodes
// are within a hop or two.
func ringEdges(n, side int) []coles.Edge {
	var edges []coles.Edge
	for u := range n {
		for k := 1; k <= side; k++ {
			edges = append(edges, coles.Edge{U: u, V: (u + k) % n})
		}
	}
	return edges
}

// refitted is what Refit is to equal: a fit from scratch in double precision, by M.
func refitted(t *testing.T, g *coles.Graph, x mat.Matrix, opts ...coles.Option) *coles.Model {
	t.Helper()
	return must(coles.Fit(ctx, g, x, append(opts, coles.WithPrecision(coles.Float64), coles.WithSolver(coles.SolverDirect))...))
}

// sameModel compares two models by what does not depend on the basis of
// eigenvectors with close eigenvalues: λ, factors, and the products of all rows.
func sameModel(t *testing.T, got, want *coles.Model) {
	t.Helper()
	lambda := want.Lambda()
	for k, l := range got.Lambda() {
		if math.Abs(l-lambda[k]) > 1e-9*lambda[0] {
			t.Errorf("eigenvalue %d is %v, a refit finds %v", k, l, lambda[k])
		}
	}
	g, w := rowProducts(got.Embedding()), rowProducts(want.Embedding())
	var difference mat.Dense
	difference.Sub(g, w)
	if d := mat.Norm(&difference, 2) / mat.Norm(w, 2); !(d <= 1e-9) {
		t.Errorf("YYᵀ is off by %.2g of it", d)
	}
	if report := cmp.Diff(want.Report().Graph, got.Report().Graph, cmp.FilterPath(func(p cmp.Path) bool {
		f := p.Last().String()
		return f == ".DuplicatesMerged" || f == ".SelfLoopsDropped" || f == ".ZeroWeightDropped"
	}, cmp.Ignore())); report != "" {
		t.Errorf("graphs differ: %s", report)
	}
}

func rowProducts(y *mat.Dense) *mat.Dense {
	var p mat.Dense
	p.Mul(y, y.T())
	return &p
}

// A history of additions: nodes with and without edges, edges between old
// nodes, weights that rise, repeated edges and loops. After each the model equals
// one fitted from scratch to the promised 1e-9.
func TestGrowingEqualsARefit(t *testing.T) {
	const n, more = 400, 30
	for _, c := range []struct {
		name string
		opts []coles.Option
		keep bool // self loops
	}{
		{"default", nil, false},
		{"one hop", []coles.Option{coles.WithFilter(coles.SGC(1))}, false},
		{"two hops", []coles.Option{coles.WithFilter(coles.S2GCSum(2))}, false},
		{"identity", []coles.Option{coles.WithFilter(coles.Identity())}, false},
		{"gaps", []coles.Option{coles.WithFilter(coles.Polynomial(0.5, 0, 0.3, 0.2))}, false},
		{"no negatives", []coles.Option{coles.WithNegatives(coles.NoNegatives()), coles.WithFilter(coles.SGC(2))}, false},
		{"uniform", []coles.Option{coles.WithNegatives(coles.ExpectedUniformNegatives()), coles.WithEta(0.7), coles.WithFilter(coles.SGC(2))}, false},
		{"covariance", []coles.Option{coles.WithCovarianceShare(0.3), coles.WithFilter(coles.SGC(2))}, false},
		{"loops", []coles.Option{coles.WithFilter(coles.S2GCSum(2))}, true},
	} {
		for _, kind := range []string{"dense", "sparse"} {
			t.Run(c.name+" "+kind, func(t *testing.T) {
				rng := random(7)
				opts := append([]coles.Option{coles.WithDim(6), coles.WithFeatures(coles.PrepareNone)}, c.opts...)
				_, counts := randomWords(rng, n+more, 20)
				features := func(lo, hi int) mat.Matrix {
					if kind == "sparse" {
						return sparseOf(counts.Slice(lo, hi, 0, 20))
					}
					return counts.Slice(lo, hi, 0, 20)
				}
				edges := ringEdges(n, 2)
				weights := make([]float64, len(edges))
				for q := range weights {
					weights[q] = 1 + rng.Float64()
				}
				if c.keep {
					edges, weights = append(edges, coles.Edge{U: 3, V: 3}), append(weights, 2)
				}
				graph := func(n int) *coles.Graph {
					options := []coles.GraphOption{coles.WithEdgeWeights(weights)}
					if c.keep {
						options = append(options, coles.WithSelfLoopsKept())
					}
					return must(coles.NewGraph(n, edges, options...))
				}
				m := must(coles.Fit(ctx, graph(n), features(0, n), opts...))
				r := must(m.Grow(ctx, graph(n), features(0, n)))
				whole, local := 0, 0
				for step, what := range []struct {
					nodes int
					edges []coles.Edge
				}{
					{0, []coles.Edge{{U: 5, V: 9}}},
					{1, []coles.Edge{{U: n, V: 17}, {U: n, V: 18}}},
					{2, nil}, // without edges
					{1, []coles.Edge{{U: n + 3, V: n + 1}, {U: 30, V: n + 2}, {U: n + 3, V: n + 3}}},
					{0, []coles.Edge{{U: 5, V: 9}, {U: 9, V: 5}, {U: 40, V: 41}}}, // there already
					{20, []coles.Edge{{U: 0, V: n + 4}, {U: 50, V: n + 5}, {U: 100, V: n + 6}, {U: 150, V: n + 7}, {U: 200, V: n + 8}, {U: 250, V: n + 9}, {U: 300, V: n + 10}, {U: 350, V: n + 11}, {U: 25, V: n + 12}, {U: 125, V: 325}}},
				} {
					growth := coles.Growth{Edges: what.edges}
					before := r.Nodes()
					if what.nodes > 0 {
						growth.Features = features(before, before+what.nodes)
					}
					for range what.edges {
						growth.Weights = append(growth.Weights, 0.5+3*rng.Float64())
					}
					grown, err := r.Add(ctx, growth)
					if err != nil {
						t.Fatal(err)
					}
					if grown.Whole {
						whole++
					} else {
						local++
					}
					edges, weights = append(edges, growth.Edges...), append(weights, growth.Weights...)
					now := graph(before + what.nodes)
					got, _, err := r.Refit(ctx)
					if err != nil {
						t.Fatal(err)
					}
					want := refitted(t, now, features(0, now.Nodes()), opts...)
					t.Logf("step %d: %d nodes moved, all: %v", step, len(grown.Moved), grown.Whole)
					sameModel(t, got, want)
					if len(grown.Moved) > 0 && !slices.IsSorted(grown.Moved) {
						t.Errorf("moved nodes are not in order: %v", grown.Moved)
					}
				}
				if local < 5 || c.name == "default" && whole < 1 {
					t.Errorf("%d additions by their neighbourhood and %d by everything: both are to be tested", local, whole)
				}
			})
		}
	}
}

// Only the nodes said to have moved have another vector, and those that have
// moved have the vector that the exact Embed gives.
func TestGrowingMovesWhatItSays(t *testing.T) {
	const n, d = 300, 12
	rng := random(3)
	x := randomDense(rng, n+1, d)
	g := must(coles.NewGraph(n, ringEdges(n, 2)))
	m := must(coles.Fit(ctx, g, x.Slice(0, n, 0, d), coles.WithDim(5), coles.WithFilter(coles.S2GCSum(2)), coles.WithFeatures(coles.PrepareStandardize)))
	r := must(m.Grow(ctx, g, x.Slice(0, n, 0, d)))
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	before := must(r.Embed(ctx, all))
	if diff := largestDifference(before, m.Embedding()); diff > 1e-12 {
		t.Errorf("before anything was added the vectors are off by %.2g", diff)
	}
	grown := must(r.Add(ctx, coles.Growth{Features: x.Slice(n, n+1, 0, d), Edges: []coles.Edge{{U: n, V: 10}, {U: 20, V: 21}, {U: 100, V: 103}}}))
	after := must(r.Embed(ctx, append(slices.Clone(all), n)))
	exact := must(m.Embed(ctx, must(r.Graph()), x))
	if diff := largestDifference(after, exact); diff > 1e-12 {
		t.Errorf("vectors are off by %.2g of the exact ones", diff)
	}
	var moved []int
	for i := range n + 1 {
		if i == n || !slices.Equal(before.RawRowView(i), after.RawRowView(i)) {
			moved = append(moved, i)
		}
	}
	if !slices.Equal(moved, grown.Moved) {
		t.Errorf("moved are %v, said to be %v", moved, grown.Moved)
	}
	if grown.Whole || len(grown.Moved) > 30 {
		t.Errorf("%d nodes are said to have moved", len(grown.Moved))
	}
}

func largestDifference(a, b mat.Matrix) float64 {
	var d mat.Dense
	d.Sub(a, b)
	return math.Max(mat.Max(&d), -mat.Min(&d))
}

// After a thousand additions nothing has drifted.
func TestGrowingDoesNotDrift(t *testing.T) {
	const n, steps, d = 2000, 1000, 8
	rng := random(5)
	x := randomDense(rng, n, d)
	edges := ringEdges(n, 2)
	opts := []coles.Option{coles.WithFilter(coles.SGC(2)), coles.WithFeatures(coles.PrepareNone)}
	g := must(coles.NewGraph(n, edges))
	r := must(must(coles.Fit(ctx, g, x, opts...)).Grow(ctx, g, x))
	for range steps {
		u := rng.IntN(n)
		e := coles.Edge{U: u, V: (u + 3 + rng.IntN(5)) % n}
		edges = append(edges, e)
		must(r.Add(ctx, coles.Growth{Edges: []coles.Edge{e}}))
	}
	got, _, err := r.Refit(ctx)
	if err != nil {
		t.Fatal(err)
	}
	sameModel(t, got, refitted(t, must(coles.NewGraph(n, edges)), x, opts...))
}

// The features of new nodes are weighted as those of the fit were.
func TestGrowingKeepsThePreparation(t *testing.T) {
	const n, more = 200, 20
	_, counts := randomWords(random(9), n+more, 30)
	old := counts.Slice(0, n, 0, 30)
	prepare := must(coles.FitPreparation(ctx, sparseOf(old), coles.PrepareTFIDF))
	all := must(prepare.Apply(ctx, sparseOf(counts)))
	edges := ringEdges(n, 3)
	g := must(coles.NewGraph(n, edges))
	m := must(coles.Fit(ctx, g, sparseOf(old), coles.WithDim(5), coles.WithFeatures(coles.PrepareTFIDF)))
	r := must(m.Grow(ctx, g, sparseOf(old)))
	for k := range more {
		edges = append(edges, coles.Edge{U: n + k, V: 7 * k})
	}
	must(r.Add(ctx, coles.Growth{Features: sparseOf(counts.Slice(n, n+more, 0, 30)), Edges: edges[len(edges)-more:]}))
	got, _, err := r.Refit(ctx)
	if err != nil {
		t.Fatal(err)
	}
	sameModel(t, got, refitted(t, must(coles.NewGraph(n+more, edges)), all, coles.WithDim(5), coles.WithFeatures(coles.PrepareNone)))
	// It says of its input what a fit of all of it would, and that it is none.
	if p := must(coles.ReadModel(bytes.NewReader(modelBytes(got)))).Provenance(); !p.Refitted || m.Provenance().Refitted {
		t.Errorf("refitted: %v, fitted: %v", p.Refitted, m.Provenance().Refitted)
	}
	if hash := must(coles.HashInput(ctx, must(coles.NewGraph(n+more, edges)), sparseOf(counts))); got.Provenance().Input != hash {
		t.Errorf("the input is %v, want %v", got.Provenance().Input, hash)
	}
	// The model embeds on with those weights.
	y := must(got.Embed(ctx, must(r.Graph()), sparseOf(counts)))
	if diff := largestDifference(y, got.Embedding()); diff > 1e-11 {
		t.Errorf("the refitted model embeds its own nodes %.2g off", diff)
	}
}

// The first self loop of a graph that keeps them is kept.
func TestGrowingKeepsSelfLoops(t *testing.T) {
	for keep, opts := range map[bool][]coles.GraphOption{true: {coles.WithSelfLoopsKept()}, false: nil} {
		g, x := must(coles.NewGraph(30, ringEdges(30, 1), opts...)), randomDense(random(3), 30, 4)
		r := must(must(coles.Fit(ctx, g, x, coles.WithDim(2))).Grow(ctx, g, x))
		must(r.Add(ctx, coles.Growth{Edges: []coles.Edge{{U: 1, V: 1}}, IDs: []string{}}))
		if loops := must(r.Graph()).Report().SelfLoops; loops == 1 != keep {
			t.Errorf("loops kept: %v, and there are %d", keep, loops)
		}
	}
}

func TestGrowingNamesItsNodes(t *testing.T) {
	x := randomDense(random(2), 4, 3)
	edges := []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}}
	for _, c := range []struct {
		name   string
		option coles.GraphOption
		fresh  string
		bad    []string
		want   []string
	}{
		{"strings", coles.WithIDs([]string{"a", "b", "c"}), "d", []string{"a"}, []string{"a", "b", "c", "d"}},
		{"integers", coles.WithIntIDs([]int64{10, 20, 30}), "-4", []string{"20", "x", "007"}, []string{"10", "20", "30", "-4"}},
	} {
		g := must(coles.NewGraph(3, edges, c.option))
		r := must(must(coles.Fit(ctx, g, x.Slice(0, 3, 0, 3))).Grow(ctx, g, x.Slice(0, 3, 0, 3)))
		one := x.Slice(3, 4, 0, 3)
		for _, id := range c.bad {
			_, err := r.Add(ctx, coles.Growth{Features: one, IDs: []string{id}})
			wantError(t, err, coles.ErrIDs)
		}
		for _, ids := range [][]string{nil, {"p", "q"}} {
			_, err := r.Add(ctx, coles.Growth{Features: one, IDs: ids})
			wantError(t, err, coles.ErrIDs)
		}
		must(r.Add(ctx, coles.Growth{Features: one, IDs: []string{c.fresh}}))
		m, _, err := r.Refit(ctx)
		if err != nil || !slices.Equal(m.IDs(), c.want) {
			t.Errorf("%s: ids %q (%v), want %q", c.name, m.IDs(), err, c.want)
		}
		if names := g.IDs(); len(names) != 3 {
			t.Errorf("%s: the first graph has the names %q now", c.name, names)
		}
	}
}

// A graph may begin without any edge, and the input may be written to after.
func TestGrowingBeginsFromNothing(t *testing.T) {
	const n, d = 40, 4
	rng := random(8)
	x := randomDense(rng, n, d)
	kept := mat.DenseCopyOf(x)
	g := must(coles.NewGraph(n, nil))
	opts := []coles.Option{coles.WithFeatures(coles.PrepareNone), coles.WithFilter(coles.SGC(2))}
	r := must(must(coles.Fit(ctx, g, x, opts...)).Grow(ctx, g, x))
	x.Zero()
	edges := ringEdges(n, 1)
	for _, e := range edges {
		must(r.Add(ctx, coles.Growth{Edges: []coles.Edge{e}}))
	}
	got, _, err := r.Refit(ctx)
	if err != nil {
		t.Fatal(err)
	}
	sameModel(t, got, refitted(t, must(coles.NewGraph(n, edges)), kept, opts...))
}

func TestGrowingIsTheSameForEveryGOMAXPROCS(t *testing.T) {
	const n, d = 3000, 24
	rng := random(6)
	x := randomDense(rng, n, d)
	g := must(coles.NewGraph(n, ringEdges(n, 3)))
	var first *mat.Dense
	for _, procs := range []int{1, 2, 3, 8, 16} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		r := must(must(coles.Fit(ctx, g, x, coles.WithFilter(coles.SGC(2)))).Grow(ctx, g, x))
		draw := rand.New(rand.NewPCG(1, 1))
		for range 5 {
			must(r.Add(ctx, coles.Growth{Edges: []coles.Edge{{U: draw.IntN(n), V: draw.IntN(n)}, {U: draw.IntN(n), V: draw.IntN(n)}}}))
		}
		m, _, err := r.Refit(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = m.Embedding()
		} else if !mat.Equal(first, m.Embedding()) {
			t.Errorf("other bytes with %d processors", procs)
		}
	}
}
