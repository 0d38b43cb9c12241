package coles_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/internal/testkit"
	"coles/live"

	"gonum.org/v1/gonum/mat"
)

// loopy has isolated nodes, one of them with a self loop, and a loop on a node with neighbours.
func loopy(opts ...coles.GraphOption) *coles.Graph {
	list, weights := edges(0, 1, 1, 2, 2, 0, 2, 3, 3, 3, 5, 5), []float64{1, 2, 0.5, 3, 4, 7}
	return testkit.Must(coles.NewGraph(7, list, append(opts, coles.WithWeights(weights))...))
}

func TestNormalisationsEqualFormulas(t *testing.T) {
	for name, g := range map[string]*coles.Graph{
		"random, weighted": testkit.RandomGraph(1, 40, 0.15),
		"isolated nodes":   loopy(),
		"self loops kept":  loopy(coles.WithSelfLoopsKept()),
		"no edges":         graphOf(3),
		"one node":         graphOf(1),
	} {
		t.Run(name, func(t *testing.T) {
			n := g.Nodes()
			a := testkit.DenseOf(g.CSR())
			bare := mat.DenseCopyOf(a)
			for i := range n {
				bare.Set(i, i, 0)
			}
			var looped mat.Dense
			looped.Add(a, testkit.Eye(n))
			wPlus, w := g.Positive(), coles.Normalize(g)
			for _, c := range []struct {
				what string
				got  *coles.SymCSR
				want *mat.Dense
			}{{"W⁺", wPlus, testkit.NormalizedDense(bare)}, {"W", w, testkit.NormalizedDense(&looped)}} {
				// 4 roundings of numbers up to 1.
				const tolerance = 1e-15
				testkit.WantClose(t, c.what, c.got, c.want, tolerance)
				testkit.WantClose(t, c.what+" as a *sparse.CSR", c.got.ToCSR(), c.got, 0)
				testkit.WantClose(t, c.what+" transposed", c.got, testkit.DenseOf(c.got).T(), 0)
				var l mat.Dense
				l.Sub(testkit.Eye(n), c.want)
				testkit.WantClose(t, "I − "+c.what, c.got.Laplacian(), &l, tolerance)
				if c.got.SymmetricDim() != n || c.got.T() != mat.Matrix(c.got) {
					t.Errorf("%s has %d rows and another transpose than itself", c.what, c.got.SymmetricDim())
				}
			}
			for i, d := range g.Degrees() {
				testkit.WantNear(t, fmt.Sprint("the degree of node ", i), d, mat.Sum(bare.RowView(i)), 1e-14)
				if d == 0 && a.At(i, i) == 0 && w.At(i, i) != 1 {
					t.Errorf("isolated node %d has %v on the diagonal of W, want 1", i, w.At(i, i))
				}
			}
		})
	}
}

// A mat.Matrix panics with gonum's own values out of range.
func TestAtPanicsAsGonumDoes(t *testing.T) {
	for name, m := range map[string]mat.Matrix{"SymCSR": loopy().Positive(), "Dense32": testkit.SingleOf(mat.NewDense(7, 7, nil))} {
		for _, c := range []struct {
			i, j int
			want error
		}{{-1, 0, mat.ErrRowAccess}, {7, 0, mat.ErrRowAccess}, {0, -1, mat.ErrColAccess}, {0, 7, mat.ErrColAccess}} {
			func() {
				defer func() {
					if r := recover(); r != c.want {
						t.Errorf("%s: At(%d, %d) panics with %v, want %v", name, c.i, c.j, r, c.want)
					}
				}()
				m.At(c.i, c.j)
			}()
		}
	}
}

// Spectra of W⁺ known in closed form, from L = I − W⁺ in Chung, Spectral Graph Theory (1997),
// 1.1 to 1.5.
func TestSpectraOfKnownGraphs(t *testing.T) {
	const n = 12
	for _, c := range []struct {
		name string
		g    *coles.Graph
		want func(k int) float64 // ascending
	}{
		{"complete", completeGraph(n), func(k int) float64 { return []float64{-1. / (n - 1), 1}[k/(n-1)] }},
		{"cycle", ringGraph(n), func(k int) float64 { return math.Cos(2 * math.Pi * float64((n-k)/2) / n) }},
		{"star", starGraph(n - 1), func(k int) float64 { return []float64{-1, 0, 1}[min(k, 1)+k/(n-1)] }},
	} {
		values, _ := oracle(c.g.Positive())
		for k, got := range values {
			if want := c.want(n - 1 - k); math.Abs(got-want) > 1e-13 {
				t.Errorf("%s: eigenvalue %d is %v, want %v", c.name, k, got, want)
			}
		}
	}
}

// A hub of many leaves: its degree n·w, what is made of it and what a filter gathers there are
// known in closed form, and none is off by the rounding of n sums.
func TestHubOfManyLeavesKeepsItsDigits(t *testing.T) {
	skipUnderRace(t)
	const leaves, tolerance = 500_000, 1e-12
	star, ones := make([]coles.Edge, leaves), mat.NewDense(leaves+1, 1, slices.Repeat([]float64{1}, leaves+1))
	for i := range star {
		star[i].V = i + 1
	}
	for _, w := range []float64{0.1, 1e-6, 1. / 3} {
		g := weighing(leaves+1, star, slices.Repeat([]float64{w}, leaves)...)
		looped := coles.Normalize(g)
		fx := testkit.Must(coles.SGC(1).Apply(ctx, looped, ones))
		hub := leaves * w
		link := w / math.Sqrt((1+hub)*(1+w))
		_, s := contrast(g, coles.ExpectedDegreeNegatives()).RankOne()
		for _, c := range []struct {
			what      string
			got, want float64
		}{
			{"degree", g.Degrees()[0], hub},
			{"W⁺", g.Positive().At(0, 1), 1 / math.Sqrt(leaves)},
			{"W", looped.At(0, 1), link},
			{"W at the hub", looped.At(0, 0), 1 / (1 + hub)},
			{"SGC(1) at the hub", fx.At(0, 0), 1/(1+hub) + leaves*link},
			{"SGC(1) at a leaf", fx.At(1, 0), 1/(1+w) + link},
			{"the expected negatives", s[0], math.Sqrt(0.5)}, // half of all degrees
		} {
			testkit.WantNear(t, fmt.Sprintf("weight %v: %s", w, c.what), c.got, c.want, tolerance)
		}
	}
}

// Weights at the ends of the numbers are normalised like others: an edge alone is 1, a path is
// 1/√2, √degree is shared among nodes by their degrees, and every component has its eigenvector.
func TestWeightsOfAnySize(t *testing.T) {
	for _, w := range []float64{5e-324, 1e-310, 1e-300, 1, 1e300, 1.7e308} {
		pairs := weighing(4, edges(0, 1, 2, 3), w, w)
		testkit.WantClose(t, fmt.Sprint("W⁺ of weight ", w), pairs.Positive(),
			mat.NewDense(4, 4, []float64{0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0}), 1e-15)
		_, s := contrast(pairs, coles.ExpectedDegreeNegatives()).RankOne()
		testkit.WantClose(t, fmt.Sprint("s of weight ", w), mat.NewVecDense(4, s), mat.NewVecDense(4, []float64{0.5, 0.5, 0.5, 0.5}), 1e-15)
		wantEigenmap(t, contrast(pairs, noNegatives), 2, []float64{1, 1, -1, -1})
		if w > 1e307 {
			continue // twice that is infinite
		}
		path := weighing(3, edges(0, 1, 1, 2), w, w)
		testkit.WantNear(t, fmt.Sprint("W⁺ of a path of weight ", w), path.Positive().At(0, 1), math.Sqrt(0.5), 1.4e-15)
	}
}

func TestNormalisationEqualsFixture(t *testing.T) {
	f := openFixture(t)
	_, g := openGraph(t, "cora")
	for key, got := range map[string]*coles.SymCSR{
		"Wplus": g.Positive(), "W_selfloop": coles.Normalize(g), "Wneg": testkit.Must(f.negatives().Sample(ctx, g, 0)),
	} {
		rows, cols, vals := f.column(key+"_row"), f.column(key+"_col"), f.column(key+"_val")
		testkit.WantSame(t, key+": entries", got.NNZ(), len(vals))
		for q, want := range vals {
			// 1e-15: both sides are one division and two square roots away from integers.
			if v := got.At(int(rows[q]), int(cols[q])); math.Abs(v-want) > 1e-15 {
				t.Fatalf("%s at (%v, %v): %v, fixture has %v", key, rows[q], cols[q], v, want)
			}
		}
	}
}

// Weights that span decades are taken by their logarithms, which a graph of these weights shows, in a unit that they
// share with graphs that come later.
func TestWeightsThatSpanDecades(t *testing.T) {
	const n = 200
	rng := testkit.Random(31)
	plain := testkit.RandomGraph(32, n, 0.05)
	var pairs []coles.Edge
	var given []float64
	for e := range plain.Edges() {
		pairs, given = append(pairs, e), append(given, math.Exp(2.5*rng.NormFloat64()))
	}
	middle := slices.Sorted(slices.Values(given))[(len(given)-1)/2]
	logs := make([]float64, len(given))
	for k, w := range given {
		logs[k] = math.Log(1 + w/middle)
	}
	weighted := func(w []float64) *coles.Graph { return testkit.Must(coles.NewGraph(n, pairs, coles.WithWeights(w))) }
	words, _ := testkit.RandomWords(testkit.Random(33), n, 60)
	everyNode := make([]int, n)
	for i := range everyNode {
		everyNode[i] = i
	}
	never := coles.With(func(s *coles.Settings) { s.WeightSpan = 0 })
	graph := coles.With(func(s *coles.Settings) { s.Kind = coles.UseGraph })
	for name, x := range map[string]mat.Matrix{"features": words, "no features": nil} {
		m, want := fitted(weighted(given), x, graph), fitted(weighted(logs), x, graph)
		testkit.WantSame(t, name+": unit", m.Report().WeightUnit, middle)
		testkit.WantSame(t, name+": unit of logarithms", want.Report().WeightUnit, 0.0)
		testkit.WantClose(t, name, m.Embedding(), want.Embedding(), 1e-6)
		testkit.WantSame(t, name+": the graph as it was", m.Report().GraphHash, fitted(weighted(given), x, graph, never).Report().GraphHash)
		if testkit.MaxDiff(fitted(weighted(given), x, graph, never).Embedding(), m.Embedding()) < 1e-3 {
			t.Errorf("%s: weights as they are give the same", name)
		}
		for _, m := range []*coles.Model{m, read(m)} {
			y := testkit.Must(m.Embed(ctx, weighted(given), x))
			testkit.WantClose(t, name+": embedded", y, want.Embedding(), 1e-6)
			frozen := testkit.Must(live.Freeze(ctx, m, weighted(given), x))
			grown := testkit.Must(live.Follow(ctx, m, weighted(given), x))
			testkit.WantClose(t, name+": followed", testkit.Must(grown.Embed(ctx, everyNode)), y, 1e-5)
			testkit.WantSame(t, name+": weights of the grown graph", testkit.Must(grown.Graph()).CSR().RawMatrix().Data, weighted(given).CSR().RawMatrix().Data)
			row := mat.Matrix(nil)
			if x != nil {
				row = mat.NewDense(1, 60, nil)
			}
			// A node that joins by one edge of a weight stands where one of its logarithm does, in a model of logarithms.
			late := testkit.Must(frozen.Embed(ctx, row, []coles.Edge{{U: 3, V: n}}, []float64{7}))
			same := testkit.Must(live.Freeze(ctx, want, weighted(logs), x))
			testkit.WantClose(t, name+": a newcomer", late, testkit.Must(same.Embed(ctx, row, []coles.Edge{{U: 3, V: n}}, []float64{math.Log(1 + 7/middle)})), 1e-5)
		}
	}
	few := slices.Clone(logs)
	testkit.WantSame(t, "all alike", fitted(weighted(slices.Repeat([]float64{3}, len(few))), nil).Report().WeightUnit, 0.0)
	testkit.WantError(t, testkit.Err(coles.Fit(ctx, plain, nil, coles.With(func(s *coles.Settings) { s.WeightSpan = 0.5 }))), coles.ErrSetting)
}
