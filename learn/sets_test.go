package learn

import (
	"context"
	"math"
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
		m := testkit.Must(LogisticRegression{Cs: []float64{0.5}}.LearnSets(context.Background(), nil, x, sets, Smoothing{Seed: 1}))
		p := testkit.Must(m.Probabilities(context.Background(), nil, x, nil, nil))
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
			want := testkit.Must(one.Probabilities(context.Background(), x, nil))
			for i := range 80 {
				testkit.WantNear(t, "a probability", p.At(i, k), want.At(i, 1), 1e-6)
			}
		}
	}
}

// What cross-validation says of sets holds for other rows, and of random ones it says chance.
func TestSetsAreMeasuredHonestly(t *testing.T) {
	g, x, sets := overlapping(600, 4, 0.4, 172)
	known := slices.Clone(sets)
	for i := range known {
		if i%2 == 0 {
			known[i] = nil
		}
	}
	m := testkit.Must(LogisticRegression{}.LearnSets(context.Background(), g, x, known, Smoothing{Seed: 1}))
	p := testkit.Must(m.Probabilities(context.Background(), g, x, known, nil))
	var predicted, actual [][]int
	for i, set := range sets {
		if known[i] == nil {
			predicted, actual = append(predicted, picked(m.Linear.Classes, m.Places(p.RawRowView(i)))), append(actual, set)
		}
	}
	micro, macro, err := SetF1(predicted, actual)
	testkit.Check(t, err)
	if math.Abs(micro-m.Found.Micro) > 0.05 || math.Abs(macro-m.Found.Macro) > 0.05 || micro < 0.8 {
		t.Errorf("F1 %v, %v, and %+v in cross-validation", micro, macro, m.Found)
	}

	// One class of four at random: a quarter of the rows is right.
	mean, draws := 0.0, 40
	for k := range draws {
		for i, l := range testkit.RandomLabels(600, 4, uint64(300+k)) {
			if known[i] = nil; i < 120 {
				known[i] = []int{l}
			}
		}
		m := testkit.Must(LogisticRegression{Cs: []float64{1. / 8, 2}}.LearnSets(context.Background(), g, x, known, Smoothing{Alphas: []float64{0, 0.9}, Seed: 1}))
		mean += m.Found.MicroKnown / float64(draws)
	}
	// A draw has a deviation of 4 points, the mean of 40 one of 0.6.
	if math.Abs(mean-0.25) > 0.03 {
		t.Errorf("random sets are right in %.3f", mean)
	}
}

// F1 by hand: of class 0 one pair is right, one predicted too much; class 1 is missed, class 2 made up.
func TestSetF1(t *testing.T) {
	micro, macro, err := SetF1([][]int{{0}, {0, 2}}, [][]int{{0, 1}, {3}})
	testkit.Check(t, err)
	testkit.WantNear(t, "micro", micro, 2./6, 1e-15)
	testkit.WantNear(t, "macro", macro, (2./3)/4, 1e-15)
}

func TestSetsRefuse(t *testing.T) {
	g, x, sets := overlapping(40, 3, 1, 174)
	learn := func(sets [][]int, how Smoothing) error {
		return testkit.Err(LogisticRegression{}.LearnSets(context.Background(), g, x, sets, how))
	}
	changed := func(set ...int) [][]int { return append([][]int{set}, sets[1:]...) }
	m := testkit.Must(LogisticRegression{Cs: []float64{1}}.LearnSets(context.Background(), g, x, sets, Smoothing{}))
	m.Alpha = 0.5
	_, _, unequal := SetF1(sets, sets[1:])
	testkit.WantRefusals(t, map[string][2]error{
		"balanced":       {learn(sets, Smoothing{Balanced: true}), coles.ErrSetting},
		"alpha":          {learn(sets, Smoothing{Alphas: []float64{1}}), coles.ErrSetting},
		"negative":       {learn(changed(-1), Smoothing{}), coles.ErrIndex},
		"twice":          {learn(changed(1, 1), Smoothing{}), ErrSplit},
		"one class":      {learn(slices.Repeat([][]int{{1}}, 40), Smoothing{}), ErrSplit},
		"too few":        {learn(sets[1:], Smoothing{}), coles.ErrShape},
		"sets of some":   {testkit.Err(m.Probabilities(context.Background(), g, x, sets[1:], nil)), coles.ErrShape},
		"F1 of unequal":  {unequal, coles.ErrShape},
		"another matrix": {testkit.Err(m.Probabilities(context.Background(), nil, testkit.Normal(40, 2, 1, 1), nil, nil)), coles.ErrShape},
	})
}
