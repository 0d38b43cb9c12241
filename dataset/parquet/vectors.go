// Package parquet reads and writes embeddings and edges, and reads tables, as Apache Parquet files, which pandas,
// DuckDB, Spark and others read. It is a nested module, so that programs without Parquet do not
// carry what it needs:
//
//	require coles/dataset/parquet v0.0.0
//	replace coles/dataset/parquet => ../coles/dataset/parquet
//
// besides the lines for coles itself in the README of coles. The command coles-parquet below it turns Parquet into
// text that the command coles reads, and vectors into Parquet.
//
// Readers have the errors of package dataset, and say which row. Pages that declare to expand to more
// than 256 MB and 64 times the file's size are coles.ErrTooLarge. coles.ErrFormat is a page that holds
// more or less than it declares, LZ4, which the library beneath may misread, and DELTA_BYTE_ARRAY, a
// few bytes of which may be gigabytes of text.
//
// parquet-go (v0.32) itself prints a line "parquet: warning: …" on standard error where a damaged
// page holds another number of texts than it declares; the error comes all the same.
package parquet

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"coles"
	"coles/dataset"

	"github.com/parquet-go/parquet-go"
	"gonum.org/v1/gonum/mat"
)

// A vectorRow is a row of a file of vectors: columns id (text) and vector (a list of float32).
type vectorRow struct {
	ID     string    `parquet:"id"`
	Vector []float32 `parquet:"vector,list"`
}

// WriteVectors writes a row for each row of m: its id (or number, where ids is nil) in the column
// id, and its values, as float32, in the list column vector.
//
// Errors, before anything is written: coles.ErrShape for another number of ids than rows or a
// matrix without any, coles.ErrNotFinite for a value that float32 cannot hold. Any other is the
// writer's own; dataset.WriteFile leaves no part of a file then.
func WriteVectors(w io.Writer, ids []string, m mat.Matrix) (err error) {
	rows, cols := m.Dims()
	if rows == 0 || cols == 0 || ids != nil && len(ids) != rows {
		return fmt.Errorf("parquet: write: %d × %d values, %d ids: %w", rows, cols, len(ids), coles.ErrShape)
	}
	for i := range rows {
		for j := range cols {
			if v := float64(float32(m.At(i, j))); math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("parquet: write: %v at (%d, %d): %w", m.At(i, j), i, j, coles.ErrNotFinite)
			}
		}
	}
	return writeRows(w, func(put func(vectorRow)) {
		for i := range rows {
			row := vectorRow{ID: strconv.Itoa(i), Vector: make([]float32, cols)}
			if ids != nil {
				row.ID = ids[i]
			}
			for j := range cols {
				row.Vector[j] = float32(m.At(i, j))
			}
			put(row)
		}
	})
}

// writeRows writes the rows that are put.
func writeRows[T any](w io.Writer, rows func(put func(T))) error {
	out := parquet.NewGenericWriter[T](w)
	part := make([]T, 0, rowsAtOnce)
	var err error
	flush := func() {
		if err == nil {
			_, err = out.Write(part)
		}
		part = part[:0]
	}
	rows(func(row T) {
		if part = append(part, row); len(part) == cap(part) {
			flush()
		}
	})
	if flush(); err == nil {
		err = out.Close()
	}
	if err != nil {
		return fmt.Errorf("parquet: write: %w", err)
	}
	return nil
}

// ReadVectors reads the IDs, text or integers, and Features, a *mat.Dense of any numbers, of a file with the columns
// of [WriteVectors], or with an id called as that of a table and one list of another name. Others are not looked at. A stream that is an io.ReaderAt and io.Seeker too is read where it
// lies, any other into memory first.
func ReadVectors(r io.Reader) (v *dataset.Dataset, err error) {
	defer guard(&err)
	f, err := open(r)
	if err != nil {
		return nil, err
	}
	names := namesOf(f)
	id, err := idsOf(f, names[idOf(names)])
	if err != nil {
		return nil, err
	}
	vector, err := numbersOf(f, listOf(f), 1)
	if err != nil {
		return nil, err
	}
	var ids []string
	known := make(map[string]int)
	var data []float64
	cols := 0
	err = each(f, func(i int, row parquet.Row) error {
		before, nulls := len(data), 0
		for _, v := range row {
			switch {
			case v.Column() == id.Index():
				name, err := id.name(v)
				if err != nil {
					return err
				}
				if first, ok := known[name]; ok {
					return fmt.Errorf("%w: id %q stands in row %d, too", coles.ErrIDs, name, first)
				}
				known[name] = i
				ids = append(ids, name)
			case v.Column() != vector.Index():
			case v.IsNull(): // alone it is an empty list
				nulls++
			default:
				x, err := vector.finite(v)
				if err != nil {
					return fmt.Errorf("value %d: %w", len(data)-before, err)
				}
				data = append(data, x)
			}
		}
		if nulls > 0 && len(data) > before {
			return fmt.Errorf("%w: null among the values", coles.ErrFormat)
		}
		if i == 0 {
			cols = len(data)
		}
		if len(ids) != i+1 {
			return fmt.Errorf("%w: %d ids", coles.ErrFormat, len(ids)-i)
		}
		if len(data)-before != cols || cols == 0 {
			return fmt.Errorf("%d values, %d before: %w", len(data)-before, cols, coles.ErrShape)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("parquet: %w: no rows", dataset.ErrMissing)
	}
	return &dataset.Dataset{IDs: ids, Features: mat.NewDense(len(ids), cols, data)}, nil
}
