package eval

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The normal equations say that at the optimum Xᵀ(y − Xw − b) = αw and
// Σ(y − Xw − b) = 0: here for more rows than are centred at a time, and more
// unknowns than a block of the factor has.
func TestResidualsOfRidgeAreOrthogonal(t *testing.T) {
	for _, size := range []struct{ n, d int }{{1300, 150}, {150, 400}, {130, 130}} {
		x, labels := normal(size.n, size.d, 1, 81), randomLabels(size.n, 4, 81)
		for i := range size.n {
			x.Set(i, 0, x.At(i, 0)+100) // far from the origin
		}
		for form, given := range forms(x) {
			const alpha = 0.5
			m, err := Ridge{Alpha: alpha}.Fit(background, given, upTo(size.n), labels)
			if err != nil {
				t.Fatal(err)
			}
			scores, err := m.Scores(background, given, nil)
			if err != nil {
				t.Fatal(err)
			}
			for k, class := range m.Classes {
				residual := make([]float64, size.n)
				var sum float64
				for i := range residual {
					residual[i] = -1 - scores.At(i, k)
					if labels[i] == class {
						residual[i] = 1 - scores.At(i, k)
					}
					sum += residual[i]
				}
				var pull mat.VecDense
				pull.MulVec(x.T(), mat.NewVecDense(size.n, residual))
				pull.AddScaledVec(&pull, -alpha, m.Coef.RowView(k))
				// 1e-14 of the terms that cancel, of size 100·n.
				if bound := 1e-12 * float64(size.n); !(math.Abs(sum) <= bound) || !(mat.Norm(&pull, 2) <= 100*bound) {
					t.Errorf("%d × %d, %s, class %d: residuals add up to %g, gradient %g",
						size.n, size.d, form, class, sum, mat.Norm(&pull, 2))
				}
			}
		}
	}
}

func TestRidgeRefusals(t *testing.T) {
	x, labels := normal(4, 2, 1, 51), []int{0, 1, 0, 1}
	for _, alpha := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := (Ridge{Alpha: alpha}).Fit(background, x, upTo(4), labels); !errors.Is(err, ErrParameter) {
			t.Errorf("alpha %v: %v", alpha, err)
		}
	}
	if _, err := (Ridge{}).Fit(background, x, []int{0, 2}, labels); !errors.Is(err, ErrOneClass) {
		t.Errorf("one class: %v", err)
	}
	if _, err := (Ridge{}).Fit(background, normal(4, 2, 1e200, 1), upTo(4), labels); !errors.Is(err, ErrNotFinite) {
		t.Errorf("squares that overflow: %v", err)
	}
	same := mat.NewDense(4, 2, []float64{1, 1, 2, 2, 3, 3, 4, 4})
	if _, err := (Ridge{Alpha: 1e-300}).Fit(background, same, upTo(4), labels); !errors.Is(err, ErrConvergence) {
		t.Errorf("singular: %v", err)
	}
}
