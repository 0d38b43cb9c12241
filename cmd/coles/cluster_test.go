package main

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"coles"
	"coles/cluster"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// clustered reads the output of cluster.
func clustered(t *testing.T, args ...string) []int {
	t.Helper()
	found := decoded[[]struct {
		ID      string
		Cluster int
	}](t, "", append([]string{"cluster", "-json"}, args...)...)
	clusters := make([]int, len(found))
	for i, m := range found {
		if clusters[i] = m.Cluster; m.ID != fmt.Sprint(i) {
			t.Fatalf("line %d is of %q", i, m.ID)
		}
	}
	return clusters
}

// unit is y with rows of length 1, to the last digit as the command scales them: clusters may hang on it.
func unit(y mat.Matrix) mat.Matrix {
	ctx := context.Background()
	return testkit.Must(testkit.Must(coles.PrepareRowL2.Fit(ctx, y)).Apply(ctx, y))
}

// tableSettings are the settings of the row COLES-S2GC of the table of clusters.
func tableSettings(dim int) []coles.Option {
	return []coles.Option{
		coles.With(func(s *coles.Settings) {
			s.Dim = dim
			s.Preparation = coles.PrepareUndamped
			s.Filter = coles.S2GCSum(20)
			s.Scaling = coles.ScalingRule{Rank: 12, Floor: 10, Norm: 4}
			s.DegreeShare = 0
		}),
	}
}

// Options and settings change what clusters are made of; so does an embedding from elsewhere.
func TestClusterSettings(t *testing.T) {
	d, path := community(t)
	g := testkit.Must(coles.FromCSR(d.Adjacency))
	dir := folder(t, map[string]string{"s.json": `{"dim": 5}`})
	y := filepath.Join(dir, "y.npy")
	must(t, "", "embed", path, "-dim", "4", "-o", y)
	for name, c := range map[string]struct {
		args []string
		fit  []coles.Option
	}{
		"-filter":    {[]string{path, "-filter", "sgc:1"}, append(tableSettings(32), coles.WithFilter(coles.SGC(1)))},
		"-dim":       {[]string{path, "-dim", "3"}, tableSettings(3)},
		"-settings":  {[]string{path, "-settings", filepath.Join(dir, "s.json")}, tableSettings(5)},
		"-for":       {[]string{path, "-for", "classification", "-settings", filepath.Join(dir, "s.json")}, []coles.Option{coles.WithDim(5)}},
		"-embedding": {[]string{"-embedding", y}, []coles.Option{coles.WithDim(4)}},
	} {
		y := testkit.Must(coles.Fit(t.Context(), g, d.Features, c.fit...)).Embedding()
		u := unit(y)
		want := testkit.Must(cluster.KMeans{Clusters: 7, Seed: 1}.Fit(t.Context(), u)).Of // of more than there are, settings show
		testkit.WantSame(t, "clusters by "+name, clustered(t, append(c.args, "-k", "7")...), want)
	}
}
