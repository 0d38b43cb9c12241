package edgetext

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"coles"
	"coles/dataset/internal/bounds"
	"coles/dataset/internal/place"
	"coles/dataset/parse"
	"coles/internal/text"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// readFeatures reads one node a line and numbers the nodes in that order. The first line decides
// between JSON, dense and sparse, and what is dense is a table if some lines at its beginning have text.
func (l *edgeFiles) readFeatures(t *text.Reader, opts options) {
	if t.StartsWith('{') {
		l.readObjects(t, opts)
		return
	}
	some := start(t, opts.Header, func() bool {
		return onlyHeaderWords(t.Fields) || len(t.Fields) > 1 && !isSparseRow(t) && (!slices.ContainsFunc(t.Fields[1:], isValue) || numberNames(t.Fields))
	})
	if some {
		l.pickFeatures(t)
	}
	switch {
	case t.Err != nil:
	case !some:
		t.Fail(fmt.Errorf("%w: no line with features", place.ErrMissing))
	case !opts.wantsTable() && isSparseRow(t):
		l.Features = readSparseRows(t, l.nodes, opts.Width)
	case opts.wantsTable() || hasText(t) || opts.LabelColumn != "" && slices.Contains(t.Header, opts.LabelColumn):
		l.Table = l.readTable(t, opts)
	default:
		if len(t.Header) == len(t.Fields) {
			l.FeatureNames = t.Header[1:]
		}
		var gaps int
		l.Features, gaps = readDenseRows(t, l.nodes, opts.Missing != "error")
		l.warnOfGaps(gaps, opts)
	}
	checkGuess(t, l.nodes, 0, "")
	l.closed(t, l.featuresFile, 0)
}

// numberNames reports whether a line is a header some of whose names are numbers, as pandas makes of a matrix and of
// years: under a name for ids, or none, text and ascending whole numbers, from 0 on if there is only one.
func numberNames(fields []string) bool {
	last := int64(-1)
	for _, name := range fields[1:] {
		v, whole := text.Integer(name)
		if !whole && isValue(name) || whole && int64(v) <= last || len(fields) == 2 && v > 0 {
			return false
		}
		if whole {
			last = int64(v)
		}
	}
	return text.IsIndex(fields[0]) || text.IsIDName(fields[0])
}

// pickFeatures has lines begin with the id of their node, by the header.
func (l *edgeFiles) pickFeatures(t *text.Reader) {
	roles := slices.Repeat([]string{"feature"}, len(t.Fields))
	id := 0
	if len(t.Header) == len(t.Fields) {
		var named bool
		if id, named = text.IDColumn(t.Header, t.Fields); !named {
			l.say(l.featuresFile, t.First, nil, "the first column, %q, is taken for the ids of nodes, and none is called id", t.Header[0])
		}
		for k, name := range t.Header {
			if k != id && text.IsIndex(name) {
				roles[k] = ""
			}
		}
		if numberNames(t.Header) && slices.ContainsFunc(t.Header[1:], text.IsNumber) {
			l.say(l.featuresFile, t.First, []parse.Advice{place.Header}, "the first line is taken for a header, though some of its names are numbers")
		}
	}
	roles[id] = "id"
	l.warnOfComments(t, l.featuresFile)
	l.pick(t, l.featuresFile, "features", "id", roles)
}

func (l *edgeFiles) warnOfGaps(gaps int, opts options) {
	if gaps > 0 && opts.Missing == "" && opts.Warn != nil {
		of := "of their column"
		if knowsMeans(opts.Encoder) {
			of = "that the model knows of their column"
		}
		opts.Warn(place.Fault(l.featuresFile, "cells without a number get the mean %s: %d", of, gaps))
	}
}

// isSparseRow reports whether the current line is "id index:value …" or an id alone, a node without
// features.
func isSparseRow(t *text.Reader) bool {
	if len(t.Fields) == 1 {
		return true
	}
	for _, field := range t.Fields[1:] {
		first, _, _ := strings.Cut(field, " ")
		index, value, ok := strings.Cut(first, ":")
		if _, err := strconv.Atoi(index); !ok || err != nil && !errors.Is(err, strconv.ErrRange) || !text.IsNumber(value) {
			return false
		}
	}
	return true
}

// readDenseRows reads "id v1 v2 …". A gap, if there may be some, is NaN; it counts them.
func readDenseRows(t *text.Reader, nodes *nodeIDs, mayGap bool) (x mat.Matrix, gaps int) {
	var data []float64
	width := len(t.Fields)
	for t.Next() {
		nodes.newRow(t)
		if len(t.Fields) != width {
			t.Fault(-1, "%d values, the lines before have %d: %w", len(t.Fields)-1, width-1, coles.ErrShape)
		}
		for k := 1; k < len(t.Fields); k++ {
			switch gap := t.IsMark(k); {
			case gap && !mayGap:
				t.Fault(k, "%w", place.Advise(fmt.Errorf("%w: %q is not a number", coles.ErrFormat, t.Fields[k]), gapAdvice))
			case gap:
				data, gaps = append(data, math.NaN()), gaps+1
			default:
				data = append(data, t.Number(k))
			}
		}
	}
	if t.Err != nil {
		return nil, 0
	}
	return mat.NewDense(len(nodes.ids), width-1, data), gaps
}

// readSparseRows reads "id index:value …", the pairs separated like the id or, as in a
// tab-separated file with one field of them, by spaces. Where the number of columns is not known, a
// width of 0, it is one more than the largest index, within what [Dataset.Validate] allows.
func readSparseRows(t *text.Reader, nodes *nodeIDs, width int) mat.Matrix {
	indptr := []int{0}
	var ind []int
	var data []float64
	cols := width
	widest := t.At(-1, nil) // where the last column is
	for t.Next() {
		nodes.newRow(t)
		for k := 1; k < len(t.Fields); k++ {
			for _, pair := range strings.Fields(t.Fields[k]) {
				j, v := readPair(t, k, pair, cmp.Or(width, bounds.Dim))
				ind, data = append(ind, j), append(data, v)
				if j >= cols {
					cols = j + 1
					widest = t.At(k, nil)
				}
			}
		}
		if j, twice := repeated(ind[indptr[len(indptr)-1]:]); twice {
			t.Fault(-1, "feature %d of node %q: %w", j, t.Fields[0], place.ErrDuplicate)
		}
		indptr = append(indptr, len(ind))
	}
	if cols == 0 {
		t.Fail(fmt.Errorf("%w: no node has a feature", place.ErrMissing))
	}
	if err := bounds.Width(cols, len(ind)); err != nil && width == 0 {
		widest.Err, widest.MaybeHeader = err, false
		t.Fail(widest)
	}
	if t.Err != nil {
		return nil
	}
	return sparse.NewCSR(len(nodes.ids), cols, indptr, ind, data)
}

// readPair reads one of the pairs in field k, with an index below width.
func readPair(t *text.Reader, k int, pair string, width int) (j int, v float64) {
	index, value, ok := strings.Cut(pair, ":")
	j, err := strconv.Atoi(index)
	outside := errors.Is(err, strconv.ErrRange)
	switch {
	case !ok || err != nil && !outside:
		t.Fault(k, "%w: %q is not index:value", coles.ErrFormat, pair)
	case outside || j < 0 || j >= width:
		t.Fault(k, "feature %s of 0 to %d: %w", index, width-1, coles.ErrIndex)
	default:
		return j, t.NumberIn(k, value)
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
