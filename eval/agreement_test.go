package eval

import (
	"math"
	"slices"
	"testing"

	"coles"
	"coles/internal/testkit"
)

// Scores are at most 1 in magnitude, and those near 0 are differences of numbers near 1: what may
// differ is 1e-12.
func TestScoresOfLabelsEqualScikitLearn(t *testing.T) {
	cases := testkit.OpenCases[testkit.ClusteringCases](t, "../cluster/testdata/clustering").Cases
	testkit.WantSame(t, "cases", len(cases), 1000)
	for i, c := range cases {
		is := testkit.Comparer{T: t, Index: i}
		for _, score := range []struct {
			name string
			of   func(a, b []int) (float64, error)
			want float64
		}{
			{"accuracy", Accuracy, c.Acc},
			{"micro F1", Accuracy, c.Micro}, // the same where everything has one label
			{"cluster accuracy", clusterAccuracy, c.Mapped},
			{"NMI", NMI, c.NMI},
		} {
			got, err := score.of(c.Pred, c.True)
			is.Equal(score.name, got, score.want, 1, err)
		}
	}
}

func clusterAccuracy(clusters, labels []int) (float64, error) {
	accuracy, _, err := clusterScores(clusters, labels)
	return accuracy, err
}

// Where several maps are best their macro F1 differs; ours has to be one of them.
func TestMacroF1OfClustersIsThatOfABestMap(t *testing.T) {
	one, several := 0, 0
	for i, c := range testkit.OpenCases[testkit.ClusteringCases](t, "../cluster/testdata/clustering").Cases {
		_, got, err := clusterScores(c.Pred, c.True)
		testkit.Check(t, err)
		switch len(c.MappedF1) {
		case 0: // too many maps to try
			continue
		case 1:
			one++
		default:
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

func TestAssignmentEqualsSciPy(t *testing.T) {
	for i, c := range testkit.OpenCases[testkit.ClusteringCases](t, "../cluster/testdata/clustering").Cases {
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

// A permutation hidden in a large matrix is the only best assignment; the transposed and the
// widened matrix have it too.
func TestAssignmentFindsAHiddenMap(t *testing.T) {
	rng := testkit.Random(72)
	for _, c := range []struct{ rows, cols int }{{60, 60}, {30, 200}, {200, 30}} {
		row, col := rng.Perm(c.rows), rng.Perm(c.cols)
		weight := make([]int, c.rows*c.cols)
		for i := range weight {
			weight[i] = rng.IntN(1000)
		}
		for q := range min(c.rows, c.cols) {
			weight[row[q]*c.cols+col[q]] += 1000
		}
		column := assign(weight, c.rows, c.cols)
		for q := range c.rows {
			want := -1
			if q < c.cols {
				want = col[q]
			}
			if column[row[q]] != want {
				t.Fatalf("%d × %d: row %d has column %d, want %d", c.rows, c.cols, row[q], column[row[q]], want)
			}
		}
	}
}

func TestMapsOfManyAreRefused(t *testing.T) {
	many := testkit.UpTo(1 << 13)
	testkit.WantError(t, testkit.Err(clusterAccuracy(many, many)), coles.ErrTooLarge)
}

// Labels may be any numbers.
func TestLabelsAtTheEndsOfTheirType(t *testing.T) {
	a, b := []int{math.MaxInt, math.MinInt, 0}, []int{math.MinInt, math.MinInt, math.MaxInt}
	for name, c := range map[string]struct {
		of   func(a, b []int) (float64, error)
		want float64
	}{
		// The tables of the two are 1 0, 1 0, 0 1: H(A) = log 3, H(B) = log 3 − ⅔·log 2 = I.
		"NMI":              {NMI, 2 * (math.Log(3) - 2./3*math.Ln2) / (2*math.Log(3) - 2./3*math.Ln2)},
		"cluster accuracy": {clusterAccuracy, 2. / 3},
	} {
		if got, err := c.of(a, b); err != nil || math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%s: %v, %v, want %v", name, got, err, c.want)
		}
	}
}
