package parquet

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"coles"
	"coles/dataset"
	"coles/internal/source"
	header "coles/internal/text"

	"github.com/parquet-go/parquet-go"
)

// An edgeRow is a row of a file of edges.
type edgeRow struct {
	Source string  `parquet:"source"`
	Target string  `parquet:"target"`
	Weight float64 `parquet:"weight"`
}

// WriteEdges writes a row for each entry of the adjacency: the ids (or numbers, where the nodes
// have no ids) of its row and column in the text columns source and target, its value in weight.
// Nodes without edges are left out. Errors come from [dataset.Dataset.Validate] or the writer.
func WriteEdges(w io.Writer, d *dataset.Dataset) error {
	if err := d.Validate(); err != nil {
		return fmt.Errorf("parquet: write: %w", err)
	}
	name := strconv.Itoa
	if d.IDs != nil {
		name = func(i int) string { return d.IDs[i] }
	}
	return writeRows(w, func(put func(edgeRow)) {
		d.Adjacency.DoNonZero(func(i, j int, weight float64) { put(edgeRow{name(i), name(j), weight}) })
	})
}

// ReadEdges reads a file, as [ReadVectors] does, with columns of the two ends, text or integers, and perhaps of a
// weight, of numbers, all without nulls: they are found by names such as source, from or user_id, to or item, weight or
// count, as those of text are. Each row is one entry of the adjacency,
// nothing is mirrored or merged, and nodes come in the order in which they are named, as by
// [dataset.ReadEdgeList]. Errors: dataset.ErrMissing, too, where no names tell the ends.
func ReadEdges(r io.Reader) (d *dataset.Dataset, err error) {
	defer guard(&err)
	f, err := open(r)
	if err != nil {
		return nil, err
	}
	c, err := columnsOf(f)
	if err != nil {
		return nil, err
	}
	c.left = source.Budget(source.FreeBinary, f.Size())
	var b dataset.Builder
	if err := each(f, func(_ int, row parquet.Row) error { return c.add(&b, row) }); err != nil {
		return nil, err
	}
	if d, err = b.Build(); err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	return d, nil
}

// edgeColumns are the places of an edge's values in a row; weight is nil if there is none.
type edgeColumns struct {
	source, target, weight *reading
	left                   int64 // bytes of the ids that rows may still name
}

func columnsOf(f *parquet.File) (c *edgeColumns, err error) {
	names := namesOf(f)
	columns, _ := header.EdgeColumns(names)
	if _, _, ok := header.EndColumns(names); !ok {
		return nil, fmt.Errorf("parquet: %w: no names tell the ends of an edge among the columns %q; call them source and target", dataset.ErrMissing, names)
	}
	c = &edgeColumns{}
	if c.source, err = idsOf(f, names[columns[0]]); err != nil {
		return nil, err
	}
	if c.target, err = idsOf(f, names[columns[1]]); err != nil {
		return nil, err
	}
	if len(columns) > 2 {
		c.weight, err = numbersOf(f, names[columns[2]], 0)
	}
	return c, err
}

// add adds the edge of a row.
func (c *edgeColumns) add(b *dataset.Builder, row parquet.Row) error {
	var ends [2]string
	weight := 1.0
	for _, v := range row {
		var err error
		switch at := v.Column(); {
		case at == c.source.Index():
			ends[0], err = endOf(c.source, v)
		case at == c.target.Index():
			ends[1], err = endOf(c.target, v)
		case c.weight != nil && at == c.weight.Index():
			if weight, err = c.weight.finite(v); err != nil {
				err = fmt.Errorf("weight: %w", err)
			}
		}
		if err != nil {
			return err
		}
	}
	// A file may hold a long id once for all its rows.
	if c.left -= int64(len(ends[0]) + len(ends[1])); c.left < 0 {
		return fmt.Errorf("the ids of all rows so far: %w", coles.ErrTooLarge)
	}
	b.AddEdge(ends[0], ends[1], weight)
	return nil
}

// endOf is a value as the id of a node.
func endOf(c *reading, v parquet.Value) (string, error) {
	id, err := c.name(v)
	if err == nil && (id == "" || strings.ContainsAny(id, "\n\r")) {
		err = fmt.Errorf("%w: an id that is empty or has a line break", coles.ErrFormat)
	}
	return id, err
}
