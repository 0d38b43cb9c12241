package eval

import "fmt"

// maxConfusionClasses bounds a [Confusion] to 128 MB.
const maxConfusionClasses = 1 << 12

// A Confusion counts what was predicted for what.
type Confusion struct {
	// Classes are the distinct labels, predicted or actual, ascending.
	Classes []int
	// Counts[i][j] is how often Classes[j] was predicted where Classes[i] was
	// actual.
	Counts [][]int
}

// ConfusionMatrix counts, for every two labels, how often one was predicted and
// the other actual. It takes O(n log n + c²) time for n predictions and c labels.
//
// Errors: [ErrShape] if the lengths differ or there are more than 4096 labels,
// [ErrEmpty] if there is nothing to compare.
func ConfusionMatrix(predicted, actual []int) (*Confusion, error) {
	t, err := newContingency(actual, predicted)
	if err != nil {
		return nil, err
	}
	m := &Confusion{Classes: t.classes()}
	c := len(m.Classes)
	if c > maxConfusionClasses {
		return nil, fmt.Errorf("%w: a confusion matrix of %d labels, at most %d", ErrShape, c, maxConfusionClasses)
	}
	m.Counts = make([][]int, c)
	for i := range m.Counts {
		m.Counts[i] = make([]int, c)
	}
	number := numbersOf(m.Classes)
	for _, e := range t.cells {
		m.Counts[number[t.rows[e.row]]][number[t.cols[e.col]]] = e.count
	}
	return m, nil
}

// classes are the labels of either labelling, ascending.
func (t *contingency) classes() []int {
	return distinct(append(append([]int(nil), t.rows...), t.cols...))
}
