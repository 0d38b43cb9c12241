package eval

import (
	"math"
	"slices"
	"testing"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// clusteringCases is what testdata/clustering.py wrote; its head tells what the
// fields hold.
type clusteringCases struct {
	Unit   float64
	Cases  []clusteringCase
	KMeans []kmeansCase
}

type clusteringCase struct {
	Pred, True         []int
	Classes, Confusion []int
	Acc, Micro, Macro  float64
	Mapped             float64
	MappedF1           []float64
	NMI, ARI           float64
	X                  [][]float64
	Silhouette         *float64
	Edges              [][2]int
	Weights            []float64
	Q                  *float64
	Cost               []int
	Rows, Best         int
}

type kmeansCase struct {
	X, Start, Centres [][]float64
	Labels            []int
	Inertia           float64
	Iterations        int
}

func openClustering(t *testing.T) *clusteringCases {
	t.Helper()
	cases := openCases[clusteringCases](t, "clustering")
	if len(cases.Cases) != 1000 || len(cases.KMeans) != 1000 {
		t.Fatalf("%d cases and %d of k-means, want 1000 of each", len(cases.Cases), len(cases.KMeans))
	}
	return cases
}

// Scores are at most 1 in magnitude, and those near 0 are differences of numbers
// near 1: what may differ is 1e-12.
func TestScoresOfLabelsEqualScikitLearn(t *testing.T) {
	for i, c := range openClustering(t).Cases {
		is := comparer{t, i}
		for _, score := range []struct {
			name string
			of   func(a, b []int) (float64, error)
			want float64
		}{
			{"accuracy", Accuracy, c.Acc},
			{"micro F1", MicroF1, c.Micro},
			{"macro F1", MacroF1, c.Macro},
			{"cluster accuracy", ClusterAccuracy, c.Mapped},
			{"NMI", NMI, c.NMI},
			{"ARI", ARI, c.ARI},
		} {
			got, err := score.of(c.Pred, c.True)
			is.equal(score.name, got, score.want, 1, err)
		}
		m, err := ConfusionMatrix(c.Pred, c.True)
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Concat(m.Counts...); !slices.Equal(m.Classes, c.Classes) || !slices.Equal(got, c.Confusion) {
			t.Errorf("case %d: confusion %v of %v, want %v of %v", i, got, m.Classes, c.Confusion, c.Classes)
		}
	}
}

// Where several maps are best their macro F1 differs; ours has to be one of them.
func TestClusterMacroF1IsThatOfABestMap(t *testing.T) {
	one, several := 0, 0
	for i, c := range openClustering(t).Cases {
		got, err := ClusterMacroF1(c.Pred, c.True)
		if err != nil {
			t.Fatal(err)
		}
		if c.MappedF1 == nil {
			continue
		}
		if len(c.MappedF1) == 1 {
			one++
		} else {
			several++
		}
		if !slices.ContainsFunc(c.MappedF1, func(want float64) bool { return math.Abs(got-want) <= 1e-12 }) {
			t.Errorf("case %d: %v, want one of %v", i, got, c.MappedF1)
		}
	}
	if one == 0 || several == 0 {
		t.Errorf("%d cases of one value and %d of several say little", one, several)
	}
}

func TestSilhouetteEqualsScikitLearn(t *testing.T) {
	cases := openClustering(t)
	for i, c := range cases.Cases {
		if c.Silhouette == nil {
			continue
		}
		x := graphCase{X: c.X}.matrix(cases.Unit)
		for _, form := range []mat.Matrix{x, toCSR(x)} {
			got, err := Silhouette(background, form, c.Pred)
			comparer{t, i}.equal("silhouette", got, *c.Silhouette, 1, err)
		}
	}
}

func TestModularityEqualsItsDefinition(t *testing.T) {
	for i, c := range openClustering(t).Cases {
		if c.Q == nil {
			continue
		}
		g, err := coles.NewGraph(len(c.Pred), toEdges(c.Edges), coles.WithEdgeWeights(c.Weights))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Modularity(g, c.Pred)
		comparer{t, i}.equal("modularity", got, *c.Q, 1, err)
	}
}

func TestAssignmentEqualsSciPy(t *testing.T) {
	for i, c := range openClustering(t).Cases {
		cols := len(c.Cost) / c.Rows
		got, used, placed := 0, make([]bool, cols), 0
		for row, col := range assign(c.Cost, c.Rows, cols) {
			if col < 0 {
				continue
			}
			if used[col] {
				t.Errorf("case %d: column %d is taken twice", i, col)
			}
			used[col] = true
			placed++
			got += c.Cost[row*cols+col]
		}
		if got != c.Best || placed != min(c.Rows, cols) {
			t.Errorf("case %d: %d placed for %d, want %d for %d", i, placed, got, min(c.Rows, cols), c.Best)
		}
	}
}

// The rows are whole numbers, so that both start from the same ones, and large, so
// that no row is as near to one centre as to another. Half of the cases start with
// a centre that is nearest to no row.
func TestKMeansStepsEqualScikitLearn(t *testing.T) {
	for i, c := range openClustering(t).KMeans {
		x := graphCase{X: c.X}.matrix(1)
		for _, form := range []mat.Matrix{x, toCSR(x)} {
			k, err := KMeans{Clusters: len(c.Start)}.withDefaults()
			if err != nil {
				t.Fatal(err)
			}
			f, err := newFeatures(background, form)
			if err != nil {
				t.Fatal(err)
			}
			p, err := newPoints[float64](background, f)
			if err != nil {
				t.Fatal(err)
			}
			l := newLloyd(p, k)
			for q, row := range c.Start {
				for j, v := range row {
					l.centre(q)[j] = (v - p.mean[j]) * p.scale
				}
			}
			m, err := l.descend(background)
			if err == nil {
				err = m.judge(background, f)
			}
			comparer{t, i}.equal("inertia", m.Inertia, c.Inertia, 0, err)
			if !slices.Equal(m.Labels, c.Labels) || m.Iterations != c.Iterations {
				t.Errorf("case %d: %v after %d iterations, want %v after %d", i, m.Labels, m.Iterations, c.Labels, c.Iterations)
			}
			for q, row := range c.Centres {
				for j, want := range row {
					comparer{t, i}.equal("centre", m.Centres.At(q, j), want, 1000, nil)
				}
			}
		}
	}
}
