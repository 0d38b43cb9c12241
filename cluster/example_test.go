package cluster_test

import (
	"context"
	"fmt"
	"log"

	"coles/cluster"

	"gonum.org/v1/gonum/mat"
)

// Six points of the plane in two classes, one on each side of the line x = y.
var points = mat.NewDense(6, 2, []float64{0, 1, 0, 2, 1, 3, 1, 0, 2, 0, 3, 1})

// An embedding of six unit rows.
var rows = mat.NewDense(6, 2, []float64{1, 0, 1, 0, 0.8, 0.6, 0.6, 0.8, 0, 1, 0, 1})

func ExampleKMeans() {
	m, err := cluster.KMeans{Clusters: 2, Seed: 1}.Fit(context.Background(), points)
	if err != nil {
		log.Fatal(err)
	}
	// Which cluster is called 0 depends on the seed.
	fmt.Printf("inertia %.3f, the sides apart: %v\n", m.Inertia, m.Of[0] != m.Of[3])
	// Output: inertia 5.333, the sides apart: true
}

// How many groups are there? The silhouettes of two to four clusters favour three: two pairs of equal
// rows, and the two rows between them.
func ExampleCount() {
	k, silhouettes, err := cluster.Count(context.Background(), rows, 4, cluster.KMeans{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d clusters: %.2f\n", k, silhouettes)
	// Output: 3 clusters: [0.52 0.85 0.67]
}
