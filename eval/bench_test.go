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
				testkit.Must(Protocol{}.Classify(background, x, labels, splits))
			}
		})
	}
}

// Raw bag-of-words features of a real graph, sparse.
func BenchmarkClassifySparse(b *testing.B) {
	data := testkit.Must(dataset.Open(testkit.Shared(b, "data", "npz", "coauthor_cs.npz"), dataset.ReadNPZ))
	splits := testkit.Must(dataset.RandomSplits(data.Labels, 20, 50, 1))
	for b.Loop() {
		testkit.Must(Protocol{}.Classify(background, data.Features, data.Labels, splits))
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

// The ten most similar of 200,000 rows of 128 columns, to one row at a time and to a hundred.
func BenchmarkIndex(b *testing.B) {
	const n, d, k = 200_000, 128, 10
	x, _ := blobs(n, d, 40, 1)
	b.Run("new", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			testkit.Must(NewIndex(background, x, Cosine))
		}
	})
	for _, by := range []Similarity{Cosine, DotProduct} {
		index := testkit.Must(NewIndex(background, x, by))
		for _, batch := range []int{1, 10, 100, 1000} {
			b.Run(fmt.Sprintf("%v,batch=%d", by, batch), func(b *testing.B) {
				rows := make([]int, batch)
				next := 0
				for b.Loop() {
					for q := range rows {
						rows[q] = next % n
						next += 7919
					}
					testkit.Must(index.Rows(background, rows, k))
				}
				b.ReportMetric(float64(batch*b.N)/b.Elapsed().Seconds(), "queries/s")
			})
		}
	}
}

// One start on 100,000 rows that overlap, and the choice of a number of clusters for as many as
// Pubmed has.
func BenchmarkClusters(b *testing.B) {
	x, _ := blobs(100_000, 128, 40, 1)
	b.Run("one start", func(b *testing.B) {
		for b.Loop() {
			testkit.Must(KMeans{Clusters: 40, Starts: 1, Seed: 1}.Fit(background, x))
		}
	})
	x, _ = blobs(19717, 128, 12, 1)
	b.Run("count", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := ClusterCount(background, x, 20, KMeans{Seed: 1}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkTSNE(b *testing.B) {
	x, _ := blobs(5000, 64, 10, 1)
	for b.Loop() {
		testkit.Must(TSNE{Seed: 1}.Places(background, x))
	}
}
