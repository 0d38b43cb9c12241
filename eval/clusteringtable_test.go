package eval

import (
	"testing"

	"coles"
	"coles/dataset"
)

// The paper's row COLES-S²GC of its clustering table, accuracy, NMI and macro F1,
// is to be passed with one setting for all: d′ = 32, K = 20 and an effective rank
// of 12. K-means on the features as they are is to be worse.
func TestClusteringPassesThePaper(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, c := range []struct {
		name             string
		accuracy, nmi, f float64
	}{
		{"cora", 69.70, 55.35, 63.06},
		{"citeseer", 69.20, 44.41, 64.70},
		{"pubmed", 68.76, 33.42, 68.12},
	} {
		data, err := dataset.OpenNPZ(sharedFile(t, "data", "npz", c.name+".npz"))
		if err != nil {
			t.Fatal(err)
		}
		g, err := coles.FromCSR(data.Adjacency, coles.WithSymmetrization())
		if err != nil {
			t.Fatal(err)
		}
		m, err := coles.Fit(background, g, data.Features,
			coles.WithDim(32), coles.WithFilter(coles.S2GCSum(20)), coles.WithRank(12, 12))
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
