package coles_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// drawnCounts recovers the matrix C of how often each pair was drawn from W⁻ = D^-½ C D^-½. √D is
// the eigenvector of W⁻ for the eigenvalue 1, the only one where W⁻ is connected, as it is here;
// its scale follows from ΣD = 2·n·s, s partners a node being drawn and each pair counting at both
// ends. That all entries of C come out whole confirms it.
func drawnCounts(t *testing.T, n, perNode int, w *coles.SymCSR) *mat.Dense {
	t.Helper()
	// Power iteration on (I + W⁻)/2, whose other eigenvalues lie in [0, 1).
	full, root := testkit.DenseOf(w), mat.NewDense(n, 1, nil)
	for i := range n {
		root.Set(i, 0, 1)
	}
	for range 3000 {
		next := testkit.Product(full, root)
		next.Add(next, root)
		next.Scale(0.5, next)
		root = next
	}
	root.Scale(math.Sqrt(float64(2*n*perNode))/mat.Norm(root, 2), root)
	counts := mat.NewDense(n, n, nil)
	counts.Apply(func(i, j int, v float64) float64 {
		c := v * root.At(i, 0) * root.At(j, 0)
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
		exclude bool
	}{
		{coles.UniformNegatives(4), 4, false},
		{coles.UniformNegatives(4).ExcludeEdges(), 4, true},
		{coles.DegreeNegatives(5), 5, false},
		{coles.DegreeNegatives(5).ExcludeEdges(), 5, true},
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
						if c.exclude && counts.At(i, j) > 0 && adjacency.At(i, j) > 0 {
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
	var list []coles.Edge
	for _, e := range testkit.RandomEdges(testkit.Random(0), n, 1.1) {
		if e.V-e.U != n/2 {
			list = append(list, e)
		}
	}
	return testkit.Must(coles.NewGraph(n, list))
}

func TestExclusionIsExactOrAnError(t *testing.T) {
	uniform, degree := coles.UniformNegatives(1).ExcludeEdges(), coles.DegreeNegatives(1).ExcludeEdges()
	for name, c := range map[string]struct {
		g    *coles.Graph
		s    coles.NegativeSampler
		want error
	}{
		"complete":                            {completeGraph(6), uniform, coles.ErrDense},
		"star: its centre has no stranger":    {starGraph(9), uniform, coles.ErrDense},
		"one stranger for two draws":          {nearlyComplete(300), coles.UniformNegatives(2).ExcludeEdges(), coles.ErrDense},
		"one stranger for one draw":           {nearlyComplete(300), uniform, nil},
		"one stranger for one draw by degree": {nearlyComplete(300), degree, nil},
		"the only stranger has no degree":     {graphOf(4, 0, 1, 1, 2, 2, 0), degree, coles.ErrDense},
		"no edges, by degree":                 {graphOf(4), coles.DegreeNegatives(1), coles.ErrDense},
		"one node":                            {graphOf(1), coles.UniformNegatives(1), coles.ErrDense},
		"all pairs that are no edge":          {completeGraph(6), coles.ErdosRenyiNegatives(1).ExcludeEdges(), nil},
	} {
		t.Run(name, func(t *testing.T) {
			w, err := c.s.Sample(ctx, c.g, 1)
			if c.want != nil {
				testkit.WantError(t, err, c.want)
				testkit.WantError(t, testkit.Err(coles.Contrast(ctx, c.g, c.s, 1, 1, 1)), c.want)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			a := c.g.CSR()
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

func TestErdosRenyiExtremes(t *testing.T) {
	g := testkit.RandomGraph(32, 25, 0.3)
	a := g.CSR()
	complement := mat.NewDense(25, 25, nil)
	complement.Apply(func(i, j int, _ float64) float64 {
		if i == j || a.At(i, j) != 0 {
			return 0
		}
		return 1
	}, complement)
	for _, c := range []struct {
		s    coles.NegativeSampler
		want mat.Matrix
	}{
		{coles.ErdosRenyiNegatives(0), mat.NewDense(25, 25, nil)},
		{coles.ErdosRenyiNegatives(1), completeGraph(25).Positive()},
		{coles.ErdosRenyiNegatives(1).ExcludeEdges(), testkit.NormalizedDense(complement)},
	} {
		testkit.WantClose(t, c.s.String(), testkit.Must(c.s.Sample(ctx, g, 1)), c.want, 1e-15)
	}
}

// One stream for every node: the same pairs on any number of processors, others for another seed.
func TestSamplersAreDeterministic(t *testing.T) {
	// More nodes than one task of the library's row split takes.
	const n = 10_000
	g := sparseGraph(33, n, 30_000)
	entries := func(s coles.NegativeSampler, seed uint64) (ind []int, val []float64) {
		raw := testkit.Must(s.Sample(ctx, g, seed)).ToCSR().RawMatrix()
		return raw.Ind, raw.Data
	}
	samplers := append([]coles.NegativeSampler{}, drawing[:4]...)
	for _, s := range append(samplers, coles.ErdosRenyiNegatives(0.001), coles.ErdosRenyiNegatives(0.001).ExcludeEdges()) {
		ind, val := entries(s, 7)
		testkit.ForProcessors(t, func(procs int) {
			if again, values := entries(s, 7); !slices.Equal(again, ind) || !slices.Equal(values, val) {
				t.Errorf("%v: other pairs with %d processors", s, procs)
			}
		})
	}
	first, _ := entries(coles.UniformNegatives(3), 1)
	second, _ := entries(coles.UniformNegatives(3), 2)
	alike := 0
	for q := range min(len(first), len(second)) {
		if first[q] == second[q] {
			alike++
		}
	}
	if alike > n/10 {
		t.Errorf("%d of %d pairs are alike for two seeds", alike, len(first))
	}
}

func TestNegativeSumsRepeatedPairs(t *testing.T) {
	w := testkit.Must(graphOf(4).Negative(edges(0, 1, 1, 0, 0, 1, 1, 2, 2, 2)))
	want := mat.NewDense(4, 4, []float64{0, 3, 0, 0, 3, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	testkit.WantClose(t, "W⁻", w, testkit.NormalizedDense(want), 1e-15)
}

func TestNegativeFuncIsChecked(t *testing.T) {
	g := testkit.RandomGraph(34, 5, 0.9)
	mine := errors.New("no negatives today")
	for name, c := range map[string]struct {
		w         *coles.SymCSR
		err, want error
	}{
		"a smaller graph": {graphOf(4, 0, 1).Positive(), nil, coles.ErrShape},
		"its own error":   {nil, mine, mine},
	} {
		s := coles.NegativeFunc(name, func(context.Context, *coles.Graph, uint64) (*coles.SymCSR, error) { return c.w, c.err })
		testkit.WantError(t, testkit.Err(s.Sample(ctx, g, 1)), c.want)
		testkit.WantError(t, testkit.Err(coles.Contrast(ctx, g, s, 1, 1, 1)), c.want)
	}
}

// What has nothing to draw says so when it is asked to.
func TestSamplersThatDrawNothing(t *testing.T) {
	var unread coles.NegativeSampler
	if err := unread.UnmarshalText([]byte("custom:mine")); err != nil {
		t.Fatal(err)
	}
	g := testkit.RandomGraph(34, 5, 0.9)
	for _, s := range []coles.NegativeSampler{noNegatives, coles.ExpectedUniformNegatives(), coles.ExpectedDegreeNegatives(), unread} {
		testkit.WantError(t, testkit.Err(s.Sample(ctx, g, 1)), coles.ErrSetting)
	}
	testkit.WantError(t, testkit.Err(coles.Contrast(ctx, g, unread, 1, 1, 1)), coles.ErrSetting)
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
		want := 1 / float64(n-1)
		low, high, total := math.Inf(1), 0.0, 0.0
		for i := range n {
			if mean.At(i, i) != 0 {
				t.Fatalf("%v: node %d met itself", s, i)
			}
			for j := range n {
				if i != j {
					low, high = min(low, mean.At(i, j)), max(high, mean.At(i, j))
					total += mean.At(i, j)
				}
			}
		}
		average := total / (n * (n - 1))
		testkit.WantNear(t, s.String()+": the mean entry", average, want, 0.03)
		// One entry of one draw deviates by about 0.06 (a count of mean 0.34 over a degree of 10):
		// of 4000, 0.001; five of these over 870 entries.
		if low < average-0.005 || high > average+0.005 {
			t.Errorf("%v: entries run from %v to %v around %v", s, low, high, average)
		}
	}
}

// negativeLaw is the probability of every W⁻ where each of n nodes draws so many partners, v by u with
// probability p(u, v). Drawn pairs are counted for both ends, and the counts degree-normalised.
func negativeLaw(n, perNode int, p func(u, v int) float64) map[string]float64 {
	law, counts := map[string]float64{}, mat.NewDense(n, n, nil)
	var from func(k int, chance float64)
	from = func(k int, chance float64) {
		if k == n*perNode {
			law[textOf(testkit.NormalizedDense(counts))] += chance
			return
		}
		u := k / perNode
		for v := range n {
			if q := p(u, v); q > 0 {
				counts.Set(u, v, counts.At(u, v)+1)
				counts.Set(v, u, counts.At(v, u)+1)
				from(k+1, chance*q)
				counts.Set(u, v, counts.At(u, v)-1)
				counts.Set(v, u, counts.At(v, u)-1)
			}
		}
	}
	from(0, 1)
	return law
}

// textOf is a matrix to nine digits.
func textOf(m mat.Matrix) string {
	text := ""
	n, _ := m.Dims()
	for i := range n {
		for j := range i {
			text += fmt.Sprintf("%.9f ", math.Abs(m.At(i, j)))
		}
	}
	return text
}

// Whole negative graphs have the probabilities that all draws add up to: on graphs of few nodes, by
// weighted degrees, at hubs, for several partners. Of κ = 2 so have their halved sums.
func TestNegativeGraphsHaveTheirLaw(t *testing.T) {
	skipUnderRace(t)
	path := weighing(4, edges(0, 1, 1, 2, 2, 3), 5, 1, 0.25)
	popular := func(g *coles.Graph) func(u, v int) float64 {
		return func(_, v int) float64 { return math.Pow(g.Degrees()[v], 0.75) }
	}
	alike := func(int, int) float64 { return 1 }
	for _, c := range []struct {
		g       *coles.Graph
		s       coles.NegativeSampler
		perNode int
		weight  func(u, v int) float64
	}{
		{graphOf(2, 0, 1), coles.UniformNegatives(3), 3, alike},
		{graphOf(3, 0, 1), coles.UniformNegatives(2), 2, alike},
		{path, coles.UniformNegatives(1), 1, alike},
		{path, coles.UniformNegatives(1).ExcludeEdges(), 1, alike},
		{path, coles.DegreeNegatives(1), 1, popular(path)},
		{path, coles.DegreeNegatives(1).ExcludeEdges(), 1, popular(path)},
		{starGraph(4), coles.DegreeNegatives(1), 1, popular(starGraph(4))},
		{graphOf(4, 0, 1, 1, 2), coles.DegreeNegatives(1), 1, popular(graphOf(4, 0, 1, 1, 2))}, // node 3 draws, but is not drawn
		{weighing(3, edges(0, 1, 1, 2), 1e-300, 1e-301), coles.DegreeNegatives(2), 2, popular(weighing(3, edges(0, 1, 1, 2), 10, 1))},
	} {
		n, a := c.g.Nodes(), c.g.CSR()
		admissible := func(u, v int) bool { return u != v && !(c.s == c.s.ExcludeEdges() && a.At(u, v) != 0) }
		law := negativeLaw(n, c.perNode, func(u, v int) float64 {
			total := 0.0
			for w := range n {
				if admissible(u, w) {
					total += c.weight(u, w)
				}
			}
			if !admissible(u, v) {
				return 0
			}
			return c.weight(u, v) / total
		})
		counts := map[string]int{}
		for seed := range uint64(testkit.Draws(2000)) {
			counts[textOf(testkit.Must(c.s.Sample(ctx, c.g, seed)))]++
		}
		testkit.WantLaw(t, fmt.Sprint(n, " nodes, ", c.s), counts, law)
	}

	single, pairs := map[string]*mat.Dense{}, map[string]float64{}
	g := graphOf(3) // W⁺ = 0
	one := negativeLaw(3, 1, func(u, v int) float64 {
		if u == v {
			return 0
		}
		return 0.5
	})
	for seed := range uint64(200) {
		w := testkit.DenseOf(testkit.Must(coles.UniformNegatives(1).Sample(ctx, g, seed)))
		single[textOf(w)] = w
	}
	for x, p := range one {
		for y, q := range one {
			var sum mat.Dense
			sum.Add(single[x], single[y])
			sum.Scale(0.5, &sum)
			pairs[textOf(&sum)] += p * q
		}
	}
	counts := map[string]int{}
	for seed := range uint64(testkit.Draws(2000)) {
		counts[textOf(testkit.Must(coles.Contrast(ctx, g, coles.UniformNegatives(1), 2, 1, seed)).Sparse())]++
	}
	testkit.WantLaw(t, "κ = 2", counts, pairs)
}

// On graphs of more rows, which draws jump over, every pair that may be drawn is there with probability
// p: its count is binomial, and pairs are independent. The seeds are fixed: what passes once passes always.
func TestErdosRenyiPairsFollowTheirDistribution(t *testing.T) {
	skipUnderRace(t)
	const n, draws, p = 30, 4000, 0.07
	g := testkit.RandomGraph(n, n, 0.3)
	a := g.CSR()
	for _, s := range []coles.NegativeSampler{coles.ErdosRenyiNegatives(p), coles.ErdosRenyiNegatives(p).ExcludeEdges()} {
		counts := mat.NewDense(n, n, nil)
		for seed := range uint64(draws) { // the weights of W⁻ hide how often a pair is there, its pattern shows it
			testkit.Must(s.Sample(ctx, g, seed)).ToCSR().DoNonZero(func(i, j int, _ float64) { counts.Set(i, j, counts.At(i, j)+1) })
		}
		x, pairs := 0.0, 0
		for i := range n {
			for j := i + 1; j < n; j++ {
				if s == s.ExcludeEdges() && a.At(i, j) != 0 {
					testkit.WantSame(t, "draws of an edge", counts.At(i, j), 0.0)
					continue
				}
				off := counts.At(i, j) - draws*p
				x += off * off / (draws * p * (1 - p))
				pairs++
			}
		}
		limits := distuv.ChiSquared{K: float64(pairs)}
		if low, high := limits.Quantile(1e-6), limits.Quantile(0.999); x < low || x > high {
			t.Errorf("%v: χ² = %.1f over %d pairs, want %.1f to %.1f", s, x, pairs, low, high)
		}
	}
}

// Every pair of an Erdős–Rényi graph is drawn or not by itself.
func TestErdosRenyiPairsAreIndependent(t *testing.T) {
	skipUnderRace(t)
	g, at := graphOf(4, 0, 3), [][2]int{{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}, {0, 3}}
	for _, c := range []struct {
		s    coles.NegativeSampler
		p    float64
		free int // pairs that may be drawn
	}{
		{coles.ErdosRenyiNegatives(0.3), 0.3, 6}, {coles.ErdosRenyiNegatives(0.9).ExcludeEdges(), 0.9, 5}, {coles.ErdosRenyiNegatives(0.01), 0.01, 6}, {coles.ErdosRenyiNegatives(1), 1, 6},
	} {
		law, counts := map[string]float64{}, map[string]int{}
		for set := range 1 << c.free {
			p, drawn := 1.0, make([]bool, 6)
			for k := range c.free {
				if drawn[k] = set>>k&1 == 1; drawn[k] {
					p *= c.p
				} else {
					p *= 1 - c.p
				}
			}
			law[fmt.Sprint(drawn)] += p
		}
		for seed := range uint64(testkit.Draws(2000)) {
			minus, drawn := testkit.Must(c.s.Sample(ctx, g, seed)), make([]bool, 6)
			for k, e := range at {
				drawn[k] = minus.At(e[0], e[1]) != 0
			}
			counts[fmt.Sprint(drawn)]++
		}
		testkit.WantLaw(t, c.s.String(), counts, law)
	}
}
