package gnn

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/gnn/optim"
	"coles/internal/inside"
	"coles/internal/testkit"
)

// Edges that stay keep their weights, and the two views are drawn apart, each with its rate.
func TestDroppedEdges(t *testing.T) {
	g, a := weighted(71, 120)
	rnd := newRand(3)
	var kept [2]*coles.Graph
	for v, rate := range []float64{0.2, 0.6} {
		kept[v] = withoutEdges(g, rate, rnd)
		for e, weight := range kept[v].Edges() {
			if weight != a.At(e.U, e.V) {
				t.Errorf("edge %v weighs %v, %v before", e, weight, a.At(e.U, e.V))
			}
		}
	}
	counts := map[[2]bool]int{}
	first, second := kept[0].CSR(), kept[1].CSR()
	for e := range g.Edges() {
		counts[[2]bool{first.At(e.U, e.V) != 0, second.At(e.U, e.V) != 0}]++
	}
	testkit.WantLaw(t, "kept", counts, map[[2]bool]float64{{true, true}: 0.8 * 0.4, {true, false}: 0.8 * 0.6, {false, true}: 0.2 * 0.4, {}: 0.2 * 0.6})
}

// Self loops that a graph has kept are no edges to be dropped, and no pairs.
func TestSelfLoopsStayAndAreNoPairs(t *testing.T) {
	edges := []coles.Edge{{U: 0, V: 0}, {U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 2}}
	g := testkit.Must(coles.NewGraph(3, edges, coles.WithWeights([]float64{3, 5, 7, 11}), coles.WithSelfLoopsKept()))
	a := withoutEdges(g, 0.999, newRand(1)).CSR()
	if a.At(0, 0) != 3 || a.At(2, 2) != 11 || a.At(1, 1) != 0 {
		t.Errorf("loops of weight %v, %v, %v, want 3, 0, 11", a.At(0, 0), a.At(1, 1), a.At(2, 2))
	}
	s := step[float64]{batch: &batch[float64]{graph: g}}
	if us, vs, _ := s.Edges(); !slices.Equal(us, []int{0, 1}) || !slices.Equal(vs, []int{1, 2}) {
		t.Errorf("edges from %v to %v, want the 2", us, vs)
	}
}

func TestNodesDrawnForEdgesAreUniform(t *testing.T) {
	s := step[float64]{batch: &batch[float64]{graph: testkit.Must(coles.NewGraph(25, nil)), us: make([]int, 4000), seed: 9}}
	us, ws := s.Negatives(5)
	if len(us) != 20_000 || len(ws) != 20_000 {
		t.Fatalf("%d and %d nodes drawn", len(us), len(ws))
	}
	counts := map[int]int{}
	for _, w := range ws {
		counts[w]++
	}
	testkit.WantLaw(t, "nodes", counts, testkit.Alike(testkit.UpTo(25)...))
}

// Glorot's rule: uniform within ±√(6/(k+l)), of variance 2/(k+l); biases are zero.
func TestWeightsAreGlorots(t *testing.T) {
	n := Network{GCN(100), PReLU(), SAGE(60)}
	e := testkit.Must(newEncoder[float64](ctx, n, testkit.Must(n.shapes(1, 80)), 1))
	for _, p := range e.params {
		sum, squares, largest := 0.0, 0.0, 0.0
		for _, v := range p.value.Data {
			sum += v
			squares += v * v
			largest = max(largest, math.Abs(v))
		}
		entries, ends := float64(len(p.value.Data)), float64(p.value.Rows+p.value.Cols)
		switch s := p.shape; s.Name {
		case "bias":
			if largest != 0 {
				t.Errorf("%v is not zero", s)
			}
		case "slope":
			if p.value.Data[0] != 0.25 {
				t.Errorf("slope %v", p.value.Data[0])
			}
		default:
			bound := math.Sqrt(6 / ends)
			// The largest of 6,000 and more is within 1‰ of the bound, the mean and the variance
			// are within five standard deviations: √(2/ends/n) and variance·√(0.8/n).
			if largest > bound || largest < 0.999*bound {
				t.Errorf("%v: the largest entry is %v, the bound %v", s, largest, bound)
			}
			if math.Abs(sum/entries) > 5*math.Sqrt(2/ends/entries) || math.Abs(squares/entries*ends/2-1) > 5*math.Sqrt(0.8/entries) {
				t.Errorf("%v: mean %v, variance %v, want 0 and %v", s, sum/entries, squares/entries, 2/ends)
			}
		}
	}
}

// Losses of epochs in which next to nothing is learned differ by the draws alone: these are the
// same in every epoch, or others.
func TestWhatIsDrawnAnewInEveryEpoch(t *testing.T) {
	g, x := small(72)
	drawn := With(func(s *Settings) { s.Negatives, s.Kappa, s.Eta = coles.UniformNegatives(2), 1, 1 })
	for name, c := range map[string]struct {
		opts  []Option
		fresh bool
	}{
		"fixed ΔW":            {[]Option{drawn}, false},
		"fresh ΔW":            {[]Option{drawn, With(func(s *Settings) { s.FreshNegatives = true })}, true},
		"fixed pairs":         {[]Option{withObjective(SampledNCE(2, 1))}, false},
		"fresh pairs":         {[]Option{With(func(s *Settings) { s.Objective, s.FreshNegatives = SampledNCE(2, 1), true })}, true},
		"dropout":             {[]Option{withNetwork(GCN(8), Dropout(0.4), GCN(5))}, true},
		"dropout of features": {[]Option{withNetwork(Dropout(0.4), GCN(5))}, true},
		"edges":               {[]Option{withAugmentation(Drop([2]float64{0.3, 0.3}, [2]float64{}))}, true},
		"features":            {[]Option{withAugmentation(Drop([2]float64{}, [2]float64{0.3, 0.3}))}, true},
	} {
		var losses []float64
		for _, p := range progressOf(t, g, x, append(c.opts, withOptimizer(optim.SGD(1e-300, 0)))...) {
			losses = append(losses, p.Loss)
		}
		slices.Sort(losses)
		want := 1
		if c.fresh {
			want = 6
		}
		if got := len(slices.Compact(losses)); got != want {
			t.Errorf("%s: %d losses in 6 epochs, want %d", name, got, want)
		}
	}
}

// Edges and columns of views are dropped independently.
func TestDropsAreIndependent(t *testing.T) {
	const rate = 0.3
	edges := []coles.Edge{{U: 0, V: 1}, {U: 0, V: 2}, {U: 1, V: 2}, {U: 1, V: 3}, {U: 2, V: 3}, {U: 3, V: 4}}
	g := testkit.Must(coles.NewGraph(5, edges))
	edgeCounts, columnCounts := map[string]int{}, map[string]int{}
	for seed := range uint64(testkit.Draws(6000)) {
		a, factors := withoutEdges(g, rate, newRand(seed)).CSR(), hiddenColumns(6, rate, newRand(seed))
		edgesKept, columnsKept := make([]bool, 6), make([]bool, 6)
		for k, e := range edges {
			edgesKept[k], columnsKept[k] = a.At(e.U, e.V) != 0, factors[k] == 1
		}
		edgeCounts[fmt.Sprint(edgesKept)]++
		columnCounts[fmt.Sprint(columnsKept)]++
	}
	testkit.WantLaw(t, "edges", edgeCounts, testkit.Subsets(6, 1-rate))
	testkit.WantLaw(t, "columns", columnCounts, testkit.Subsets(6, 1-rate))
}

// Blocks of a path of three nodes and one alone: a root is drawn among all nodes, its neighbours come in
// any order, and then the next root.
func TestBlocksHaveTheirLaw(t *testing.T) {
	a := inside.Adjacency(testkit.Must(coles.NewGraph(4, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}})))
	const quarter, eighth = 1. / 4, 1. / 8
	law := map[string]float64{ // the lone node 3 is the first root with probability 1/4, and then any other
		"[[0 1] [2 3]]": quarter, "[[2 1] [0 3]]": quarter, "[[1 0] [2 3]]": eighth, "[[1 2] [0 3]]": eighth,
		"[[3 0] [1 2]]": quarter / 3, "[[3 2] [1 0]]": quarter / 3, "[[3 1] [0 2]]": quarter / 6, "[[3 1] [2 0]]": quarter / 6,
	}
	counts := map[string]int{}
	for seed := range uint64(testkit.Draws(6000)) {
		counts[fmt.Sprint(blocks(a, 2, newRand(seed)))]++
	}
	testkit.WantLaw(t, "blocks", counts, law)
}
