package coles_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
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
				testkit.WantClose(t, "W⁻", w, normalizedDense(counts), 1e-12)
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
		{coles.ErdosRenyiNegatives(1).ExcludeEdges(), normalizedDense(complement)},
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
	testkit.WantClose(t, "W⁻", w, normalizedDense(want), 1e-15)
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
