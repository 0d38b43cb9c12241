package rivals

import (
	"maps"
	"slices"
	"testing"

	"coles"
	"coles/gnn"
	"coles/gnn/autodiff"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// viewsOf are the views that an augmentation draws of a graph.
func viewsOf(t *testing.T, a gnn.Augmentation, g *coles.Graph) (views []*gnn.View) {
	t.Helper()
	n := g.Nodes()
	spy := gnn.NewObjective("spy", gnn.ObjectiveSpec{}, func(s *gnn.Step[float32]) *autodiff.Value[float32] {
		views = s.Views()
		return s.Sum(s.Output(&gnn.View{}))
	}, func(*gnn.Step[float64]) *autodiff.Value[float64] { return nil })
	train(t, g, mat.NewDense(n, 2, nil), rival(spy, gnn.GCN(1)), gnn.WithAugmentation(a), gnn.WithEpochs(2))
	if len(views) != 2 {
		t.Fatalf("%d views", len(views))
	}
	return views
}

// weightsOf are the weights of the edges of a graph.
func weightsOf(g *coles.Graph) map[coles.Edge]float64 {
	all := map[coles.Edge]float64{}
	edges, weights := edgesOf(g)
	for q, e := range edges {
		all[e] = weights[q]
	}
	return all
}

// parts is a weighted graph of 100 nodes in five paths of 20, and random edges within each.
func parts() *coles.Graph {
	rnd := testkit.Random(9)
	var edges []coles.Edge
	for u := range 100 {
		if u%20 != 0 {
			edges = append(edges, coles.Edge{U: u - 1, V: u})
		}
		edges = append(edges, coles.Edge{U: u, V: u/20*20 + rnd.IntN(20)})
	}
	weights := make([]float64, len(edges))
	for q := range weights {
		weights[q] = 1.5 + float64(q)
	}
	return testkit.Must(coles.NewWeightedGraph(100, edges, weights))
}

// What a view without some nodes has left are all edges among the others, and their features.
func TestViewsWithoutNodes(t *testing.T) {
	g := parts()
	for name, a := range map[string]gnn.Augmentation{"dropped": DroppedNodes(0.3), "subgraphs": Subgraphs(0.3)} {
		var first []int
		for k, v := range viewsOf(t, a, g) {
			nodes := remaining(v)
			if len(nodes) != 70 {
				t.Errorf("%s: %d nodes are left, want 70", name, len(nodes))
			}
			kept := map[int]bool{}
			for _, i := range nodes {
				kept[i] = true
			}
			for i, r := range v.Rows {
				if kept[i] && r != i || !kept[i] && r != -1 {
					t.Errorf("%s: node %d has the features of %d", name, i, r)
				}
			}
			want := weightsOf(g)
			maps.DeleteFunc(want, func(e coles.Edge, _ float64) bool { return !kept[e.U] || !kept[e.V] })
			testkit.WantSame(t, name, weightsOf(v.Graph), want)
			if k == 0 {
				first = nodes
			} else if slices.Equal(nodes, first) {
				t.Errorf("%s: both views have the same nodes", name)
			}
		}
	}
}

// A subgraph holds together: of five components of 20 nodes, 70 nodes are three whole ones and a
// connected part of a fourth.
func TestSubgraphsHoldTogether(t *testing.T) {
	for _, v := range viewsOf(t, Subgraphs(0.3), parts()) {
		component, _ := v.Graph.Components()
		sizes := map[int]int{}
		for _, i := range remaining(v) {
			sizes[component[i]]++
		}
		counts := map[int]int{}
		for _, size := range sizes {
			counts[size]++
		}
		testkit.WantSame(t, "nodes of components", counts, map[int]int{20: 3, 10: 1})
	}
}

func TestMaskedRowsKeepTheGraph(t *testing.T) {
	for _, v := range viewsOf(t, MaskedRows(0.3), parts()) {
		masked := 0
		for i, r := range v.Rows {
			if r == -1 {
				masked++
			} else if r != i {
				t.Errorf("node %d has the features of %d", i, r)
			}
		}
		if masked != 30 || v.Graph != nil || remaining(v) != nil {
			t.Errorf("%d nodes are masked, want 30; the graph is %v", masked, v.Graph)
		}
	}
}

func TestChangedEdgesAreSoMany(t *testing.T) {
	g := parts()
	before := weightsOf(g)
	want := len(before) / 8 // a quarter of a half
	for _, v := range viewsOf(t, ChangedEdges(0.5), g) {
		after := weightsOf(v.Graph)
		stay, put := 0, 0
		for e, w := range after {
			if before[e] == w {
				stay++
			} else if w == 1 && before[e] == 0 {
				put++
			}
		}
		if stay != len(before)-want || put != want || len(after) != len(before) {
			t.Errorf("of %d edges %d stay and %d are new, want %d new", len(before), stay, put, want)
		}
	}
}

// Where every two nodes are joined there is nothing to put in, and nothing is taken out.
func TestChangedEdgesOfACompleteGraph(t *testing.T) {
	g := testkit.Must(coles.NewGraph(12, testkit.RandomEdges(testkit.Random(1), 12, 1)))
	for _, v := range viewsOf(t, ChangedEdges(0.9), g) {
		testkit.WantSame(t, "edges", weightsOf(v.Graph), weightsOf(g))
	}
}

func TestSharesOutOfRange(t *testing.T) {
	g, x := words(10, 20, 5)
	for _, share := range []float64{-0.1, 1} {
		for _, of := range []func(float64) gnn.Augmentation{DroppedNodes, Subgraphs, MaskedRows, ChangedEdges} {
			err := testkit.Err(gnn.Train(ctx, g, x, gnn.WithSettings(GraphCL("")), gnn.WithAugmentation(of(share))))
			testkit.WantError(t, err, coles.ErrSetting)
		}
	}
}

func TestGraphCLTrainsOnEveryAugmentation(t *testing.T) {
	g, x := words(11, 40, 12)
	seen := map[float64]string{}
	for name, a := range map[string]gnn.Augmentation{
		"none": {}, "dropped": DroppedNodes(0.3), "subgraphs": Subgraphs(0.3), "masked": MaskedRows(0.3), "edges": ChangedEdges(0.9),
		"drop": gnn.Drop([2]float64{0.3, 0.3}, [2]float64{}),
	} {
		loss := train(t, g, x, narrowed(GraphCL, gnn.Network{gnn.GCN(4), gnn.PReLU()}, 5), gnn.WithAugmentation(a)).Report().Loss
		if other := seen[loss]; other != "" {
			t.Errorf("%s has the loss of %s", name, other)
		}
		seen[loss] = name
	}
}
