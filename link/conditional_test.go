package link

import (
	"math"
	"testing"

	"coles/internal/testkit"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// drawnPicks takes rows by the law of the logit with weights w.
func drawnPicks(count int, w []float64, seed uint64) []pick {
	rng := testkit.Random(seed)
	picks := make([]pick, count)
	for q := range picks {
		x := testkit.RandomDense(rng, 20, len(w))
		scores := scoresOf(x, mat.NewVecDense(len(w), w)).RawVector().Data
		p := pick{x, make([]bool, 20)}
		at, left := 0, rng.Float64()
		for ; at < 19; at++ {
			if left -= math.Exp(scores[at] - floats.LogSumExp(scores)); left < 0 {
				break
			}
		}
		p.taken[at] = true
		picks[q] = p
	}
	return picks
}

// The gradient vanishes by finite differences, also where several rows of a pick were taken and a column never
// varies; that column keeps its prior.
func TestConditionalLogitIsAnOptimum(t *testing.T) {
	picks := drawnPicks(50, []float64{1, -2, 0}, 141)
	for q := range picks {
		picks[q].taken[q%20] = true
		for v := range 20 {
			picks[q].x.Set(v, 2, 7)
		}
	}
	prior := []float64{0.5, 1.25, -0.4}
	w := conditionalLogit(picks, prior)
	// Rounding of its gradient, near 1e-14, counts by the least variance, 1e-6, times the ridge.
	testkit.WantNear(t, "the weight of a constant column", w[2], prior[2], 1e-7)
	ridge := varianceOf(picks, 3)
	for j := range ridge {
		ridge[j] = conditionalRidge * max(ridge[j], leastVariance)
	}
	value := func(w []float64) float64 {
		v, _, _ := likelihood(picks, mat.NewVecDense(3, w), prior, ridge)
		return v
	}
	// The value is near 200, of which differences at steps of 1e-5 keep nine digits.
	if g := fd.Gradient(nil, value, w, &fd.Settings{Formula: fd.Central, Step: 1e-5}); floats.Norm(g, 2) > 1e-5 {
		t.Errorf("the gradient at the optimum is %v", g)
	}
	v, g, h := likelihood(picks, mat.NewVecDense(3, prior), prior, ridge)
	if !floats.EqualApprox(g.RawVector().Data, fd.Gradient(nil, value, prior, nil), 1e-4*math.Abs(v)) {
		t.Error("the gradient is not the value's")
	}
	want := mat.NewSymDense(3, nil)
	fd.Hessian(want, value, prior, nil)
	want.ScaleSym(-1, want)
	if !mat.EqualApprox(h, want, 1e-3*math.Abs(v)) {
		t.Error("the curvature is not the value's")
	}
}

// With many picks the weights are those they were drawn by, and with none the prior.
func TestConditionalLogitFindsTheWeights(t *testing.T) {
	want := []float64{1, -2, 0.5}
	got := conditionalLogit(drawnPicks(4000, want, 142), []float64{0, 0, 0})
	if floats.Distance(got, want, 2) > 0.12 { // four standard errors of some 0.03
		t.Errorf("%v, want %v", got, want)
	}
	testkit.WantSame(t, "without picks", conditionalLogit(nil, want), want)
}
