package eval

import (
	"math"
	"testing"

	"coles"
	"coles/dataset"
	"coles/internal/stream"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// Cluster against k-means of unit rows, run by run.
func TestClusterIsKMeansOfUnitRowsJudged(t *testing.T) {
	x, labels := blobs(600, 8, 4, 70)
	before := mat.DenseCopyOf(x)
	got, err := Cluster(background, x, labels, WithKMeans(KMeans{Seed: 9, Starts: 2}), WithRuns(3))
	if err != nil {
		t.Fatal(err)
	}
	unit := mat.DenseCopyOf(x)
	for i := range 600 {
		row := mat.NewVecDense(8, unit.RawRowView(i))
		row.ScaleVec(1/row.Norm(2), row)
	}
	scores := map[string]func(a, b []int) (float64, error){"accuracy": ClusterAccuracy, "NMI": NMI, "macro F1": ClusterMacroF1}
	each := map[string][]float64{}
	for run := range uint64(3) {
		m, err := KMeans{Clusters: 4, Seed: stream.Seed(9, run), Starts: 2}.Fit(background, unit)
		if err != nil {
			t.Fatal(err)
		}
		for name, of := range scores {
			each[name] = append(each[name], 100*testkit.Must(of(m.Labels, labels)))
		}
	}
	for name, m := range map[string]Measurements{"accuracy": got.Accuracy, "NMI": got.NMI, "macro F1": got.F1} {
		testkit.WantSame(t, name, m.Each, each[name])
		mean, std, err := MeanStd(each[name])
		if m.Mean != mean || m.Std != std || err != nil {
			t.Errorf("%s: %v ± %v, want %v ± %v", name, m.Mean, m.Std, mean, std)
		}
	}
	if !mat.Equal(x, before) {
		t.Error("the rows were written to")
	}
}

// The paper's row COLES-S²GC of its clustering table, accuracy, NMI and macro F1, is to be passed
// with one setting for all: d′ = 32, K = 20 and an effective rank of 12. K-means on the features as
// they are is to be worse.
func TestClusteringPassesThePaper(t *testing.T) {
	testkit.Long(t)
	for _, c := range []struct {
		name             string
		accuracy, nmi, f float64
	}{
		{"cora", 69.70, 55.35, 63.06},
		{"citeseer", 69.20, 44.41, 64.70},
		{"pubmed", 68.76, 33.42, 68.12},
	} {
		data := testkit.Must(dataset.OpenNPZ(testkit.Shared(t, "data", "npz", c.name+".npz")))
		g := testkit.Must(coles.FromDirectedCSR(data.Adjacency))
		m, err := coles.Fit(background, g, data.Features, coles.WithDim(32), coles.WithFilter(coles.S2GCSum(20)),
			coles.WithScaling(coles.ScalingRule{Rank: 12, Floor: 12, Norm: 4}))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Cluster(background, m.Embedding(), data.Labels)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: accuracy %.2f ± %.2f, NMI %.2f ± %.2f, macro F1 %.2f ± %.2f", c.name,
			got.Accuracy.Mean, got.Accuracy.Std, got.NMI.Mean, got.NMI.Std, got.F1.Mean, got.F1.Std)
		if got.Accuracy.Mean < c.accuracy || got.NMI.Mean < c.nmi || got.F1.Mean < c.f {
			t.Errorf("%s: the paper has %.2f, %.2f, %.2f", c.name, c.accuracy, c.nmi, c.f)
		}
		raw, err := Cluster(background, data.Features, data.Labels, WithoutUnitRows(), WithRuns(1), WithKMeans(KMeans{Starts: 2}))
		if err != nil {
			t.Fatal(err)
		}
		if raw.NMI.Mean >= got.NMI.Mean {
			t.Errorf("%s: k-means on the features has an NMI of %.2f", c.name, raw.NMI.Mean)
		}
	}
}

func TestSilhouetteEqualsScikitLearn(t *testing.T) {
	cases := openCases[clusteringCases](t, "clustering")
	for i, c := range cases.Cases {
		if c.Silhouette == nil {
			continue
		}
		for _, form := range forms(matrixOf(c.X, cases.Unit)) {
			got, err := Silhouette(background, form, c.Pred)
			comparer{t, i}.equal("silhouette", got, *c.Silhouette, 1, err)
		}
	}
}

// More rows than a block, some of them equal and all far from zero, against distances taken one by
// one.
func TestSilhouetteOfManyRowsEqualsItsDefinition(t *testing.T) {
	const n, d, k = 700, 4, 6
	x, clusters := normal(n, d, 1, 71), randomLabels(n, k, 71)
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
	first := 0.0
	testkit.ForProcessors(t, func(procs int) {
		got := testkit.Must(Silhouette(background, x, clusters))
		if math.Abs(got-sum/n) > 1e-12 {
			t.Errorf("%v, want %v", got, sum/n)
		}
		if first == 0 {
			first = got
		}
		if got != first {
			t.Errorf("%v with %d processors, %v with one", got, procs, first)
		}
	})
}

// Silhouettes have no unit: the squares of these rows vanish, or overflow.
func TestSilhouetteOfAnyScale(t *testing.T) {
	x, clusters := normal(40, 3, 1, 72), randomLabels(40, 3, 72)
	want := testkit.Must(Silhouette(background, x, clusters))
	for _, scale := range []float64{0x1p-700, 0x1p700} {
		scaled := mat.DenseCopyOf(x)
		scaled.Scale(scale, scaled)
		if got := testkit.Must(Silhouette(background, scaled, clusters)); math.Abs(got-want) > 1e-14 {
			t.Errorf("rows times %g: %v, want %v", scale, got, want)
		}
	}
}

func TestModularityEqualsItsDefinition(t *testing.T) {
	for i, c := range openCases[clusteringCases](t, "clustering").Cases {
		if c.Q == nil {
			continue
		}
		g := testkit.Must(coles.NewWeightedGraph(len(c.Pred), toEdges(c.Edges), c.Weights))
		got, err := Modularity(g, c.Pred)
		comparer{t, i}.equal("modularity", got, *c.Q, 1, err)
	}
}

func TestModularityIgnoresSelfLoops(t *testing.T) {
	edges := []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 0, V: 2}, {U: 2, V: 3}, {U: 3, V: 4}, {U: 4, V: 5}, {U: 3, V: 5}}
	// Two triangles and a bridge: 6/7 of the weight inside, half of the degrees in each.
	const want = 6.0/7 - 0.5
	for _, loops := range [][]coles.Edge{nil, {{U: 1, V: 1}, {U: 4, V: 4}}} {
		g := testkit.Must(coles.NewGraph(6, append(edges, loops...), coles.WithSelfLoopsKept()))
		if got, err := Modularity(g, []int{0, 0, 0, 1, 1, 1}); err != nil || math.Abs(got-want) > 1e-15 {
			t.Errorf("%d loops: %v, %v, want %v", len(loops), got, err, want)
		}
	}
}
