package rivals

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/gnn"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/internal/matrix"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// sparingGraph has the degrees 3, 2, 2, 1, 0 and features of which the last column is never used and
// the one before by an isolated node only.
func sparingGraph() (*coles.Graph, *mat.Dense) {
	g := testkit.Must(coles.NewGraph(5, []coles.Edge{{U: 0, V: 1}, {U: 0, V: 2}, {U: 0, V: 3}, {U: 1, V: 2}}))
	return g, mat.NewDense(5, 6, []float64{
		2, 0, 0, 0, 0, 0,
		0, 1, 0, 1, 0, 0,
		4, 0, 1, 1, 0, 0,
		0, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 3, 0,
	})
}

// relative is (most − s)/(most − mean).
func relative(s ...float64) []float64 {
	most, mean := math.Inf(-1), 0.0
	for _, v := range s {
		most, mean = max(most, v), mean+v/float64(len(s))
	}
	out := make([]float64, len(s))
	for i, v := range s {
		out[i] = (most - v) / (most - mean)
	}
	return out
}

func wantNumbers(t *testing.T, what string, got, want []float64) {
	t.Helper()
	testkit.WantClose(t, what, mat.NewDense(1, len(got), got), mat.NewDense(1, len(want), want), 1e-12)
}

func TestUnimportanceByHand(t *testing.T) {
	g, x := sparingGraph()
	wantNumbers(t, "edges", edgeUnimportance(g), relative(math.Log(2.5), math.Log(2.5), math.Log(2), math.Log(2)))
	// Most of X is zero: degrees are summed over the nodes that have a word.
	words := relative(math.Log(5), math.Log(2), math.Log(2), math.Log(4), math.Log(2), math.Log(2))
	wantNumbers(t, "words", testkit.Must(columnUnimportance(ctx, g, testkit.Must(matrix.Read(ctx, x)))), words)
	wantNumbers(t, "words, sparse", testkit.Must(columnUnimportance(ctx, g, testkit.SparseOf(x))), words)
	// Most of X is not: magnitudes are.
	full := mat.NewDense(5, 3, []float64{1, -1, 2, 2, 0, 1, -3, 1, 1, 0, 5, 1, 7, 7, 7})
	wantNumbers(t, "magnitudes", testkit.Must(columnUnimportance(ctx, g, testkit.Must(matrix.Read(ctx, full)))), relative(math.Log(3+4+6), math.Log(3+2+5), math.Log(6+2+2+1)))
}

// Where nothing is more important than the rest, all is dropped at the same rate: also edges where
// there is none, and features that no node with edges has.
func TestEqualImportance(t *testing.T) {
	g := testkit.Must(coles.NewGraph(4, testkit.Ring(4, 1)))
	wantNumbers(t, "edges", edgeUnimportance(g), []float64{1, 1, 1, 1})
	wantNumbers(t, "columns", testkit.Must(columnUnimportance(ctx, g, testkit.Must(matrix.Read(ctx, mat.NewDense(4, 2, nil))))), []float64{1, 1})
	empty := testkit.Must(coles.NewGraph(4, nil))
	if got := edgeUnimportance(empty); len(got) != 0 {
		t.Errorf("no edges have the unimportance %v", got)
	}
	train(t, empty, mat.NewDense(4, 2, []float64{1, 0, 0, 1, 1, 0, 1, 0}), narrowed(GCA, gnn.Network{gnn.GCN(2)}, 2))
}

// Over many epochs, edges and columns are dropped in proportion to their probabilities, up to 0.7.
func TestAdaptiveDropIsAsOftenAsItShould(t *testing.T) {
	const epochs = 2000
	g, x := sparingGraph()
	edges, features := [2]float64{0.3, 0.9}, [2]float64{0.2, 0.5}
	all := slices.SortedFunc(maps.Keys(weightsOf(g)), func(a, b coles.Edge) int { return cmp.Or(a.U-b.U, a.V-b.V) })
	keptEdges, keptColumns := [2]map[coles.Edge]float64{{}, {}}, [2][6]float64{}
	spy := gnn.NewObjective("spy", custom.ObjectiveSpec{}, func(s *custom.Step[float32]) *autodiff.Value[float32] {
		for k, v := range s.Views() {
			for e := range weightsOf(v.Graph) {
				keptEdges[k][e]++
			}
			for c, f := range v.Columns {
				keptColumns[k][c] += f
			}
		}
		return s.Sum(s.Output(&custom.View{}))
	}, func(*custom.Step[float64]) *autodiff.Value[float64] { return nil })
	s := rival(spy, gnn.GCN(1))
	s.Preparation = coles.PrepareNone
	s.Augmentation = AdaptiveDrop(edges, features)
	train(t, g, x, s, gnn.With(func(s *gnn.Settings) { s.Epochs = epochs }))
	check := func(what string, at any, kept, probability float64) {
		want := 1 - min(0.7, probability)
		// Four standard deviations of a share.
		if got := kept / epochs; !(math.Abs(got-want) <= 4*math.Sqrt(want*(1-want)/epochs)) {
			t.Errorf("%s %v stay in %v of the epochs, want %v", what, at, got, want)
		}
	}
	ofColumns := testkit.Must(columnUnimportance(ctx, g, testkit.Must(matrix.Read(ctx, x))))
	for k := range 2 {
		for q, u := range edgeUnimportance(g) {
			check("edges", all[q], keptEdges[k][all[q]], edges[k]*u)
		}
		for c, u := range ofColumns {
			check("columns", c, keptColumns[k][c], features[k]*u)
		}
	}
}

// Self loops and weights stay, and loops do not count: with them the same edges are dropped.
func TestAdaptiveDropKeepsLoopsAndWeights(t *testing.T) {
	g := parts()
	var edges []coles.Edge
	var weights []float64
	for e, w := range g.Edges() {
		edges, weights = append(edges, e), append(weights, w)
	}
	for u := range 11 { // the least important, if they were edges; node 100 has no other
		edges, weights = append(edges, coles.Edge{U: 10 * u, V: 10 * u}), append(weights, 1)
	}
	loops := testkit.Must(coles.NewGraph(101, edges, coles.WithWeights(weights), coles.WithSelfLoopsKept()))
	drop := AdaptiveDrop([2]float64{0.3, 0.6}, [2]float64{})
	without := viewsOf(t, drop, g)
	for k, v := range viewsOf(t, drop, loops) {
		want, left := weightsOf(loops), weightsOf(without[k].Graph)
		maps.DeleteFunc(want, func(e coles.Edge, _ float64) bool { _, stays := left[e]; return e.U != e.V && !stays })
		testkit.WantSame(t, fmt.Sprintf("edges of view %d", k), weightsOf(v.Graph), want)
		if len(want) != len(left)+11 {
			t.Errorf("view %d has %d edges, and %d with 11 loops", k, len(left), len(want))
		}
	}
}
