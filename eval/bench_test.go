package eval

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"coles/dataset"

	"gonum.org/v1/gonum/mat"
)

// blobs draws n rows of mean norm near 4, c classes, and column energies that
// decay like an embedding's: what the classifier meets in the tables.
func blobs(n, d, c int, seed uint64) (*mat.Dense, []int) {
	rng := rand.New(rand.NewPCG(seed, 0))
	centre := mat.NewDense(c, d, nil)
	scale := make([]float64, d)
	var energy float64
	for j := range scale {
		scale[j] = 1 / math.Sqrt(float64(j+1))
		energy += 2 * scale[j] * scale[j]
		for k := range c {
			centre.Set(k, j, rng.NormFloat64()*scale[j])
		}
	}
	x, labels := mat.NewDense(n, d, nil), make([]int, n)
	for i := range n {
		labels[i] = rng.IntN(c)
		for j, s := range scale {
			x.Set(i, j, 4/math.Sqrt(energy)*(centre.At(labels[i], j)+s*rng.NormFloat64()))
		}
	}
	return x, labels
}

func BenchmarkClassify(b *testing.B) {
	for _, c := range []struct{ n, d, classes, perClass int }{
		{2708, 512, 7, 5}, {2708, 512, 7, 20},
		{18333, 128, 15, 20}, {18333, 512, 15, 20},
	} {
		x, labels := blobs(c.n, c.d, c.classes, 1)
		splits, err := dataset.RandomSplits(labels, c.perClass, 50, 1)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("n=%d,d=%d,classes=%d,per=%d", c.n, c.d, c.classes, c.perClass), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				if _, err := Classify(context.Background(), x, labels, splits); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Raw bag-of-words features of a real graph, sparse.
func BenchmarkClassifySparse(b *testing.B) {
	data, err := dataset.OpenNPZ(sharedFile(b, "data", "npz", "coauthor_cs.npz"))
	if err != nil {
		b.Fatal(err)
	}
	splits, err := dataset.RandomSplits(data.Labels, 20, 50, 1)
	if err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for range b.N {
		if _, err := Classify(context.Background(), data.Features, data.Labels, splits); err != nil {
			b.Fatal(err)
		}
	}
}

// The setting of the figure: one start on as many rows as ogbn-arxiv has, of 128
// columns, in 40 clusters.
func BenchmarkKMeans(b *testing.B) {
	for _, c := range []struct{ n, d, k int }{{19717, 32, 3}, {170_000, 128, 40}} {
		x, _ := blobs(c.n, c.d, c.k, 1)
		b.Run(fmt.Sprintf("n=%d,d=%d,k=%d", c.n, c.d, c.k), func(b *testing.B) {
			b.ReportAllocs()
			for i := range b.N {
				m, err := KMeans{Clusters: c.k, Starts: 1, Seed: uint64(i)}.Fit(background, x)
				if err != nil {
					b.Fatal(err)
				}
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
			for range b.N {
				if _, err := NearestRows(context.Background(), x, rows, k, by); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
