package cluster

import (
	"context"
	"fmt"
	"testing"

	"coles/internal/testkit"
)

// One start on as many rows as ogbn-arxiv has, of 128 columns, in 40 clusters.
func BenchmarkKMeans(b *testing.B) {
	for _, c := range []struct{ n, d, k int }{{19717, 32, 3}, {170_000, 128, 40}} {
		x, _ := testkit.Blobs(c.n, c.d, c.k, 1)
		b.Run(fmt.Sprintf("n=%d,d=%d,k=%d", c.n, c.d, c.k), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m := testkit.Must(KMeans{Clusters: c.k, Starts: 1, Seed: 1}.Fit(context.Background(), x))
				b.ReportMetric(float64(m.Iterations), "iterations")
			}
		})
	}
}

// One start on 100,000 rows that overlap, and the choice of a number of clusters for as many as
// Pubmed has.
func BenchmarkClusters(b *testing.B) {
	x, _ := testkit.Blobs(100_000, 128, 40, 1)
	b.Run("one start", func(b *testing.B) {
		for b.Loop() {
			testkit.Must(KMeans{Clusters: 40, Starts: 1, Seed: 1}.Fit(context.Background(), x))
		}
	})
	x, _ = testkit.Blobs(19717, 128, 12, 1)
	b.Run("count", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := Count(context.Background(), x, 20, KMeans{Seed: 1}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
