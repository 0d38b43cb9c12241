package learn

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/dataset/synthetic"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// Ten rows by hand: of four a (label 2) one is taken for b and one for c, of five b (7) two for a, and
// the one c (9) for b; nothing is d (11).
func TestConfusionByHand(t *testing.T) {
	actual := []int{2, 2, 2, 2, 7, 7, 7, 7, 7, 9}
	predicted := []int{2, 7, 2, 9, 7, 2, 7, 2, 7, 7}
	c := testkit.Must(NewConfusion(predicted, actual))
	testkit.WantSame(t, "classes", c.Classes, []int{2, 7, 9})
	testkit.WantSame(t, "counts", c.Counts, [][]int{{2, 1, 1}, {2, 3, 0}, {0, 1, 0}})
	testkit.WantSame(t, "accuracy", c.Accuracy(), 0.5)
	var recall, precision []float64
	var mistaken []string
	for k := range c.Classes {
		recall, precision = append(recall, c.Recall(k)), append(precision, c.Precision(k))
		other, count := c.MistakenFor(k)
		mistaken = append(mistaken, fmt.Sprint(c.Name(other), " ", count))
	}
	testkit.WantSame(t, "recall", recall, []float64{0.5, 0.6, 0})
	testkit.WantSame(t, "precision", precision, []float64{0.5, 0.6, 0})
	testkit.WantSame(t, "mistaken", mistaken, []string{"7 1", "2 2", "7 1"})

	c.Names = strings.Split("- - ä - - - - b\nb - c", " ") // of labels 0 to 9
	testkit.WantSame(t, "table", c.String(), `class   nodes   recall  precision  most often taken for
ä           4   50.0 %     50.0 %  b b (1)
b b         5   60.0 %     60.0 %  ä (2)
c           1    0.0 %      0.0 %  b b (1)
`)
	right := testkit.Must(NewConfusion(actual, actual))
	if other, count := right.MistakenFor(1); other != 1 || count != 0 || strings.Contains(right.String(), "(") {
		t.Errorf("without a mistake: class %d %d times, %v", other, count, right)
	}
	_, err := NewConfusion(testkit.UpTo(4097), testkit.UpTo(4097))
	testkit.WantError(t, err, coles.ErrTooLarge)
	testkit.WantError(t, testkit.Err(NewConfusion(nil, nil)), coles.ErrShape)
	testkit.WantError(t, testkit.Err(NewConfusion([]int{1}, nil)), coles.ErrShape)
}

// Rows sum to the sizes of classes, columns to the numbers of predictions, the trace to the right ones; and the
// mean F1 = 2pr/(p + r) is macro F1. Labels may be any numbers, and some are only actual or predicted.
func TestConfusionIdentities(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for _, k := range []int{1, 2, 7, 40} {
		actual, predicted := make([]int, 500), make([]int, 500)
		for i := range actual {
			actual[i] = 3*rng.IntN(k) - 5
			if predicted[i] = actual[i]; rng.IntN(3) == 0 {
				predicted[i] = 3*rng.IntN(k+1) - 5
			}
		}
		c := testkit.Must(NewConfusion(predicted, actual))
		of := func(labels []int, label int) int { return len(labelledRows(labels, label)) }
		right := 0
		for i, label := range c.Classes {
			column := 0
			for _, row := range c.Counts {
				column += row[i]
			}
			if c.Size(i) != of(actual, label) || column != of(predicted, label) {
				t.Errorf("class %d: %d rows, %d predicted", label, c.Size(i), column)
			}
			right += c.Counts[i][i]
		}
		testkit.WantSame(t, "all", c.Total(), 500)
		testkit.WantSame(t, "accuracy", c.Accuracy(), float64(right)/500)
	}
}

// Every row is predicted by a fit to the other parts of the shuffled rows, with the C of all rows, dense, sparse and with
// more columns than rows. The seed decides the parts.
func TestCrossValidationIsALoop(t *testing.T) {
	for name, d := range map[string]int{"few columns": 6, "more columns than rows": 90} {
		x, all := testkit.Blobs(120, d, 3, 8)
		labels := slices.Repeat([]int{-1}, 120)
		copy(labels[20:100], all[20:])
		for i, other := range testkit.RandomLabels(120, 3, 9) {
			if i%4 == 0 && labels[i] >= 0 {
				labels[i] = other // noise
			}
		}
		for _, cs := range [][]float64{nil, {0.1, 1, 10}, {4}} {
			order := slices.Clone(testkit.UpTo(120)[20:100])
			rand.New(rand.NewPCG(5, 0)).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
			fold, folds, err := stratify(order, labels, 0)
			testkit.Check(t, err)
			c := testkit.Must(LogisticRegression{Cs: slices.Concat(cs, DefaultCs()[:9*(1-min(len(cs), 1))])}.Fit(context.Background(), x, testkit.UpTo(120)[20:100], labels)).C
			predicted := heldOutRows(LogisticRegression{Cs: []float64{c}}, x, order, labels, parts{fold: fold, count: folds})
			want := testkit.Must(NewConfusion(predicted, picked(labels, order)))
			if a := want.Accuracy(); a < 0.4 || a > 0.97 {
				t.Errorf("%s, %v: accuracy %v tells nothing", name, cs, a)
			}
			for form, given := range testkit.Forms(x) {
				got := testkit.Must(Fit(context.Background(), nil, given, Labels{Classes: labels}, Options{Cs: cs, Seed: 5}))
				testkit.WantSame(t, fmt.Sprintf("%s, %s, %v", name, form, cs), got.Confusion, want)
			}
			if other := testkit.Must(Fit(context.Background(), nil, x, Labels{Classes: labels}, Options{Cs: cs, Seed: 6})); slices.EqualFunc(other.Confusion.Counts, want.Counts, slices.Equal) {
				t.Errorf("%s, %v: the seed changes nothing", name, cs)
			}
		}
	}
}

// More classes than a table counts are learnt all the same.
func TestFitManyClasses(t *testing.T) {
	testkit.Long(t)
	const classes = mostConfused + 1
	x, labels := mat.NewDense(classes+2, 1, nil), testkit.UpTo(classes+2)
	labels[classes], labels[classes+1] = 0, 1 // two classes that have two rows
	p := testkit.Must(Fit(context.Background(), nil, x, Labels{Classes: labels}, Options{Cs: []float64{1e-6}}))
	if p.Confusion != nil || len(p.Linear.Classes) != classes {
		t.Errorf("%d classes and the table %v, want %d and none", len(p.Linear.Classes), p.Confusion, classes)
	}
}

// Random labels of each kind, of which neither graph nor features know anything, are predicted by chance, and that is
// what is said, by the choice and by what then learns from the embedding chosen.
func TestRandomLabelsAreChance(t *testing.T) {
	const n, known = 150, 120
	draws := testkit.Few(6, 40)
	d := testkit.Must(synthetic.Communities{Nodes: n, Classes: 3, Degree: 4, Features: 30, Homophily: 0.7, Topic: 0.6, Seed: 4}.Generate(context.Background()))
	g := testkit.Must(d.Graph())
	small := coles.With(func(s *coles.Settings) { s.Dim = 8 })
	how := Options{Cs: []float64{0.25, 4}, Seed: 1}
	for name, c := range map[string]struct {
		chance, deviation float64 // of one draw
		of                func(seed uint64) Labels
		found             func(p *Predictor) float64
	}{
		"classes": {0.5, 0.5 / math.Sqrt(known), func(seed uint64) (l Labels) {
			l.Classes = slices.Repeat([]int{-1}, n)
			for i, q := range testkit.Random(seed).Perm(known) {
				l.Classes[i] = q % 2
			}
			return l
		}, func(p *Predictor) float64 { return p.Confusion.Accuracy() }},
		"several": {0.25, 0.45 / math.Sqrt(known), func(seed uint64) (l Labels) {
			l.Sets = make([][]int, n)
			for i, q := range testkit.Random(seed).Perm(known) {
				l.Sets[i] = []int{q % 4}
			}
			return l
		}, func(p *Predictor) float64 { return p.Scores.MicroKnown }},
		// R² of the mean of the others is 0, and what a fit adds to its errors makes it less.
		"numbers": {0, 0.05, func(seed uint64) (l Labels) {
			l.Values = testkit.Normal(n, 1, 1, seed).RawMatrix().Data
			for i := known; i < n; i++ {
				l.Values[i] = math.NaN()
			}
			return l
		}, func(p *Predictor) float64 { return p.Ridge.Found.R2 }},
	} {
		t.Run(name, func(t *testing.T) {
			chosen, learnt := 0.0, 0.0
			for k := range draws {
				l := c.of(uint64(500 + k))
				choice := testkit.Must(ChooseModel(context.Background(), g, d.Features, l, how, small))
				chosen += choice.Score / float64(draws)
				learnt += c.found(testkit.Must(Fit(context.Background(), g, choice.Model.Embedding(), l, how))) / float64(draws)
			}
			// As many of a class as of another leave fewer of it for the other parts, which lowers what is right by a point or two.
			for _, found := range []float64{chosen, learnt} {
				if noise := 3 * c.deviation / math.Sqrt(float64(draws)); found > c.chance+noise || found < c.chance-noise-0.02 {
					t.Errorf("%.4f in %d draws, chance is %.3f ± %.3f", found, draws, c.chance, noise)
				}
			}
		})
	}
}

// Probabilities that a strong penalty makes cautious are as large as they are right, on the rows held out and others.
func TestProbabilitiesAreAsLargeAsRight(t *testing.T) {
	x, classes := testkit.Blobs(6000, 6, 4, 168)
	labels := slices.Repeat([]int{-1}, 6000)
	copy(labels, classes[:2000])
	p := testkit.Must(Fit(context.Background(), nil, x, Labels{Classes: labels}, Options{Cs: []float64{1. / 1024}, Seed: 1}))
	mean := func() (probability, right float64) {
		for q, a := range testkit.Must(p.Predict(context.Background(), nil, x, Labels{}, testkit.UpTo(6000)[2000:])) {
			sum := 0.0
			for _, c := range a.Classes {
				sum += c.Probability
			}
			testkit.WantNear(t, "the sum", sum, 1, 1e-12)
			if probability += a.Classes[0].Probability / 4000; a.Classes[0].Class == classes[2000+q] {
				right += 1. / 4000
			}
		}
		return probability, right
	}
	probability, right := mean()
	if math.Abs(probability-right) > 0.03 {
		t.Errorf("mean probability %.3f, %.3f are right", probability, right)
	}
	p.Weights = Weights{}
	if cautious, _ := mean(); cautious > right-0.05 {
		t.Errorf("without weights the mean probability is %.3f, %.3f are right", cautious, right)
	}
}
