package eval

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"coles"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// drawnGraph joins each pair of n nodes with probability p.
func drawnGraph(t *testing.T, n int, p float64, seed uint64, opts ...coles.GraphOption) *coles.Graph {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 0))
	var edges []coles.Edge
	for u := range n {
		for v := range u {
			if rng.Float64() < p {
				edges = append(edges, coles.Edge{U: u, V: v})
			}
		}
		if u%3 == 0 {
			edges = append(edges, coles.Edge{U: u, V: u})
		}
	}
	g, err := coles.NewGraph(n, edges, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// likely fails unless the counts could be of draws with the given chances: a χ²
// beyond its 0.001 quantile fails, at a seed that is fixed.
func likely(t *testing.T, what string, counts, chances []float64) {
	t.Helper()
	total, chi := 0.0, 0.0
	for _, c := range counts {
		total += c
	}
	for k, c := range counts {
		want := total * chances[k]
		chi += (c - want) * (c - want) / want
	}
	if limit := (distuv.ChiSquared{K: float64(len(counts) - 1)}).Quantile(0.999); chi > limit {
		t.Errorf("%s: χ² is %.1f for %d outcomes, more than %.1f", what, chi, len(counts), limit)
	}
}

func TestPositiveAndNegativePairsAreAllPairs(t *testing.T) {
	for _, density := range []float64{0.05, 0.5, 0.9} {
		const n, draws = 24, 60000
		g := drawnGraph(t, n, density, 11, coles.WithSelfLoopsKept())
		positive, err := PositivePairs(g)
		if err != nil {
			t.Fatal(err)
		}
		if len(positive) != g.Report().Edges {
			t.Errorf("%d positive pairs of %d edges", len(positive), g.Report().Edges)
		}
		joined := make(map[coles.Edge]bool)
		a := g.CSR()
		for _, e := range positive {
			if e.U >= e.V || a.At(e.U, e.V) == 0 || joined[e] {
				t.Errorf("%v is no edge, or comes twice", e)
			}
			joined[e] = true
		}
		negative, err := NegativePairs(background, g, draws, 12)
		if err != nil {
			t.Fatal(err)
		}
		count := make(map[coles.Edge]float64)
		for _, e := range negative {
			if e.U < 0 || e.U >= e.V || e.V >= n || joined[e] {
				t.Fatalf("%v is drawn", e)
			}
			count[e]++
		}
		var counts, chances []float64
		for u := range n {
			for v := u + 1; v < n; v++ {
				if e := (coles.Edge{U: u, V: v}); !joined[e] {
					counts = append(counts, count[e])
				}
			}
		}
		for range counts {
			chances = append(chances, 1/float64(len(counts)))
		}
		likely(t, "negative pairs", counts, chances)
	}
}

func TestNegativePairsOfExtremeGraphs(t *testing.T) {
	const n = 40
	var edges []coles.Edge
	for u := range n {
		for v := range u {
			if u != 31 || v != 7 {
				edges = append(edges, coles.Edge{U: u, V: v})
			}
		}
	}
	almost, err := coles.NewGraph(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	pairs, err := NegativePairs(background, almost, 3, 1)
	if want := (coles.Edge{U: 7, V: 31}); err != nil || !slices.Equal(pairs, []coles.Edge{want, want, want}) {
		t.Errorf("the only pair apart is 7, 31: got %v, %v", pairs, err)
	}
	complete, err := coles.NewGraph(n, append(edges, coles.Edge{U: 7, V: 31}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NegativePairs(background, complete, 3, 1); !errors.Is(err, ErrDense) {
		t.Errorf("complete graph: error %v", err)
	}
	if _, err := Triples(background, complete, 3, 1); !errors.Is(err, ErrDense) {
		t.Errorf("complete graph: error %v", err)
	}
	single, err := coles.NewGraph(1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NegativePairs(background, single, 3, 1); !errors.Is(err, ErrDense) {
		t.Errorf("one node: error %v", err)
	}
	two, err := coles.NewGraph(2, nil)
	if err != nil {
		t.Fatal(err)
	}
	if pairs, err := NegativePairs(background, two, 1, 1); err != nil || pairs[0] != (coles.Edge{U: 0, V: 1}) {
		t.Errorf("two nodes without an edge: %v, %v", pairs, err)
	}
}

func TestDrawsDependOnTheSeedAlone(t *testing.T) {
	g := drawnGraph(t, 300, 0.03, 21)
	const count = 5000
	long, err := NegativePairs(background, g, count, 3)
	if err != nil {
		t.Fatal(err)
	}
	triples, err := Triples(background, g, count, 3)
	if err != nil {
		t.Fatal(err)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, procs := range []int{1, 2, 3, 8, 16} {
		runtime.GOMAXPROCS(procs)
		short, err := NegativePairs(background, g, count/3, 3)
		if err != nil || !slices.Equal(short, long[:count/3]) {
			t.Errorf("%d processors draw other pairs (%v)", procs, err)
		}
		again, err := Triples(background, g, count/3, 3)
		if err != nil || !slices.Equal(again, triples[:count/3]) {
			t.Errorf("%d processors draw other triples (%v)", procs, err)
		}
	}
	if other, err := NegativePairs(background, g, count, 4); err != nil || slices.Equal(other, long) {
		t.Errorf("another seed draws the same pairs (%v)", err)
	}
	if other, err := Triples(background, g, count, 4); err != nil || slices.Equal(other, triples) {
		t.Errorf("another seed draws the same triples (%v)", err)
	}
}

// A node and a neighbour come in proportion to the edges, the far node
// uniformly among the rest: each outcome (v, u, u′) with 1/(2m·(n−1−deg v)).
func TestTriplesAreUniform(t *testing.T) {
	// Node 0 has no other than neighbours, node 5 none.
	g, err := coles.NewGraph(6, []coles.Edge{{U: 1, V: 2}, {U: 2, V: 3}, {U: 3, V: 4}, {U: 1, V: 1}}, coles.WithSelfLoopsKept())
	if err != nil {
		t.Fatal(err)
	}
	near := map[int][]int{1: {2}, 2: {1, 3}, 3: {2, 4}, 4: {3}}
	triples, err := Triples(background, g, 60000, 8)
	if err != nil {
		t.Fatal(err)
	}
	count := make(map[Triple]float64)
	for _, x := range triples {
		count[x]++
	}
	var counts, chances []float64
	for v := 1; v <= 4; v++ {
		for _, u := range near[v] {
			for far := range 6 {
				if far == v || slices.Contains(near[v], far) {
					continue
				}
				x := Triple{v, u, far}
				counts, chances = append(counts, count[x]), append(chances, 1/float64(6*(5-len(near[v]))))
				delete(count, x)
			}
		}
	}
	if len(count) > 0 {
		t.Errorf("drawn, but no triples: %v", count)
	}
	likely(t, "triples", counts, chances)

	star, err := coles.NewGraph(4, []coles.Edge{{U: 0, V: 1}, {U: 0, V: 2}, {U: 0, V: 3}})
	if err != nil {
		t.Fatal(err)
	}
	triples, err = Triples(background, star, 100, 8)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range triples {
		if x.Node == 0 || x.Positive != 0 || x.Negative == 0 || x.Negative == x.Node {
			t.Errorf("%v of a star", x)
		}
	}
}

func TestPairsNameBadInput(t *testing.T) {
	g := drawnGraph(t, 5, 0.5, 31)
	x := normal(5, 3, 1, 31)
	nan := mat.DenseCopyOf(x)
	nan.Set(2, 0, math.NaN())
	ended, cancel := context.WithCancel(background)
	cancel()
	for _, count := range []int{-1, 0, math.MaxInt} {
		if _, err := NegativePairs(background, g, count, 1); !errors.Is(err, ErrParameter) {
			t.Errorf("%d pairs: error %v", count, err)
		}
		if _, err := Triples(background, g, count, 1); !errors.Is(err, ErrParameter) {
			t.Errorf("%d triples: error %v", count, err)
		}
	}
	for name, g := range map[string]*coles.Graph{"nil": nil, "zero": new(coles.Graph)} {
		if _, err := PositivePairs(g); !errors.Is(err, ErrEmpty) {
			t.Errorf("positive pairs, %s graph: error %v", name, err)
		}
		if _, err := NegativePairs(background, g, 1, 1); !errors.Is(err, ErrEmpty) {
			t.Errorf("negative pairs, %s graph: error %v", name, err)
		}
		if _, err := Triples(background, g, 1, 1); !errors.Is(err, ErrEmpty) {
			t.Errorf("triples, %s graph: error %v", name, err)
		}
	}
	if _, err := NegativePairs(ended, g, 1, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
	if _, err := Triples(ended, g, 1, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
	one := []coles.Edge{{U: 0, V: 1}}
	for _, c := range []struct {
		name  string
		ctx   context.Context
		x     mat.Matrix
		pairs []coles.Edge
		want  error
	}{
		{"no pairs", background, x, nil, ErrEmpty},
		{"row too large", background, x, []coles.Edge{{U: 0, V: 5}}, ErrRow},
		{"negative row", background, x, []coles.Edge{{U: -1, V: 2}}, ErrRow},
		{"nil", background, nil, one, ErrShape},
		{"NaN", background, nan, one, ErrNotFinite},
		{"overflow", background, normal(5, 3, 1e200, 1), one, ErrNotFinite},
		{"cancelled", ended, x, one, context.Canceled},
	} {
		for what, of := range map[string]func() (float64, error){
			"PairScores":         func() (float64, error) { _, err := PairScores(c.ctx, c.x, c.pairs); return 0, err },
			"Alignment":          func() (float64, error) { return Alignment(c.ctx, c.x, c.pairs, 2) },
			"ContrastAlignment":  func() (float64, error) { return ContrastAlignment(c.ctx, c.x, c.pairs) },
			"ContrastUniformity": func() (float64, error) { return ContrastUniformity(c.ctx, c.x, c.pairs, 1) },
			"MeanSeparation": func() (float64, error) {
				triples := make([]Triple, len(c.pairs))
				for q, e := range c.pairs {
					triples[q] = Triple{e.U, e.U, e.V}
				}
				return MeanSeparation(c.ctx, c.x, triples)
			},
		} {
			if _, err := of(); !errors.Is(err, c.want) {
				t.Errorf("%s, %s: error %v, want %v", what, c.name, err, c.want)
			}
		}
	}
}
