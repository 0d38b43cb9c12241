package eval

import (
	"errors"
	"math"
	"testing"

	"coles/internal/kernel"

	"gonum.org/v1/gonum/mat"
)

func eye(n int) *mat.Dense {
	e := mat.NewDense(n, n, nil)
	for i := range n {
		e.Set(i, i, 1)
	}
	return e
}

// X = L·Q with orthonormal rows of Q, for matrices of few distinct rows too.
func TestFactorLQ(t *testing.T) {
	for _, c := range []struct{ rows, cols, distinct int }{
		{5, 9, 5}, {33, 40, 33}, {70, 90, 70}, {70, 90, 1}, {70, 90, 2}, {64, 65, 3}, {100, 100, 7},
	} {
		for seed := range uint64(20) {
			x := normal(c.rows, c.cols, 1, seed)
			for i := c.distinct; i < c.rows; i++ {
				x.SetRow(i, x.RawRowView(i%c.distinct))
			}
			z, err := newSpanDesign(background, kernel.Matrix[float64](mat.DenseCopyOf(x).RawMatrix()))
			if err != nil {
				t.Fatal(err)
			}
			var q mat.Dense // from Qᵀ·eᵢ
			rows := mat.NewDense(c.rows, c.cols, nil)
			for i := range c.rows {
				unit := make([]float64, c.rows)
				unit[i] = 1
				rows.SetRow(i, z.weights(unit))
			}
			q.Mul(rows, rows.T())
			if !mat.EqualApprox(&q, eye(c.rows), 1e-13) {
				t.Fatalf("%+v, seed %d: QQᵀ is not I", c, seed)
			}
			var back mat.Dense
			back.Mul(mat.NewTriDense(c.rows, mat.Lower, z.l.Data), rows)
			if !mat.EqualApprox(&back, x, 1e-12) {
				t.Fatalf("%+v, seed %d: L·Q is not X", c, seed)
			}
		}
	}
}

// Forty equal rows, 21 of one class and 19 of the other: along the row x the optimum is the s
// with s/(‖x‖² + 1) = 19 − 40σ(s), which bisection finds.
func TestLogisticRegressionOfEqualRows(t *testing.T) {
	labels := make([]int, 40)
	for i := range 19 {
		labels[2*i+1] = 1
	}
	for seed := range uint64(200) {
		x := normal(40, 60, 1, seed)
		for i := range 40 {
			x.SetRow(i, x.RawRowView(0))
		}
		m, err := LogisticRegression{}.Fit(background, x, upTo(40), labels)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		square := 1 + mat.Dot(x.RowView(0), x.RowView(0))
		lo, hi := -1.0, 1.0
		for range 80 {
			if s := (lo + hi) / 2; s/square < 19-40/(1+math.Exp(-s)) {
				lo = s
			} else {
				hi = s
			}
		}
		if score := m.Intercept[0] + mat.Dot(m.Coef.RowView(0), x.RowView(0)); math.Abs(score-lo) > 1e-10 {
			t.Fatalf("seed %d: the rows score %v, want %v", seed, score, lo)
		}
	}
}

// What is not the optimum does not leave a fit, whatever made it so.
func TestFitChecksItsGradient(t *testing.T) {
	x, labels := normal(30, 50, 1, 3), randomLabels(30, 2, 3)
	for form, given := range forms(x) {
		f, err := newFeatures(background, given)
		if err != nil {
			t.Fatal(err)
		}
		m, err := LogisticRegression{}.Fit(background, given, upTo(30), labels)
		if err != nil {
			t.Fatal(err)
		}
		y, w := make([]float64, 30), append(mat.Row(nil, 0, m.Coef), m.Intercept[0])
		for i, label := range labels {
			y[i] = float64(2*label - 1)
		}
		if err := f.checkOptimum(upTo(30), y, w, 1); err != nil {
			t.Errorf("%s: %v", form, err)
		}
		w[7] += 1e-6
		if err := f.checkOptimum(upTo(30), y, w, 1); !errors.Is(err, ErrConvergence) {
			t.Errorf("%s: error %v of coefficients that are off by 1e-6", form, err)
		}
		w[7] = math.NaN()
		if err := f.checkOptimum(upTo(30), y, w, 1); !errors.Is(err, ErrConvergence) {
			t.Errorf("%s: error %v of a coefficient that is NaN", form, err)
		}
	}
}
