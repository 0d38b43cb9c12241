package parquet

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"coles/dataset"

	"github.com/parquet-go/parquet-go"
	"gonum.org/v1/gonum/mat"
)

// A vectorRow is a row of a file of vectors: columns id (text) and vector (a list of
// float32).
type vectorRow struct {
	ID     string    `parquet:"id"`
	Vector []float32 `parquet:"vector,list"`
}

// WriteVectors writes a row for each row of m: its id (or number, where ids is nil) in the column id, and
// its values, as float32, in the list column vector.
//
// Errors, before anything is written: dataset.ErrMissing for a nil matrix or writer, dataset.ErrShape for another number
// of ids than rows or a matrix without any or that panics, dataset.ErrNotFinite for a value that float32 cannot hold.
// Any other is the writer's own; dataset.WriteFile leaves no part of a file then.
func WriteVectors(w io.Writer, ids []string, m mat.Matrix) (err error) {
	if w == nil {
		return fmt.Errorf("parquet: write: %w: no writer", dataset.ErrMissing)
	}
	if m == nil {
		return fmt.Errorf("parquet: write: %w: the matrix is nil", dataset.ErrMissing)
	}
	defer func() { // the methods of m are not ours
		if r := recover(); r != nil {
			err = fmt.Errorf("parquet: write: %w: reading the %T panicked: %v", dataset.ErrShape, m, r)
		}
	}()
	rows, cols := m.Dims()
	if rows == 0 || cols == 0 || ids != nil && len(ids) != rows {
		return fmt.Errorf("parquet: write: %d × %d values, %d ids: %w", rows, cols, len(ids), dataset.ErrShape)
	}
	for i := range rows {
		for j := range cols {
			if v := float64(float32(m.At(i, j))); math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("parquet: write: %v at (%d, %d): %w", m.At(i, j), i, j, dataset.ErrNotFinite)
			}
		}
	}
	out := parquet.NewGenericWriter[vectorRow](w)
	part := make([]vectorRow, 0, rowsAtOnce)
	for i := range rows {
		row := vectorRow{ID: strconv.Itoa(i), Vector: make([]float32, cols)}
		if ids != nil {
			row.ID = ids[i]
		}
		for j := range cols {
			row.Vector[j] = float32(m.At(i, j))
		}
		if part = append(part, row); len(part) == cap(part) || i == rows-1 {
			if _, err := out.Write(part); err != nil {
				return fmt.Errorf("parquet: write: %w", err)
			}
			part = part[:0]
		}
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("parquet: write: %w", err)
	}
	return nil
}

// ReadVectors reads a file of size bytes with the columns of [WriteVectors]; others are not
// looked at. It returns the ids and the vectors, a row each.
//
// Errors wrap dataset.ErrFormat, dataset.ErrTruncated, dataset.ErrMissing (a column, or rows), dataset.ErrShape (vectors of different length),
// dataset.ErrDuplicate (an id), dataset.ErrNotFinite, dataset.ErrTooLarge or the error of the reader, and say which row. A file whose pages
// declare that they expand to more than 256 MB and 64 times its size is too large; one with a page that unpacks
// to more than it declares is malformed, and so is one compressed by LZ4, which the library beneath may misread.
func ReadVectors(r io.ReaderAt, size int64) (ids []string, vectors *mat.Dense, err error) {
	defer guard(&err)
	f, err := open(r, size)
	if err != nil {
		return nil, nil, err
	}
	id, err := leaf(f, "id", parquet.ByteArray)
	if err != nil {
		return nil, nil, err
	}
	vector, err := leaf(f, "vector", parquet.Float)
	if err != nil {
		return nil, nil, err
	}
	known := make(map[string]int)
	var data []float64
	cols := 0
	err = each(f, func(i int, row parquet.Row) error {
		named, before := false, len(data)
		for _, v := range row {
			switch {
			case v.Column() == id:
				name, err := text(i, v)
				if err != nil {
					return err
				}
				if first, ok := known[name]; ok {
					return fmt.Errorf("parquet: row %d: id %q is that of row %d: %w", i, name, first, dataset.ErrDuplicate)
				}
				known[name] = i
				ids = append(ids, name)
				named = true
			case v.Column() != vector || v.IsNull(): // null is an empty list
			case v.Kind() != parquet.Float:
				return fmt.Errorf("parquet: row %d: %w: %v where float32 is expected", i, dataset.ErrFormat, v.Kind())
			default:
				x := v.Float()
				if x-x != 0 {
					return fmt.Errorf("parquet: row %d, value %d: %v: %w", i, len(data)-before, x, dataset.ErrNotFinite)
				}
				data = append(data, float64(x))
			}
		}
		if i == 0 {
			cols = len(data)
		}
		if !named {
			return fmt.Errorf("parquet: row %d: %w: no id", i, dataset.ErrFormat)
		}
		if len(data)-before != cols || cols == 0 {
			return fmt.Errorf("parquet: row %d: %d values, %d before: %w", i, len(data)-before, cols, dataset.ErrShape)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	if len(ids) == 0 {
		return nil, nil, fmt.Errorf("parquet: %w: no rows", dataset.ErrMissing)
	}
	return ids, mat.NewDense(len(ids), cols, data), nil
}

// leaf finds the place of a column's values in a row, and demands that they are of a physical type.
func leaf(f *parquet.File, name string, want parquet.Kind) (int, error) {
	c := column(f, name)
	if c == nil {
		return 0, fmt.Errorf("parquet: %w: column %q", dataset.ErrMissing, name)
	}
	for !c.Leaf() {
		below := c.Columns()
		if len(below) != 1 {
			return 0, fmt.Errorf("parquet: column %q: %w: a group of %d columns", name, dataset.ErrFormat, len(below))
		}
		c = below[0]
	}
	if kind := c.Type().Kind(); kind != want {
		return 0, fmt.Errorf("parquet: column %q: %w: of type %v, want %v", name, dataset.ErrFormat, kind, want)
	}
	return c.Index(), nil
}

// column finds a column of the first level; nil if there is none.
func column(f *parquet.File, name string) *parquet.Column {
	for _, c := range f.Root().Columns() {
		if c.Name() == name {
			return c
		}
	}
	return nil
}
