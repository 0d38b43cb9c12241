package parquet

import (
	"fmt"
	"io"

	"coles/dataset"

	"github.com/parquet-go/parquet-go"
)

// rowsAtOnce are read or written between two growths of what is kept.
const rowsAtOnce = 256

// budget is what the pages of a file of size bytes may say that they expand to, as for the
// archives of package dataset.
func budget(size int64) int64 { return 256<<20 + 64*size }

// open reads the footer and refuses what it and the headers of pages declare beyond the budget.
func open(r io.ReaderAt, size int64) (*parquet.File, error) {
	if r == nil {
		return nil, fmt.Errorf("parquet: %w: no reader", dataset.ErrMissing)
	}
	if err := checkFooter(r, size); err != nil {
		return nil, err
	}
	f, err := parquet.OpenFile(r, size, parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true))
	if err != nil {
		return nil, fmt.Errorf("parquet: %w: %w", dataset.ErrFormat, err)
	}
	left := budget(size)
	for g, group := range f.Metadata().RowGroups {
		for c := range group.Columns {
			taken, err := checkPages(r, &group.Columns[c].MetaData, size, left)
			if err != nil {
				return nil, fmt.Errorf("parquet: row group %d, column %d: %w", g, c, err)
			}
			left -= taken
		}
	}
	return f, nil
}

// guard makes an error of a panic: the decoders below are not ours, and what they make
// of a damaged file is no reason to end a program.
func guard(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("parquet: %w: the file makes its reader panic: %v", dataset.ErrFormat, r)
	}
}

// each visits the rows of a file. What a reader of Go values would make of a damaged one is
// not safe: values come as they are, and say of which kind that is.
func each(f *parquet.File, visit func(i int, row parquet.Row) error) (err error) {
	defer guard(&err)
	at := 0
	for _, group := range f.RowGroups() {
		rows := group.Rows()
		defer rows.Close()
		buf := make([]parquet.Row, rowsAtOnce)
		for {
			n, err := rows.ReadRows(buf)
			for k := range n {
				if err := visit(at+k, buf[k]); err != nil {
					return err
				}
			}
			at += n
			if err == io.EOF {
				break
			}
			if err != nil {
				return fmt.Errorf("parquet: row %d: %w: %w", at, dataset.ErrFormat, err)
			}
			if n == 0 {
				return fmt.Errorf("parquet: row %d: %w: no more rows, and no end", at, dataset.ErrFormat)
			}
		}
	}
	return nil
}

// text is a value that has to be text, in storage of its own.
func text(i int, v parquet.Value) (string, error) {
	if v.Kind() != parquet.ByteArray {
		return "", fmt.Errorf("parquet: row %d: %w: %v where text is expected", i, dataset.ErrFormat, v.Kind())
	}
	return string(v.ByteArray()), nil
}
