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

// Rows of a file of edges, whose ends are text or integers. The weight may be left out.
type (
	textEdge struct {
		Source string   `parquet:"source"`
		Target string   `parquet:"target"`
		Weight *float64 `parquet:"weight,optional"`
	}
	integerEdge struct {
		Source int64    `parquet:"source"`
		Target int64    `parquet:"target"`
		Weight *float64 `parquet:"weight,optional"`
	}
)

// WriteEdges writes a row for each entry of the adjacency: the ids (or numbers, where the
// nodes have no ids) of its row and column in the text columns source and target, its value in weight.
// Nodes without edges are not told of.
//
// Errors: dataset.ErrMissing for a nil dataset or one without a graph, those of
// [dataset.Dataset.Validate], or the writer's own.
func WriteEdges(w io.Writer, d *dataset.Dataset) error {
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
	out := parquet.NewGenericWriter[textEdge](w)
	part := make([]textEdge, 0, rowsAtOnce)
	raw := d.Adjacency.RawMatrix()
	for i := range raw.I {
		for q := raw.Indptr[i]; q < raw.Indptr[i+1]; q++ {
			weight := raw.Data[q]
			part = append(part, textEdge{name(i), name(raw.Ind[q]), &weight})
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

// ReadEdges reads a file of size bytes with the columns source and target, text or integers,
// and perhaps weight. Each row is one entry of the adjacency, nothing is mirrored or merged, and nodes
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
	if err := columns(f, "source", "target"); err != nil {
		return nil, err
	}
	lines, w := io.Pipe()
	go func() {
		b := bufio.NewWriterSize(w, 1<<16)
		err := writeLines(b, f)
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

// writeLines writes the rows as an edge list.
func writeLines(w io.Writer, f *parquet.File) error {
	if kind := column(f, "source"); kind.Leaf() && (kind.Type().Kind() == parquet.Int64 || kind.Type().Kind() == parquet.Int32) {
		return each(f, func(_ int, e *integerEdge) error {
			return writeLine(w, strconv.FormatInt(e.Source, 10), strconv.FormatInt(e.Target, 10), e.Weight)
		})
	}
	return each(f, func(i int, e *textEdge) error {
		if strings.ContainsAny(e.Source+e.Target, "\n\r") {
			return fmt.Errorf("parquet: row %d: %w: an id with a line break", i, dataset.ErrFormat)
		}
		return writeLine(w, quote(e.Source), quote(e.Target), e.Weight)
	})
}

func writeLine(w io.Writer, source, target string, weight *float64) error {
	v := 1.0
	if weight != nil {
		v = *weight
	}
	_, err := fmt.Fprintf(w, "%s\t%s\t%v\n", source, target, v)
	return err
}

func quote(id string) string { return `"` + strings.ReplaceAll(id, `"`, `""`) + `"` }
