package coles_test

import (
	"math"
	"testing"

	"coles"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// chiLimit is the quantile of the χ² distribution that a right sampler passes
// with probability 0.999, by gonum's distuv. The seeds are fixed: a sampler
// that passes once passes always.
func chiLimit(freedom int) float64 {
	return distuv.ChiSquared{K: float64(freedom)}.Quantile(0.999)
}

// pairCounts counts in how many of many draws each pair is there. The weights
// of W⁻ are normalised by degrees and hide how often, its pattern shows whether.
func pairCounts(n int, g *coles.Graph, s coles.NegativeSampler, draws int) [][]int {
	counts := make([][]int, n)
	for i := range counts {
		counts[i] = make([]int, n)
	}
	for seed := range uint64(draws) {
		raw := must(s.Sample(ctx, g, seed)).Graph.CSR().RawMatrix()
		for i := range n {
			for _, j := range raw.Ind[raw.Indptr[i]:raw.Indptr[i+1]] {
				counts[i][j]++
			}
		}
	}
	return counts
}

// Pair {i, j} is there if i drew j or j drew i, independently with probability
// 1/(n−1) each: all pairs have the same chance 1 − (1 − 1/(n−1))².
func TestUniformPartnersAreUniform(t *testing.T) {
	const n, draws = 24, 3000
	g := randomGraph(41, n, 0.2)
	counts := pairCounts(n, g, coles.UniformNegatives(1), draws)
	miss := 1 - 1.0/(n-1)
	var pairs []int
	for i := range n {
		pairs = append(pairs, counts[i][i+1:]...)
	}
	expected := draws * (1 - miss*miss)
	// Every count is binomial: its square deviation is np(1−p), not np.
	x := chiSquare(pairs, func(int) float64 { return expected }) / (miss * miss)
	// One degree of freedom a pair would be right were pairs independent; those
	// that share a node are a little negatively correlated, which lowers x.
	if limit := chiLimit(len(pairs)); x > limit {
		t.Errorf("χ² = %.1f over %d pairs, limit %.1f", x, len(pairs), limit)
	}
	if low := (distuv.ChiSquared{K: float64(len(pairs))}).Quantile(1e-6); x < low {
		t.Errorf("χ² = %.1f over %d pairs is too good to be random", x, len(pairs))
	}
}

// With edges excluded every partner that is no neighbour is equally likely.
func TestUniformPartnersWithoutEdgesAreUniform(t *testing.T) {
	const n, draws = 20, 4000
	g := randomGraph(42, n, 0.5)
	counts := pairCounts(n, g, coles.UniformNegatives(1, coles.ExcludeEdges()), draws)
	a := g.CSR()
	strangers := make([]float64, n)
	for i := range n {
		for j := range n {
			if i != j && a.At(i, j) == 0 {
				strangers[i]++
			}
		}
	}
	x, pairs := 0.0, 0
	for i := range n {
		for j := i + 1; j < n; j++ {
			if a.At(i, j) != 0 {
				if counts[i][j] != 0 {
					t.Fatalf("the edge (%d, %d) was drawn", i, j)
				}
				continue
			}
			p := 1 - (1-1/strangers[i])*(1-1/strangers[j])
			d := float64(counts[i][j]) - draws*p
			if p < 1 {
				x += d * d / (draws * p * (1 - p))
				pairs++
			} else if d != 0 {
				t.Errorf("the only pair of a node, (%d, %d), came %d of %d times", i, j, counts[i][j], draws)
			}
		}
	}
	if limit := chiLimit(pairs); x > limit {
		t.Errorf("χ² = %.1f over %d pairs, limit %.1f", x, pairs, limit)
	}
}

// Node u draws v ≠ u with probability deg(v)^0.75 / Σ_{w≠u} deg(w)^0.75.
func TestDegreePartnersFollowDegrees(t *testing.T) {
	const n, draws = 15, 6000
	g := randomGraph(43, n, 0.4)
	weight, total := make([]float64, n), 0.0
	for i, d := range g.Degrees() {
		weight[i] = math.Pow(d, 0.75)
		total += weight[i]
	}
	a := g.CSR()
	for _, exclude := range []bool{false, true} {
		s := coles.DegreeNegatives(1)
		if exclude {
			s = coles.DegreeNegatives(1, coles.ExcludeEdges())
		}
		chance := func(u, v int) float64 {
			rest := 0.0
			for w := range n {
				if w != u && !(exclude && a.At(u, w) != 0) {
					rest += weight[w]
				}
			}
			return weight[v] / rest
		}
		counts := pairCounts(n, g, s, draws)
		x, pairs := 0.0, 0
		for i := range n {
			for j := i + 1; j < n; j++ {
				if exclude && a.At(i, j) != 0 {
					continue
				}
				p := 1 - (1-chance(i, j))*(1-chance(j, i))
				if p > 1-1e-9 {
					continue
				}
				d := float64(counts[i][j]) - draws*p
				x += d * d / (draws * p * (1 - p))
				pairs++
			}
		}
		if limit := chiLimit(pairs); x > limit {
			t.Errorf("%v: χ² = %.1f over %d pairs, limit %.1f", s, x, pairs, limit)
		}
	}
}

// Nodes of degree zero are never drawn by degree, though they draw.
func TestDegreePartnersHaveEdges(t *testing.T) {
	const n = 50
	g := must(coles.NewGraph(n, edges(0, 1, 1, 2, 2, 3)))
	for seed := range uint64(50) {
		raw := must(coles.DegreeNegatives(3).Sample(ctx, g, seed)).Graph.CSR().RawMatrix()
		for i := 4; i < n; i++ {
			for _, j := range raw.Ind[raw.Indptr[i]:raw.Indptr[i+1]] {
				if j >= 4 {
					t.Fatalf("seed %d: isolated node %d drew isolated node %d", seed, i, j)
				}
			}
		}
	}
}

func TestErdosRenyiPairsAreEquallyLikely(t *testing.T) {
	const n, draws, p = 30, 4000, 0.07
	g := randomGraph(44, n, 0.3)
	a := g.CSR()
	for _, exclude := range []bool{false, true} {
		s := coles.ErdosRenyiNegatives(p)
		if exclude {
			s = coles.ErdosRenyiNegatives(p, coles.ExcludeEdges())
		}
		counts := pairCounts(n, g, s, draws)
		var pairs []int
		total := 0
		for i := range n {
			for j := i + 1; j < n; j++ {
				if exclude && a.At(i, j) != 0 {
					if counts[i][j] != 0 {
						t.Fatalf("the edge (%d, %d) was drawn", i, j)
					}
					continue
				}
				pairs = append(pairs, counts[i][j])
				total += counts[i][j]
			}
		}
		x := chiSquare(pairs, func(int) float64 { return draws * p }) / (1 - p)
		if limit := chiLimit(len(pairs)); x > limit {
			t.Errorf("%v: χ² = %.1f over %d pairs, limit %.1f", s, x, len(pairs), limit)
		}
		// The number of edges is binomial: 4 deviations leave out 6 of 100,000.
		trials := float64(draws * len(pairs))
		if d := math.Abs(float64(total) - trials*p); d > 4*math.Sqrt(trials*p*(1-p)) {
			t.Errorf("%v: %d pairs in all, expected %.0f", s, total, trials*p)
		}
	}
}

// On a regular graph E[W⁻] is the same for every pair, so the mean of many
// draws tends to (1/n)·11ᵀ but for the diagonal, which is never drawn: every row
// of C sums to its degree, so on average the entries of a row add up to about 1.
func TestMeanOfManyDrawsTendsToExpectation(t *testing.T) {
	const n, kappa = 30, 4000
	var ring []coles.Edge
	for i := range n {
		ring = append(ring, coles.Edge{U: i, V: (i + 1) % n}, coles.Edge{U: i, V: (i + 2) % n})
	}
	g := must(coles.NewGraph(n, ring))
	wPlus := denseOf(coles.Normalize(g, coles.NoSelfLoops))
	uniform := must(must(coles.Contrast(ctx, g, coles.ExpectedUniformNegatives())).Apply(ctx, eye(n)))
	degree := must(must(coles.Contrast(ctx, g, coles.ExpectedDegreeNegatives())).Apply(ctx, eye(n)))
	wantClose(t, "uniform and degree expectation of a regular graph", degree, uniform, 1e-15)
	for _, s := range []coles.NegativeSampler{coles.UniformNegatives(5), coles.DegreeNegatives(5)} {
		dw := must(must(coles.Contrast(ctx, g, s, coles.WithKappa(kappa), coles.WithSeed(3))).Apply(ctx, eye(n)))
		var mean mat.Dense
		mean.Sub(wPlus, dw)
		// The n−1 partners of a node share its row sum, which is 1 up to the
		// spread of the degrees (mean 10, deviation √5): 1/(n−1) times
		// E[√(d_i d_j)]-type corrections of second order, below 3 per cent.
		want := 1 / float64(n-1)
		low, high := math.Inf(1), 0.0
		total := 0.0
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
		if math.Abs(average-want) > 0.03*want {
			t.Errorf("%v: mean entry %v, closed form %v", s, average, want)
		}
		// One entry of one draw deviates by about 0.06 (a count of mean 0.34 over
		// a degree of 10): of 4000, 0.001; five of these over 870 entries.
		if low < average-0.005 || high > average+0.005 {
			t.Errorf("%v: entries run from %v to %v around %v", s, low, high, average)
		}
	}
}
