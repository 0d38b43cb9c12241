package dataset

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// readFeatures reads one node a line and numbers the nodes in that order. The
// first line decides between dense and sparse.
func readFeatures(t *table, mode HeaderMode, nodes *nodeIDs) (mat.Matrix, error) {
	err := t.start(mode, func() bool {
		return len(t.cols) > 1 && !t.sparseRow() && !slices.ContainsFunc(t.cols[1:], isValue)
	})
	if errors.Is(err, io.EOF) {
		return nil, inFile(t.file, "%w: no line with features", ErrMissing)
	}
	if err != nil {
		return nil, err
	}
	t.unread()
	read := readDenseRows
	if t.sparseRow() {
		read = readSparseRows
	}
	x, err := read(t, nodes)
	if err != nil {
		return nil, err
	}
	return x, t.checkGuess(1, nodes)
}

// sparseRow tells whether the current line is "id index:value …" or an id
// alone, a node without features.
func (t *table) sparseRow() bool {
	if len(t.cols) == 1 {
		return true
	}
	first, _, _ := strings.Cut(t.cols[1], " ")
	index, value, ok := strings.Cut(first, ":")
	_, err := strconv.Atoi(index)
	return ok && err == nil && isNumber(value)
}

// newRow numbers the node of the current line.
func (t *table) newRow(nodes *nodeIDs) error {
	if t.cols[0] == "" {
		return t.fault(0, "%w: an empty node id", ErrFormat)
	}
	before := len(nodes.ids)
	i, err := nodes.number(t.cols[0])
	if err != nil {
		return t.fault(0, "%w", err)
	}
	if i < before {
		return t.fault(0, "features of node %q: %w", t.cols[0], ErrDuplicate)
	}
	return nil
}

func readDenseRows(t *table, nodes *nodeIDs) (mat.Matrix, error) {
	var data []float64
	width := 0
	var err error
	for err = t.next(); err == nil; err = t.next() {
		if err := t.newRow(nodes); err != nil {
			return nil, err
		}
		if width == 0 {
			width = len(t.cols)
		}
		if len(t.cols) != width {
			return nil, t.fault(-1, "%d values, the lines before have %d: %w", len(t.cols)-1, width-1, ErrShape)
		}
		for k := 1; k < width; k++ {
			v, err := t.number(k)
			if err != nil {
				return nil, err
			}
			data = append(data, v)
		}
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	return mat.NewDense(len(nodes.ids), width-1, data), nil
}

// readSparseRows reads "id index:value …", the pairs separated like the id or,
// as in a tab-separated file with one field of them, by spaces. The number of
// columns is one more than the largest index, within what [Dataset.Validate]
// allows.
func readSparseRows(t *table, nodes *nodeIDs) (mat.Matrix, error) {
	indptr := []int{0}
	var ind []int
	var data []float64
	cols := 0
	var last *ParseError // where the last column is
	var err error
	for err = t.next(); err == nil; err = t.next() {
		if err := t.newRow(nodes); err != nil {
			return nil, err
		}
		start := len(ind)
		for k := 1; k < len(t.cols); k++ {
			for _, pair := range strings.Fields(t.cols[k]) {
				j, v, err := t.pair(k, pair)
				if err != nil {
					return nil, err
				}
				ind, data = append(ind, j), append(data, v)
				if j >= cols {
					cols = j + 1
					last = &ParseError{File: t.file, Line: t.line, Column: t.at[k] + 1}
				}
			}
		}
		if j, twice := repeated(ind[start:]); twice {
			return nil, t.fault(-1, "feature %d of node %q: %w", j, t.cols[0], ErrDuplicate)
		}
		indptr = append(indptr, len(ind))
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	if cols == 0 {
		return nil, inFile(t.file, "%w: no node has a feature", ErrMissing)
	}
	if last.Err = checkWidth(cols, len(ind)); last.Err != nil {
		return nil, last
	}
	return sparse.NewCSR(len(nodes.ids), cols, indptr, ind, data), nil
}

func (t *table) pair(k int, pair string) (int, float64, error) {
	index, value, ok := strings.Cut(pair, ":")
	j, err := strconv.Atoi(index)
	outside := errors.Is(err, strconv.ErrRange)
	if !ok || err != nil && !outside {
		return 0, 0, t.fault(k, "%w: %q is not index:value", ErrFormat, pair)
	}
	if outside || j < 0 || j >= maxDim {
		return 0, 0, t.fault(k, "feature %s: %w", index, ErrIndex)
	}
	v, err := t.parse(k, value)
	return j, v, err
}

// repeated returns a column that a row has twice.
func repeated(cols []int) (int, bool) {
	if slices.IsSorted(cols) {
		for k := 1; k < len(cols); k++ {
			if cols[k] == cols[k-1] {
				return cols[k], true
			}
		}
		return 0, false
	}
	sorted := slices.Clone(cols)
	slices.Sort(sorted)
	return repeated(sorted)
}

// readLabels fills Labels, Unlabeled and Classes.
func readLabels(t *table, mode HeaderMode, nodes *nodeIDs, d *Dataset) error {
	class := make([]string, len(nodes.ids))
	known := make([]bool, len(nodes.ids))
	names := make(map[string]int)
	err := t.start(mode, func() bool { return false })
	for ; err == nil; err = t.next() {
		if len(t.cols) != 2 || t.cols[0] == "" || t.cols[1] == "" {
			return t.fault(-1, "%w: %d fields, a label line is an id and a label", ErrFormat, len(t.cols))
		}
		i, err := nodes.number(t.cols[0])
		if err != nil {
			return t.fault(0, "%w", err)
		}
		if known[i] {
			return t.fault(0, "label of node %q: %w", t.cols[0], ErrDuplicate)
		}
		known[i], class[i] = true, strings.Clone(t.cols[1])
		names[class[i]] = 0
		if len(names) > maxClasses {
			return t.fault(1, "more than %d classes: %w", maxClasses, ErrTooLarge)
		}
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	if err := t.checkGuess(1, nodes); err != nil {
		return err
	}
	d.Classes = sortedNames(names)
	for i, c := range d.Classes {
		names[c] = i
	}
	d.Labels = make([]int, len(class))
	for i, c := range class {
		d.Labels[i] = -1
		if known[i] {
			d.Labels[i] = names[c]
		} else {
			d.Unlabeled = append(d.Unlabeled, i)
		}
	}
	return nil
}

// sortedNames sorts class names: as numbers when all are integers, else as text.
func sortedNames(names map[string]int) []string {
	list := make([]string, 0, len(names))
	integers := true
	for c := range names {
		_, err := strconv.Atoi(c)
		integers = integers && err == nil
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b string) int {
		if integers {
			x, _ := strconv.Atoi(a)
			y, _ := strconv.Atoi(b)
			if c := cmp.Compare(x, y); c != 0 {
				return c
			}
		}
		return strings.Compare(a, b)
	})
	return list
}
