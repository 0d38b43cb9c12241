package learn

import (
	"context"
	"math"
	"slices"
	"testing"

	"coles/internal/given"
	"coles/internal/matrix"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// gradient is taken of the objective in the doc comment of LogisticRegression, term by term.
func gradient(m *LinearModel, k int, x mat.Matrix, rows, labels []int, c float64) []float64 {
	_, d := x.Dims()
	g := append(mat.Row(nil, k, m.Coef), m.Intercept[k])
	for _, i := range rows {
		y := -1.0
		if labels[i] == m.positive(k) {
			y = 1
		}
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

// The factor of the products of more columns than rows has these products, for rows that depend on one another too.
func TestSpannedKeepsProducts(t *testing.T) {
	for _, distinct := range []int{1, 3, 70} {
		x := testkit.Normal(70, 90, 1, 5)
		for i := distinct; i < 70; i++ {
			x.SetRow(i, x.RawRowView(i%distinct))
		}
		l := testkit.Must(spanned(context.Background(), testkit.Must(given.Read(context.Background(), x)), testkit.UpTo(70)))
		testkit.WantSame(t, "columns", l.Cols(), 70)
		f := matrix.ToDense(l.Dense)
		testkit.WantClose(t, "LLᵀ", testkit.Product(f, f.T()), testkit.Product(x, x.T()), 1e-8)
	}
}

// What is not the optimum does not leave a fit, whatever made it so.
func TestFitChecksItsGradient(t *testing.T) {
	x, labels := testkit.Normal(30, 50, 1, 3), testkit.RandomLabels(30, 2, 3)
	y := newModel(testkit.UpTo(30), labels, 50).signs(0, testkit.UpTo(30), labels)
	for _, input := range testkit.Forms(x) {
		set := testkit.Must(trainingSet(context.Background(), testkit.Must(given.Read(context.Background(), input)), testkit.UpTo(30), 1))
		b := newBinary(51, y, 1, 1, testkit.Must(matrix.Lengths(context.Background(), set)))
		m := testkit.Must(LogisticRegression{}.Fit(context.Background(), input, testkit.UpTo(30), labels))
		w := append(mat.Row(nil, 0, m.Coef), m.Intercept[0])
		check := func() error { return checkOptimum(context.Background(), set, []*binary{b}, [][]float64{w}) }
		testkit.Check(t, check())
		for _, wrong := range []float64{w[7] + 2*accuracy*floats.Norm(w, 2), math.NaN()} {
			w[7] = wrong
			testkit.WantError(t, check(), ErrConvergence)
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
