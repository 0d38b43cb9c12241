package eval

import (
	"context"
	"fmt"
	"slices"

	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// strength is how the logistic regressions come by their C: given, or chosen
// among candidates.
type strength struct {
	c     float64
	cs    []float64
	folds int
}

// defaultFolds is scikit-learn's number too.
const defaultFolds = 5

// fitter fits a linear classifier to checked input.
type fitter func(ctx context.Context, f *features, rows, labels []int, c float64) (*LinearModel, error)

// fit checks the input, settles C and fits all rows with it.
func (s strength) fit(ctx context.Context, x mat.Matrix, rows, labels []int, fit fitter) (*LinearModel, error) {
	c := s.c
	if c == 0 {
		c = 1
	}
	for _, c := range append([]float64{c}, s.cs...) {
		if err := checkPenalty(c); err != nil {
			return nil, err
		}
	}
	f, err := newFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	if err := checkTraining(f, rows, labels); err != nil {
		return nil, err
	}
	if len(s.cs) > 0 {
		if c, err = s.choose(ctx, f, rows, labels, fit); err != nil {
			return nil, err
		}
	}
	return fit(ctx, f, rows, labels, c)
}

// choose returns the candidate with the most right predictions over all folds.
func (s strength) choose(ctx context.Context, f *features, rows, labels []int, fit fitter) (float64, error) {
	k := s.folds
	if k == 0 {
		k = defaultFolds
	}
	fold, err := stratify(rows, labels, k)
	if err != nil {
		return 0, err
	}
	right := make([]int, k*len(s.cs))
	errs := make([]error, len(right))
	err = parallel.For(ctx, len(right), func(q int) {
		part, c := q/len(s.cs), s.cs[q%len(s.cs)]
		var train, held []int
		for p, i := range rows {
			if fold[p] == part {
				held = append(held, i)
			} else {
				train = append(train, i)
			}
		}
		right[q], errs[q] = heldOut(ctx, f, train, held, labels, c, fit)
		if errs[q] != nil {
			errs[q] = fmt.Errorf("fold %d, C = %v: %w", part, c, errs[q])
		}
	})
	if err != nil {
		return 0, err
	}
	best, most := 0, -1
	for j := range s.cs {
		sum := 0
		for part := range k {
			q := part*len(s.cs) + j
			if errs[q] != nil {
				return 0, errs[q]
			}
			sum += right[q]
		}
		if sum > most {
			best, most = j, sum
		}
	}
	return s.cs[best], nil
}

// heldOut is how many labels of the rows held out a model of train predicts.
func heldOut(ctx context.Context, f *features, train, held, labels []int, c float64, fit fitter) (int, error) {
	if err := checkTraining(f, train, labels); err != nil {
		return 0, err
	}
	m, err := fit(ctx, f, train, labels, c)
	if err != nil {
		return 0, err
	}
	predicted, err := m.predict(ctx, f, held)
	if err != nil {
		return 0, err
	}
	right := 0
	for q, i := range held {
		if predicted[q] == labels[i] {
			right++
		}
	}
	return right, nil
}

// stratify assigns each of rows to one of k folds so that every fold has its
// share of each class. It is the rule of scikit-learn's StratifiedKFold without
// shuffling: with the rows sorted by class, classes in the order of their first
// row, fold j is due as many rows of a class as there are among every k-th row
// from the j-th on; it takes them in the order given.
func stratify(rows, labels []int, k int) ([]int, error) {
	count := make(map[int]int)
	var order []int // classes by first row
	largest := 0
	for _, i := range rows {
		if count[labels[i]] == 0 {
			order = append(order, labels[i])
		}
		count[labels[i]]++
		largest = max(largest, count[labels[i]])
	}
	if k < 2 || k > largest {
		return nil, fmt.Errorf("%w: %d folds, the largest class has %d rows", ErrParameter, k, largest)
	}
	due := make(map[int][]int, len(order)) // the folds of the rows of a class, one after another
	sorted := 0
	for _, class := range order {
		for range count[class] {
			due[class] = append(due[class], sorted%k)
			sorted++
		}
		slices.Sort(due[class])
	}
	fold := make([]int, len(rows))
	for p, i := range rows {
		class := labels[i]
		fold[p], due[class] = due[class][0], due[class][1:]
	}
	return fold, nil
}
