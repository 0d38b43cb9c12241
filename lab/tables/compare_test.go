package main

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"coles/internal/testkit"
	"coles/lab/measures"

	"gonum.org/v1/gonum/stat"
)

// The row to compare with is measured first and added in its turn. The others differ from it by what
// they have more on each split.
func TestRowsAreComparedSplitBySplit(t *testing.T) {
	accuracy := map[string][]float64{"A": {0.5, 0.6, 0.7}, "B": {0.6, 0.6, 0.9}, "COLES": {0.4, 0.5, 0.6}}
	var order, added []string
	found := make(map[string]measure)
	tab := table{reference: "COLES", rows: []method{{name: "A"}, {name: "COLES"}, {name: "B"}}}
	err := tab.measureRows(func(m method, reference []cell) ([]cell, error) {
		if (reference == nil) != (m.name == "COLES") {
			t.Errorf("%s: the reference is %v", m.name, reference)
		}
		order = append(order, m.name)
		return []cell{{trials: [][]float64{accuracy[m.name]}, Measures: make([]measure, 1)}}, nil
	}, func(c cell) error {
		added = append(added, c.Method)
		found[c.Method] = c.Measures[0]
		return nil
	})
	if err != nil || strings.Join(order, " ") != "COLES A B" || strings.Join(added, " ") != "A COLES B" {
		t.Fatalf("measured %v, added %v, error %v", order, added, err)
	}
	if found["COLES"].Difference != nil {
		t.Error("COLES is compared with itself")
	}
	// A is a tenth better everywhere. Of B the differences are 0.2, 0.1 and 0.3: mean 0.2, standard
	// deviation 0.1, t = 0.2·√3/0.1 = 2√3, whose two-sided p with 2 degrees of freedom is
	// 1 − t/√(t² + 2) = 1 − √(12/14).
	if a := found["A"].Difference; math.Abs(a.Mean-0.1) > 1e-12 || a.P > 1e-12 {
		t.Errorf("A: %+v", a)
	}
	if b := found["B"].Difference; math.Abs(b.Mean-0.2) > 1e-12 || math.Abs(b.P-(1-math.Sqrt(12.0/14))) > 1e-9 || found["B"].Versus() != "+20.0 ≈" {
		t.Errorf("B: %+v", b)
	}
	broken := errors.New("broken")
	err = tab.measureRows(func(method, []cell) ([]cell, error) { return nil, broken }, nil)
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "COLES") {
		t.Errorf("error %v", err)
	}
}

// Of differences that are chance, the share taken for more is near the level, though seeds shift all splits
// alike, and splits all seeds.
func TestSeedsAreChanceToo(t *testing.T) {
	const seeds, splits = 3, 20
	for _, spread := range []float64{0, 0.5, 1} {
		rng, wrong, draws := testkit.Random(1), 0, testkit.Draws(2000)
		for range draws {
			difference, ofSplit := make([][]float64, seeds), make([]float64, splits)
			for q := range ofSplit {
				ofSplit[q] = rng.NormFloat64()
			}
			for s := range difference {
				ofSeed := spread * rng.NormFloat64()
				for q := range splits {
					difference[s] = append(difference[s], ofSeed+ofSplit[q]+rng.NormFloat64())
				}
			}
			c := testkit.Must(overSeedsAndSplits(difference))
			testkit.WantNear(t, "mean", c.Mean, stat.Mean(slices.Concat(difference...), nil), 1e-9)
			if c.P < level {
				wrong++
			}
			if (c.P < level) != (c.Low > 0 || c.High < 0) {
				t.Errorf("p = %v with the interval from %v to %v", c.P, c.Low, c.High)
			}
		}
		// Satterthwaite's degrees are of an estimate: a few in a hundred more or less.
		if share := float64(wrong) / float64(draws); share > 2*level {
			t.Errorf("seeds of deviation %v: %v of chance is taken for more", spread, share)
		}
	}
}

// Holm's method, by hand: 0.05/4, 0.05/3 and 0.05/2 for p in ascending order, and nothing behind the first
// that is too large.
func TestMarksAreCorrected(t *testing.T) {
	at := func(name string, difference, p float64) gridRow {
		return gridRow{Name: name, Figures: map[column]*measure{{"cora", "5"}: {Difference: &measures.Comparison{Mean: difference, P: p}}}}
	}
	for _, c := range []struct {
		p    [4]float64
		want string
	}{
		{[4]float64{0.012, 0.016, 0.024, 0.049}, " ▲ ▼ ▲ ▼"},
		{[4]float64{0.012, 0.017, 0.018, 0.019}, " ▲ ≈ ≈ ≈"},
		{[4]float64{0.049, 0.001, 0.001, 0.024}, " ▲ ▼ ▲ ▼"},
		{[4]float64{0.013, 0.04, 0.04, 0.04}, " ≈ ≈ ≈ ≈"},
	} {
		g := &grid{Rows: []gridRow{at("a", 1, c.p[0]), at("b", -1, c.p[1]), at("c", 1, c.p[2]), at("d", -1, c.p[3]), {Name: "reference", Figures: map[column]*measure{{"cora", "5"}: {}}}}}
		g.mark()
		marks := ""
		for _, r := range g.Rows[:4] {
			versus := []rune(r.Figures[column{"cora", "5"}].Versus())
			marks += string(versus[len(versus)-2:])
		}
		testkit.WantSame(t, "marks", marks, c.want)
	}
}
