package learn

import (
	"context"
	"math"
	"slices"
	"testing"

	"coles/internal/given"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// signsOf are 1 for rows of the class for which a positive score of problem k speaks, −1 for others.
func signsOf(m *LinearModel, k int, labels []int) []float64 {
	y := slices.Repeat([]float64{-1}, len(labels))
	for _, i := range labelledRows(labels, m.positive(k)) {
		y[i] = 1
	}
	return y
}

// gradient is taken of the objective in the doc comment of LogisticRegression, term by term.
func gradient(m *LinearModel, k int, x mat.Matrix, rows, labels []int, c float64) []float64 {
	_, d := x.Dims()
	g := append(mat.Row(nil, k, m.Coef), m.Intercept[k])
	signs := signsOf(m, k, labels)
	for _, i := range rows {
		y := signs[i]
		row := append(mat.Row(nil, i, x), 1)
		score := m.Intercept[k] + floats.Dot(row[:d], m.Coef.RawRowView(k))
		floats.AddScaled(g, -c*y/(1+math.Exp(y*score)), row)
	}
	return g
}

// The objective is strictly convex, so that a vanishing gradient is all there is to prove. For small
// problems of many kinds and scales TestLogisticRegressionOfEveryScale has the optimum.
func TestGradientOfTheObjectiveVanishes(t *testing.T) {
	type problem struct {
		x      *mat.Dense
		labels []int
		rows   []int
		c      float64
	}
	problems := map[string]problem{
		"more rows than columns":                     {testkit.Normal(200, 10, 1, 6), testkit.RandomLabels(200, 4, 1), testkit.UpTo(200), 1},
		"more columns than rows":                     {testkit.Normal(30, 100, 1, 7), testkit.RandomLabels(30, 4, 2), testkit.UpTo(30), 1},
		"as many rows as columns with the intercept": {testkit.Normal(11, 10, 1, 8), testkit.RandomLabels(11, 3, 3), testkit.UpTo(11), 1},
		"rows given many times":                      {testkit.Normal(5, 9, 1, 9), []int{0, 1, 2, 1, 0}, []int{0, 1, 2, 3, 4, 0, 0, 0, 3, 3, 2}, 1},
		"one feature":                                {testkit.Normal(50, 1, 1, 10), testkit.RandomLabels(50, 3, 7), testkit.UpTo(50), 1},
		"zero features":                              {mat.NewDense(20, 4, nil), testkit.RandomLabels(20, 3, 8), testkit.UpTo(20), 1},
		"two rows":                                   {testkit.Normal(2, 6, 1, 11), []int{4, 9}, testkit.UpTo(2), 1},
		"weak loss":                                  {testkit.Normal(50, 10, 1, 12), testkit.RandomLabels(50, 3, 9), testkit.UpTo(50), 1e-6},
		"strong loss":                                {testkit.Normal(50, 10, 1, 13), testkit.RandomLabels(50, 3, 10), testkit.UpTo(50), 1e3},
		"more rows than one part of a product has":   {testkit.Normal(9000, 128, 1, 14), testkit.RandomLabels(9000, 2, 11), testkit.UpTo(9000), 1},
		"features a hundred times too large":         {testkit.Normal(100, 200, 100, 31), testkit.RandomLabels(100, 3, 31), testkit.UpTo(100), 1},
	}
	for name, p := range problems {
		// 1e-8, and where rows or C are large the share of the gradient's own terms that the solver
		// promises.
		reach := 0.0
		for _, i := range p.rows {
			reach += p.c * math.Hypot(1, floats.Norm(p.x.RawRowView(i), 2))
		}
		bound := max(1e-8, 2*gradientTolerance*reach)
		for form, x := range testkit.Forms(p.x) {
			m := testkit.Must(LogisticRegression{C: p.c}.Fit(context.Background(), x, p.rows, p.labels))
			for k := range m.Intercept {
				if g := floats.Norm(gradient(m, k, p.x, p.rows, p.labels, p.c), 2); !(g <= bound) {
					t.Errorf("%s, %s: gradient of class %d is %g, above %g", name, form, k, g, bound)
				}
			}
		}
	}
}

// One positive and one negative point at ±1 have by symmetry b = 0, and w solves w = 2/(1 + eʷ).
func TestTwoClassesAreOneProblem(t *testing.T) {
	m := testkit.Must(LogisticRegression{}.Fit(context.Background(), mat.NewDense(2, 1, []float64{-1, 1}), testkit.UpTo(2), []int{7, 3}))
	if r, c := m.Coef.Dims(); r != 1 || c != 1 || len(m.Intercept) != 1 || !slices.Equal(m.Classes, []int{3, 7}) {
		t.Fatalf("model %+v", m)
	}
	// The label of the point at 1 is the smaller, which changes the sign.
	if w := -m.Coef.At(0, 0); math.Abs(w-2/(1+math.Exp(w))) > 1e-12 || math.Abs(m.Intercept[0]) > 1e-12 {
		t.Errorf("w = %v, b = %v", w, m.Intercept[0])
	}
}

func TestTiesGoToTheSmallestLabel(t *testing.T) {
	line := mat.NewDense(3, 1, []float64{-1, 0, 1})
	for _, c := range []struct {
		m    LinearModel
		want []int
	}{
		{LinearModel{Classes: []int{3, 7}, Coef: mat.NewDense(1, 1, []float64{1}), Intercept: []float64{0}}, []int{3, 3, 7}},
		{LinearModel{Classes: []int{2, 5, 6}, Coef: mat.NewDense(3, 1, []float64{-1, 1, 1}), Intercept: make([]float64, 3)}, []int{2, 2, 5}},
	} {
		testkit.WantSame(t, "what is predicted", testkit.Must(c.m.Predict(context.Background(), line, nil)), c.want)
	}
	nobody := LinearModel{Classes: []int{3, 7}, Coef: mat.NewDense(1, 1, []float64{1}), Intercept: []float64{0}}
	testkit.WantSame(t, "what is predicted for no rows", testkit.Must(nobody.Predict(context.Background(), line, []int{})), []int{})
}

// The formula of the doc comment, which overflows where the scores are large.
func TestProbabilitiesAreThoseOfTheScores(t *testing.T) {
	for _, classes := range []int{2, 4} {
		x, labels := testkit.Blobs(600, 5, classes, 53)
		m := testkit.Must(LogisticRegression{}.Fit(context.Background(), x, testkit.UpTo(100), labels))
		for form, input := range testkit.Forms(x) {
			p := &Predictor{Linear: m}
			got := columnsOf(p, testkit.Must(p.Predict(context.Background(), nil, input, Labels{}, []int{599, 3, 77})))
			scores := testkit.Must(m.Scores(context.Background(), input, []int{599, 3, 77}))
			want := mat.NewDense(3, classes, nil)
			for i := range 3 {
				row, sum := want.RawRowView(i), 0.0
				for k := range row {
					if classes == 2 {
						row[k] = 1 / (1 + math.Exp(scores.At(i, 0)*float64(1-2*k)))
					} else {
						row[k] = 1 / (1 + math.Exp(-scores.At(i, k)))
					}
					sum += row[k]
				}
				floats.Scale(1/sum, row)
			}
			testkit.WantClose(t, form, got, want, 1e-14)
		}
		// Nothing is 0/0 far away from all classes.
		x.Scale(-1e5, x)
		for _, row := range testkit.Must(m.opinion(context.Background(), testkit.Must(given.Read(context.Background(), x)), nil, false)).Data {
			if p := math.Exp(row); !(p >= 0 && p <= 1) {
				t.Fatalf("a probability of %v", p)
			}
		}
	}
}
