package eval

// MicroF1 is F1 = 2·TP/(2·TP + FP + FN) of the true positives, false positives
// and false negatives of all classes together. Where, as here, everything has one
// label and gets one prediction, every mistake is a false positive of one class
// and a false negative of another: it equals [Accuracy], and its errors are the same.
func MicroF1(predicted, actual []int) (float64, error) {
	return Accuracy(predicted, actual)
}

// MacroF1 is the mean, over all labels that are predicted or actual, of each
// one's F1 = 2·TP/(2·TP + FP + FN), 0 to 1: small classes weigh as much as large
// ones. A label that is only predicted, or only actual, counts 0, as in
// scikit-learn. It takes O(n log n) time.
//
// Errors: [ErrShape] if the lengths differ, [ErrEmpty] if there is nothing to
// compare.
func MacroF1(predicted, actual []int) (float64, error) {
	t, err := newContingency(actual, predicted)
	if err != nil {
		return 0, err
	}
	return t.sumF1(func(row, col int) bool { return t.rows[row] == t.cols[col] }) / float64(len(t.classes())), nil
}

// sumF1 adds up F1 over the pairs of a class (a row) and what is predicted for it
// (a column) that match tells. Pairs that never meet add nothing.
func (t *contingency) sumF1(match func(row, col int) bool) float64 {
	sum := 0.0
	for _, e := range t.cells {
		if match(e.row, e.col) {
			sum += 2 * float64(e.count) / float64(t.rowTotal[e.row]+t.colTotal[e.col])
		}
	}
	return sum
}
