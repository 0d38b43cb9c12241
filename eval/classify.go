package eval

import (
	"context"
	"fmt"
	"sync/atomic"

	"coles/dataset"
	"coles/internal/kernel"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// scoreColumns bounds how many problems, of all splits together, are scored
// by one product: enough to keep the product busy, few enough that a block of
// scores stays small.
const scoreColumns = 1024

// Classification is the outcome of [Classify], all in percent.
type Classification struct {
	Accuracy []float64 // of each split, in the order given
	Mean     float64
	Std      float64 // population standard deviation, as NumPy's
}

// A ClassifyOption changes the classifier of [Classify]; a nil one changes nothing.
type ClassifyOption func(*classifyOptions)

type classifyOptions struct {
	c     float64
	train trainer // nil for the logistic regression of c
}

// A Predictor predicts the labels of rows of a matrix, nil rows meaning all.
// The models of this package are predictors.
type Predictor interface {
	Predict(ctx context.Context, x mat.Matrix, rows []int) ([]int, error)
}

// trainer is any way to learn from a split.
type trainer func(ctx context.Context, x mat.Matrix, split dataset.Split, labels []int) (Predictor, error)

// WithClassifier has [Classify] learn by fit, such as KNN{}.Fit,
// which is given the training rows of a split and must not read the labels of
// others. Splits then come one after another. [WithC] does nothing beside it.
func WithClassifier[P Predictor](fit func(ctx context.Context, x mat.Matrix, rows, labels []int) (P, error)) ClassifyOption {
	if fit == nil {
		return WithValidatedClassifier[P](nil)
	}
	return WithValidatedClassifier(func(ctx context.Context, x mat.Matrix, rows, _, labels []int) (P, error) {
		return fit(ctx, x, rows, labels)
	})
}

// WithValidatedClassifier is [WithClassifier] for a fit, such as MLP.Fit, that is
// given the validation rows of a split as well.
func WithValidatedClassifier[P Predictor](fit func(ctx context.Context, x mat.Matrix, rows, validation, labels []int) (P, error)) ClassifyOption {
	return func(o *classifyOptions) {
		o.train = func(ctx context.Context, x mat.Matrix, split dataset.Split, labels []int) (Predictor, error) {
			if fit == nil {
				return nil, fmt.Errorf("%w: a nil function to fit a classifier", ErrParameter)
			}
			return fit(ctx, x, split.Train, split.Val, labels)
		}
	}
}

// WithC sets the weight C > 0 of the loss; see [LogisticRegression]. Without
// it C is 1, scikit-learn's default and the paper's.
func WithC(c float64) ClassifyOption {
	return func(o *classifyOptions) { o.c = c }
}

// Classify measures how well the rows of x (n × d) tell their labels: for
// each split a [LogisticRegression] learns from the rows of Train and is
// asked about those of Test or, when Test is nil, every row outside Train and
// Val. It is the protocol of the paper's node classification tables (section
// 6 there). The labels of training and test rows must not be negative; of
// others they are not read, so −1 can mark what is unknown.
//
// [WithClassifier] replaces the logistic regression by another classifier.
//
// Splits run in parallel. x is converted once. Beside x it takes, for each
// processor, the training rows of a split and a block of 512 rows of scores,
// and the coefficients of about 1024 problems.
//
// Errors: those of [LogisticRegression.Fit], or of another classifier, naming the split, [ErrSplit]
// when a row is trained and tested on, or tested twice, and [ErrParameter] for a nil classifier.
func Classify(ctx context.Context, x mat.Matrix, labels []int, splits []dataset.Split, opts ...ClassifyOption) (*Classification, error) {
	o := classifyOptions{c: 1}
	for _, opt := range opts {
		if opt != nil {
			opt(&o)
		}
	}
	if err := checkPenalty(o.c); err != nil {
		return nil, err
	}
	f, err := newFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	if len(splits) == 0 {
		return nil, fmt.Errorf("%w: no splits", ErrEmpty)
	}
	for s, split := range splits {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := checkSplit(f, split, labels); err != nil {
			return nil, fmt.Errorf("split %d: %w", s, err)
		}
	}
	result := &Classification{Accuracy: make([]float64, 0, len(splits))}
	if o.train != nil {
		for s, split := range splits {
			accuracy, err := classifyBy(ctx, o.train, x, split, labels)
			if err != nil {
				return nil, fmt.Errorf("split %d: %w", s, err)
			}
			result.Accuracy = append(result.Accuracy, accuracy)
		}
		splits = nil
	}
	for lo := 0; lo < len(splits); {
		hi := lo + batch(splits[lo:], labels)
		accuracy, err := classifyBatch(ctx, f, labels, splits[lo:hi], o.c, lo)
		if err != nil {
			return nil, err
		}
		result.Accuracy = append(result.Accuracy, accuracy...)
		lo = hi
	}
	result.Mean, result.Std, err = MeanStd(result.Accuracy)
	return result, err
}

// classifyBy returns the accuracy, in percent, of one split.
func classifyBy(ctx context.Context, train trainer, x mat.Matrix, split dataset.Split, labels []int) (float64, error) {
	p, err := train(ctx, x, split, labels)
	if err != nil {
		return 0, err
	}
	if p == nil {
		return 0, fmt.Errorf("%w: the classifier is nil", ErrParameter)
	}
	test := split.TestNodes(len(labels))
	predicted, err := p.Predict(ctx, x, test)
	if err != nil {
		return 0, err
	}
	actual := make([]int, len(test))
	for q, i := range test {
		actual[q] = labels[i]
	}
	share, err := Accuracy(predicted, actual)
	return 100 * share, err
}

func checkSplit(f *features, split dataset.Split, labels []int) error {
	if err := checkTraining(f, split.Train, labels); err != nil {
		return err
	}
	if err := f.checkRows(split.Val, "validation"); err != nil {
		return err
	}
	if err := f.checkRows(split.Test, "test"); err != nil {
		return err
	}
	seen := make([]bool, f.rows)
	for _, i := range split.Train {
		seen[i] = true
	}
	for _, i := range split.Test {
		if seen[i] {
			return fmt.Errorf("%w: test row %d is also a training row or is given twice", ErrSplit, i)
		}
		seen[i] = true
	}
	test := split.TestNodes(f.rows)
	if len(test) == 0 {
		return fmt.Errorf("%w: the test set is empty", ErrEmpty)
	}
	if err := checkLabels(test, labels); err != nil {
		return fmt.Errorf("test: %w", err)
	}
	return nil
}

// testMask marks the rows a split is judged by.
func testMask(n int, split dataset.Split) (mask []bool, count int) {
	mask = make([]bool, n)
	test := split.TestNodes(n)
	for _, i := range test {
		mask[i] = true
	}
	return mask, len(test)
}

// batch is how many of the next splits are scored together.
func batch(splits []dataset.Split, labels []int) int {
	problems := 0
	for s, split := range splits {
		problems += len(newModel(split.Train, labels, 1).Intercept)
		if s > 0 && problems > scoreColumns {
			return s
		}
	}
	return len(splits)
}

// classifyBatch returns the accuracies, in percent, of a few splits, of which
// first is the number of the first.
func classifyBatch(ctx context.Context, f *features, labels []int, splits []dataset.Split, c float64, first int) ([]float64, error) {
	models := make([]*LinearModel, len(splits))
	errs := make([]error, len(splits))
	err := parallel.For(ctx, len(splits), func(s int) {
		models[s], errs[s] = fit(ctx, f, splits[s].Train, labels, c)
	})
	if err != nil {
		return nil, err
	}
	masks := make([][]bool, len(splits))
	counts := make([]int, len(splits))
	for s, split := range splits {
		if errs[s] != nil {
			return nil, fmt.Errorf("split %d: %w", first+s, errs[s])
		}
		masks[s], counts[s] = testMask(f.rows, split)
	}
	// Whole numbers add up to the same in any order.
	right := make([]atomic.Int64, len(splits))
	err = newScorer(f, models).eachBlock(ctx, f.rows, f.slice, func(lo int, scores kernel.Matrix[float64]) {
		column := 0
		for s, m := range models {
			k := len(m.Intercept)
			hits := 0
			for i := range scores.Rows {
				at := i*scores.Stride + column
				if masks[s][lo+i] && m.decide(scores.Data[at:at+k]) == labels[lo+i] {
					hits++
				}
			}
			right[s].Add(int64(hits))
			column += k
		}
	})
	if err != nil {
		return nil, err
	}
	accuracy := make([]float64, len(splits))
	for s := range accuracy {
		accuracy[s] = 100 * float64(right[s].Load()) / float64(counts[s])
	}
	return accuracy, nil
}
