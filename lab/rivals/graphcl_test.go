package rivals

import (
	"maps"
	"slices"
	"testing"

	"coles"
	"coles/gnn"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// viewsOf are the views that an augmentation draws of a graph.
func viewsOf(t *testing.T, a gnn.Augmentation, g *coles.Graph) (views []*custom.View) {
	t.Helper()
	n := g.Nodes()
	spy := gnn.NewObjective("spy", custom.ObjectiveSpec{}, func(s *custom.Step[float32]) *autodiff.Value[float32] {
		views = s.Views()
		return s.Sum(s.Output(&custom.View{}))
	}, func(*custom.Step[float64]) *autodiff.Value[float64] { return nil })
	s := rival(spy, gnn.GCN(1))
	s.Augmentation = a
	train(t, g, mat.NewDense(n, 2, nil), s, gnn.With(func(s *gnn.Settings) { s.Epochs = 2 }))
	if len(views) != 2 {
		t.Fatalf("%d views", len(views))
	}
	return views
}

// weightsOf are the weights of the edges of a graph.
func weightsOf(g *coles.Graph) map[coles.Edge]float64 { return maps.Collect(g.Edges()) }

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
	return testkit.Must(coles.NewGraph(100, edges, coles.WithWeights(weights)))
}

// What a view has left are all edges among its nodes, and their features.
func TestSubgraphsAreInduced(t *testing.T) {
	g := parts()
	var first []int
	for k, v := range viewsOf(t, subgraphs(0.3), g) {
		nodes := remaining(v)
		if len(nodes) != 70 {
			t.Errorf("%d nodes are left, want 70", len(nodes))
		}
		kept := map[int]bool{}
		for _, i := range nodes {
			kept[i] = true
		}
		for i, r := range v.Rows {
			if kept[i] && r != i || !kept[i] && r != -1 {
				t.Errorf("node %d has the features of %d", i, r)
			}
		}
		want := weightsOf(g)
		maps.DeleteFunc(want, func(e coles.Edge, _ float64) bool { return !kept[e.U] || !kept[e.V] })
		testkit.WantSame(t, "edges", weightsOf(v.Graph), want)
		if k == 0 {
			first = nodes
		} else if slices.Equal(nodes, first) {
			t.Error("both views have the same nodes")
		}
	}
}

// A subgraph holds together: of five components of 20 nodes, 70 nodes are three whole ones and a
// connected part of a fourth.
func TestSubgraphsHoldTogether(t *testing.T) {
	for _, v := range viewsOf(t, subgraphs(0.3), parts()) {
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

func TestGraphCLTrainsOnEveryAugmentation(t *testing.T) {
	g, x := words(11, 40, 12)
	seen := map[float64]string{}
	for name, a := range map[string]gnn.Augmentation{
		"none": {}, "subgraphs": subgraphs(0.3), "edges": gnn.Drop([2]float64{0.9, 0.9}, [2]float64{}),
		"features": gnn.Drop([2]float64{}, [2]float64{0.3, 0.3}), "drop": gnn.Drop([2]float64{0.3, 0.3}, [2]float64{}),
	} {
		s := narrowed(GraphCL, gnn.Network{gnn.GCN(4), gnn.PReLU()}, 5)
		s.Augmentation = a
		loss := train(t, g, x, s).Report().Loss
		if other := seen[loss]; other != "" {
			t.Errorf("%s has the loss of %s", name, other)
		}
		seen[loss] = name
	}
}
