package eval

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"coles/dataset"
)

// The protocol by another classifier is that classifier by itself, split by
// split; by the logistic regression it is what it is without the option.
func TestClassifyTakesAnyClassifier(t *testing.T) {
	x, labels := blobs(400, 10, 4, 3)
	splits, err := dataset.RandomSplits(labels, 8, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Classify(background, x, labels, splits, WithC(0.5))
	if err != nil {
		t.Fatal(err)
	}
	same, err := Classify(background, x, labels, splits, WithClassifier(LogisticRegression{C: 0.5}.Fit))
	if err != nil {
		t.Fatal(err)
	}
	for s := range splits {
		if same.Accuracy[s] != want.Accuracy[s] {
			t.Errorf("split %d: %v %%, want %v", s, same.Accuracy[s], want.Accuracy[s])
		}
	}
	p := small()
	p.Epochs, p.Patience = 30, 5
	for name, c := range map[string]struct {
		option ClassifyOption
		fit    func(split dataset.Split) (Predictor, error)
	}{
		"neighbours": {WithClassifier(KNN{}.Fit), func(split dataset.Split) (Predictor, error) {
			return KNN{}.Fit(background, x, split.Train, labels)
		}},
		"perceptron": {WithValidatedClassifier(p.Fit), func(split dataset.Split) (Predictor, error) {
			return p.Fit(background, x, split.Train, split.Val, labels)
		}},
	} {
		got, err := Classify(background, x, labels, splits, c.option)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for s, split := range splits {
			m, err := c.fit(split)
			if err != nil {
				t.Fatal(err)
			}
			if alone := 100 * share(t, m, x, split.TestNodes(400), labels); got.Accuracy[s] != alone {
				t.Errorf("%s, split %d: %v %%, alone %v", name, s, got.Accuracy[s], alone)
			}
		}
	}
	_, err = Classify(background, x, labels, splits, WithClassifier(KNN{K: 1000}.Fit))
	if !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), "split 0") {
		t.Errorf("more neighbours than rows: %v", err)
	}
}

func TestFoldsAreRefused(t *testing.T) {
	x, labels := normal(6, 2, 1, 51), []int{0, 1, 0, 1, 0, 1}
	for _, c := range []struct {
		name string
		l    LogisticRegression
		rows []int
		want error
	}{
		{"one fold", LogisticRegression{Cs: []float64{1}, Folds: 1}, upTo(6), ErrParameter},
		{"negative folds", LogisticRegression{Cs: []float64{1}, Folds: -2}, upTo(6), ErrParameter},
		{"more folds than rows of a class", LogisticRegression{Cs: []float64{1}}, upTo(6), ErrParameter},
		{"a candidate of zero", LogisticRegression{Cs: []float64{1, 0}, Folds: 3}, upTo(6), ErrPenalty},
		{"a fold with all of a class", LogisticRegression{Cs: []float64{1}, Folds: 2}, []int{0, 2, 1}, ErrOneClass},
	} {
		if _, err := c.l.Fit(background, x, c.rows, labels); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
		}
	}
}

func TestClassifiersStopWhenCancelled(t *testing.T) {
	x, labels := normal(4000, 600, 1, 41), randomLabels(4000, 40, 41)
	wide, rows := normal(900, 2500, 1, 42), upTo(4000)
	mlp := DefaultMLP()
	knn, err := KNN{}.Fit(background, x, rows, labels)
	if err != nil {
		t.Fatal(err)
	}
	for name, work := range map[string]func(ctx context.Context) error{
		"in the span": func(ctx context.Context) error {
			_, err := LogisticRegression{C: 1000}.Fit(ctx, wide, rows[:900], labels[:900])
			return err
		},
		"cross-validation": func(ctx context.Context) error {
			_, err := LogisticRegression{Cs: []float64{1, 10, 100}}.Fit(ctx, x, rows, labels)
			return err
		},
		"neighbours": func(ctx context.Context) error {
			for {
				if _, err := knn.Predict(ctx, x, nil); err != nil {
					return err
				}
			}
		},
		"perceptron": func(ctx context.Context) error {
			_, err := mlp.Fit(ctx, x, rows[:3000], rows[3000:], labels)
			return err
		},
	} {
		late := cancelled(t, 30*time.Millisecond, work)
		if late > promptly {
			t.Errorf("%s: returned %v after the cancellation", name, late)
		}
	}
}
