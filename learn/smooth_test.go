package learn

import (
	"context"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// The probabilities solve the linear equations: where no row is held, (I − αS)p = (1 − α)p₀.
func TestSmoothEqualsTheLinearSystem(t *testing.T) {
	g := testkit.Twins(20, 0.2, 161)
	n := g.Nodes()
	x := testkit.Normal(n, 4, 1, 162)
	labels := testkit.RandomLabels(n, 3, 163)
	m := testkit.Must(LogisticRegression{}.Fit(context.Background(), x, testkit.UpTo(n), labels))
	known := make([]int, n)
	for i := range known {
		known[i] = -1
		if i%5 == 0 {
			known[i] = labels[i]
		}
	}
	s := &Smoothed{LinearModel: m, Alpha: 0.75}
	got := testkit.Must(s.Smooth(context.Background(), g, x, known, nil))

	left, right := testkit.Eye(n), testkit.Must(m.Probabilities(context.Background(), x, nil))
	a := testkit.DenseOf(g.CSR())
	for i := range n {
		degree := mat.Sum(a.RowView(i))
		switch {
		case known[i] >= 0:
			for k := range 3 {
				right.Set(i, k, map[bool]float64{true: 1}[k == known[i]])
			}
		case degree > 0:
			for j := range n {
				left.Set(i, j, left.At(i, j)-0.75*a.At(i, j)/degree)
			}
			for k := range 3 {
				right.Set(i, k, 0.25*right.At(i, k))
			}
		}
	}
	var want mat.Dense
	testkit.Check(t, want.Solve(left, right))
	testkit.WantClose(t, "smoothed probabilities", got, &want, smoothTolerance*0.75/0.25) // what is left of a geometric series
	some := testkit.Must(s.Smooth(context.Background(), g, x, known, []int{7, 3}))
	testkit.WantSame(t, "of some rows", some.RawRowView(1), got.RawRowView(3))
}

// halves is a ring of two halves: neighbours are nearly all of one class, features only hint at it.
func halves(n int, seed uint64) (*coles.Graph, *mat.Dense, []int) {
	x, classes := testkit.Normal(n, 3, 1, seed), make([]int, n)
	for i := range classes {
		classes[i] = 2 * i / n
		x.Set(i, 0, x.At(i, 0)+float64(classes[i]))
	}
	return testkit.Must(coles.NewGraph(n, testkit.Ring(n, 3))), x, classes
}

// Where neighbours are alike smoothing is taken, and what cross-validation says holds for the other nodes.
func TestSmoothingGainsWhereNeighboursAreAlike(t *testing.T) {
	g, x, classes := halves(400, 164)
	labels := make([]int, len(classes))
	for i := range labels {
		if labels[i] = -1; i%3 == 0 {
			labels[i] = classes[i]
		}
	}
	s := testkit.Must(LogisticRegression{}.LearnSmoothed(context.Background(), g, x, labels, Smoothing{Seed: 1}))
	p := testkit.Must(s.Smooth(context.Background(), g, x, labels, nil))
	right, all := 0, 0
	for i, l := range labels {
		if l < 0 {
			all++
			if s.Classes[floats.MaxIdx(p.RawRowView(i))] == classes[i] {
				right++
			}
		}
	}
	share := float64(right) / float64(all)
	if s.Alpha == 0 || s.Found.Accuracy() < s.Alone+0.1 || math.Abs(share-s.Found.Accuracy()) > 0.05 {
		t.Errorf("α = %v, %v right of the others, %v and alone %v by cross-validation", s.Alpha, share, s.Found.Accuracy(), s.Alone)
	}
}

// Labels that nothing predicts are predicted by chance: what is held out does not come back along the edges.
func TestSmoothingOfRandomLabelsIsChance(t *testing.T) {
	g, x, _ := halves(120, 165)
	mean, draws := 0.0, 40
	for k := range draws {
		labels := testkit.RandomLabels(120, 2, uint64(166+k))
		s := testkit.Must(LogisticRegression{}.LearnSmoothed(context.Background(), g, x, labels, Smoothing{Seed: 1}))
		mean += s.Found.Accuracy() / float64(draws)
	}
	// A draw has a deviation of at least 4.6 points, and the mean of 40 one of 0.7; parts of equal shares of the
	// classes lower what is right by a point.
	if math.Abs(mean-0.5) > 0.03 {
		t.Errorf("random labels are right in %.3f", mean)
	}
}

func TestSmoothingRefuses(t *testing.T) {
	g, x, classes := halves(40, 167)
	learn := func(g *coles.Graph, alphas ...float64) error {
		return testkit.Err(LogisticRegression{}.LearnSmoothed(context.Background(), g, x, classes, Smoothing{Alphas: alphas}))
	}
	m := testkit.Must(LogisticRegression{}.Fit(context.Background(), x, testkit.UpTo(40), classes))
	smooth := func(alpha float64, labels []int) error {
		return testkit.Err((&Smoothed{LinearModel: m, Alpha: alpha}).Smooth(context.Background(), g, x, labels, nil))
	}
	testkit.WantRefusals(t, map[string][2]error{
		"another graph":  {learn(testkit.Must(coles.NewGraph(3, nil)), 0.5), coles.ErrShape},
		"all neighbours": {learn(g, 1), coles.ErrSetting},
		"less than none": {smooth(-1, classes), coles.ErrSetting},
		"NaN":            {smooth(math.NaN(), classes), coles.ErrSetting},
		"labels of some": {smooth(0.5, classes[:7]), coles.ErrShape},
	})
}

// Probabilities that a strong penalty makes cautious are as large as they are right, on the rows held out and others.
func TestTemperature(t *testing.T) {
	x, classes := testkit.Blobs(6000, 6, 4, 168)
	labels := slices.Repeat([]int{-1}, 6000)
	copy(labels, classes[:2000])
	s := testkit.Must(LogisticRegression{Cs: []float64{1. / 1024}}.LearnSmoothed(context.Background(), nil, x, labels, Smoothing{Seed: 1}))
	mean := func(s *Smoothed) (probability, right float64) {
		p := testkit.Must(s.Smooth(context.Background(), nil, x, nil, testkit.UpTo(6000)[2000:]))
		for q := range 4000 {
			k := floats.MaxIdx(p.RawRowView(q))
			testkit.WantNear(t, "the sum", floats.Sum(p.RawRowView(q)), 1, 1e-12)
			if probability += p.At(q, k) / 4000; s.Classes[k] == classes[2000+q] {
				right += 1. / 4000
			}
		}
		return probability, right
	}
	probability, right := mean(s)
	if math.Abs(probability-right) > 0.03 {
		t.Errorf("mean probability %.3f, %.3f are right", probability, right)
	}
	if s.Temperature = 0; true {
		if cautious, _ := mean(s); cautious > right-0.05 {
			t.Errorf("without a temperature the mean probability is %.3f, %.3f are right", cautious, right)
		}
	}
}

// Balanced, a rare class that the features hardly show is found more often.
func TestBalanced(t *testing.T) {
	x, labels := testkit.Normal(600, 2, 1, 169), make([]int, 600)
	for i := range labels {
		if i%12 == 0 {
			labels[i] = 1
			x.Set(i, 0, x.At(i, 0)+1.5)
		}
	}
	plain := testkit.Must(LogisticRegression{}.LearnSmoothed(context.Background(), nil, x, labels, Smoothing{Seed: 1}))
	even := testkit.Must(LogisticRegression{}.LearnSmoothed(context.Background(), nil, x, labels, Smoothing{Seed: 1, Balanced: true}))
	testkit.WantSame(t, "weights", even.Weights, []float64{12. / 11, 12})
	mean := func(c *Confusion) float64 { return (c.Recall(0) + c.Recall(1)) / 2 }
	if mean(even.Found) < mean(plain.Found)+0.1 || even.Found.Recall(1) < 0.6 {
		t.Errorf("mean recall %.3f balanced, else %.3f", mean(even.Found), mean(plain.Found))
	}
}
