package link

import (
	"math"
	"slices"
	"testing"

	"coles"
	"coles/internal/testkit"
	"coles/near"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// The scores are the dense formula's, where no node is a hub and all second nodes count.
func TestWalksEqualTheFormula(t *testing.T) {
	g := testkit.Twins(30, 0.2, 131)
	n := g.Nodes()
	a := testkit.DenseOf(g.CSR())
	for i := range n {
		a.Set(i, i, 0)
	}
	scale := 1 / medianWeight(g)
	a.Apply(func(_, _ int, v float64) float64 { return math.Log1p(v * scale) }, a)
	onward := mat.DenseCopyOf(a) // the rows at sum 1
	for i := range n {
		if row := onward.RawRowView(i); floats.Sum(row) > 0 {
			floats.Scale(1/floats.Sum(row), row)
		}
	}
	two := testkit.Product(a, onward)
	middle := mat.DenseCopyOf(two)
	for i := range n {
		middle.Set(i, i, 0)
	}
	three := testkit.Product(middle, onward)
	w := newWalks(g, 1).walker(nil)
	for _, u := range []int{3, 0, 1, n - 1, 3} {
		w.from(u)
		for v := range n {
			got := []float64{float64(w.scores[ofTwo][v]) * math.Ln2, float64(w.scores[ofThree][v]) * math.Ln2}
			if want := []float64{two.At(u, v), three.At(u, v)}; !floats.EqualApprox(got, want, 1e-5) { // sums of float32
				t.Fatalf("from %d to %d: %v, want %v", u, v, got, want)
			}
		}
	}
}

// The unit of weights says nothing.
func TestWalksInAnyUnitOfWeights(t *testing.T) {
	edges := testkit.RandomEdges(testkit.Random(133), 50, 0.2)
	scores := func(unit float64) []float32 {
		weights := make([]float64, len(edges))
		for q := range weights {
			weights[q] = unit * float64(1+q%17)
		}
		w := newWalks(testkit.Must(coles.NewGraph(50, edges, coles.WithWeights(weights))), 1).walker(nil)
		w.from(3)
		return w.scores[ofThree]
	}
	want := scores(1)
	for _, unit := range []float64{1e-6, 1e6} {
		for v, s := range scores(unit) {
			testkit.WantNear(t, "a score", float64(s), float64(want[v]), 1e-5) // sums of float32
		}
	}
}

// Weights whose quotients overflow or vanish have steps of their logarithms, or the least.
func TestWalksOfExtremeWeights(t *testing.T) {
	edges := testkit.RandomEdges(testkit.Random(134), 50, 0.2)
	for _, c := range []struct{ most, other, step float64 }{{1e-160, 1e160, 320 * math.Log2(10)}, {1, 1e-160, leastStep}, {5e-324, 1, 1074}} {
		weights, steps := make([]float64, len(edges)), map[coles.Edge]float32{}
		for q, e := range edges {
			weights[q] = c.most
			if steps[e] = 1; q%3 == 0 {
				weights[q], steps[e] = c.other, float32(c.step)
			}
		}
		g := testkit.Must(coles.NewGraph(50, edges, coles.WithWeights(weights)))
		got, want := newWalks(g, 1).walker(nil), walksOf(50, 1, func(u int, add func(v int32, step float32)) {
			near, _ := g.Neighbors(u)
			for _, v := range near {
				add(v, max(steps[coles.Edge{U: u, V: int(v)}], steps[coles.Edge{U: int(v), V: u}]))
			}
		}).walker(nil)
		for u := range 50 {
			got.from(u)
			want.from(u)
			for v, s := range got.scores[ofThree] {
				testkit.WantNear(t, "a score", float64(s), float64(want.scores[ofThree][v]), 1e-5*float64(want.scores[ofThree][v]))
			}
		}
	}
}

// However few of its neighbours stand for a hub, a walk goes on somewhere.
func TestHubsPassOnAllThatTheyGet(t *testing.T) {
	var edges []coles.Edge
	for v := 1; v <= 3*hubEdges; v++ {
		edges = append(edges, coles.Edge{U: 0, V: v}, coles.Edge{U: 3*hubEdges + 1, V: v})
	}
	g := testkit.Must(coles.NewGraph(3*hubEdges+2, edges))
	w := newWalks(g, 1).walker(nil)
	for _, u := range []int{0, 7} {
		w.from(u)
		sum := 0.0
		for _, s := range w.scores[ofTwo] {
			sum += float64(s)
		}
		testkit.WantNear(t, "what arrives", sum, float64(w.degree(u)), 1e-4*float64(w.degree(u)))
	}
	if w.from(7); len(w.at[ofTwo]) > 2*hubEdges {
		t.Errorf("%d ends from two hubs", len(w.at[ofTwo]))
	}
}

func TestEndsAreTheBestThatMayBe(t *testing.T) {
	g := testkit.DrawnGraph(300, 0.05, 132)
	w := newWalks(g, 1).walker(nil)
	may := func(v int) bool { return v%3 != 0 }
	w.from(5)
	nodes, most := w.ends(may)
	joined, _ := g.Neighbors(5)
	var want []near.Match
	for v, s := range w.scores[ofTwo] {
		if s > 0 && v != 5 && !slices.Contains(joined, int32(v)) && may(v) {
			want = append(want, near.Match{Row: v, Score: float64(s)})
		}
	}
	sortMatches(want)
	for k, m := range want[:bestEnds] {
		if nodes[k] != m.Row {
			t.Fatalf("end %d is %d, want %d", k, nodes[k], m.Row)
		}
	}
	testkit.WantSame(t, "the best score", most[0], want[0].Score)
}

// Sides are found where all of many cycles are even.
func TestSides(t *testing.T) {
	grid := func(side int) (edges []coles.Edge) {
		for i := range side {
			for j := range side {
				if j+1 < side {
					edges = append(edges, coles.Edge{U: i*side + j, V: i*side + j + 1})
				}
				if i+1 < side {
					edges = append(edges, coles.Edge{U: i*side + j, V: (i+1)*side + j})
				}
			}
		}
		return edges
	}
	for _, c := range []struct {
		name  string
		n     int
		edges []coles.Edge
		found bool
	}{
		{"a grid and a node alone", 50, grid(7), true},
		{"a grid of 16 squares", 25, grid(5), false},
		{"a grid with a triangle", 49, append(grid(7), coles.Edge{U: 0, V: 8}), false},
		{"a path", 100, grid(10)[:9], false},
		{"no edges", 5, nil, false},
	} {
		g := testkit.Must(coles.NewGraph(c.n, c.edges))
		sides := Sides(g)
		if (sides != nil) != c.found {
			t.Errorf("%s: %v", c.name, sides)
		}
		if c.found {
			testkit.Check(t, checkSides(g, sides))
		}
	}
}
