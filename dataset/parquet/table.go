package parquet

import (
	"fmt"
	"io"
	"time"

	"coles"
	"coles/dataset"
	"coles/internal/source"
	"coles/table"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// ReadTable reads a file, as [ReadVectors] does, whose columns are text, numbers, truth values, dates and
// timestamps: the cells of a table. The ids of its rows, text or integers, are in the column "id" or, where there is
// none, in the first. null is a hole.
//
// Errors: coles.ErrFormat for a column of another type, such as a list, coles.ErrIDs for an id that is null, empty or
// given twice, coles.ErrTooLarge for more text than 256 MB and 64 times the file's size, dataset.ErrMissing for a
// file without rows.
func ReadTable(r io.Reader) (t *table.Table, err error) {
	defer guard(&err)
	f, err := open(r)
	if err != nil {
		return nil, err
	}
	id, columns := 0, f.Root().Columns()
	for k, c := range columns {
		if !c.Leaf() || c.Repeated() || cellOf(c.Type()) == nil {
			return nil, fmt.Errorf("parquet: column %q: %w: neither text nor numbers nor times", c.Name(), coles.ErrFormat)
		}
		if c.Name() == "id" {
			id = k
		}
	}
	t = table.New()
	for k, c := range columns {
		if k != id {
			t.Columns = append(t.Columns, table.Column{Name: c.Name()})
		}
	}
	known := make(map[string]bool)
	kept := make(map[string]string) // a file may hold a text once for many rows
	left := source.Budget(source.FreeBinary, f.Size())
	err = each(f, func(i int, row parquet.Row) error {
		if len(row) != len(columns) {
			return fmt.Errorf("%w: %d values of %d", coles.ErrFormat, len(row), len(columns))
		}
		var name string
		cells := make([]any, 0, len(row))
		for k, v := range row {
			var cell any
			if !v.IsNull() {
				if v.Kind() != columns[k].Type().Kind() {
					return fmt.Errorf("column %q: %w: %v", columns[k].Name(), coles.ErrFormat, v.Kind())
				}
				if cell, err = cellOf(columns[k].Type())(v); err != nil {
					return fmt.Errorf("column %q: %w", columns[k].Name(), err)
				}
			}
			if text, ok := cell.(string); ok {
				if _, ok := kept[text]; !ok {
					kept[text] = text
				}
				cell = kept[text]
			}
			if left -= 32; k != id { // for the cell
				cells = append(cells, cell)
			} else if cell != nil {
				name = fmt.Sprint(cell)
			}
		}
		if name == "" || known[name] {
			return fmt.Errorf("%w: id %q is empty or given twice", coles.ErrIDs, name)
		}
		if left < 0 {
			return fmt.Errorf("the cells of all rows so far: %w", coles.ErrTooLarge)
		}
		known[name] = true
		t.Add(name, cells...)
		return nil
	})
	if err == nil && len(known) == 0 {
		err = fmt.Errorf("parquet: %w: no rows", dataset.ErrMissing)
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// cellOf makes cells of the values of a type, for [table.Table.Add]; it is nil for a type that no cell has.
func cellOf(of parquet.Type) func(v parquet.Value) (any, error) {
	as := func(read func(v parquet.Value) any) func(v parquet.Value) (any, error) {
		return func(v parquet.Value) (any, error) { return read(v), nil }
	}
	var logical format.LogicalTypeValue
	if l := of.LogicalType(); l != nil {
		logical = l.Value
	}
	switch l := logical.(type) {
	case nil:
		switch of.Kind() {
		case parquet.Boolean:
			return as(func(v parquet.Value) any { return v.Boolean() })
		case parquet.Int32:
			return as(func(v parquet.Value) any { return v.Int32() })
		case parquet.Int64:
			return as(func(v parquet.Value) any { return v.Int64() })
		case parquet.Float:
			return as(func(v parquet.Value) any { return v.Float() })
		case parquet.Double:
			return as(func(v parquet.Value) any { return v.Double() })
		case parquet.ByteArray:
			return func(v parquet.Value) (any, error) { return text(v) }
		}
	case *format.StringType, *format.EnumType:
		return func(v parquet.Value) (any, error) { return text(v) }
	case *format.IntType:
		switch wide := of.Kind() == parquet.Int64; {
		case wide && l.IsSigned:
			return as(func(v parquet.Value) any { return v.Int64() })
		case wide:
			return as(func(v parquet.Value) any { return v.Uint64() })
		case l.IsSigned:
			return as(func(v parquet.Value) any { return v.Int32() })
		}
		return as(func(v parquet.Value) any { return v.Uint32() })
	case *format.DateType:
		return as(func(v parquet.Value) any { return time.Unix(24*3600*int64(v.Int32()), 0).UTC() })
	case *format.TimestampType:
		return as(func(v parquet.Value) any { return timeOf(l, v.Int64()) })
	}
	return nil
}

// timeOf is a timestamp in its unit since 1970.
func timeOf(of *format.TimestampType, at int64) time.Time {
	switch of.Unit.Value.(type) {
	case *format.MilliSeconds:
		return time.UnixMilli(at).UTC()
	case *format.MicroSeconds:
		return time.UnixMicro(at).UTC()
	}
	return time.Unix(0, at).UTC()
}
