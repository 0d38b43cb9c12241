package coles_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"testing"

	"coles"

	"gonum.org/v1/gonum/mat"
)

func completeGraph(n int) *coles.Graph {
	return must(coles.NewGraph(n, randomEdges(random(0), n, 1.1)))
}

func starGraph(leaves int) *coles.Graph {
	var list []coles.Edge
	for v := 1; v <= leaves; v++ {
		list = append(list, coles.Edge{U: 0, V: v})
	}
	return must(coles.NewGraph(leaves+1, list))
}

// drawnCounts recovers the matrix C of how often each pair was drawn from
// W⁻ = D^-½ C D^-½. √D is the eigenvector of W⁻ for the eigenvalue 1, the only one
// where W⁻ is connected, as it is here; its scale follows from ΣD = 2·n·s, s partners
// a node being drawn and each pair counting at both ends. That all entries of C
// come out whole confirms it.
func drawnCounts(t *testing.T, n, perNode int, w *coles.SymCSR) *mat.Dense {
	t.Helper()
	// Power iteration on (I + W⁻)/2, whose other eigenvalues lie in [0, 1).
	root := mat.NewDense(n, 1, nil)
	for i := range n {
		root.Set(i, 0, 1)
	}
	full := denseOf(w)
	for range 3000 {
		next := product(full, root)
		next.Add(next, root)
		next.Scale(0.5, next)
		root = next
	}
	total := 0.0
	for i := range n {
		total += root.At(i, 0) * root.At(i, 0)
	}
	root.Scale(math.Sqrt(float64(2*n*perNode)/total), root)
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
	g := randomGraph(31, 40, 0.2)
	for _, c := range []struct {
		s       coles.NegativeSampler
		perNode int
		exclude bool
	}{
		{coles.UniformNegatives(4), 4, false},
		{coles.UniformNegatives(4, coles.ExcludeEdges()), 4, true},
		{coles.DegreeNegatives(5), 5, false},
		{coles.DegreeNegatives(5, coles.ExcludeEdges()), 5, true},
	} {
		t.Run(c.s.String(), func(t *testing.T) {
			for seed := range uint64(3) {
				w := must(c.s.Sample(ctx, g, seed)).Graph
				counts := drawnCounts(t, 40, c.perNode, w)
				wantClose(t, "W⁻", w, normalizedDense(counts), 1e-12)
				adjacency := g.CSR()
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
	for _, e := range randomEdges(random(0), n, 1.1) {
		if e.V-e.U != n/2 {
			list = append(list, e)
		}
	}
	return must(coles.NewGraph(n, list))
}

func TestExclusionIsExactOrAnError(t *testing.T) {
	exclude := coles.ExcludeEdges()
	for _, c := range []struct {
		name string
		g    *coles.Graph
		s    coles.NegativeSampler
		want error
	}{
		{"complete", completeGraph(6), coles.UniformNegatives(1, exclude), coles.ErrDense},
		{"complete, by degree", completeGraph(6), coles.DegreeNegatives(1, exclude), coles.ErrDense},
		{"star: its centre has no stranger", starGraph(9), coles.UniformNegatives(1, exclude), coles.ErrDense},
		{"one stranger for two draws", nearlyComplete(300), coles.UniformNegatives(2, exclude), coles.ErrDense},
		{"one stranger for one draw", nearlyComplete(300), coles.UniformNegatives(1, exclude), nil},
		{"one stranger for one draw by degree", nearlyComplete(300), coles.DegreeNegatives(1, exclude), nil},
		{"the only stranger has no degree", must(coles.NewGraph(4, edges(0, 1, 1, 2, 2, 0))), coles.DegreeNegatives(1, exclude), coles.ErrDense},
		{"no edges, by degree", must(coles.NewGraph(4, nil)), coles.DegreeNegatives(1), coles.ErrDense},
		{"one node", must(coles.NewGraph(1, nil)), coles.UniformNegatives(1), coles.ErrDense},
		{"all pairs that are no edge", completeGraph(6), coles.ErdosRenyiNegatives(1, exclude), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			part, err := c.s.Sample(ctx, c.g, 1)
			if c.want != nil {
				wantError(t, err, c.want)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			a := c.g.CSR()
			part.Graph.CSR().DoNonZero(func(i, j int, _ float64) {
				if i == j || a.At(i, j) != 0 {
					t.Errorf("(%d, %d) was drawn", i, j)
				}
			})
			// In nearlyComplete(300) every node has exactly one admissible partner.
			if c.g.Nodes() == 300 && part.Graph.NNZ() != 300 {
				t.Errorf("%d entries, want one a node", part.Graph.NNZ())
			}
		})
	}
}

func TestErdosRenyiExtremes(t *testing.T) {
	g := randomGraph(32, 25, 0.3)
	none := must(coles.ErdosRenyiNegatives(0).Sample(ctx, g, 1)).Graph
	wantClose(t, "p = 0", none, mat.NewDense(25, 25, nil), 0)
	all := must(coles.ErdosRenyiNegatives(1).Sample(ctx, g, 1)).Graph
	wantClose(t, "p = 1", all, coles.Normalize(completeGraph(25), coles.NoSelfLoops), 1e-15)
	rest := must(coles.ErdosRenyiNegatives(1, coles.ExcludeEdges()).Sample(ctx, g, 1)).Graph
	complement := mat.NewDense(25, 25, nil)
	a := g.CSR()
	complement.Apply(func(i, j int, _ float64) float64 {
		if i == j || a.At(i, j) != 0 {
			return 0
		}
		return 1
	}, complement)
	wantClose(t, "p = 1 without edges", rest, normalizedDense(complement), 1e-15)
}

func TestSamplersAreDeterministic(t *testing.T) {
	// More nodes than one task of the library's row split takes.
	g := randomSparseGraph(33, 10_000, 30_000)
	for _, s := range allSamplers {
		if s.String() == "erdos-renyi(0.1)" || s.String() == "erdos-renyi(0.2) without edges" {
			continue // ten million pairs: below with a smaller p
		}
		sameForProcessors(t, g, s)
	}
	sameForProcessors(t, g, coles.ErdosRenyiNegatives(0.001))
	sameForProcessors(t, g, coles.ErdosRenyiNegatives(0.001, coles.ExcludeEdges()))
	a := must(coles.UniformNegatives(3).Sample(ctx, g, 1)).Graph.CSR().RawMatrix()
	b := must(coles.UniformNegatives(3).Sample(ctx, g, 2)).Graph.CSR().RawMatrix()
	same := 0
	for i := range 10_000 {
		if a.Indptr[i+1]-a.Indptr[i] == b.Indptr[i+1]-b.Indptr[i] && a.Ind[a.Indptr[i]] == b.Ind[b.Indptr[i]] {
			same++
		}
	}
	if same > 1000 {
		t.Errorf("%d of 10,000 rows begin alike for two seeds", same)
	}
}

func randomSparseGraph(seed uint64, n, m int) *coles.Graph {
	rng := random(seed)
	list := make([]coles.Edge, m)
	for q := range list {
		list[q] = coles.Edge{U: rng.IntN(n), V: rng.IntN(n)}
	}
	return must(coles.NewGraph(n, list))
}

func sameForProcessors(t *testing.T, g *coles.Graph, s coles.NegativeSampler) {
	t.Helper()
	first := must(s.Sample(ctx, g, 7))
	forProcessors(t, func(procs int) {
		again := must(s.Sample(ctx, g, 7))
		if first.Vector != nil {
			wantSame(t, s.String(), again.Vector, first.Vector)
			return
		}
		a, b := first.Graph.CSR().RawMatrix(), again.Graph.CSR().RawMatrix()
		if len(a.Data) != len(b.Data) {
			t.Fatalf("%v: %d entries with %d processors, %d before", s, len(b.Data), procs, len(a.Data))
		}
		for q, v := range a.Data {
			if b.Data[q] != v || b.Ind[q] != a.Ind[q] {
				t.Fatalf("%v: entry %d differs with %d processors", s, q, procs)
			}
		}
	})
}

func TestNegativeFromEdgesSumsRepeatedPairs(t *testing.T) {
	part := must(coles.NegativeFromEdges(4, edges(0, 1, 1, 0, 0, 1, 1, 2, 2, 2)))
	want := mat.NewDense(4, 4, []float64{0, 3, 0, 0, 3, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	wantClose(t, "W⁻", part.Graph, normalizedDense(want), 1e-15)
	for _, c := range []struct {
		n     int
		pairs []coles.Edge
		want  error
	}{
		{0, nil, coles.ErrEmpty},
		{min(math.MaxInt32+1, math.MaxInt), nil, coles.ErrTooLarge},
		{3, edges(0, 3), coles.ErrIndex},
		{3, edges(-1, 0), coles.ErrIndex},
	} {
		if c.want == coles.ErrTooLarge && math.MaxInt == math.MaxInt32 {
			continue // no number of this machine is that large
		}
		_, err := coles.NegativeFromEdges(c.n, c.pairs)
		wantError(t, err, c.want)
	}
}

func TestNegativeFuncIsChecked(t *testing.T) {
	g := randomGraph(34, 5, 0.9)
	small := must(coles.NegativeFromEdges(4, edges(0, 1)))
	mine := errors.New("no negatives today")
	for _, c := range []struct {
		name string
		part coles.Negative
		err  error
		want error
	}{
		{"neither", coles.Negative{}, nil, coles.ErrSetting},
		{"both", coles.Negative{Graph: coles.Normalize(g, coles.NoSelfLoops), Vector: make([]float64, 5)}, nil, coles.ErrSetting},
		{"small graph", small, nil, coles.ErrShape},
		{"empty graph", coles.Negative{Graph: &coles.SymCSR{}}, nil, coles.ErrShape},
		{"short vector", coles.Negative{Vector: make([]float64, 4)}, nil, coles.ErrShape},
		{"NaN", coles.Negative{Vector: []float64{0, 0, math.NaN(), 0, 0}}, nil, coles.ErrNotFinite},
		{"its own error", coles.Negative{}, mine, mine},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := coles.NegativeFunc("mine", func(context.Context, *coles.Graph, uint64) (coles.Negative, error) { return c.part, c.err })
			_, err := coles.Contrast(ctx, g, s)
			wantError(t, err, c.want)
		})
	}
	_, err := coles.NegativeFunc("absent", nil).Sample(ctx, g, 1)
	wantError(t, err, coles.ErrSetting)
}

// A function may use its vector again: ΔW has its own.
func TestNegativeFuncKeepsItsVector(t *testing.T) {
	g := randomGraph(34, 5, 0.9)
	v := []float64{1, 0, 0, 0, 0}
	dw := must(coles.Contrast(ctx, g, coles.NegativeFunc("mine", func(context.Context, *coles.Graph, uint64) (coles.Negative, error) {
		return coles.Negative{Vector: v}, nil
	})))
	before := bits(must(dw.Apply(ctx, eye(5))))
	v[0] = 100
	wantSame(t, "ΔW", bits(must(dw.Apply(ctx, eye(5)))), before)
}

func TestSamplersSurviveJSON(t *testing.T) {
	g := randomGraph(35, 40, 0.1)
	for _, s := range append(allSamplers, coles.NoNegatives()) {
		text := must(json.Marshal(s))
		var back coles.NegativeSampler
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		wantSame(t, "name", back.String(), s.String())
		a, b := must(coles.Contrast(ctx, g, s)), must(coles.Contrast(ctx, g, back))
		wantSame(t, s.String(), bits(must(b.Apply(ctx, eye(40)))), bits(must(a.Apply(ctx, eye(40)))))
	}
	custom := coles.NegativeFunc("mine", func(context.Context, *coles.Graph, uint64) (coles.Negative, error) {
		return coles.NegativeFromEdges(40, nil)
	})
	var back coles.NegativeSampler
	if err := json.Unmarshal(must(json.Marshal(custom)), &back); err != nil {
		t.Fatal(err)
	}
	wantSame(t, "name", back.String(), "mine")
	_, err := back.Sample(ctx, g, 1)
	wantError(t, err, coles.ErrSetting)
	for _, text := range []string{`{"kind":"unheard"}`, `{}`, `{"kind":"uniform"}`, `{"kind":"erdos-renyi","probability":2}`, `7`, `{`} {
		if err := json.Unmarshal([]byte(text), &back); err == nil {
			t.Errorf("%s was read as %v", text, back)
		}
	}
	if _, err := json.Marshal(coles.UniformNegatives(-1)); err == nil {
		t.Error("a sampler that cannot work was written")
	}
}
