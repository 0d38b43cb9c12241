package learn

import (
	"cmp"
	"context"
	"slices"

	"coles/internal/matrix"
	"coles/internal/setting"
)

// choose returns the candidate nearest to the geometric mean of all, each weighing e^(h/2) for h
// right predictions over all folds.
func (l LogisticRegression) choose(ctx context.Context, f *matrix.Matrix[float64], rows, labels []int) (float64, error) {
	if len(l.Cs) == 1 {
		return l.Cs[0], nil
	}
	fold, folds, err := stratify(rows, labels, l.Folds)
	if err != nil {
		return 0, err
	}
	known, err := spanned(ctx, f, rows)
	if err != nil {
		return 0, err
	}
	t, err := groupsOf(Labels{Classes: picked(labels, rows)})
	if err != nil {
		return 0, err
	}
	c, _, err := t.chooseC(ctx, known, l.Cs, parts{rows: t.labelled(), fold: fold, count: folds})
	return c, err
}

// spanned returns the given rows of x. If x is dense with more columns than there are rows, they
// come in an orthonormal basis of their span, X = LQ with QQᵀ = I: there lie the coefficients of a
// regression on any of them, and Xw = Lu for w = Qᵀu.
func spanned(ctx context.Context, x *matrix.Matrix[float64], rows []int) (*matrix.Matrix[float64], error) {
	x, err := x.Gather(ctx, rows)
	if err != nil || x.Sparse != nil || x.Rows() >= x.Cols() {
		return x, err
	}
	l, err := spanOf(ctx, x.Dense, make([]float64, x.Rows()))
	return matrix.Of(l), err
}

// stratify assigns each of rows to one of k folds so that every fold has its share of each class,
// as scikit-learn's StratifiedKFold without shuffling: with the rows sorted by class, classes in
// the order of their first row, fold j is due as many rows of a class as there are among every k-th
// row from the j-th on; it takes them in the order given.
func stratify(rows, labels []int, k int) (fold []int, folds int, err error) {
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
	if k = cmp.Or(k, min(5, largest)); k < 2 || k > largest {
		return nil, 0, setting.Bad("Folds", k, "2 to %d, the rows of the largest class", largest)
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
	fold = make([]int, len(rows))
	for p, i := range rows {
		class := labels[i]
		fold[p], due[class] = due[class][0], due[class][1:]
	}
	return fold, k, nil
}
