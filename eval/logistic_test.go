package eval

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

var background = context.Background()

func normal(n, d int, scale float64, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, scale*rng.NormFloat64())
		}
	}
	return x
}

// randomLabels are drawn from [0, c), the first c rows one of each.
func randomLabels(n, c int, seed uint64) []int {
	rng := rand.New(rand.NewPCG(seed, 2))
	y := make([]int, n)
	for i := range y {
		y[i] = rng.IntN(c)
		if i < c {
			y[i] = i
		}
	}
	return y
}

func upTo(n int) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

func toCSR(x *mat.Dense) *sparse.CSR {
	n, d := x.Dims()
	coo := sparse.NewCOO(n, d, nil, nil, nil)
	for i := range n {
		for j := range d {
			if v := x.At(i, j); v != 0 {
				coo.Set(i, j, v)
			}
		}
	}
	return coo.ToCSR()
}

// gradient is that of the objective as the doc comment of LogisticRegression
// writes it, term by term.
func gradient(m *LinearModel, k int, x mat.Matrix, rows, labels []int, c float64) []float64 {
	_, d := x.Dims()
	g := make([]float64, d+1)
	copy(g, m.Coef.RawRowView(k))
	g[d] = m.Intercept[k]
	for _, i := range rows {
		y := -1.0
		if labels[i] == m.positive(k) {
			y = 1
		}
		score := m.Intercept[k]
		for j := range d {
			score += m.Coef.At(k, j) * x.At(i, j)
		}
		pull := -c * y / (1 + math.Exp(y*score))
		for j := range d {
			g[j] += pull * x.At(i, j)
		}
		g[d] += pull
	}
	return g
}

// The objective is strictly convex, so that a vanishing gradient is all there
// is to prove.
func TestGradientOfTheObjectiveVanishes(t *testing.T) {
	type problem struct {
		name   string
		x      *mat.Dense
		labels []int
		rows   []int
		c      float64
	}
	separable := normal(40, 5, 1, 1)
	for i := range 40 {
		separable.Set(i, 0, 10*float64(i%2)-5)
	}
	alternate := make([]int, 40)
	for i := range alternate {
		alternate[i] = i % 2
	}
	duplicates := normal(60, 20, 1, 2)
	for i := 10; i < 60; i++ {
		duplicates.SetRow(i, duplicates.RawRowView(i%10))
	}
	var lowRank mat.Dense
	lowRank.Mul(normal(50, 3, 1, 3), normal(3, 80, 1, 4))
	steep := normal(50, 30, 1, 5)
	for j := range 30 {
		for i := range 50 {
			steep.Set(i, j, steep.At(i, j)*math.Pow(10, 2-float64(j)/3))
		}
	}
	for _, p := range []problem{
		{"more rows than columns", normal(200, 10, 1, 6), randomLabels(200, 4, 1), upTo(200), 1},
		{"more columns than rows", normal(30, 100, 1, 7), randomLabels(30, 4, 2), upTo(30), 1},
		{"as many rows as columns with the intercept", normal(11, 10, 1, 8), randomLabels(11, 3, 3), upTo(11), 1},
		{"separable", separable, alternate, upTo(40), 100},
		{"duplicates with different labels", duplicates, randomLabels(60, 3, 4), upTo(60), 1},
		{"rows given many times", normal(5, 9, 1, 9), []int{0, 1, 2, 1, 0}, []int{0, 1, 2, 3, 4, 0, 0, 0, 3, 3, 2}, 1},
		{"rank three", &lowRank, randomLabels(50, 3, 5), upTo(50), 1},
		{"columns of very different size", steep, randomLabels(50, 3, 6), upTo(50), 1},
		{"one feature", normal(50, 1, 1, 10), randomLabels(50, 3, 7), upTo(50), 1},
		{"zero features", mat.NewDense(20, 4, nil), randomLabels(20, 3, 8), upTo(20), 1},
		{"two rows", normal(2, 6, 1, 11), []int{4, 9}, upTo(2), 1},
		{"weak loss", normal(50, 10, 1, 12), randomLabels(50, 3, 9), upTo(50), 1e-6},
		{"strong loss", normal(50, 10, 1, 13), randomLabels(50, 3, 10), upTo(50), 1e3},
	} {
		for _, form := range []string{"dense", "sparse"} {
			var x mat.Matrix = p.x
			if form == "sparse" {
				x = toCSR(p.x)
			}
			m, err := LogisticRegression{C: p.c}.Fit(background, x, p.rows, p.labels)
			if err != nil {
				t.Errorf("%s, %s: %v", p.name, form, err)
				continue
			}
			for k := range m.Intercept {
				// 1e-8, and where rows or C are large the share of the
				// gradient's own terms that the solver promises.
				bound := 1e-8
				var reach float64
				for _, i := range p.rows {
					reach += p.c * math.Hypot(1, floats.Norm(p.x.RawRowView(i), 2))
				}
				bound = max(bound, 2*gradientTolerance*reach)
				if g := floats.Norm(gradient(m, k, p.x, p.rows, p.labels, p.c), 2); !(g <= bound) {
					t.Errorf("%s, %s: gradient of class %d is %g, above %g", p.name, form, k, g, bound)
				}
			}
		}
	}
}

// The analytic gradient above is itself checked, by central differences of
// the objective as the solver computes it.
func TestObjectiveAndItsSlopeAgree(t *testing.T) {
	x := normal(20, 6, 2, 21)
	f, err := newFeatures(background, x)
	if err != nil {
		t.Fatal(err)
	}
	z, err := newDesign(background, f.trainingSet(upTo(20)))
	if err != nil {
		t.Fatal(err)
	}
	y := make([]float64, 20)
	for i := range y {
		y[i] = float64(2*(i%2) - 1)
	}
	b := newBinary(z, y, 3, 1e-12)
	rng := rand.New(rand.NewPCG(5, 5))
	for j := range b.u {
		b.u[j], b.step[j] = rng.NormFloat64(), rng.NormFloat64()
	}
	z.mul(b.margin, b.u)
	z.mul(b.stepMargin, b.step)
	uu, up, pp := dot(b.u, b.u), dot(b.u, b.step), dot(b.step, b.step)
	for _, s := range []float64{0, 0.3, 1, -2} {
		const h = 1e-5
		after, _ := b.along(s+h, uu, up, pp)
		before, _ := b.along(s-h, uu, up, pp)
		_, slope := b.along(s, uu, up, pp)
		if want := (after - before) / (2 * h); math.Abs(slope-want) > 1e-7*math.Abs(want) {
			t.Errorf("slope at %v is %v, differences say %v", s, slope, want)
		}
	}
	_, slope := b.along(0, uu, up, pp)
	b.differentiate()
	if want := dot(b.grad, b.step); math.Abs(slope-want) > 1e-12*math.Abs(want) {
		t.Errorf("slope %v, gradient times step %v", slope, want)
	}
}

// All forms of a design pose the same problem.
func TestDesignsAgree(t *testing.T) {
	for _, d := range []int{3, 24, 25, 90} {
		x, labels := normal(25, d, 2, uint64(d)), randomLabels(25, 2, uint64(d))
		f, err := newFeatures(background, x)
		if err != nil {
			t.Fatal(err)
		}
		s, err := newFeatures(background, toCSR(x))
		if err != nil {
			t.Fatal(err)
		}
		y := make([]float64, 25)
		for i, l := range labels {
			y[i] = float64(2*l - 1)
		}
		set := f.trainingSet(upTo(25))
		chosen, err := newDesign(background, f.trainingSet(upTo(25)))
		if err != nil {
			t.Fatal(err)
		}
		designs := map[string]design{
			"chosen": chosen, "primal": denseDesign{set.dense},
			"sparse": sparseDesign{s.trainingSet(upTo(25)).sparse},
		}
		var want []float64
		for _, name := range []string{"primal", "chosen", "sparse"} {
			b := newBinary(designs[name], y, 1, 1e-11)
			if err := b.solve(background); err != nil {
				t.Fatal(err)
			}
			w := designs[name].weights(b.u)
			if want == nil {
				want = w
			}
			if off := floats.Distance(w, want, 2); off > 1e-9 {
				t.Errorf("d=%d: %s is %g from the primal solution", d, name, off)
			}
		}
	}
}

func TestSparseInputOfAnyOrderEqualsDense(t *testing.T) {
	dense := mat.NewDense(4, 3, []float64{1, 0, 2, 0, 3, 0, 5, 4, 0, 0, 0, -1})
	// Row 0 unsorted, row 2 with an entry in two parts.
	odd := sparse.NewCSR(4, 3, []int{0, 2, 3, 6, 7}, []int{2, 0, 1, 1, 0, 1, 2}, []float64{2, 1, 3, 1, 5, 3, -1})
	labels := []int{0, 1, 0, 2}
	var models []*LinearModel
	for _, x := range []mat.Matrix{dense, odd, toCSR(dense).ToCOO(), toCSR(dense).ToCSC(), dense.T().T(), mat.DenseCopyOf(dense.T()).T()} {
		m, err := LogisticRegression{}.Fit(background, x, upTo(4), labels)
		if err != nil {
			t.Fatalf("%T: %v", x, err)
		}
		models = append(models, m)
		if !mat.EqualApprox(m.Coef, models[0].Coef, 1e-10) {
			t.Errorf("%T gives other coefficients", x)
		}
		scores, err := m.Scores(background, x, []int{2, 0})
		if err != nil {
			t.Fatal(err)
		}
		all, err := models[0].Scores(background, dense, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !floats.EqualApprox(scores.RawRowView(0), all.RawRowView(2), 1e-9) || !floats.EqualApprox(scores.RawRowView(1), all.RawRowView(0), 1e-9) {
			t.Errorf("%T: the scores of rows 2 and 0 are not theirs", x)
		}
	}
}

// One positive and one negative point at ±1 have by symmetry b = 0, and w
// solves w = 2/(1 + eʷ), whose root is 0.6748…: found here by bisection.
func TestTwoClassesAreOneProblem(t *testing.T) {
	m, err := LogisticRegression{}.Fit(background, mat.NewDense(2, 1, []float64{-1, 1}), upTo(2), []int{7, 3})
	if err != nil {
		t.Fatal(err)
	}
	lo, hi := 0.0, 1.0
	for range 60 {
		if w := (lo + hi) / 2; w < 2/(1+math.Exp(w)) {
			lo = w
		} else {
			hi = w
		}
	}
	if r, c := m.Coef.Dims(); r != 1 || c != 1 || len(m.Intercept) != 1 || !slices.Equal(m.Classes, []int{3, 7}) {
		t.Fatalf("model %+v", m)
	}
	if math.Abs(m.Coef.At(0, 0)+lo) > 1e-12 || math.Abs(m.Intercept[0]) > 1e-12 {
		t.Errorf("w = %v, b = %v, want %v and 0", m.Coef.At(0, 0), m.Intercept[0], -lo)
	}
	// A score of exactly zero is not positive.
	got, err := (&LinearModel{Classes: []int{3, 7}, Coef: mat.NewDense(1, 1, []float64{1}), Intercept: []float64{0}}).
		Predict(background, mat.NewDense(3, 1, []float64{-1, 0, 1}), nil)
	if err != nil || !slices.Equal(got, []int{3, 3, 7}) {
		t.Errorf("predicted %v, %v", got, err)
	}
}

func TestEqualScoresGoToTheSmallestLabel(t *testing.T) {
	m := &LinearModel{Classes: []int{2, 5, 6}, Coef: mat.NewDense(3, 1, []float64{-1, 1, 1}), Intercept: make([]float64, 3)}
	got, err := m.Predict(background, mat.NewDense(3, 1, []float64{-1, 0, 1}), nil)
	if err != nil || !slices.Equal(got, []int{2, 2, 5}) {
		t.Errorf("predicted %v, %v", got, err)
	}
}

// Features a million times too large or too small are poor practice, not an
// error.
func TestScaleOfTheFeaturesDoesNotBreakTheSolver(t *testing.T) {
	for _, scale := range []float64{1e-8, 1e-3, 1e2, 1e4, 1e6} {
		for _, d := range []int{2, 30, 200} {
			x, labels := normal(100, d, scale, 31), randomLabels(100, 3, 31)
			m, err := LogisticRegression{}.Fit(background, x, upTo(100), labels)
			if err != nil {
				t.Errorf("scale %g, d %d: %v", scale, d, err)
				continue
			}
			bound := 1e-11 * 100 * math.Hypot(1, scale*math.Sqrt(float64(d)))
			for k := range m.Intercept {
				if g := floats.Norm(gradient(m, k, x, upTo(100), labels, 1), 2); !(g <= bound) {
					t.Errorf("scale %g, d %d: gradient %g, above %g", scale, d, g, bound)
				}
			}
		}
	}
}
