package eval

import (
	"context"
	"fmt"
	"slices"

	"coles"
	"coles/dataset"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// A ClassifyOption changes the classifier of [Classify]; a nil one changes nothing.
type ClassifyOption func(*LogisticRegression)

// WithRegression sets the classifier: another C, or candidates among which each split chooses by
// cross-validation in its training rows. Without it C is 1, scikit-learn's default and the paper's.
func WithRegression(l LogisticRegression) ClassifyOption {
	return func(o *LogisticRegression) { *o = l }
}

// Classify measures how well the rows of x (n × d) tell their labels, by the accuracy of each split
// in percent: a [LogisticRegression] learns from the rows of Train and is asked about those of Test
// or, when Test is nil, every row outside Train and Val. It is the protocol of the paper's node
// classification tables (section 6 there). The labels of training and test rows must not be
// negative; of others they are not read, so −1 can mark what is unknown.
//
// Splits run in parallel. Besides x it takes, for each processor, the training rows of a split, a
// label for each row and a block of 512 rows of scores.
//
// Errors: those of [LogisticRegression.Fit], naming the split, [coles.ErrShape] for no splits or
// none to test on, and [ErrSplit] for a row that is trained and tested on, or tested twice.
func Classify(ctx context.Context, x mat.Matrix, labels []int, splits []dataset.Split, opts ...ClassifyOption) (*Measurements, error) {
	l, err := classifier(opts)
	if err != nil {
		return nil, err
	}
	f, err := read(ctx, x)
	if err != nil {
		return nil, err
	}
	return classify(ctx, f, labels, splits, l)
}

func classifier(opts []ClassifyOption) (l LogisticRegression, err error) {
	for _, opt := range opts {
		if opt != nil {
			opt(&l)
		}
	}
	return l, l.check()
}

// classify is Classify of a checked matrix.
func classify(ctx context.Context, f *matrix.Matrix[float64], labels []int, splits []dataset.Split, l LogisticRegression) (*Measurements, error) {
	if len(splits) == 0 {
		return nil, fmt.Errorf("%w: no splits", coles.ErrShape)
	}
	for s, split := range splits {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := checkSplit(f.Rows(), split, labels); err != nil {
			return nil, fmt.Errorf("split %d: %w", s, err)
		}
	}
	accuracy, errs := make([]float64, len(splits)), make([]error, len(splits))
	err := parallel.For(ctx, len(splits), func(s int) {
		accuracy[s], errs[s] = classifySplit(ctx, f, labels, splits[s], l)
	})
	for s, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("split %d: %w", s, err)
		}
	}
	if err != nil {
		return nil, err
	}
	return measure(accuracy)
}

// classifySplit returns the accuracy of one split in percent.
func classifySplit(ctx context.Context, f *matrix.Matrix[float64], labels []int, split dataset.Split, l LogisticRegression) (float64, error) {
	m, err := l.fit(ctx, f, split.Train, labels)
	if err != nil {
		return 0, err
	}
	predicted, err := m.predict(ctx, f, nil) // of all rows, which saves a copy of most
	if err != nil {
		return 0, err
	}
	right, test := 0, split.TestNodes(f.Rows())
	for _, i := range test {
		if predicted[i] == labels[i] {
			right++
		}
	}
	return 100 * float64(right) / float64(len(test)), nil
}

func checkSplit(n int, split dataset.Split, labels []int) error {
	if err := checkTraining(n, split.Train, labels); err != nil {
		return err
	}
	if err := checkRows(split.Val, n, "validation"); err != nil {
		return err
	}
	if err := checkRows(split.Test, n, "test"); err != nil {
		return err
	}
	seen := make([]bool, n)
	for _, i := range split.Train {
		seen[i] = true
	}
	for _, i := range split.Test {
		if seen[i] {
			return fmt.Errorf("%w: test row %d is also a training row or is given twice", ErrSplit, i)
		}
		seen[i] = true
	}
	test := split.TestNodes(n)
	if len(test) == 0 {
		return fmt.Errorf("%w: the test set is empty", coles.ErrShape)
	}
	if err := checkLabels(test, labels); err != nil {
		return fmt.Errorf("test: %w", err)
	}
	return nil
}

// LabelRate is one point of a label-rate curve.
type LabelRate struct {
	PerClass     int // labelled nodes a class
	Measurements     // the accuracy of each split of that many, in percent
}

// LabelRates measures x (n × d) by [Classify] with each number of labelled nodes a class: the
// points of a curve of accuracy over labels, in the order of perClass. For each, count splits are
// drawn by [dataset.RandomSplits], which takes at most a third of a class for training. They depend
// on labels and seed alone, so that every method is measured on the same, split by split; see
// [Compare]. Nodes of a negative label are neither trained nor tested on.
//
// Errors: [coles.ErrShape] for no numbers, those of [dataset.RandomSplits] and [Classify].
func LabelRates(ctx context.Context, x mat.Matrix, labels []int, perClass []int, count int, seed uint64, opts ...ClassifyOption) ([]LabelRate, error) {
	if len(perClass) == 0 {
		return nil, fmt.Errorf("%w: no numbers of labels a class", coles.ErrShape)
	}
	l, err := classifier(opts)
	if err != nil {
		return nil, err
	}
	f, err := read(ctx, x)
	if err != nil {
		return nil, err
	}
	curve := make([]LabelRate, len(perClass))
	for i, per := range perClass {
		splits, err := dataset.RandomSplits(labels, per, count, seed)
		if err != nil {
			return nil, err
		}
		for s := range splits {
			splits[s].Test = slices.DeleteFunc(splits[s].TestNodes(len(labels)), func(i int) bool { return labels[i] < 0 })
		}
		m, err := classify(ctx, f, labels, splits, l)
		if err != nil {
			return nil, fmt.Errorf("%d labels a class: %w", per, err)
		}
		curve[i] = LabelRate{per, *m}
	}
	return curve, nil
}
