package parquet

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"coles/dataset"

	"github.com/parquet-go/parquet-go"
)

// An edgeRow is a row of a file of edges.
type edgeRow struct {
	Source string  `parquet:"source"`
	Target string  `parquet:"target"`
	Weight float64 `parquet:"weight"`
}

// WriteEdges writes a row for each entry of the adjacency: the ids (or numbers, where the
// nodes have no ids) of its row and column in the text columns source and target, its value in weight.
// Nodes without edges are not told of.
//
// Errors: dataset.ErrMissing for a nil writer, a nil dataset or one without a graph, those of
// [dataset.Dataset.Validate], or the writer's own.
func WriteEdges(w io.Writer, d *dataset.Dataset) error {
	if w == nil {
		return fmt.Errorf("parquet: write: %w: no writer", dataset.ErrMissing)
	}
	if d == nil || d.Adjacency == nil {
		return fmt.Errorf("parquet: write: %w: no graph", dataset.ErrMissing)
	}
	if err := d.Validate(); err != nil {
		return fmt.Errorf("parquet: write: %w", err)
	}
	name := strconv.Itoa
	if d.IDs != nil {
		name = func(i int) string { return d.IDs[i] }
	}
	out := parquet.NewGenericWriter[edgeRow](w)
	part := make([]edgeRow, 0, rowsAtOnce)
	raw := d.Adjacency.RawMatrix()
	for i := range raw.I {
		for q := raw.Indptr[i]; q < raw.Indptr[i+1]; q++ {
			part = append(part, edgeRow{name(i), name(raw.Ind[q]), raw.Data[q]})
			if len(part) < cap(part) {
				continue
			}
			if _, err := out.Write(part); err != nil {
				return fmt.Errorf("parquet: write: %w", err)
			}
			part = part[:0]
		}
	}
	if _, err := out.Write(part); err != nil {
		return fmt.Errorf("parquet: write: %w", err)
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("parquet: write: %w", err)
	}
	return nil
}

// ReadEdges reads a file of size bytes with the columns source and target, text or
// integers of 64 bits, and perhaps weight, of doubles. Each row is one entry of the adjacency, nothing is mirrored or merged, and nodes
// come in the order in which they are named, as by [dataset.ReadEdgeList].
//
// Errors wrap dataset.ErrFormat, dataset.ErrTruncated, dataset.ErrMissing (a column, or rows), dataset.ErrNotFinite, dataset.ErrTooLarge
// (as for [ReadVectors]) or the error of the reader, and say which row.
func ReadEdges(r io.ReaderAt, size int64) (d *dataset.Dataset, err error) {
	defer guard(&err)
	f, err := open(r, size)
	if err != nil {
		return nil, err
	}
	columns, err := columnsOf(f)
	if err != nil {
		return nil, err
	}
	lines, w := io.Pipe()
	go func() {
		b := bufio.NewWriterSize(w, 1<<16)
		err := writeLines(b, f, columns)
		if err == nil {
			err = b.Flush()
		}
		w.CloseWithError(err)
	}()
	defer lines.Close() // so that what writes stops
	d, err = dataset.ReadEdgeList(lines, nil, dataset.EdgeListOptions{Header: dataset.NoHeader, EdgesName: "parquet"})
	var place *dataset.ParseError
	if errors.As(err, &place) && place.Line > 0 {
		err = fmt.Errorf("parquet: row %d: %w", place.Line-1, place.Err)
	}
	return d, err
}

// edgeColumns are the places of an edge's values in a row.
type edgeColumns struct {
	source, target int
	weight         int // −1 if there is none
	integers       bool
}

func columnsOf(f *parquet.File) (c edgeColumns, err error) {
	c.weight = -1
	if column(f, "weight") != nil {
		if c.weight, err = leaf(f, "weight", parquet.Double); err != nil {
			return c, err
		}
	}
	kind := parquet.ByteArray
	if s := column(f, "source"); s != nil && s.Leaf() && s.Type().Kind() == parquet.Int64 {
		kind, c.integers = parquet.Int64, true
	}
	if c.source, err = leaf(f, "source", kind); err != nil {
		return c, err
	}
	c.target, err = leaf(f, "target", kind)
	return c, err
}

// writeLines writes the rows as an edge list.
func writeLines(w io.Writer, f *parquet.File, c edgeColumns) error {
	return each(f, func(i int, row parquet.Row) error {
		var ends [2]string
		weight := 1.0
		for _, v := range row {
			var err error
			switch v.Column() {
			case c.source:
				ends[0], err = c.end(i, v)
			case c.target:
				ends[1], err = c.end(i, v)
			case c.weight:
				if v.IsNull() {
					continue
				}
				if v.Kind() != parquet.Double {
					return fmt.Errorf("parquet: row %d: %w: %v where a weight is expected", i, dataset.ErrFormat, v.Kind())
				}
				weight = v.Double()
			}
			if err != nil {
				return err
			}
		}
		_, err := fmt.Fprintf(w, "%s\t%s\t%v\n", ends[0], ends[1], weight)
		return err
	})
}

// end is an end of an edge as a field of a line.
func (c edgeColumns) end(i int, v parquet.Value) (string, error) {
	if c.integers {
		if v.Kind() != parquet.Int64 {
			return "", fmt.Errorf("parquet: row %d: %w: %v where an integer is expected", i, dataset.ErrFormat, v.Kind())
		}
		return strconv.FormatInt(v.Int64(), 10), nil
	}
	id, err := text(i, v)
	if err != nil {
		return "", err
	}
	if strings.ContainsAny(id, "\n\r") {
		return "", fmt.Errorf("parquet: row %d: %w: an id with a line break", i, dataset.ErrFormat)
	}
	return `"` + strings.ReplaceAll(id, `"`, `""`) + `"`, nil
}
