package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"coles"
	"coles/dataset"
	"coles/eval"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// clustered reads the output of cluster.
func clustered(t *testing.T, args ...string) []int {
	t.Helper()
	found := decoded[[]membership](t, "", append([]string{"cluster", "-json"}, args...)...)
	clusters := make([]int, len(found))
	for i, m := range found {
		if clusters[i] = m.Cluster; m.ID != fmt.Sprint(i) {
			t.Fatalf("line %d is of %q", i, m.ID)
		}
	}
	return clusters
}

// unit is y with rows of length 1.
func unit(y mat.Matrix) *mat.Dense {
	u := mat.DenseCopyOf(y)
	rows, _ := u.Dims()
	for i := range rows {
		row := u.RowView(i).(*mat.VecDense)
		row.ScaleVec(1/mat.Norm(row, 2), row)
	}
	return u
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

func TestClusterIsKMeansOfTheLibrary(t *testing.T) {
	d, path := community(t)
	g := testkit.Must(coles.FromCSR(d.Adjacency))
	u := unit(testkit.Must(coles.Fit(t.Context(), g, d.Features, tableSettings(32)...)).Embedding())
	for k := 1; k <= 4; k++ {
		want := testkit.Must(eval.KMeans{Clusters: k, Seed: 1}.Fit(t.Context(), u)).Labels
		testkit.WantSame(t, fmt.Sprint(k, " clusters"), clustered(t, path, "-k", fmt.Sprint(k)), want)
	}

	k, silhouettes, err := eval.ClusterCount(t.Context(), u, 20, eval.KMeans{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := call("", "cluster", path)
	if want := fmt.Sprintf("coles: %d clusters, mean silhouette %.3f\n", k, silhouettes[k-2]); code != 0 || stderr != want {
		t.Errorf("without -k: exit %d, %q, want %q", code, stderr, want)
	}
	testkit.WantSame(t, "the clusters without -k", stdout, must(t, "", "cluster", path, "-k", fmt.Sprint(k)))
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
		// Of more clusters than there are, settings show, and so does the last digit: rows are scaled as by the command.
		u := testkit.Must(unitRows(t.Context(), y))
		want := testkit.Must(eval.KMeans{Clusters: 7, Seed: 1}.Fit(t.Context(), u)).Labels
		testkit.WantSame(t, "clusters by "+name, clustered(t, append(c.args, "-k", "7")...), want)
	}
}

// Two triangles, joined by an edge, without features; and with fewer features than 32.
func TestClusterOfASmallGraph(t *testing.T) {
	const edges = "a b\nb c\nc a\nc d\nd e\ne f\nf d\n"
	dir := folder(t, map[string]string{"x.csv": "a,1,0\nb,1,0\nc,1,0\nd,0,1\ne,0,1\nf,0,1\n"})
	for _, args := range [][]string{{}, {"-features", filepath.Join(dir, "x.csv")}} {
		out := must(t, edges, append([]string{"cluster", "-k", "2"}, args...)...)
		other := strings.NewReplacer("0", "1", "1", "0").Replace(out)
		if want := "a\t0\nb\t0\nc\t0\nd\t1\ne\t1\nf\t1\n"; out != want && other != want {
			t.Errorf("cluster %v: %q", args, out)
		}
	}
	out := filepath.Join(t.TempDir(), "out.csv")
	lines := strings.ReplaceAll(must(t, edges, "cluster", "-k", "2"), "\t", ",")
	for header, args := range map[string][]string{"id,cluster\n": {}, "": {"-no-header"}} {
		must(t, edges, append([]string{"cluster", "-k", "2", "-o", out}, args...)...)
		testkit.WantSame(t, fmt.Sprint("a .csv file ", args), read(t, out), header+lines)
	}
	refused(t, dir, exitFailure, "-k", "a b\n", "cluster")
	refused(t, dir, exitFailure, "-k 7: there are 6 nodes", edges, "cluster", "-k", "7")
}

// The clusters of Cora are made by the table's settings, and as good as the table's ten.
func TestClustersOfCora(t *testing.T) {
	path := testkit.Shared(t, "data", "npz", "cora.npz")
	ctx := context.Background()
	d := testkit.Must(dataset.Open(path, dataset.ReadNPZ))
	g := testkit.Must(undirected(d, path))
	m := testkit.Must(coles.Fit(ctx, g, d.Features, tableSettings(32)...))
	found := clustered(t, path, "-k", "7")
	u := testkit.Must(unitRows(ctx, m.Embedding())) // to the last digit, which clusters may hang on
	testkit.WantSame(t, "the clusters", found, testkit.Must(eval.KMeans{Clusters: 7, Seed: 1}.Fit(ctx, u)).Labels)
	table := testkit.Must(eval.Protocol{}.Cluster(ctx, m.Embedding(), d.Labels)).NMI
	got := testkit.Must(eval.NMI(found, d.Labels))
	if got < table.Mean-3*table.Std || got > table.Mean+3*table.Std {
		t.Errorf("NMI %.4f, the table has %v", got, table)
	}
}

// Fewer clusters than asked for are said.
func TestFewerClustersAreSaid(t *testing.T) {
	dir := folder(t, map[string]string{"v.tsv": "a\t1\t0\nb\t2\t0\nc\t0\t1\nd\t0\t3\n"})
	code, _, stderr := call("", "cluster", "-embedding", filepath.Join(dir, "v.tsv"), "-k", "3")
	testkit.WantSame(t, "exit code", code, 0)
	testkit.WantText(t, stderr, "2 clusters, not 3")
}
