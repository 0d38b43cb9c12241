package cluster

import (
	"context"
	"math"
	"slices"
	"testing"

	"coles/internal/contingency"
	"coles/internal/given"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

func TestSilhouetteEqualsScikitLearn(t *testing.T) {
	cases := testkit.OpenCases[testkit.ClusteringCases](t, "testdata/clustering")
	for i, c := range cases.Cases {
		if c.Silhouette == nil {
			continue
		}
		for _, form := range testkit.Forms(testkit.MatrixOf(c.X, cases.Unit)) {
			got, err := Silhouette(context.Background(), form, c.Pred)
			testkit.Comparer{T: t, Index: i}.Equal("silhouette", got, *c.Silhouette, 1, err)
		}
	}
}

// More rows than a block, some of them equal and all far from zero, against distances taken one by
// one.
func TestSilhouetteOfManyRowsEqualsItsDefinition(t *testing.T) {
	const n, d, k = 700, 4, 6
	x, clusters := testkit.Normal(n, d, 1, 71), testkit.RandomLabels(n, k, 71)
	for i := range n {
		x.Set(i, 0, x.At(i, 0)+1000)
		if i%9 == 1 {
			x.SetRow(i, x.RawRowView(i-1))
		}
	}
	clusters[5] = 77 // alone
	sum := 0.0
	for i := range n {
		total, count := map[int]float64{}, map[int]float64{}
		for j := range n {
			if j != i {
				total[clusters[j]] += math.Sqrt(apart(x.RawRowView(i), x.RawRowView(j)))
				count[clusters[j]]++
			}
		}
		a, b := total[clusters[i]]/count[clusters[i]], math.Inf(1)
		for c := range total {
			if c != clusters[i] {
				b = min(b, total[c]/count[c])
			}
		}
		if count[clusters[i]] > 0 {
			sum += (b - a) / max(a, b)
		}
	}
	testkit.WantNear(t, "the silhouette", testkit.Must(Silhouette(context.Background(), x, clusters)), sum/n, 1e-12)
}

// Five groups of rows far apart, and the silhouettes one by one.
func TestClusterCountIsThatOfTheLargestSilhouette(t *testing.T) {
	x := testkit.Normal(400, 3, 1, 74)
	for i := range 400 {
		x.Set(i, i%5%3, x.At(i, i%5%3)+30*float64(1+i%5))
	}
	means := KMeans{Starts: 3, Seed: 5}
	k, got, err := Count(context.Background(), x, 8, means)
	if err != nil || k != 5 || len(got) != 7 {
		t.Fatalf("%d clusters of silhouettes %v, error %v", k, got, err)
	}
	means.Clusters = 6
	k, rest, err := Count(context.Background(), x, 8, means)
	if err != nil || k < 6 || !slices.Equal(rest, got[4:]) {
		t.Errorf("from 6 on %d clusters of silhouettes %v, error %v", k, rest, err)
	}
	for q, s := range got {
		means.Clusters = q + 2
		m := testkit.Must(means.Fit(context.Background(), x))
		testkit.WantNear(t, "a silhouette", s, testkit.Must(Silhouette(context.Background(), x, m.Of)), 1e-12)
	}
}

// Silhouettes of distances in float32 are those in float64, also of rows that nearly coincide, lie
// far from zero or are of another unit.
func TestSilhouettesInSinglePrecision(t *testing.T) {
	x, labels := testkit.Blobs(1500, 40, 6, 5)
	for name, change := range map[string]func(i, j int, v float64) float64{
		"overlapping": func(_, _ int, v float64) float64 { return v },
		"far away":    func(_, j int, v float64) float64 { return v + float64(100*j) },
		"tiny":        func(_, _ int, v float64) float64 { return 0x1p-90 * v },
		"tight":       func(i, j int, v float64) float64 { return float64((labels[i]*7+j)%11) + 1e-3*v },
	} {
		var y mat.Dense
		y.Apply(change, x)
		f := testkit.Must(given.Read(context.Background(), &y))
		partitions := []contingency.Partition{contingency.PartitionOf(labels), contingency.PartitionOf(testkit.RandomLabels(1500, 19, 6))}
		want := testkit.Must(meansOfPairs[float64](context.Background(), f, partitions))
		for q, got := range testkit.Must(meansOfPairs[float32](context.Background(), f, partitions)) {
			testkit.WantNear(t, name, got, want[q], 2e-6)
		}
	}
}
