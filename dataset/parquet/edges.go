package parquet

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"coles"
	"coles/dataset"
	"coles/internal/source"

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

// ReadEdges reads a file, as [ReadVectors] does, with the columns source and target, text or integers of 64
// bits, and perhaps weight, of doubles, all without nulls. Each row is one entry of the adjacency,
// nothing is mirrored or merged, and nodes come in the order in which they are named, as by
// [dataset.ReadEdgeList].
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

// edgeColumns are the places of an edge's values in a row; weight is −1 if there is none.
type edgeColumns struct {
	source, target, weight int
	end                    parquet.Kind
	unsigned               [2]bool // source and target are integers without a sign
	left                   int64   // bytes of the ids that rows may still name
}

func columnsOf(f *parquet.File) (*edgeColumns, error) {
	c := &edgeColumns{weight: -1, end: parquet.ByteArray}
	if f.Root().Column("weight") != nil {
		w, err := leaf(f, "weight", parquet.Double, 0)
		if err != nil {
			return nil, err
		}
		c.weight = w.Index()
	}
	if s := f.Root().Column("source"); s != nil && s.Leaf() && s.Type().Kind() == parquet.Int64 {
		c.end = parquet.Int64
	}
	for side, to := range []*int{&c.source, &c.target} {
		name := [2]string{"source", "target"}[side]
		end, err := leaf(f, name, c.end, 0)
		if err != nil {
			return nil, err
		}
		*to = end.Index()
		if c.end == parquet.ByteArray {
			continue
		}
		switch kind := end.Type().LogicalType().String(); kind {
		case "INT(64,true)":
		case "INT(64,false)":
			c.unsigned[side] = true
		default:
			return nil, fmt.Errorf("parquet: column %q: %w: %s where integers are expected", name, coles.ErrFormat, kind)
		}
	}
	return c, nil
}

// add adds the edge of a row.
func (c *edgeColumns) add(b *dataset.Builder, row parquet.Row) error {
	var ends [2]string
	weight := 1.0
	for _, v := range row {
		want := c.end
		if v.Column() == c.weight {
			want = parquet.Double
		}
		var err error
		switch at := v.Column(); {
		case at != c.source && at != c.target && at != c.weight:
		case v.IsNull():
			err = fmt.Errorf("%w: null where %v is expected", coles.ErrFormat, want)
		case v.Kind() != want:
			err = fmt.Errorf("%w: %v where %v is expected", coles.ErrFormat, v.Kind(), want)
		case at == c.source:
			ends[0], err = endOf(v, c.unsigned[0])
		case at == c.target:
			ends[1], err = endOf(v, c.unsigned[1])
		default:
			if weight = v.Double(); weight-weight != 0 {
				err = fmt.Errorf("weight %v: %w", weight, coles.ErrNotFinite)
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
func endOf(v parquet.Value, unsigned bool) (string, error) {
	if unsigned {
		return strconv.FormatUint(uint64(v.Int64()), 10), nil
	}
	if v.Kind() == parquet.Int64 {
		return v.String(), nil
	}
	id, err := text(v)
	if err == nil && (id == "" || strings.ContainsAny(id, "\n\r")) {
		err = fmt.Errorf("%w: an id that is empty or has a line break", coles.ErrFormat)
	}
	return id, err
}
