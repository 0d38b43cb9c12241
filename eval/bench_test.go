package eval

import (
	"fmt"
	"testing"

	"coles/dataset"
	"coles/internal/testkit"
)

func BenchmarkClassify(b *testing.B) {
	for _, c := range []struct{ n, d, classes, perClass int }{
		{2708, 512, 7, 5}, {2708, 512, 7, 20},
		{18333, 128, 15, 20}, {18333, 512, 15, 20},
	} {
		x, labels := blobs(c.n, c.d, c.classes, 1)
		splits := testkit.Must(dataset.RandomSplits(labels, c.perClass, 50, 1))
		b.Run(fmt.Sprintf("n=%d,d=%d,classes=%d,per=%d", c.n, c.d, c.classes, c.perClass), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				testkit.Must(Classify(background, x, labels, splits))
			}
		})
	}
}

// Raw bag-of-words features of a real graph, sparse.
func BenchmarkClassifySparse(b *testing.B) {
	data := testkit.Must(dataset.OpenNPZ(testkit.Shared(b, "data", "npz", "coauthor_cs.npz")))
	splits := testkit.Must(dataset.RandomSplits(data.Labels, 20, 50, 1))
	for b.Loop() {
		testkit.Must(Classify(background, data.Features, data.Labels, splits))
	}
}

// One start on as many rows as ogbn-arxiv has, of 128 columns, in 40 clusters.
func BenchmarkKMeans(b *testing.B) {
	for _, c := range []struct{ n, d, k int }{{19717, 32, 3}, {170_000, 128, 40}} {
		x, _ := blobs(c.n, c.d, c.k, 1)
		b.Run(fmt.Sprintf("n=%d,d=%d,k=%d", c.n, c.d, c.k), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m := testkit.Must(KMeans{Clusters: c.k, Starts: 1, Seed: 1}.Fit(background, x))
				b.ReportMetric(float64(m.Iterations), "iterations")
			}
		})
	}
}

// An embedding of the size of ogbn-arxiv's.
func BenchmarkNearestRows(b *testing.B) {
	const n, d, queries, k = 170_000, 128, 1000, 10
	x, _ := blobs(n, d, 40, 1)
	rows := make([]int, queries)
	for q := range rows {
		rows[q] = q * (n / queries)
	}
	for _, by := range []Similarity{Cosine, DotProduct} {
		b.Run(by.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				testkit.Must(NearestRows(background, x, rows, k, by))
			}
		})
	}
}
