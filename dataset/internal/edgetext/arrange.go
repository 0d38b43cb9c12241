package edgetext

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"coles"
	"coles/dataset/internal/place"
	"coles/internal/text"
	"coles/table"

	"gonum.org/v1/gonum/mat"
)

// arrange puts numbers as they are, in a file with names for them, in the order of an encoder's columns. It makes features of
// the cells of a table.
func (l *edgeFiles) arrange(opts options) error {
	names := l.FeatureNames
	if l.Table != nil {
		names = nil
		for _, c := range l.Table.Columns {
			names = append(names, c.Name)
		}
	}
	wanted := opts.Encoder.Names()
	if names == nil || l.Table == nil && slices.Equal(names, wanted) {
		return nil
	}
	from, err := l.find(wanted, names, opts.Warn)
	if err != nil {
		return err
	}
	if l.Table != nil {
		if err := l.readCells(from, opts); err != nil {
			return err
		}
	} else {
		l.Features = permuted(l.Features, from)
	}
	l.FeatureNames, l.Table = wanted, nil
	return nil
}

// find is where each wanted column stands among those that there are.
func (l *edgeFiles) find(wanted, names []string, warn func(error)) (from []int, err error) {
	at := make(map[string]int)
	for k, name := range names {
		if _, twice := at[name]; twice {
			return nil, place.Fault(l.featuresFile, "column %q: %w", name, place.ErrDuplicate)
		}
		at[name] = k
	}
	for _, name := range wanted {
		k, ok := at[name]
		if !ok {
			return nil, place.Fault(l.featuresFile, "%w: no column %q", place.ErrMissing, name)
		}
		from = append(from, k)
		delete(at, name)
	}
	if len(at) > 0 && warn != nil {
		warn(place.Fault(l.featuresFile, "columns that are left out: %s", strings.Join(slices.Sorted(maps.Keys(at)), ", ")))
	}
	return from, nil
}

// permuted are the columns of x in another order.
func permuted(x mat.Matrix, from []int) mat.Matrix {
	rows, _ := x.Dims()
	y := mat.NewDense(rows, len(from), nil)
	for i := range rows {
		for k, j := range from {
			y.Set(i, k, x.At(i, j))
		}
	}
	return y
}

// readCells makes features of the cells of some columns. A hole is NaN.
func (l *edgeFiles) readCells(from []int, opts options) error {
	x, gaps := mat.NewDense(l.Table.Rows(), len(from), nil), 0
	for k, j := range from {
		c := l.Table.Columns[j]
		for i, cell := range c.Cells {
			v, err := text.Parse(strings.TrimSpace(cell))
			if table.IsHole(cell) {
				if v, err = math.NaN(), nil; opts.Missing == "error" {
					err = place.Advise(fmt.Errorf("%w: %q is not a number", coles.ErrFormat, cell), gapAdvice)
				}
				gaps++
			}
			if err != nil {
				return place.In(l.featuresFile, &text.Error{Line: l.Table.Lines[i], Err: fmt.Errorf("column %q: %w", c.Name, err)})
			}
			x.Set(i, k, v)
		}
	}
	l.Features = x
	l.warnOfGaps(gaps, opts)
	return nil
}
