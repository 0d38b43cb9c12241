package eval

import (
	"cmp"
	"context"
	"fmt"

	"coles"
	"coles/dataset"
	"coles/internal/given"
	"coles/internal/matrix"
	"coles/learn"

	"gonum.org/v1/gonum/mat"
)

// Classify measures how well the rows of x (n × d) predict their labels, by the accuracy of each
// split: Regression learns from the rows of Train and is asked about the rows of Test or, when Test
// is nil, every row outside Train and Val. A label below zero is unknown: its row is not tested on,
// and must not be trained on.
//
// Splits run in parallel. Besides x it takes, for each processor, the training rows of a split, a
// label for each row and a block of 512 rows of scores.
//
// Errors, which name the split: as [learn.LogisticRegression.Fit]; [coles.ErrShape] for no splits or no labelled row
// to test on; [learn.ErrSplit] for a row that is trained and tested on, or tested twice.
func (p Protocol) Classify(ctx context.Context, x mat.Matrix, labels []int, splits []dataset.Split) (*Measurements, error) {
	f, err := given.Read(ctx, x)
	if err != nil {
		return nil, err
	}
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
	accuracy, _, err := p.overSplits(ctx, "classify", splits, func(ctx context.Context, split dataset.Split) (accuracy, _ float64, err error) {
		accuracy, err = classifySplit(ctx, matrix.SourceOf(f), labels, split, p.Regression)
		return accuracy, 0, err
	})
	return accuracy, err
}

// classifySplit returns the accuracy of one split.
func classifySplit(ctx context.Context, x *matrix.Source, labels []int, split dataset.Split, l learn.LogisticRegression) (float64, error) {
	l.Progress = nil
	m, err := l.Fit(ctx, x, split.Train, labels)
	if err != nil {
		return 0, err
	}
	predicted, err := m.Predict(ctx, x, nil) // of all rows, which saves a copy of most
	if err != nil {
		return 0, err
	}
	test, right := testRows(split, labels), 0
	for _, i := range test {
		if predicted[i] == labels[i] {
			right++
		}
	}
	return float64(right) / float64(len(test)), nil
}

// testRows are the rows of a split that are tested on: those with a label.
func testRows(split dataset.Split, labels []int) []int {
	labelled := make([]int, 0, len(labels))
	for _, i := range split.TestNodes(len(labels)) {
		if labels[i] >= 0 {
			labelled = append(labelled, i)
		}
	}
	return labelled
}

func checkSplit(n int, split dataset.Split, labels []int) error {
	if len(labels) != n {
		return fmt.Errorf("%w: %d labels for %d rows", coles.ErrShape, len(labels), n)
	}
	if err := cmp.Or(given.CheckRows(split.Train, n, "training"), given.CheckRows(split.Val, n, "validation"), given.CheckRows(split.Test, n, "test")); err != nil {
		return err
	}
	seen := make([]bool, n)
	for _, i := range split.Train {
		seen[i] = true
	}
	for _, i := range split.Test {
		if seen[i] {
			return fmt.Errorf("%w: test row %d is also a training row or is given twice", learn.ErrSplit, i)
		}
		seen[i] = true
	}
	if len(testRows(split, labels)) == 0 {
		return fmt.Errorf("%w: no labelled row to test on", coles.ErrShape)
	}
	return nil
}
