package eval

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// More rows than a block, some of them equal and all far from zero, against
// distances taken one by one.
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
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	first := 0.0
	for _, procs := range []int{1, 2, 3, 8, 16} {
		runtime.GOMAXPROCS(procs)
		got, err := Silhouette(background, x, clusters)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got-sum/n) > 1e-12 {
			t.Errorf("%v, want %v", got, sum/n)
		}
		if first == 0 {
			first = got
		}
		if got != first {
			t.Errorf("%v with %d processors, %v with one", got, procs, first)
		}
	}
}

// A permutation hidden in a large matrix is the only best assignment; the
// transposed and the widened matrix have it too.
func TestAssignmentFindsAHiddenMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(72, 0))
	for _, c := range []struct{ rows, cols int }{{60, 60}, {30, 200}, {200, 30}} {
		rowOf := rng.Perm(c.rows)
		colOf := rng.Perm(c.cols)
		weight := make([]int, c.rows*c.cols)
		for i := range weight {
			weight[i] = rng.IntN(1000)
		}
		for q := range min(c.rows, c.cols) {
			weight[rowOf[q]*c.cols+colOf[q]] += 1000
		}
		column := assign(weight, c.rows, c.cols)
		for q := range c.rows {
			want := -1
			if q < c.cols {
				want = colOf[q]
			}
			if column[rowOf[q]] != want {
				t.Fatalf("%d × %d: row %d has column %d, want %d", c.rows, c.cols, rowOf[q], column[rowOf[q]], want)
			}
		}
	}
}

func TestModularityIgnoresSelfLoops(t *testing.T) {
	edges := []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 0, V: 2}, {U: 2, V: 3}, {U: 3, V: 4}, {U: 4, V: 5}, {U: 3, V: 5}}
	clusters := []int{0, 0, 0, 1, 1, 1}
	// Two triangles and a bridge: 6/7 of the weight inside, half of the degrees in each.
	want := 6.0/7 - 0.5
	for _, loops := range [][]coles.Edge{nil, {{U: 1, V: 1}, {U: 4, V: 4}}} {
		g, err := coles.NewGraph(6, append(edges, loops...), coles.WithSelfLoopsKept())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Modularity(g, clusters); err != nil || math.Abs(got-want) > 1e-15 {
			t.Errorf("%d loops: %v, %v, want %v", len(loops), got, err, want)
		}
	}
}

func TestClusteringMetricsRefuse(t *testing.T) {
	empty, err := coles.NewGraph(3, nil)
	if err != nil {
		t.Fatal(err)
	}
	path, err := coles.NewGraph(3, []coles.Edge{{U: 0, V: 1}})
	if err != nil {
		t.Fatal(err)
	}
	many := upTo(maxConfusionClasses + 1)
	x := normal(3, 2, 1, 73)
	for name, c := range map[string]struct {
		err  func() error
		want error
	}{
		"lengths":              {func() error { _, err := NMI([]int{1}, []int{1, 2}); return err }, ErrShape},
		"nothing":              {func() error { _, err := ARI(nil, nil); return err }, ErrEmpty},
		"confusion of many":    {func() error { _, err := ConfusionMatrix(many, many); return err }, ErrShape},
		"map of many":          {func() error { _, err := ClusterMap(many, many); return err }, ErrShape},
		"clusters for nodes":   {func() error { _, err := Modularity(path, []int{1}); return err }, ErrShape},
		"no edges":             {func() error { _, err := Modularity(empty, []int{1, 1, 2}); return err }, ErrEmpty},
		"one cluster":          {func() error { _, err := Silhouette(background, x, []int{1, 1, 1}); return err }, ErrClusters},
		"all rows alone":       {func() error { _, err := Silhouette(background, x, []int{1, 2, 3}); return err }, ErrClusters},
		"clusters for rows":    {func() error { _, err := Silhouette(background, x, []int{1, 2}); return err }, ErrShape},
		"eigenvectors of rows": {func() error { _, err := SpectralFeatures(background, x, 3); return err }, ErrDimension},
		"rank": {func() error {
			_, err := SpectralFeatures(background, mat.NewDense(2, 2, []float64{1, 1, 2, 2}), 2)
			return err
		}, ErrDimension},
		"negative similarity": {func() error {
			_, err := SpectralFeatures(background, mat.NewDense(3, 1, []float64{1, 1, -1}), 1)
			return err
		}, ErrParameter},
		"eigenvectors of path": {func() error { _, err := SpectralGraph(background, path, 4); return err }, ErrDimension},
	} {
		if err := c.err(); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
}

func TestSilhouetteStopsWhenCancelled(t *testing.T) {
	x, clusters := normal(20_000, 64, 1, 74), randomLabels(20_000, 5, 74)
	if late := cancelled(t, 30*time.Millisecond, func(ctx context.Context) error {
		_, err := Silhouette(ctx, x, clusters)
		return err
	}); late > promptly {
		t.Errorf("returned %v after the cancellation", late)
	}
}
