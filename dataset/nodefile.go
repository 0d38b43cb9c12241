package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"coles"
	"coles/internal/names"
	"coles/table"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// nodeIDs numbers the nodes in the order they come. Ids that are integers, as those of most large
// graphs are, are found by their value.
type nodeIDs struct {
	rows   names.Index      // of ids that are no integers
	direct []int32          // row plus one of integers below its length
	span   int              // integers below are rows, and there are no other nodes; 0 if there may be
	far    map[uint64]int32 // of larger integers
	ids    []string
	closed string // what to say of a new one; "" while there may be some
	advice Advice // what to do about it
}

func newNodeIDs() *nodeIDs {
	return &nodeIDs{far: make(map[uint64]int32)}
}

// has reports whether an id has been numbered.
func (n *nodeIDs) has(id string) bool {
	if v, end, ok := plainInteger([]byte(id), 0); ok && end == len(id) {
		_, ok := n.rowOf(v)
		return ok
	}
	return n.rows.Find(n.rows.Hash(id), n.ids, id) >= 0
}

// number returns the row of an id, adding it unless the set is closed.
func (n *nodeIDs) number(id string) (int, error) {
	if v, end, ok := plainInteger([]byte(id), 0); ok && end == len(id) {
		return n.numberOf(v)
	}
	return n.numberOfName(n.rows.Hash(id), id)
}

// numberOfName is number for an id that is no such integer, by its hash.
func (n *nodeIDs) numberOfName(hash uint32, id string) (int, error) {
	if i := n.rows.Find(hash, n.ids, id); i >= 0 {
		return i, nil
	}
	i, err := n.add(strings.Clone(id)) // a field holds on to its whole line
	if err == nil {
		n.rows.Add(hash, i)
	}
	return i, err
}

// count is the number of nodes.
func (n *nodeIDs) count() int { return max(n.span, len(n.ids)) }

// numberOf is number for an id that is an integer without sign or leading zeros.
func (n *nodeIDs) numberOf(v uint64) (int, error) {
	if i, ok := n.rowOf(v); ok {
		return i, nil
	}
	i, err := n.add(strconv.FormatUint(v, 10))
	if err != nil {
		return 0, err
	}
	n.reach()
	if v < uint64(len(n.direct)) {
		n.direct[v] = int32(i + 1)
	} else {
		n.far[v] = int32(i)
	}
	return i, nil
}

// rowOf finds an integer.
func (n *nodeIDs) rowOf(v uint64) (int, bool) {
	if v < uint64(len(n.direct)) {
		i := n.direct[v]
		return int(i) - 1, i > 0
	}
	if v < uint64(n.span) {
		return int(v), true
	}
	i, ok := n.far[v]
	return int(i), ok
}

// add appends a new id where there may be one.
func (n *nodeIDs) add(id string) (int, error) {
	switch {
	case n.closed != "":
		return 0, fmt.Errorf("%w: %s %q", coles.ErrIDs, n.closed, id)
	case len(n.ids) == maxDim:
		return 0, fmt.Errorf("more than %d nodes: %w", maxDim, coles.ErrTooLarge)
	}
	n.ids = append(n.ids, id)
	return len(n.ids) - 1, nil
}

// reach keeps direct between two and eight times as long as there are nodes: what few large ids
// there are cannot make it grow beyond the graph.
func (n *nodeIDs) reach() {
	if 2*len(n.ids) <= len(n.direct) {
		return
	}
	longer := make([]int32, max(1024, 8*len(n.ids)))
	copy(longer, n.direct)
	n.direct = longer
	for v, i := range n.far {
		if v < uint64(len(longer)) {
			longer[v] = i + 1
			delete(n.far, v)
		}
	}
}

// node is the row of the node that field k names.
func (t *lines) node(k int, nodes *nodeIDs) int {
	if t.cols[k] == "" {
		t.fault(k, "%w: an empty node id", coles.ErrFormat)
		return 0
	}
	i, err := nodes.number(t.cols[k])
	if err != nil {
		t.advised(nodes.advice, k, "%w", err)
	}
	return i
}

// readFeatures reads one node a line and numbers the nodes in that order. The first line decides
// between JSON, dense and sparse, and what is dense is a table if some lines at its beginning have text.
func (l *edgeFiles) readFeatures(t *lines, opts EdgeListOptions) {
	if t.isObjects() {
		l.readObjects(t, opts)
		return
	}
	some := t.start(opts.Header, func() bool {
		return onlyHeaderWords(t.cols) || len(t.cols) > 1 && !t.sparseRow() && !slices.ContainsFunc(t.cols[1:], isValue)
	})
	switch {
	case !some:
		t.fail(fault(t.file, "%w: no line with features", ErrMissing))
	case !opts.wantsTable() && t.sparseRow():
		l.features = readSparseRows(t, l.nodes, opts.Width)
	case opts.wantsTable() || t.hasText():
		l.table = readTable(t, l.nodes, opts)
	default:
		if len(t.header) == len(t.cols) {
			l.names = t.header[1:]
		}
		var gaps int
		if l.features, gaps = readDenseRows(t, l.nodes, opts.Missing != "error"); gaps > 0 && opts.Missing == "" && opts.Warn != nil {
			opts.Warn(fault(t.file, "cells without a number get the mean of their column: %d", gaps))
		}
	}
	t.checkGuess(l.nodes, 0)
}

// sparseRow reports whether the current line is "id index:value …" or an id alone, a node without
// features.
func (t *lines) sparseRow() bool {
	if len(t.cols) == 1 {
		return true
	}
	for _, field := range t.cols[1:] {
		first, _, _ := strings.Cut(field, " ")
		index, value, ok := strings.Cut(first, ":")
		if _, err := strconv.Atoi(index); !ok || err != nil && !errors.Is(err, strconv.ErrRange) || !isNumber(value) {
			return false
		}
	}
	return true
}

// newRow numbers the node of the current line.
func (t *lines) newRow(nodes *nodeIDs) {
	before := len(nodes.ids)
	if t.node(0, nodes) < before {
		t.fault(0, "%w: features of node %q twice", coles.ErrIDs, t.cols[0])
	}
}

// readDenseRows reads "id v1 v2 …". A gap, if there may be some, is NaN; it counts them.
func readDenseRows(t *lines, nodes *nodeIDs, mayGap bool) (x mat.Matrix, gaps int) {
	var data []float64
	width := len(t.cols)
	for t.next() {
		t.newRow(nodes)
		if len(t.cols) != width {
			t.fault(-1, "%d values, the lines before have %d: %w", len(t.cols)-1, width-1, coles.ErrShape)
		}
		for k := 1; k < len(t.cols); k++ {
			switch gap := table.IsHole(t.cols[k]); {
			case gap && !mayGap:
				t.advised(gapAdvice, k, "%w: %q is not a number", coles.ErrFormat, t.cols[k])
			case gap:
				data, gaps = append(data, math.NaN()), gaps+1
			default:
				data = append(data, t.number(k))
			}
		}
	}
	if t.err != nil {
		return nil, 0
	}
	return mat.NewDense(len(nodes.ids), width-1, data), gaps
}

// readSparseRows reads "id index:value …", the pairs separated like the id or, as in a
// tab-separated file with one field of them, by spaces. Where the number of columns is not known, a
// width of 0, it is one more than the largest index, within what [Dataset.Validate] allows.
func readSparseRows(t *lines, nodes *nodeIDs, width int) mat.Matrix {
	indptr := []int{0}
	var ind []int
	var data []float64
	cols := width
	last := &ParseError{File: t.file} // where the last column is
	for t.next() {
		t.newRow(nodes)
		for k := 1; k < len(t.cols); k++ {
			for _, pair := range strings.Fields(t.cols[k]) {
				j, v := t.pair(k, pair, cmp.Or(width, maxDim))
				ind, data = append(ind, j), append(data, v)
				if j >= cols {
					cols = j + 1
					last.Line, last.Column = t.line, t.at[k]+1
				}
			}
		}
		if j, twice := repeated(ind[indptr[len(indptr)-1]:]); twice {
			t.fault(-1, "feature %d of node %q: %w", j, t.cols[0], ErrDuplicate)
		}
		indptr = append(indptr, len(ind))
	}
	if cols == 0 {
		t.fail(fault(t.file, "%w: no node has a feature", ErrMissing))
	}
	if last.Err = checkWidth(cols, len(ind)); last.Err != nil && width == 0 {
		t.fail(last)
	}
	if t.err != nil {
		return nil
	}
	return sparse.NewCSR(len(nodes.ids), cols, indptr, ind, data)
}

// pair is one of the pairs in field k, with an index below width.
func (t *lines) pair(k int, pair string, width int) (j int, v float64) {
	index, value, ok := strings.Cut(pair, ":")
	j, err := strconv.Atoi(index)
	outside := errors.Is(err, strconv.ErrRange)
	switch {
	case !ok || err != nil && !outside:
		t.fault(k, "%w: %q is not index:value", coles.ErrFormat, pair)
	case outside || j < 0 || j >= width:
		t.fault(k, "feature %s of 0 to %d: %w", index, width-1, coles.ErrIndex)
	default:
		return j, t.parse(k, value)
	}
	return 0, 0
}

// repeated returns a column that a row has twice.
func repeated(cols []int) (int, bool) {
	if !slices.IsSorted(cols) {
		cols = slices.Sorted(slices.Values(cols))
	}
	for k := 1; k < len(cols); k++ {
		if cols[k] == cols[k-1] {
			return cols[k], true
		}
	}
	return 0, false
}

// readLabels reads the class of each node. A first line of another id may be a header, or the fault.
func (l *edgeFiles) readLabels(t *lines, opts EdgeListOptions) {
	l.class = make([]string, l.nodes.count())
	t.start(opts.Header, func() bool { return onlyHeaderWords(t.cols) })
	var unknown error
	var label string // of the first line, if its id is unknown
	for t.next() {
		if len(t.cols) != 2 || t.cols[1] == "" {
			t.fault(-1, "%w: %d fields, a label line is an id and a label", coles.ErrFormat, len(t.cols))
			break
		}
		if opts.SkipUnknown && t.cols[0] != "" && !l.nodes.has(t.cols[0]) {
			continue
		}
		i := t.node(0, l.nodes)
		switch {
		case errors.Is(t.err, coles.ErrIDs) && t.line == t.unsure:
			label, unknown, t.err = strings.Clone(t.cols[1]), t.err, nil
			continue
		case errors.Is(t.err, coles.ErrIDs) && unknown != nil:
			t.err = unknown
		case l.class[i] != "":
			t.fault(0, "label of node %q: %w", t.cols[0], ErrDuplicate)
		}
		l.class[i] = strings.Clone(t.cols[1])
	}
	if unknown != nil && (slices.Contains(l.class, label) || slices.Max(l.class) == "") {
		t.fail(unknown)
	}
	t.checkGuess(l.nodes, 0)
}

// giveClasses sets Labels, Unlabeled and Classes from the class of every node, "" for none.
func (d *Dataset) giveClasses(class []string) error {
	numbers := make(map[string]int)
	for _, c := range class {
		if c != "" {
			numbers[c] = 0
		}
	}
	if len(numbers) > maxClasses {
		return fmt.Errorf("more than %d classes: %w", maxClasses, coles.ErrTooLarge)
	}
	d.Classes = sortedNames(numbers)
	for i, c := range d.Classes {
		numbers[c] = i
	}
	d.Labels = make([]int, len(class))
	for i, c := range class {
		if d.Labels[i] = numbers[c]; c == "" {
			d.Labels[i] = -1
			d.Unlabeled = append(d.Unlabeled, i)
		}
	}
	return nil
}

// sortedNames sorts class names: as numbers when all are integers, else as text.
func sortedNames(names map[string]int) []string {
	list := slices.Sorted(maps.Keys(names))
	values := make(map[string]int, len(list))
	for _, c := range list {
		v, err := strconv.Atoi(c)
		if err != nil {
			return list
		}
		values[c] = v
	}
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(values[a], values[b]) })
	return list
}
