package coles_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// drawnCounts recovers the matrix C of how often each pair was drawn from W⁻ = D^-½ C D^-½. √D is
// the eigenvector of W⁻ for the eigenvalue 1, the only one where W⁻ is connected, as it is here;
// its scale follows from ΣD = 2·n·s, s partners a node being drawn and each pair counting at both
// ends. That all entries of C come out whole confirms it.
func drawnCounts(t *testing.T, n, perNode int, w *coles.SymCSR) *mat.Dense {
	t.Helper()
	full := testkit.DenseOf(w)
	_, vectors := oracle(full)
	root := vectors.RawRowView(0)
	floats.Scale(math.Sqrt(float64(2*n*perNode)), root)
	counts := mat.NewDense(n, n, nil)
	counts.Apply(func(i, j int, v float64) float64 {
		c := v * root[i] * root[j]
		if math.Abs(c-math.Round(c)) > 1e-6 {
			t.Fatalf("pair (%d, %d) was drawn %v times", i, j, c)
		}
		return math.Round(c)
	}, full)
	return counts
}

func TestEveryNodeDrawsItsPartners(t *testing.T) {
	g := testkit.RandomGraph(31, 40, 0.2)
	adjacency := g.CSR()
	for _, c := range []struct {
		s       coles.NegativeSampler
		perNode int
	}{
		{coles.UniformNegatives(4), 4},
		{coles.UniformNegatives(4).ExcludeEdges(), 4},
		{coles.DegreeNegatives(5), 5},
		{coles.DegreeNegatives(5).ExcludeEdges(), 5},
	} {
		t.Run(c.s.String(), func(t *testing.T) {
			for seed := range uint64(3) {
				w := testkit.Must(c.s.Sample(ctx, g, seed))
				counts := drawnCounts(t, 40, c.perNode, w)
				testkit.WantClose(t, "W⁻", w, testkit.NormalizedDense(counts), 1e-12)
				for i := range 40 {
					if counts.At(i, i) != 0 {
						t.Errorf("seed %d: node %d was drawn as its own partner", seed, i)
					}
					if own := mat.Sum(counts.RowView(i)); own < float64(c.perNode) {
						t.Errorf("seed %d: node %d is in %v pairs, it alone drew %d", seed, i, own, c.perNode)
					}
					for j := range 40 {
						if c.s == c.s.ExcludeEdges() && counts.At(i, j) > 0 && adjacency.At(i, j) > 0 {
							t.Errorf("seed %d: the edge (%d, %d) was drawn", seed, i, j)
						}
					}
				}
			}
		})
	}
}

// nearlyComplete lacks a perfect matching: every node has one non-neighbour.
func nearlyComplete(n int) *coles.Graph {
	return completeGraph(n).Without(func(e coles.Edge) bool { return e.V-e.U == n/2 })
}

// Samplers leave edges out exactly, as long as there are pairs left.
func TestExclusionIsExact(t *testing.T) {
	for name, c := range map[string]struct {
		g *coles.Graph
		s coles.NegativeSampler
	}{
		"one stranger for one draw":           {nearlyComplete(300), coles.UniformNegatives(1)},
		"one stranger for one draw by degree": {nearlyComplete(300), coles.DegreeNegatives(1)},
		"all pairs that are no edge":          {completeGraph(6), coles.ErdosRenyiNegatives(1)},
	} {
		t.Run(name, func(t *testing.T) {
			w, a := testkit.Must(c.s.ExcludeEdges().Sample(ctx, c.g, 1)), c.g.CSR()
			w.ToCSR().DoNonZero(func(i, j int, _ float64) {
				if i == j || a.At(i, j) != 0 {
					t.Errorf("(%d, %d) was drawn", i, j)
				}
			})
			// In nearlyComplete(300) every node has exactly one admissible partner.
			if c.g.Nodes() == 300 && w.NNZ() != 300 {
				t.Errorf("%d entries, want one a node", w.NNZ())
			}
		})
	}
}

// Samplers that cannot draw return an error, to their caller and in a contrast, which needs no draws of an
// expectation or of none.
func TestSamplersThatCannotDraw(t *testing.T) {
	uniform, degree := coles.UniformNegatives(1), coles.DegreeNegatives(1)
	var unread coles.NegativeSampler
	testkit.Check(t, unread.UnmarshalText([]byte("custom:mine")))
	returning := func(w *coles.SymCSR, err error) coles.NegativeSampler {
		return coles.NegativeFunc("mine", func(context.Context, *coles.Graph, uint64) (*coles.SymCSR, error) { return w, err })
	}
	mine, some := errors.New("no negatives today"), testkit.RandomGraph(34, 5, 0.9)
	for name, c := range map[string]struct {
		g        *coles.Graph
		s        coles.NegativeSampler
		want     error
		contrast bool // can do without
	}{
		"complete":                         {completeGraph(6), uniform.ExcludeEdges(), coles.ErrDense, false},
		"star: its centre has no stranger": {starGraph(9), uniform.ExcludeEdges(), coles.ErrDense, false},
		"one stranger for two draws":       {nearlyComplete(300), coles.UniformNegatives(2).ExcludeEdges(), coles.ErrDense, false},
		"the only stranger has no degree":  {graphOf(4, 0, 1, 1, 2, 2, 0), degree.ExcludeEdges(), coles.ErrDense, false},
		"no edges, by degree":              {graphOf(4), degree, coles.ErrDense, false},
		"one node":                         {graphOf(1), uniform, coles.ErrDense, false},
		"of a smaller graph":               {some, returning(graphOf(4, 0, 1).Positive(), nil), coles.ErrShape, false},
		"its own error":                    {some, returning(nil, mine), mine, false},
		"2,200,000,000 partners":           {graphOf(100_000), coles.UniformNegatives(22_000), coles.ErrTooLarge, false},
		"half of 5,000,000,000 pairs":      {graphOf(100_000), coles.ErdosRenyiNegatives(0.5), coles.ErrTooLarge, false},
		"a name without its function":      {some, unread, coles.ErrSetting, false},
		"none":                             {some, noNegatives, coles.ErrSetting, true},
		"the uniform expectation":          {some, coles.ExpectedUniformNegatives(), coles.ErrSetting, true},
		"the expectation by degree":        {some, coles.ExpectedDegreeNegatives(), coles.ErrSetting, true},
	} {
		t.Run(name, func(t *testing.T) {
			testkit.WantError(t, testkit.Err(c.s.Sample(ctx, c.g, 1)), c.want)
			if _, err := coles.Contrast(ctx, c.g, c.s, 1, 1, 1); !c.contrast || err != nil {
				testkit.WantError(t, err, c.want)
			}
		})
	}
}

func TestErdosRenyiExtremes(t *testing.T) {
	g := testkit.RandomGraph(32, 25, 0.3)
	a := g.CSR()
	complement := completeGraph(25).Without(func(e coles.Edge) bool { return a.At(e.U, e.V) != 0 })
	for _, c := range []struct {
		s    coles.NegativeSampler
		want mat.Matrix
	}{
		{coles.ErdosRenyiNegatives(0), mat.NewDense(25, 25, nil)},
		{coles.ErdosRenyiNegatives(1), completeGraph(25).Positive()},
		{coles.ErdosRenyiNegatives(1).ExcludeEdges(), complement.Positive()},
	} {
		testkit.WantClose(t, c.s.String(), testkit.Must(c.s.Sample(ctx, g, 1)), c.want, 1e-15)
	}
}

func TestNegativeSumsRepeatedPairs(t *testing.T) {
	w := testkit.Must(graphOf(4).Negative(edges(0, 1, 1, 0, 0, 1, 1, 2, 2, 2)))
	want := mat.NewDense(4, 4, []float64{0, 3, 0, 0, 3, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	testkit.WantClose(t, "W⁻", w, testkit.NormalizedDense(want), 1e-15)
}

// On a regular graph E[W⁻] is the same for every pair, so the mean of many draws tends to (1/n)·11ᵀ
// but for the diagonal, which is never drawn: every row of C sums to its degree, so on average the
// entries of a row add up to about 1.
func TestMeanOfManyDrawsTendsToExpectation(t *testing.T) {
	skipUnderRace(t)
	const n, kappa = 30, 4000
	g := testkit.Must(coles.NewGraph(n, testkit.Ring(n, 2)))
	wPlus := testkit.DenseOf(g.Positive())
	uniform := testkit.Must(contrast(g, coles.ExpectedUniformNegatives()).Apply(ctx, testkit.Eye(n)))
	degree := testkit.Must(contrast(g, coles.ExpectedDegreeNegatives()).Apply(ctx, testkit.Eye(n)))
	testkit.WantClose(t, "uniform and degree expectation of a regular graph", degree, uniform, 1e-15)
	for _, s := range []coles.NegativeSampler{coles.UniformNegatives(5), coles.DegreeNegatives(5)} {
		many := testkit.Must(coles.Contrast(ctx, g, s, kappa, 1, 3))
		var mean mat.Dense
		mean.Sub(wPlus, testkit.Must(many.Apply(ctx, testkit.Eye(n))))
		// The n−1 partners of a node share its row sum, which is 1 up to the spread of the degrees
		// (mean 10, deviation √5): 1/(n−1) times E[√(d_i d_j)]-type corrections of second order,
		// below 3 per cent.
		low, high := math.Inf(1), 0.0
		for i := range n {
			if mean.At(i, i) != 0 {
				t.Fatalf("%v: node %d met itself", s, i)
			}
			for j := range n {
				if i != j {
					low, high = min(low, mean.At(i, j)), max(high, mean.At(i, j))
				}
			}
		}
		average := mat.Sum(&mean) / (n * (n - 1))
		testkit.WantNear(t, s.String()+": the mean entry", average, 1./(n-1), 0.03)
		// One entry of one draw deviates by about 0.06 (a count of mean 0.34 over a degree of 10):
		// of 4000, 0.001; five of these over 870 entries.
		if low < average-0.005 || high > average+0.005 {
			t.Errorf("%v: entries run from %v to %v around %v", s, low, high, average)
		}
	}
}

// negativeLaw is the probability of every W⁻ where each of n nodes draws partners from the admissible
// nodes by their weight. Drawn pairs are counted for both ends, and the counts degree-normalised.
func negativeLaw(n, perNode int, admissible func(u, v int) bool, weight func(v int) float64) map[string]float64 {
	law, counts := map[string]float64{}, mat.NewDense(n, n, nil)
	var from func(k int, chance float64)
	from = func(k int, chance float64) {
		if k == n*perNode {
			law[textOf(testkit.NormalizedDense(counts))] += chance
			return
		}
		u, p, total := k/perNode, make([]float64, n), 0.0
		for v := range n {
			if admissible(u, v) {
				p[v] = weight(v)
				total += p[v]
			}
		}
		for v, q := range p {
			if q > 0 {
				counts.Set(u, v, counts.At(u, v)+1)
				counts.Set(v, u, counts.At(v, u)+1)
				from(k+1, chance*q/total)
				counts.Set(u, v, counts.At(u, v)-1)
				counts.Set(v, u, counts.At(v, u)-1)
			}
		}
	}
	from(0, 1)
	return law
}

// textOf is a matrix to nine digits, without signs.
func textOf(m mat.Matrix) string {
	var entries mat.Dense
	entries.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, m)
	return fmt.Sprintf("%.9f", entries.RawMatrix().Data)
}

// erdosRenyiLaw is the probability of every W⁻ where each pair of nodes that may be drawn is, by itself,
// with probability p.
func erdosRenyiLaw(n int, p float64, admissible func(u, v int) bool) map[string]float64 {
	var pairs []coles.Edge
	for e := range completeGraph(n).Edges() {
		if admissible(e.U, e.V) {
			pairs = append(pairs, e)
		}
	}
	law := map[string]float64{}
	for set := range 1 << len(pairs) {
		chance, drawn := 1.0, []coles.Edge(nil)
		for k, e := range pairs {
			if set>>k&1 == 1 {
				chance, drawn = chance*p, append(drawn, e)
			} else {
				chance *= 1 - p
			}
		}
		a := testkit.Must(coles.NewGraph(n, drawn)).CSR()
		law[textOf(testkit.NormalizedDense(testkit.DenseOf(a)))] += chance
	}
	return law
}

// halvedSums is the law of the mean of two W⁻ of n nodes, from the law of one and a sampler that draws it.
func halvedSums(n int, s coles.NegativeSampler, law map[string]float64) map[string]float64 {
	drawn, pairs := map[string]*mat.Dense{}, map[string]float64{}
	for seed := range uint64(200) {
		w := testkit.DenseOf(testkit.Must(s.Sample(ctx, graphOf(n), seed)))
		drawn[textOf(w)] = w
	}
	for x, p := range law {
		for y, q := range law {
			var sum mat.Dense
			sum.Add(drawn[x], drawn[y])
			sum.Scale(0.5, &sum)
			pairs[textOf(&sum)] += p * q
		}
	}
	return pairs
}

// Whole negative graphs have the probabilities that all draws add up to: on graphs of few nodes, by
// weighted degrees, at hubs, for several partners, and of independent pairs. Of κ = 2 so have their
// halved sums.
func TestNegativeGraphsHaveTheirLaw(t *testing.T) {
	skipUnderRace(t)
	wantLaw := func(what string, law map[string]float64, sample func(seed uint64) mat.Matrix) {
		t.Helper()
		counts := map[string]int{}
		for seed := range uint64(testkit.Draws(2000)) {
			counts[textOf(sample(seed))]++
		}
		testkit.WantLaw(t, what, counts, law)
	}
	popular := func(g *coles.Graph) func(v int) float64 {
		return func(v int) float64 { return math.Pow(g.Degrees()[v], 0.75) }
	}
	alike := func(int) float64 { return 1 }
	path, known := weighing(4, edges(0, 1, 1, 2, 2, 3), 5, 1, 0.25), graphOf(4, 0, 1, 1, 2)
	for _, c := range []struct {
		g       *coles.Graph
		s       coles.NegativeSampler
		perNode int
		weight  func(v int) float64
		pair    float64 // the probability of one where nodes have no partners
	}{
		{graphOf(2, 0, 1), coles.UniformNegatives(3), 3, alike, 0},
		{graphOf(3, 0, 1), coles.UniformNegatives(2), 2, alike, 0},
		{path, coles.UniformNegatives(1), 1, alike, 0},
		{path, coles.UniformNegatives(1).ExcludeEdges(), 1, alike, 0},
		{path, coles.DegreeNegatives(1), 1, popular(path), 0},
		{path, coles.DegreeNegatives(1).ExcludeEdges(), 1, popular(path), 0},
		{starGraph(4), coles.DegreeNegatives(1), 1, popular(starGraph(4)), 0},
		{known, coles.DegreeNegatives(1), 1, popular(known), 0}, // node 3 draws, but is not drawn
		{weighing(3, edges(0, 1, 1, 2), 1e-300, 1e-301), coles.DegreeNegatives(2), 2, popular(weighing(3, edges(0, 1, 1, 2), 10, 1)), 0},
		{graphOf(4, 0, 3), coles.ErdosRenyiNegatives(0.3), 0, nil, 0.3},
		{graphOf(4, 0, 3), coles.ErdosRenyiNegatives(0.9).ExcludeEdges(), 0, nil, 0.9},
		{graphOf(4, 0, 3), coles.ErdosRenyiNegatives(0.01), 0, nil, 0.01},
		{graphOf(4, 0, 3), coles.ErdosRenyiNegatives(1), 0, nil, 1},
	} {
		n, a := c.g.Nodes(), c.g.CSR()
		admissible := func(u, v int) bool { return u != v && !(c.s == c.s.ExcludeEdges() && a.At(u, v) != 0) }
		var law map[string]float64
		if c.perNode > 0 {
			law = negativeLaw(n, c.perNode, admissible, c.weight)
		} else {
			law = erdosRenyiLaw(n, c.pair, admissible)
		}
		wantLaw(fmt.Sprint(n, " nodes, ", c.s), law, func(seed uint64) mat.Matrix { return testkit.Must(c.s.Sample(ctx, c.g, seed)) })
	}
	one, g := coles.UniformNegatives(1), graphOf(3) // W⁺ = 0
	two := halvedSums(3, one, negativeLaw(3, 1, func(u, v int) bool { return u != v }, alike))
	wantLaw("κ = 2", two, func(seed uint64) mat.Matrix { return testkit.Must(coles.Contrast(ctx, g, one, 2, 1, seed)).Sparse() })
}
