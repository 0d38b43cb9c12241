package learn

import (
	"context"
	"errors"
	"math"
	"math/big"
	"os"
	"slices"
	"testing"

	"coles/internal/testkit"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// exactly is v in 300 bits, which are 90 digits: terms that cancel lose 60 at most here.
func exactly(v float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(v) }

// exactExp is eᵛ by the series at v/2²⁰, squared twenty times. Beyond e^±2000 it stays there.
func exactExp(v *big.Float) *big.Float {
	switch most := exactly(2000); {
	case v.Cmp(most) > 0:
		v = most
	case v.Cmp(exactly(-2000)) < 0:
		v = exactly(-2000)
	}
	v = new(big.Float).SetMantExp(v, -20)
	sum, term := exactly(1), exactly(1)
	for n := 1.0; n < 32; n++ { // (2000/2²⁰)³²/32! < 2⁻³⁰⁰
		term.Quo(term.Mul(term, v), exactly(n))
		sum.Add(sum, term)
	}
	for range 20 {
		sum.Mul(sum, sum)
	}
	return sum
}

func exactDot(x, y []*big.Float) *big.Float {
	sum, p := exactly(0), exactly(0)
	for j := range x {
		sum.Add(sum, p.Mul(x[j], y[j]))
	}
	return sum
}

// exactError is how far w, the intercept the last, is from the optimum of the objective in the doc comment of
// LogisticRegression, for rows x and signs y: the gradient in 300 bits, and by its Hessian, from 1 to 10¹⁰, Newton's step. Where
// the Hessian is larger it is the length of the gradient, which is more, as the Hessian is at least the identity.
func exactError(x *mat.Dense, y []float64, c float64, w []float64) float64 {
	one, p := exactly(1), exactly(0)
	hessian := mat.NewSymDense(len(w), nil)
	for j := range w {
		hessian.SetSym(j, j, 1)
	}
	var at, gradient []*big.Float
	for _, v := range w {
		at, gradient = append(at, exactly(v)), append(gradient, exactly(v))
	}
	for i, sign := range y {
		var z []*big.Float
		for _, v := range append(mat.Row(nil, i, x), 1) {
			z = append(z, exactly(v))
		}
		s := exactDot(z, at)
		s.Quo(one, s.Add(one, exactExp(s.Mul(s, exactly(sign)))))
		wrong, _ := s.Float64()
		hessian.SymRankOne(hessian, c*wrong*(1-wrong), mat.NewVecDense(len(w), append(mat.Row(nil, i, x), 1)))
		s.Mul(s, exactly(c*sign))
		for j, v := range z {
			gradient[j].Sub(gradient[j], p.Mul(s, v))
		}
	}
	step := mat.NewVecDense(len(w), nil)
	for j, v := range gradient {
		of, _ := v.Float64()
		step.SetVec(j, of)
	}
	var factor mat.Cholesky
	if mat.Norm(hessian, 1) < 1e10 && factor.Factorize(hessian) {
		factor.SolveVecTo(step, step)
	}
	return mat.Norm(step, 2)
}

// kinds are those of [drawn].
var kinds = []string{
	"random labels", "three classes", "separable", "nearly separable", "rows that repeat", "equal rows", "a constant column", "a column that repeats",
	"columns from 10⁻⁶ to 10⁶", "rows from 10⁻⁶ to 10⁶", "10⁴ from zero", "rank two",
}

// drawn is a problem of a kind: n rows of d columns near 1 in magnitude, with two random labels, unless
// the kind says otherwise.
func drawn(kind string, n, d int, seed uint64) (x *mat.Dense, labels []int) {
	x, labels = testkit.Normal(n, d, 1, seed), testkit.RandomLabels(n, 2, seed)
	last := d - 1
	change := func(to func(i, j int, v float64) float64) { x.Apply(to, x) }
	switch kind {
	case "three classes":
		labels = testkit.RandomLabels(n, 3, seed)
	case "separable":
		return halved(n, d, 0, seed)
	case "nearly separable":
		return halved(n, d, 0.5, seed)
	case "rows that repeat": // with other labels
		change(func(i, j int, _ float64) float64 { return x.At(i%max(2, n/3), j) })
	case "equal rows": // a third of them of one label
		change(func(_, j int, _ float64) float64 { return x.At(0, j) })
		for i := range labels {
			labels[i] = min(i%3, 1)
		}
	case "a constant column":
		x.SetCol(last, slices.Repeat([]float64{1}, n))
	case "a column that repeats":
		x.SetCol(last, mat.Col(nil, 0, x))
	case "columns from 10⁻⁶ to 10⁶":
		change(func(_, j int, v float64) float64 { return v * math.Pow(10, 12*float64(j)/float64(last)-6) })
	case "rows from 10⁻⁶ to 10⁶":
		change(func(i, _ int, v float64) float64 { return v * math.Pow(10, 12*float64(i)/float64(n-1)-6) })
	case "10⁴ from zero":
		change(func(_, _ int, v float64) float64 { return v + 1e4 })
	case "rank two":
		x = testkit.Product(testkit.Normal(n, 2, 1, seed), testkit.Normal(2, d, 1, seed+1))
	}
	return x, labels
}

// halved has labels by the sign of a sum of two columns, and noise.
func halved(n, d int, noise float64, seed uint64) (*mat.Dense, []int) {
	x, rng, labels := testkit.Normal(n, d, 1, seed), testkit.Random(seed), make([]int, n)
	for i := range n {
		if x.At(i, 0)+x.At(i, d-1)+noise*rng.NormFloat64() > 0 {
			labels[i] = 1
		}
	}
	labels[0] = 1 - labels[1]
	return x, labels
}

// The coefficients are the optimum's. From a C·Σ‖xᵢ‖² of 10⁹ on they may have fewer digits, or a fit may refuse the features.
func TestLogisticRegressionOfEveryScale(t *testing.T) {
	scales, cs := []float64{1e-6, 1e3, 1e6}, []float64{1e-4, 1e6}
	if os.Getenv("COLES_SHARED") != "" && !testing.Short() {
		scales, cs = []float64{1e-6, 1e-3, 1, 1e2, 1e4, 1e6}, []float64{1e-4, 1, 1e3, 1e6}
	}
	refused := 0
	for _, kind := range kinds {
		for q, shape := range [][2]int{{40, 6}, {10, 25}, {8, 7}, {3, 2}} {
			n, d := shape[0], shape[1]
			plain, labels := drawn(kind, n, d, uint64(100+q))
			for _, scale := range scales {
				x := mat.NewDense(n, d, nil)
				x.Scale(scale, plain)
				longest := 0.0
				for i := range n {
					longest = max(longest, floats.Norm(x.RawRowView(i), 2))
				}
				for _, c := range cs {
					squares := c * math.Pow(mat.Norm(x, 2), 2)
					m, err := LogisticRegression{C: c}.Fit(context.Background(), testkit.Forms(x)[[]string{"dense", "sparse"}[q%2]], testkit.UpTo(n), labels)
					if errors.Is(err, ErrConvergence) && squares > 1e9 {
						refused++
						continue
					}
					if err != nil {
						t.Errorf("%s, %d × %d, scale %g, C = %g: %v", kind, n, d, scale, c, err)
						continue
					}
					allowed := 1e-7
					if squares > 1e9 {
						allowed = accuracy
					}
					for k, intercept := range m.Intercept {
						w := append(mat.Row(nil, k, m.Coef), intercept)
						off := exactError(x, signsOf(m, k, labels), c, w)
						if !(off <= allowed*floats.Norm(w[:d], 2) || squares > 1e9 && off*math.Hypot(longest, 1) <= scoreAccuracy) {
							t.Errorf("%s, %d × %d, scale %g, C = %g: class %d is off by %.2g of its coefficients",
								kind, n, d, scale, c, k, off/floats.Norm(w[:d], 2))
						}
					}
				}
			}
		}
	}
	if refused == 0 {
		t.Error("no fit is refused")
	}
}

// Every row comes with both labels, or there are no features: the optimum has w = 0, to which no error
// can be relative. Scores may be 10⁻¹² instead, by [polisher.gradient].
func TestLogisticRegressionWithoutCoefficients(t *testing.T) {
	for _, scale := range []float64{0, 1e-6, 1, 1e6} {
		for _, shape := range [][2]int{{30, 4}, {10, 40}} {
			n, d := shape[0], shape[1]
			x, labels := testkit.Normal(n, d, scale, 5), make([]int, n)
			for i := 1; i < n; i += 2 {
				x.SetRow(i, x.RawRowView(i-1))
				labels[i] = 1
			}
			for _, c := range []float64{1e-4, 1, 1e6} {
				m, err := LogisticRegression{C: c}.Fit(context.Background(), x, testkit.UpTo(n), labels)
				if errors.Is(err, ErrConvergence) && c*math.Pow(mat.Norm(x, 2), 2) > 1e9 {
					continue
				}
				if err != nil {
					t.Errorf("%d × %d, scale %g, C = %g: %v", n, d, scale, c, err)
				} else if score := mat.Norm(m.Coef, 2)*math.Sqrt(float64(d))*scale + math.Abs(m.Intercept[0]); score > scoreAccuracy {
					t.Errorf("%d × %d, scale %g, C = %g: scores of %g", n, d, scale, c, score)
				}
			}
		}
	}
}
