package eval

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// jointGradient is that of the objective as the doc comment of
// MultinomialRegression writes it, term by term, by the coefficients and then
// the intercepts.
func jointGradient(m *LinearModel, x mat.Matrix, rows, labels []int, c float64, free bool) []float64 {
	_, d := x.Dims()
	classes := len(m.Classes)
	coef, intercept := mat.DenseCopyOf(m.Coef), append([]float64(nil), m.Intercept...)
	if classes == 2 { // the first is minus the second
		coef = mat.NewDense(2, d, nil)
		for j := range d {
			coef.Set(0, j, -m.Coef.At(0, j))
			coef.Set(1, j, m.Coef.At(0, j))
		}
		intercept = []float64{-m.Intercept[0], m.Intercept[0]}
	}
	g := make([]float64, classes*(d+1))
	for k := range classes {
		for j := range d {
			g[k*(d+1)+j] = coef.At(k, j)
		}
		if !free {
			g[k*(d+1)+d] = intercept[k]
		}
	}
	logits, share := make([]float64, classes), make([]float64, classes)
	for _, i := range rows {
		for k := range classes {
			logits[k] = intercept[k]
			for j := range d {
				logits[k] += coef.At(k, j) * x.At(i, j)
			}
		}
		all := floats.LogSumExp(logits)
		for k := range classes {
			share[k] = math.Exp(logits[k] - all)
			if labels[i] == m.Classes[k] {
				share[k]--
			}
			for j := range d {
				g[k*(d+1)+j] += c * share[k] * x.At(i, j)
			}
			g[k*(d+1)+d] += c * share[k]
		}
	}
	return g
}

// The objective is convex, and strictly so but for the sum of free intercepts:
// a vanishing gradient is all there is to prove, and that sum.
func TestGradientOfTheMultinomialObjectiveVanishes(t *testing.T) {
	duplicates := normal(60, 20, 1, 2)
	for i := 10; i < 60; i++ {
		duplicates.SetRow(i, duplicates.RawRowView(i%10))
	}
	var lowRank mat.Dense
	lowRank.Mul(normal(50, 3, 1, 3), normal(3, 80, 1, 4))
	far, farLabels := blobs(600, 6, 5, 1) // more rows than a task takes
	for _, p := range []struct {
		name   string
		x      *mat.Dense
		labels []int
		c      float64
	}{
		{"more rows than columns", far, farLabels, 1},
		{"more columns than rows", normal(30, 100, 1, 7), randomLabels(30, 4, 2), 1},
		{"as many rows as columns", normal(10, 10, 1, 8), randomLabels(10, 3, 3), 1},
		{"one row fewer than columns", normal(10, 11, 1, 8), randomLabels(10, 3, 3), 1},
		{"duplicates with different labels", duplicates, randomLabels(60, 3, 4), 1},
		{"rank three", &lowRank, randomLabels(50, 3, 5), 1},
		{"one feature", normal(50, 1, 1, 10), randomLabels(50, 3, 7), 1},
		{"zero features", mat.NewDense(20, 4, nil), randomLabels(20, 3, 8), 1},
		{"two rows", normal(2, 6, 1, 11), []int{4, 9}, 1},
		{"two classes", normal(40, 6, 1, 12), randomLabels(40, 2, 9), 1},
		{"weak loss", normal(50, 10, 1, 12), randomLabels(50, 3, 9), 1e-6},
		{"strong loss", normal(50, 10, 1, 13), randomLabels(50, 3, 10), 1e3},
		{"large features", normal(100, 30, 1e6, 31), randomLabels(100, 3, 31), 1},
		{"small features", normal(100, 30, 1e-8, 31), randomLabels(100, 3, 31), 1},
	} {
		for form, x := range forms(p.x) {
			for _, free := range []bool{false, true} {
				rows := upTo(len(p.labels))
				m, err := MultinomialRegression{C: p.c, FreeIntercept: free}.Fit(background, x, rows, p.labels)
				if err != nil {
					t.Errorf("%s, %s, free %v: %v", p.name, form, free, err)
					continue
				}
				// What the solver promises, and as much again for the
				// rounding of the sums here.
				bound := 1e-12
				for _, i := range rows {
					bound += 10 * gradientTolerance * p.c * math.Hypot(1, norm2(p.x.RawRowView(i)))
				}
				if g := norm2(jointGradient(m, p.x, rows, p.labels, p.c, free)); !(g <= bound) {
					t.Errorf("%s, %s, free %v: gradient %g, above %g", p.name, form, free, g, bound)
				}
				if sum := floats.Sum(m.Intercept); len(m.Classes) > 2 && !(math.Abs(sum) <= 1e-9*(1+norm2(m.Intercept))) {
					t.Errorf("%s, %s, free %v: intercepts add up to %g", p.name, form, free, sum)
				}
			}
		}
	}
}

// With two classes the log-odds of the softmax are v·x + e with v = 2w, e = 2b,
// and the objective is (1/2)·(½‖v‖² + ½e² + 2C·Σ log(1 + e^(−y(v·x + e)))).
func TestTwoClassesOfTheSoftmaxAreOneLogistic(t *testing.T) {
	x, labels := normal(40, 6, 1, 71), randomLabels(40, 2, 71)
	joint, err := MultinomialRegression{C: 3}.Fit(background, x, upTo(40), labels)
	if err != nil {
		t.Fatal(err)
	}
	single, err := LogisticRegression{C: 6}.Fit(background, x, upTo(40), labels)
	if err != nil {
		t.Fatal(err)
	}
	for j, v := range single.Coef.RawRowView(0) {
		if w := joint.Coef.At(0, j); math.Abs(2*w-v) > 1e-9 {
			t.Errorf("coefficient %d: %v, want %v", j, w, v/2)
		}
	}
	if math.Abs(2*joint.Intercept[0]-single.Intercept[0]) > 1e-9 {
		t.Errorf("intercept %v, want %v", joint.Intercept[0], single.Intercept[0]/2)
	}
}
