package eval

import (
	"errors"
	"math"
	"testing"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// The loss of a node v with one positive u and its negatives, −log(e^(u·v) /
// M_p(e^(u′·v), …)), is what the two terms add up to; M_p straight from its formula.
func TestContrastTermsAddUpToTheLoss(t *testing.T) {
	x := normal(6, 4, 0.7, 51)
	score := func(u, v int) float64 { return dot(x.RawRowView(u), x.RawRowView(v)) }
	// Star-shaped negatives: node 0 against 2 … 5, whose only partner it is.
	positive := []coles.Edge{{U: 1, V: 0}}
	negative := []coles.Edge{{U: 0, V: 2}, {U: 3, V: 0}, {U: 0, V: 4}, {U: 5, V: 0}}
	for _, p := range []float64{1, -1, 2, 0.5, -3} {
		power, single := 0.0, 0.0
		for far := 2; far < 6; far++ {
			power += math.Pow(math.Exp(score(far, 0)), p) / 4
			single += score(far, 0) // the mean of one is itself
		}
		loss := -math.Log(math.Exp(score(1, 0)) / math.Pow(power, 1/p))
		alignment, err := ContrastAlignment(background, x, positive)
		if err != nil {
			t.Fatal(err)
		}
		uniformity, err := ContrastUniformity(background, x, negative, p)
		if err != nil {
			t.Fatal(err)
		}
		if got := alignment + 5*uniformity - single; math.Abs(got-loss) > 1e-13 {
			t.Errorf("p = %v: the loss is %v, want %v", p, got, loss)
		}
	}
}

func TestContrastUniformityGrowsWithPAndDoesNotOverflow(t *testing.T) {
	for _, scale := range []float64{0.1, 1, 30, 1e6} { // scores up to 1e13
		x := normal(20, 5, scale, 52)
		pairs, err := NegativePairs(background, drawnGraph(t, 20, 0.1, 53), 300, 54)
		if err != nil {
			t.Fatal(err)
		}
		last := math.Inf(-1)
		for _, p := range []float64{-100, -2, -1, 0, 1, 2, 100} {
			got, err := ContrastUniformity(background, x, pairs, p)
			if err != nil {
				t.Fatal(err)
			}
			if !(got > last) {
				t.Errorf("scale %v: %v at p = %v, not above %v", scale, got, p, last)
			}
			last = got
		}
	}
	for _, p := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if _, err := ContrastUniformity(background, normal(2, 2, 1, 1), []coles.Edge{{U: 0, V: 1}}, p); !errors.Is(err, ErrParameter) {
			t.Errorf("p = %v: error %v", p, err)
		}
	}
}

// Node 0 has the scores 9 with itself and 0 with node 1, which has the latter alone.
func TestContrastUniformityCountsAPairOfOneNodeOnce(t *testing.T) {
	x := mat.NewDense(2, 2, []float64{3, 0, 0, 1})
	got, err := ContrastUniformity(background, x, []coles.Edge{{U: 0, V: 0}, {U: 1, V: 0}}, 0)
	if want := (4.5 + 0) / 2; got != want || err != nil {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

// Of unit rows, ‖u − v‖² = 2 − 2·u·v.
func TestAlignmentOfUnitRowsIsThatOfScores(t *testing.T) {
	x := normal(50, 8, 1, 55)
	for i := range 50 {
		row := x.RawRowView(i)
		norm := norm2(row)
		for j := range row {
			row[j] /= norm
		}
	}
	pairs, err := PositivePairs(drawnGraph(t, 50, 0.1, 56))
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []mat.Matrix{x, toCSR(x)} {
		squared, err := Alignment(background, form, pairs, 2)
		if err != nil {
			t.Fatal(err)
		}
		negated, err := ContrastAlignment(background, form, pairs)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(squared-(2+2*negated)) > 1e-13 {
			t.Errorf("%v, want %v", squared, 2+2*negated)
		}
	}
	for _, alpha := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := Alignment(background, x, pairs, alpha); !errors.Is(err, ErrParameter) {
			t.Errorf("alpha = %v: error %v", alpha, err)
		}
	}
}

// Rows that share some columns only.
func TestSparseRowsMeasureAsDenseOnes(t *testing.T) {
	x := normal(40, 30, 1, 57)
	x.Apply(func(i, j int, v float64) float64 {
		if v < 1 {
			return 0
		}
		return v
	}, x)
	pairs, err := PositivePairs(drawnGraph(t, 40, 0.3, 58))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		of   func(x mat.Matrix) (float64, error)
	}{
		{"Alignment", func(x mat.Matrix) (float64, error) { return Alignment(background, x, pairs, 1) }},
		{"ContrastAlignment", func(x mat.Matrix) (float64, error) { return ContrastAlignment(background, x, pairs) }},
		{"Uniformity", func(x mat.Matrix) (float64, error) { return Uniformity(background, x, 0.1) }},
		{"EffectiveRank", func(x mat.Matrix) (float64, error) { return EffectiveRank(background, x) }},
		{"LipschitzConstant", func(x mat.Matrix) (float64, error) { return LipschitzConstant(background, x) }},
	} {
		dense, err := c.of(x)
		if err != nil {
			t.Fatal(err)
		}
		sparse, err := c.of(toCSR(x))
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(dense-sparse) > 1e-13*math.Abs(dense) {
			t.Errorf("%s: sparse %v, dense %v", c.name, sparse, dense)
		}
	}
}
