package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"coles/dataset"

	"gonum.org/v1/gonum/mat"
)

// maxLine bounds a line of word2vec's text: a million values of sixteen
// characters.
const maxLine = 16 << 20

// readWord2Vec reads what dataset.WriteWord2Vec and gensim write: a line
// "rows columns", then an id and the values of a row on each.
func readWord2Vec(ctx context.Context, in *source, _ []string) (*dataset.Dataset, error) {
	r, err := in.open(ctx)
	if err != nil {
		return nil, err
	}
	w := word2vec{file: in.name(), lines: bufio.NewScanner(r)}
	w.lines.Buffer(nil, maxLine)
	d, err := w.read()
	if err != nil {
		return nil, err
	}
	return d, nil
}

type word2vec struct {
	file  string
	lines *bufio.Scanner
	line  int
}

func (w *word2vec) read() (*dataset.Dataset, error) {
	head, err := w.next()
	if err != nil {
		return nil, err
	}
	if len(head) != 2 {
		return nil, w.fault("%w: %d fields, the first line is a number of rows and one of columns", dataset.ErrFormat, len(head))
	}
	var size [2]int
	for k, field := range head {
		if size[k], err = strconv.Atoi(field); err != nil || size[k] < 1 {
			return nil, w.fault("%w: %q is not a number of rows or columns", dataset.ErrFormat, field)
		}
	}
	rows, columns := size[0], size[1]
	var ids []string
	var data []float64 // grows with the lines, whatever the first one says
	seen := make(map[string]bool)
	for range rows {
		fields, err := w.next()
		if err != nil {
			return nil, err
		}
		if len(fields) != columns+1 {
			return nil, w.fault("%d fields, an id and %d values are announced: %w", len(fields), columns, dataset.ErrShape)
		}
		id := strings.Clone(fields[0])
		if seen[id] {
			return nil, w.fault("%q: %w", id, dataset.ErrDuplicate)
		}
		seen[id] = true
		ids = append(ids, id)
		for _, field := range fields[1:] {
			v, err := strconv.ParseFloat(field, 64)
			if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) || errors.Is(err, strconv.ErrRange) {
				return nil, w.fault("%q: %w", field, dataset.ErrNotFinite)
			}
			if err != nil {
				return nil, w.fault("%w: %q is not a number", dataset.ErrFormat, field)
			}
			data = append(data, v)
		}
	}
	switch _, err := w.next(); {
	case err == nil:
		return nil, w.fault("%w: a line after the %d rows announced", dataset.ErrFormat, rows)
	case !errors.Is(err, dataset.ErrTruncated):
		return nil, err
	}
	return &dataset.Dataset{IDs: ids, Features: mat.NewDense(rows, columns, data)}, nil
}

// next returns the fields of the next line that has any.
func (w *word2vec) next() ([]string, error) {
	for w.lines.Scan() {
		w.line++
		if !utf8.Valid(w.lines.Bytes()) {
			return nil, w.fault("%w: not UTF-8 text", dataset.ErrFormat)
		}
		if fields := strings.Fields(w.lines.Text()); len(fields) > 0 {
			return fields, nil
		}
	}
	w.line++
	switch err := w.lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, w.fault("a line of more than %d bytes: %w", maxLine, dataset.ErrTooLarge)
	case err != nil:
		return nil, w.fault("%w", err)
	}
	return nil, w.fault("%w: %w", dataset.ErrTruncated, io.ErrUnexpectedEOF)
}

func (w *word2vec) fault(format string, args ...any) error {
	return &dataset.ParseError{File: w.file, Line: w.line, Err: fmt.Errorf(format, args...)}
}
