package eval

import (
	"context"
	"testing"

	"coles"
	"coles/cluster"
	"coles/dataset"
	"coles/internal/stream"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// Cluster against k-means of unit rows, run by run.
func TestClusterIsKMeansOfUnitRowsJudged(t *testing.T) {
	x, labels := testkit.Blobs(600, 8, 4, 70)
	before := mat.DenseCopyOf(x)
	got := testkit.Must(Protocol{KMeans: cluster.KMeans{Seed: 9, Starts: 2}, Runs: 3}.Cluster(context.Background(), x, labels))
	unit := testkit.UnitRows(x)
	each := map[string][]float64{}
	for run := range uint64(3) {
		m := testkit.Must(cluster.KMeans{Clusters: 4, Seed: stream.Seed(9, run), Starts: 2}.Fit(context.Background(), unit))
		accuracy, f1, err := clusterScores(m.Of, labels)
		testkit.Check(t, err)
		each["accuracy"], each["macro F1"] = append(each["accuracy"], accuracy), append(each["macro F1"], f1)
		each["NMI"] = append(each["NMI"], testkit.Must(NMI(m.Of, labels)))
	}
	for name, m := range map[string]Measurements{"accuracy": got.Accuracy, "NMI": got.NMI, "macro F1": got.F1} {
		testkit.WantSame(t, name, m, *testkit.Must(measure(each[name])))
	}
	if !mat.Equal(x, before) {
		t.Error("the rows were written to")
	}
}

// The paper's row COLES-S²GC of its clustering table, accuracy, NMI and macro F1, is to be passed
// with the settings for clustering, the same for all. K-means on the features as they are is to be
// worse.
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
		data := testkit.Must(dataset.Open(testkit.Shared(t, "data", "npz", c.name+".npz"), dataset.ReadNPZ))
		g := testkit.Must(coles.FromCSR(data.Adjacency, coles.WithMirrors()))
		m := testkit.Must(coles.Fit(context.Background(), g, data.Features, coles.WithSettings(coles.ClusteringSettings(data.Features.Dims()))))
		got := testkit.Must(Protocol{}.Cluster(context.Background(), m.Embedding(), data.Labels))
		t.Logf("%s: %v", c.name, got)
		if 100*got.Accuracy.Mean < c.accuracy || 100*got.NMI.Mean < c.nmi || 100*got.F1.Mean < c.f {
			t.Errorf("%s: the paper has %.2f, %.2f, %.2f", c.name, c.accuracy, c.nmi, c.f)
		}
		raw := testkit.Must(Protocol{KMeans: cluster.KMeans{Starts: 2}, Runs: 1, RawRows: true}.Cluster(context.Background(), data.Features, data.Labels))
		if raw.NMI.Mean >= got.NMI.Mean {
			t.Errorf("%s: k-means on the features has an NMI of %v", c.name, raw.NMI)
		}
	}
}

// All rows are clustered, and those with a label compared.
func TestClusterComparesTheRowsWithALabel(t *testing.T) {
	x, labels := partlyLabelled(73)
	got := testkit.Must(Protocol{Runs: 1, RawRows: true}.Cluster(context.Background(), x, labels))
	m := testkit.Must(cluster.KMeans{Clusters: 3, Seed: stream.Seed(0, 0)}.Fit(context.Background(), x))
	var clusters, known []int
	for i, l := range labels {
		if i%7 != 0 {
			clusters, known = append(clusters, m.Of[i]), append(known, l)
		}
	}
	if want := testkit.Must(NMI(clusters, known)); got.NMI.Mean != want {
		t.Errorf("NMI %v, want %v", got.NMI.Mean, want)
	}
}
