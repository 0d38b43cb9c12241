package eval_test

import (
	"context"
	"fmt"
	"log"

	"coles/eval"
)

// Six things of three classes, and the clusters they were put in.
var (
	kinds    = []int{0, 0, 0, 1, 1, 2}
	clusters = []int{5, 5, 7, 7, 7, 7}
)

func ExampleConfusionMatrix() {
	m, err := eval.ConfusionMatrix([]int{0, 0, 1, 1, 1, 1}, kinds)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("classes", m.Classes)
	for _, row := range m.Counts {
		fmt.Println(row)
	}
	// Output:
	// classes [0 1 2]
	// [2 1 0]
	// [0 2 0]
	// [0 1 0]
}

func ExampleMicroF1() {
	f1, err := eval.MicroF1([]int{0, 0, 1, 1, 1, 1}, kinds)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", f1)
	// Output: 0.667
}

func ExampleMacroF1() {
	// 4/5, 2/3 and, for the class that is never predicted, 0.
	f1, err := eval.MacroF1([]int{0, 0, 1, 1, 1, 1}, kinds)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", f1)
	// Output: 0.489
}

func ExampleClusterMap() {
	class, err := eval.ClusterMap(clusters, kinds)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(class)
	// Output: map[5:0 7:1]
}

func ExampleClusterAccuracy() {
	accuracy, err := eval.ClusterAccuracy(clusters, kinds)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", accuracy)
	// Output: 0.667
}

func ExampleClusterMacroF1() {
	f1, err := eval.ClusterMacroF1(clusters, kinds)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", f1)
	// Output: 0.489
}

func ExampleNMI() {
	nmi, err := eval.NMI(clusters, kinds)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", nmi)
	// Output: 0.386
}

func ExampleARI() {
	ari, err := eval.ARI(clusters, kinds)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", ari)
	// Output: 0.037
}

func ExampleSilhouette() {
	s, err := eval.Silhouette(context.Background(), points, sides)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", s)
	// Output: 0.407
}

func ExampleModularity() {
	q, err := eval.Modularity(triangles, corners)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", q)
	// Output: 0.357
}

func ExampleKMeans_Fit() {
	m, err := eval.KMeans{Clusters: 2, Seed: 1}.Fit(context.Background(), points)
	if err != nil {
		log.Fatal(err)
	}
	// Which cluster is called 0 depends on the seed.
	fmt.Println(m.Labels[0] == m.Labels[1], m.Labels[0] == m.Labels[5])
	fmt.Printf("inertia %.3f\n", m.Inertia)
	// Output:
	// true false
	// inertia 5.333
}

func ExampleKMeansModel_Predict() {
	ctx := context.Background()
	m, err := eval.KMeans{Clusters: 2, Seed: 1}.Fit(ctx, points)
	if err != nil {
		log.Fatal(err)
	}
	labels, err := m.Predict(ctx, points.Slice(1, 3, 0, 2))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(labels[0] == m.Labels[1], labels[1] == m.Labels[2])
	// Output: true true
}

func ExampleCluster() {
	c, err := eval.Cluster(context.Background(), points, sides)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("accuracy %.1f ± %.1f %%, NMI %.1f, F1 %.1f over %d runs\n",
		c.Accuracy.Mean, c.Accuracy.Std, c.NMI.Mean, c.F1.Mean, len(c.Accuracy.Each))
	// Output: accuracy 100.0 ± 0.0 %, NMI 100.0, F1 100.0 over 10 runs
}

func ExampleWithKMeans() {
	// More clusters than classes: what is in the third is a mistake.
	k := eval.KMeans{Clusters: 3, Starts: 20, Seed: 1}
	c, err := eval.Cluster(context.Background(), points, sides, eval.WithKMeans(k))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.1f\n", c.Accuracy.Mean)
	// Output: 83.3
}

func ExampleWithRuns() {
	c, err := eval.Cluster(context.Background(), points, sides, eval.WithRuns(3))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.NMI.Each)
	// Output: [100 100 100]
}

func ExampleWithoutUnitRows() {
	c, err := eval.Cluster(context.Background(), points, sides, eval.WithoutUnitRows())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.1f\n", c.Accuracy.Mean)
	// Output: 100.0
}

func ExampleSpectralFeatures() {
	// The first column is constant, the second tells the sides apart.
	y, err := eval.SpectralFeatures(context.Background(), points, 2)
	if err != nil {
		log.Fatal(err)
	}
	for i := range sides {
		fmt.Print(y.At(i, 1) > 0, " ")
	}
	fmt.Println()
	// Output: false false false true true true
}

func ExampleSpectralGraph() {
	// The first column is constant, the second tells the triangles apart.
	y, err := eval.SpectralGraph(context.Background(), triangles, 2)
	if err != nil {
		log.Fatal(err)
	}
	c, err := eval.Cluster(context.Background(), y, corners, eval.WithoutUnitRows())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Accuracy.Mean)
	// Output: 100
}
