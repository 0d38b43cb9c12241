package eval

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// classifierCases is what testdata/classifiers.py wrote; its head tells what
// the fields hold.
type classifierCases struct {
	Unit       float64
	Neighbours []neighboursCase
	Folds      []foldsCase
}

type neighboursCase struct {
	X, Queries [][]float64
	Y          []int
	K          int

	EuclideanUniform  []int `json:"euclidean_uniform"`
	EuclideanDistance []int `json:"euclidean_distance"`
	CosineUniform     []int `json:"cosine_uniform"`
	CosineDistance    []int `json:"cosine_distance"`
}

type foldsCase struct {
	X       [][]float64
	Y, Fold []int
	K       int
	Cs      []float64
	OVR     float64
}

func openClassifiers(t *testing.T) *classifierCases {
	t.Helper()
	cases := openCases[classifierCases](t, "classifiers")
	if len(cases.Neighbours) != 1000 || len(cases.Folds) != 100 {
		t.Fatalf("%d and %d cases, want 1000 and 100", len(cases.Neighbours), len(cases.Folds))
	}
	return cases
}

func matrixOf(rows [][]float64, unit float64) *mat.Dense {
	x := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		for j, v := range row {
			x.Set(i, j, v/unit)
		}
	}
	return x
}

// forms are x dense and sparse.
func forms(x *mat.Dense) map[string]mat.Matrix {
	return map[string]mat.Matrix{"dense": x, "sparse": toCSR(x)}
}

func TestNeighboursVoteAsScikitLearns(t *testing.T) {
	cases := openClassifiers(t)
	for n, c := range cases.Neighbours {
		queries := forms(matrixOf(c.Queries, cases.Unit))
		for form, x := range forms(matrixOf(c.X, cases.Unit)) {
			for _, v := range []struct {
				knn  KNN
				want []int
			}{
				{KNN{K: c.K}, c.EuclideanUniform},
				{KNN{K: c.K, ByDistance: true}, c.EuclideanDistance},
				{KNN{K: c.K, Cosine: true}, c.CosineUniform},
				{KNN{K: c.K, Cosine: true, ByDistance: true}, c.CosineDistance},
			} {
				m, err := v.knn.Fit(background, x, upTo(len(c.Y)), c.Y)
				if err != nil {
					t.Fatal(err)
				}
				got, err := m.Predict(background, queries[form], nil)
				if err != nil || !slices.Equal(got, v.want) {
					t.Errorf("case %d, %s, %+v: predicted %v, want %v, error %v", n, form, v.knn, got, v.want, err)
				}
			}
		}
	}
}

func TestCrossValidationChoosesAsScikitLearnWould(t *testing.T) {
	cases := openClassifiers(t)
	for n, c := range cases.Folds {
		rows := upTo(len(c.Y))
		fold, err := stratify(rows, c.Y, c.K)
		if err != nil || !slices.Equal(fold, c.Fold) {
			t.Errorf("case %d: folds %v, want %v, error %v", n, fold, c.Fold, err)
		}
		x := matrixOf(c.X, cases.Unit)
		ovr, err := LogisticRegression{Cs: c.Cs, Folds: c.K}.Fit(background, x, rows, c.Y)
		if err != nil || ovr.C != c.OVR {
			t.Errorf("case %d: one-vs-rest chose %+v of %v, want %v, error %v", n, ovr, c.Cs, c.OVR, err)
		}
	}
}
