package parquet

import (
	"fmt"
	"io"
	"slices"

	"coles"
	"coles/dataset"
	"coles/internal/source"
	header "coles/internal/text"
	"coles/table"

	"github.com/parquet-go/parquet-go"
)

// ReadTable reads a file, as [ReadVectors] does, whose columns are text, numbers, decimals, truth values, dates,
// timestamps and lists of numbers: the cells of a table. The ids of its rows, text or integers, are in the column called "id", "node_id" or the
// like, as in text, or, as pandas names an index, "__index_level_0__", or where there is none in the first. null is a hole.
//
// Errors: coles.ErrFormat for a column of another type, such as a list of text or a timestamp of type INT96, coles.ErrIDs for
// an id that is null, empty or given twice and for ids of another type, coles.ErrTooLarge for more text than 256 MB
// and 64 times the file's size, dataset.ErrMissing for a file without rows.
func ReadTable(r io.Reader) (t *table.Table, err error) {
	defer guard(&err)
	f, err := open(r)
	if err != nil {
		return nil, err
	}
	top := f.Root().Columns()
	columns := make([]*reading, len(top)) // of their leaves, which are stored in this order
	for k, c := range top {
		if columns[k], err = leaf(f, c.Name(), 1); err != nil {
			return nil, err
		}
		if columns[k].lists() && columns[k].number == nil {
			return nil, fmt.Errorf("parquet: column %q: %w: a list of %v, want numbers", c.Name(), coles.ErrFormat, columns[k].Type())
		}
	}
	id := idOf(namesOf(f))
	if !columns[id].names || columns[id].lists() {
		return nil, fmt.Errorf("parquet: column %q: %w: ids are text or integers, not %v; call the column of ids id", top[id].Name(), coles.ErrIDs, columns[id].Type())
	}
	t = table.New()
	for k, c := range top {
		if k != id {
			t.Columns = append(t.Columns, table.Column{Name: c.Name()})
		}
	}
	known := make(map[string]bool)
	kept := make(map[string]string) // a file may hold a text once for many rows
	left := source.Budget(source.FreeBinary, f.Size())
	err = each(f, func(i int, row parquet.Row) error {
		var name string
		cells := make([]any, 0, len(columns))
		for k, c := range columns {
			own := 0
			for own < len(row) && row[own].Column() == k {
				own++
			}
			if own == 0 || own > 1 && !c.lists() || k == len(columns)-1 && own < len(row) {
				return fmt.Errorf("%w: %d values, not all of %d columns", coles.ErrFormat, len(row), len(columns))
			}
			var cell any
			var err error
			if cell, err = c.cell(row[0]); c.lists() {
				cell, err = c.list(row[:own])
				left -= 24 * int64(own)
			}
			if err != nil {
				return fmt.Errorf("column %q: %w", top[k].Name(), err)
			}
			row = row[own:]
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

// idOf is the column of ids.
func idOf(names []string) int {
	id, named := header.IDColumn(names, names)
	if index := slices.Index(names, "__index_level_0__"); index >= 0 && !(named && header.IsIDName(names[id])) {
		return index
	}
	return id
}
