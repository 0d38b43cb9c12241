package eval

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// classifierCases is what testdata/classifiers.py wrote; its head tells what
// the fields hold.
type classifierCases struct {
	Unit       float64
	Neighbours []neighboursCase
	Linear     []linearCase
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

type linearCase struct {
	X                      [][]float64
	Y                      []int
	C, Alpha               float64
	Penalised, Free, Ridge [][]float64
}

type foldsCase struct {
	X                [][]float64
	Y, Fold          []int
	K                int
	Cs               []float64
	OVR, Multinomial float64
}

func openClassifiers(t *testing.T) *classifierCases {
	t.Helper()
	cases := openCases[classifierCases](t, "classifiers")
	if len(cases.Neighbours) != 1000 || len(cases.Linear) != 100 || len(cases.Folds) != 100 {
		t.Fatalf("%d, %d and %d cases, want 1000, 100 and 100", len(cases.Neighbours), len(cases.Linear), len(cases.Folds))
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

// off is how far a model is from the coefficients wanted, each row's intercept
// last, relative to the largest of these.
func off(m *LinearModel, want [][]float64) float64 {
	if len(want) != len(m.Intercept) {
		return math.Inf(1)
	}
	var worst, top float64
	for k, row := range want {
		for j, v := range row {
			got := m.Intercept[k]
			if j < len(row)-1 {
				got = m.Coef.At(k, j)
			}
			worst, top = max(worst, math.Abs(got-v)), max(top, math.Abs(v))
		}
	}
	return worst / top
}

func TestLinearClassifiersEqualScikitLearn(t *testing.T) {
	cases := openClassifiers(t)
	var worst [3]float64
	for n, c := range cases.Linear {
		for form, x := range forms(matrixOf(c.X, cases.Unit)) {
			rows := upTo(len(c.Y))
			for k, want := range [][][]float64{c.Penalised, c.Free} {
				m, err := MultinomialRegression{C: c.C, FreeIntercept: k == 1}.Fit(background, x, rows, c.Y)
				if err != nil {
					t.Errorf("case %d, %s, free %v: %v", n, form, k == 1, err)
					continue
				}
				d := off(m, want)
				worst[k] = max(worst[k], d)
				if !(d <= 1e-6) {
					t.Errorf("case %d, %s, free %v: off by %g", n, form, k == 1, d)
				}
			}
			m, err := Ridge{Alpha: c.Alpha}.Fit(background, x, rows, c.Y)
			if err != nil {
				t.Errorf("case %d, %s, ridge: %v", n, form, err)
				continue
			}
			d := off(m, c.Ridge)
			worst[2] = max(worst[2], d)
			if !(d <= 1e-10) {
				t.Errorf("case %d, %s, ridge: off by %g", n, form, d)
			}
		}
	}
	t.Logf("multinomial off by %.2g with penalised and %.2g with free intercepts, ridge by %.2g", worst[0], worst[1], worst[2])
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
		joint, err := MultinomialRegression{Cs: c.Cs, Folds: c.K}.Fit(background, x, rows, c.Y)
		if err != nil || joint.C != c.Multinomial {
			t.Errorf("case %d: multinomial chose %+v of %v, want %v, error %v", n, joint, c.Cs, c.Multinomial, err)
		}
	}
}
