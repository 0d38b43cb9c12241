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
// mean F1 = 2pr/(p + r) is MacroF1. Labels may be any numbers, and some are only actual or predicted.
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

// Every row is predicted by a fit to the other parts of the shuffled rows, dense, sparse and
// with more columns than rows; candidates are searched in each fit. The seed decides the parts.
func TestCrossValidateIsALoop(t *testing.T) {
	for name, d := range map[string]int{"few columns": 6, "more columns than rows": 90} {
		x, labels := testkit.Blobs(120, d, 3, 8)
		for i, other := range testkit.RandomLabels(120, 3, 9) {
			if i%4 == 0 {
				labels[i] = other // noise
			}
		}
		rows := testkit.UpTo(120)[20:100]
		for _, l := range []LogisticRegression{{}, {C: 0.3, Folds: 3}, {Cs: []float64{0.1, 1, 10}}, {Cs: []float64{4}}} {
			order := slices.Clone(rows)
			rand.New(rand.NewPCG(5, 0)).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
			fold, folds, err := stratify(order, labels, l.Folds)
			testkit.Check(t, err)
			var actual, predicted []int
			for part := range folds {
				var train, held []int
				for q, i := range order {
					if fold[q] == part {
						held = append(held, i)
					} else {
						train = append(train, i)
					}
				}
				m := testkit.Must(l.Fit(context.Background(), x, train, labels))
				predicted = append(predicted, testkit.Must(m.Predict(context.Background(), x, held))...)
				actual = append(actual, picked(labels, held)...)
			}
			want := testkit.Must(NewConfusion(predicted, actual))
			if a := want.Accuracy(); a < 0.4 || a > 0.97 {
				t.Errorf("%s, %+v: accuracy %v tells nothing", name, l, a)
			}
			for form, given := range testkit.Forms(x) {
				got := testkit.Must(l.CrossValidate(context.Background(), given, rows, labels, 5))
				testkit.WantSame(t, fmt.Sprintf("%s, %s, %+v", name, form, l), got, want)
			}
			if other := testkit.Must(l.CrossValidate(context.Background(), x, rows, labels, 6)); slices.EqualFunc(other.Counts, want.Counts, slices.Equal) {
				t.Errorf("%s, %+v: the seed changes nothing", name, l)
			}
		}
		testkit.WantError(t, testkit.Err(LogisticRegression{}.CrossValidate(context.Background(), x, append(rows, 20), labels, 1)), ErrSplit)
		testkit.WantError(t, testkit.Err(LogisticRegression{C: math.NaN()}.CrossValidate(context.Background(), x, rows, labels, 1)), coles.ErrSetting)
		testkit.WantError(t, testkit.Err(LogisticRegression{}.CrossValidate(context.Background(), x, rows, labels[1:], 1)), coles.ErrShape)
		lonely := append(labelledRows(labels, 0)[:3], labelledRows(labels, 1)[0]) // whose part leaves one class
		testkit.WantError(t, testkit.Err(LogisticRegression{}.CrossValidate(context.Background(), x, lonely, labels, 1)), ErrSplit)
	}
}

// More classes than a table counts are learnt all the same.
func TestLearnManyClasses(t *testing.T) {
	testkit.Long(t)
	const classes = mostConfused + 1
	x, labels := mat.NewDense(classes+2, 1, nil), testkit.UpTo(classes+2)
	labels[classes], labels[classes+1] = 0, 1 // two classes that have two rows
	m, table, err := LogisticRegression{Cs: []float64{1e-6}}.Learn(context.Background(), x, labels, 1)
	testkit.Check(t, err)
	if table != nil || len(m.Classes) != classes {
		t.Errorf("%d classes and the table %v, want %d and none", len(m.Classes), table, classes)
	}
}
