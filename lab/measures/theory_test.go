package measures

import (
	"math"
	"slices"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// The contrast of a node, by its neighbours and negatives one by one; and all of them are the trace of the
// loss.
func TestBlockContrastByTheFormula(t *testing.T) {
	const n, eta = 20, 0.7
	g, y := testkit.RandomGraph(3, n, 0.2), testkit.Normal(n, 4, 1, 5)
	for name, negatives := range map[string]coles.NegativeSampler{"drawn": coles.UniformNegatives(3), "expected": coles.ExpectedUniformNegatives()} {
		t.Run(name, func(t *testing.T) {
			dw := testkit.Must(coles.Contrast(background, g, negatives, 1, eta, 9))
			w := mat.DenseCopyOf(dw.Sparse())
			if name == "expected" {
				w.Apply(func(_, _ int, v float64) float64 { return v - eta/n }, w)
			}
			want := make([]float64, n)
			for v := range n {
				for u := range n {
					want[v] -= w.At(v, u) * mat.Dot(y.RowView(v), y.RowView(u))
				}
			}
			got := testkit.Must(BlockContrast(background, dw, y))
			if !floats.EqualApprox(got, want, 1e-12) {
				t.Errorf("contrast %v, want %v", got, want)
			}
			trace := mat.Trace(testkit.Product(y.T(), w, y))
			if sum := floats.Sum(got); math.Abs(sum+trace) > 1e-12 {
				t.Errorf("in all %v, want %v", sum, -trace)
			}
		})
	}
}

// The ratio of geometric means, from the products themselves.
func TestAlignmentAndUniformityAreTheLossOfTheGeometricMean(t *testing.T) {
	positive, negative := []float64{0.5, -1, 2}, []float64{0.1, 0.3, -0.7, 0.4}
	alignment, uniformity, err := AlignmentAndUniformity(positive, negative)
	if err != nil {
		t.Fatal(err)
	}
	geometric := func(scores []float64) float64 {
		product := 1.0
		for _, s := range scores {
			product *= math.Exp(s)
		}
		return math.Pow(product, 1/float64(len(scores)))
	}
	if got, want := uniformity-alignment, math.Log(geometric(negative)/geometric(positive)); math.Abs(got-want) > 1e-14 {
		t.Errorf("loss %v, want %v", got, want)
	}
}

// Scores obey the bound, and one pair of points reaches it.
func TestLipschitzBoundHoldsAndIsTight(t *testing.T) {
	y := testkit.Normal(30, 5, 1, 7)
	k := testkit.Must(LipschitzBound(background, y))
	a, b := testkit.Normal(1, 5, 1, 8).RawRowView(0), testkit.Normal(1, 5, 1, 9).RawRowView(0)
	tight := false
	for v := range 30 {
		row := y.RawRowView(v)
		if moved := math.Abs(floats.Dot(row, a) - floats.Dot(row, b)); moved > k*floats.Distance(a, b, 1)*(1+1e-14) {
			t.Errorf("row %d moves by %v", v, moved)
		}
		for j := range row {
			step := slices.Clone(a)
			step[j]++
			tight = tight || math.Abs(floats.Dot(row, step)-floats.Dot(row, a)) > k*(1-1e-12)
		}
	}
	if !tight {
		t.Errorf("no score moves by %v", k)
	}
}
