package parquet

import (
	"fmt"
	"io"

	"coles"
	"coles/dataset"
	"coles/internal/source"

	"github.com/parquet-go/parquet-go"
)

// rowsAtOnce are read or written between two growths of what is kept.
const rowsAtOnce = 256

// open reads the footer and refuses pages that declare to expand beyond the budget of a packed file.
func open(from io.Reader) (*parquet.File, error) {
	source.Binary(from, "parquet")
	r, err := source.Section(from)
	if err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	size := r.Size()
	if err := checkFooter(r, size); err != nil {
		return nil, err
	}
	f, err := parquet.OpenFile(r, size, parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true))
	if err != nil {
		return nil, fmt.Errorf("parquet: %w: %w", coles.ErrFormat, err)
	}
	left, leaves, groups := source.Budget(source.FreeBinary, size), leavesOf(f.Root(), nil), f.Metadata().RowGroups
	for g := range groups {
		if len(groups[g].Columns) != len(leaves) {
			return nil, fmt.Errorf("parquet: row group %d: %w: %d columns of %d", g, coles.ErrFormat, len(groups[g].Columns), len(leaves))
		}
		for c, leaf := range leaves {
			column := &groups[g].Columns[c].MetaData
			if column.Codec != groups[0].Columns[c].MetaData.Codec { // the library unpacks all alike
				return nil, fmt.Errorf("parquet: row group %d, column %d: %w: another compression than in the first group", g, c, coles.ErrFormat)
			}
			taken, err := checkPages(r, leaf, &groups[g], column, size, left)
			if err != nil {
				return nil, fmt.Errorf("parquet: row group %d, column %d: %w", g, c, err)
			}
			left -= taken
		}
	}
	return f, nil
}

// leavesOf adds the columns of values below a column, in the order in which they are stored.
func leavesOf(c *parquet.Column, leaves []*parquet.Column) []*parquet.Column {
	if c.Leaf() {
		return append(leaves, c)
	}
	for _, below := range c.Columns() {
		leaves = leavesOf(below, leaves)
	}
	return leaves
}

// namesOf are the names of the columns of the first level.
func namesOf(f *parquet.File) (names []string) {
	for _, c := range f.Root().Columns() {
		names = append(names, c.Name())
	}
	return names
}

// listOf is the name of the only column of lists, or else "vector".
func listOf(f *parquet.File) string {
	var lists []string
	for _, c := range f.Root().Columns() {
		if below := leavesOf(c, nil); len(below) == 1 && below[0].MaxRepetitionLevel() > 0 {
			lists = append(lists, c.Name())
		}
	}
	if len(lists) == 1 {
		return lists[0]
	}
	return "vector"
}

// guard makes an error of a panic: the decoders below are not ours, and what they make of a damaged
// file is no reason to end a program.
func guard(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("parquet: %w: the file makes its reader panic: %v", coles.ErrFormat, r)
	}
}

// each visits the rows of a file. What a reader of Go values would make of a damaged one is not
// safe: values come as they are, and say of which kind that is.
func each(f *parquet.File, visit func(i int, row parquet.Row) error) error {
	at := 0
	for _, group := range f.RowGroups() {
		rows := group.Rows()
		defer rows.Close()
		buf := make([]parquet.Row, rowsAtOnce)
		for {
			n, err := rows.ReadRows(buf)
			for k := range n {
				if err := visit(at+k, buf[k]); err != nil {
					return fmt.Errorf("parquet: row %d: %w", at+k, err)
				}
			}
			at += n
			if err == io.EOF {
				break
			}
			if err != nil {
				return fmt.Errorf("parquet: row %d: %w: %w", at, coles.ErrFormat, err)
			}
			if n == 0 {
				return fmt.Errorf("parquet: row %d: %w: no more rows, and no end", at, coles.ErrFormat)
			}
		}
	}
	return nil
}

// leaf finds the column of the values of a column of the first level, and demands that they are in a number of
// lists, one in the other, at most.
func leaf(f *parquet.File, name string, lists int) (*reading, error) {
	c := f.Root().Column(name)
	if c == nil {
		return nil, fmt.Errorf("parquet: %w: column %q", dataset.ErrMissing, name)
	}
	for !c.Leaf() {
		below := c.Columns()
		if len(below) != 1 {
			return nil, fmt.Errorf("parquet: column %q: %w: a group of %d columns", name, coles.ErrFormat, len(below))
		}
		c = below[0]
	}
	if c.MaxRepetitionLevel() > lists {
		return nil, fmt.Errorf("parquet: column %q: %w: values in %d lists, want at most %d", name, coles.ErrFormat, c.MaxRepetitionLevel(), lists)
	}
	r, err := readingOf(f, c)
	if err != nil {
		return nil, fmt.Errorf("parquet: column %q: %w", name, err)
	}
	return &r, nil
}

// idsOf is the column of a name that has ids.
func idsOf(f *parquet.File, name string) (*reading, error) {
	r, err := leaf(f, name, 0)
	if err == nil && !r.names {
		err = fmt.Errorf("parquet: column %q: %w: ids are text or integers, not %v", name, coles.ErrFormat, r.Type())
	}
	return r, err
}

// numbersOf is the column of a name that has numbers.
func numbersOf(f *parquet.File, name string, lists int) (*reading, error) {
	r, err := leaf(f, name, lists)
	if err == nil && r.number == nil {
		err = fmt.Errorf("parquet: column %q: %w: of type %v, want numbers", name, coles.ErrFormat, r.Type())
	}
	return r, err
}
