package learn

import (
	"context"
	"slices"
	"testing"

	"coles"
	"coles/internal/contingency"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// overlapping are rows of one or two classes of c, whose features say which, and their graph.
func overlapping(n, c int, noise float64, seed uint64) (*coles.Graph, *mat.Dense, [][]int) {
	x, sets := testkit.Normal(n, c, noise, seed), make([][]int, n)
	first, second := testkit.RandomLabels(n, c, seed+1), testkit.RandomLabels(n, c, seed+2)
	for i := range sets {
		sets[i] = contingency.Distinct([]int{first[i], second[i]})
		for _, k := range sets[i] {
			x.Set(i, k, x.At(i, k)+1)
		}
	}
	return testkit.Must(coles.NewGraph(n, testkit.Ring(n, 3))), x, sets
}

// A class is fitted as two classes are, and its probability is that of the sigmoid: one class beside all others.
func TestSetsAreOneRegressionAClass(t *testing.T) {
	for _, classes := range []int{2, 4} {
		_, x, sets := overlapping(80, classes, 0.5, 171)
		sets[7] = nil
		m := testkit.Must(Fit(context.Background(), nil, x, Labels{Sets: sets}, Options{Cs: []float64{0.5}, Seed: 1}))
		m.Weights = Weights{} // as they are
		p := columnsOf(m, testkit.Must(m.Predict(context.Background(), nil, x, Labels{}, nil)))
		for k := range classes {
			var rows []int
			labels := make([]int, 80)
			for i, set := range sets {
				if set != nil {
					rows = append(rows, i)
				}
				if slices.Contains(set, k) {
					labels[i] = 1
				}
			}
			one := testkit.Must(LogisticRegression{Cs: []float64{0.5}}.Fit(context.Background(), x, rows, labels))
			alone := &Predictor{Linear: one}
			want := columnsOf(alone, testkit.Must(alone.Predict(context.Background(), nil, x, Labels{}, nil)))
			for i := range 80 {
				testkit.WantNear(t, "a probability", p.At(i, k), want.At(i, 1), 1e-6)
			}
		}
	}
}

// F1 by hand: of class 0 one pair is right, one predicted too much; class 1 is missed, class 2 made up.
func TestSetF1(t *testing.T) {
	micro, macro, err := SetF1([][]int{{0}, {0, 2}}, [][]int{{0, 1}, {3}})
	testkit.Check(t, err)
	testkit.WantNear(t, "micro", micro, 2./6, 1e-15)
	testkit.WantNear(t, "macro", macro, (2./3)/4, 1e-15)
	_, _, err = SetF1([][]int{{0}}, nil)
	testkit.WantError(t, err, coles.ErrShape)
}
