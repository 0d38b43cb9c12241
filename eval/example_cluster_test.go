package eval_test

import (
	"context"
	"fmt"
	"log"

	"coles"
	"coles/eval"

	"gonum.org/v1/gonum/mat"
)

// Two triangles joined by an edge, the labels of their nodes, and an embedding of unit rows that
// keeps the triangles apart.
var (
	triangles    = mustGraph(6, []coles.Edge{{U: 0, V: 1}, {U: 0, V: 2}, {U: 1, V: 2}, {U: 2, V: 3}, {U: 3, V: 4}, {U: 3, V: 5}, {U: 4, V: 5}})
	corners      = []int{0, 0, 0, 1, 1, 1}
	triangleRows = mat.NewDense(6, 2, []float64{1, 0, 1, 0, 0.8, 0.6, 0.6, 0.8, 0, 1, 0, 1})
)

func mustGraph(n int, edges []coles.Edge) *coles.Graph {
	g, err := coles.NewGraph(n, edges)
	if err != nil {
		log.Fatal(err)
	}
	return g
}

func ExampleKMeans() {
	ctx := context.Background()
	m, err := eval.KMeans{Clusters: 2, Seed: 1}.Fit(ctx, points)
	if err != nil {
		log.Fatal(err)
	}
	labels, err := m.Predict(ctx, mat.NewDense(2, 2, []float64{0, 3, 3, 0}))
	if err != nil {
		log.Fatal(err)
	}
	// Which cluster is called 0 depends on the seed.
	fmt.Printf("inertia %.3f, the new rows with the old: %v %v\n", m.Inertia, labels[0] == m.Labels[2], labels[1] == m.Labels[5])
	// Output: inertia 5.333, the new rows with the old: true true
}

// The protocol of the paper's clustering table.
func ExampleProtocol_Cluster() {
	ctx := context.Background()
	c, err := eval.Protocol{Runs: 3}.Cluster(ctx, triangleRows, corners)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v over %d runs\n", c, len(c.NMI.Each))
	// Output: accuracy 100.0 ± 0.0 %, NMI 100.0 ± 0.0 %, F1 100.0 ± 0.0 % over 3 runs
}

// How many groups are there? The silhouettes of two to four clusters favour three: two pairs of equal
// rows, and the two rows between them.
func ExampleClusterCount() {
	k, silhouettes, err := eval.ClusterCount(context.Background(), triangleRows, 4, eval.KMeans{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d clusters: %.2f\n", k, silhouettes)
	// Output: 3 clusters: [0.52 0.85 0.67]
}

// Six things of three kinds, and the clusters they were put in.
func ExampleNMI() {
	kinds, clusters := []int{0, 0, 0, 1, 1, 2}, []int{5, 5, 7, 7, 7, 7}
	nmi, err := eval.NMI(clusters, kinds)
	if err != nil {
		log.Fatal(err)
	}
	accuracy, err := eval.ClusterAccuracy(clusters, kinds) // 5 stands for 0, 7 for 1
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("NMI %.3f, accuracy %.3f\n", nmi, accuracy)
	// Output: NMI 0.386, accuracy 0.667
}

// Clusters judged without labels, by a graph and by rows.
func ExampleModularity() {
	q, err := eval.Modularity(triangles, corners)
	if err != nil {
		log.Fatal(err)
	}
	s, err := eval.Silhouette(context.Background(), triangleRows, corners)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("modularity %.3f, silhouette %.3f\n", q, s)
	// Output: modularity 0.357, silhouette 0.525
}

// ΔH = H(G⁺) − H(G⁻), by which the paper explains the gain of a contrast.
func ExampleNodeHomophily() {
	positive, err := eval.NodeHomophily(triangles, corners)
	if err != nil {
		log.Fatal(err)
	}
	negative, err := eval.ExpectedHomophily(corners)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("H = %.3f, ΔH = %.3f\n", positive, positive-negative)
	// Output: H = 0.889, ΔH = 0.389
}
