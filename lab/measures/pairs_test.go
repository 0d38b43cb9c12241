package measures

import (
	"slices"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

func TestPositiveAndNegativePairsAreAllPairs(t *testing.T) {
	for _, density := range []float64{0.05, 0.5, 0.9} {
		const n, draws = 24, 60000
		g := testkit.DrawnGraph(n, density, 11)
		positive := testkit.Must(PositivePairs(g))
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
		counts := make(map[coles.Edge]int)
		for _, e := range testkit.Must(NegativePairs(background, g, draws, 12)) {
			counts[e]++
		}
		apart := slices.DeleteFunc(testkit.RandomEdges(testkit.Random(1), n, 1), func(e coles.Edge) bool { return joined[e] })
		testkit.WantLaw(t, "negative pairs", counts, testkit.Alike(apart...))
	}
}

func TestNegativePairsOfExtremeGraphs(t *testing.T) {
	const n = 40
	only := coles.Edge{U: 7, V: 31}
	edges := slices.DeleteFunc(testkit.RandomEdges(testkit.Random(1), n, 1), func(e coles.Edge) bool { return e == only })
	almost := testkit.Must(coles.NewGraph(n, edges))
	testkit.WantSame(t, "the only pair apart", testkit.Must(NegativePairs(background, almost, 3, 1)), []coles.Edge{only, only, only})
	two := testkit.Must(coles.NewGraph(2, nil))
	testkit.WantSame(t, "two nodes without an edge", testkit.Must(NegativePairs(background, two, 1, 1)), []coles.Edge{{U: 0, V: 1}})
}

func TestNegativePairsDependOnTheSeedAlone(t *testing.T) {
	g := testkit.DrawnGraph(300, 0.03, 21)
	const count = 5000
	long := testkit.Must(NegativePairs(background, g, count, 3))
	testkit.WantSame(t, "fewer pairs", testkit.Must(NegativePairs(background, g, count/3, 3)), long[:count/3])
	if other := testkit.Must(NegativePairs(background, g, count, 4)); slices.Equal(other, long) {
		t.Error("another seed draws the same pairs")
	}
}

func TestPairScoresAreProducts(t *testing.T) {
	cases := testkit.OpenCases[diagnosticCases](t, "testdata/diagnostics")
	testkit.WantSame(t, "cases", len(cases.Graphs), 1000)
	for i, c := range cases.Graphs {
		var pairs []coles.Edge
		for _, p := range c.Pairs {
			pairs = append(pairs, coles.Edge{U: p[0], V: p[1]})
		}
		for _, form := range testkit.Forms(rowsOf(c.X, cases.Unit)) {
			scores := testkit.Must(PairScores(background, form, pairs))
			for q, want := range c.Dots {
				testkit.Comparer{T: t, Index: i}.Equal("score", scores[q], want/cases.Unit/cases.Unit, 0, nil)
			}
		}
	}
}

// rowsOf reads rows of whole numbers, to be divided by a unit.
func rowsOf(rows [][]float64, unit float64) *mat.Dense {
	x := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		x.SetRow(i, testkit.Divided(row, unit))
	}
	return x
}

func TestNegativePairsAreTheSameForEveryGOMAXPROCS(t *testing.T) {
	g := testkit.DrawnGraph(300, 0.03, 21)
	var want []coles.Edge
	testkit.ForProcessors(t, func(int) {
		got := testkit.Must(NegativePairs(background, g, 1700, 3))
		if want == nil {
			want = got
		}
		testkit.WantSame(t, "the pairs", got, want)
	})
}
