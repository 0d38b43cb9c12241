// Package table makes features of a table as people have it: columns of numbers, categories, free text and
// dates, with holes.
//
// A [Table] is cells under named columns, read by package dataset or filled by a program. [Fit] looks at its
// columns and returns an [Encoder], which turns rows of such a table, the learned ones and newcomers alike,
// into the features of a graph's nodes. coles.Preparation gives columns of unlike units comparable weights.
package table

import (
	"database/sql/driver"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"coles"
	"coles/internal/setting"
	filed "coles/internal/text"
)

// A Kind is the kind of the cells of a column, which decides the features made of them.
type Kind int

const (
	// Detect chooses by the cells that are no holes: Number, Date or Vector where nineteen in twenty are, so that a
	// mistyped one is found; Text where they are mostly different and have two words on average, or have eight;
	// else Category.
	Detect Kind = iota
	// Number is one feature of mean 0 and deviation 1. Where no number is negative, the largest is a hundred
	// times the smallest above 0 or more, and logarithms are less skew, it is those: log x, or log(1 + x/s) with
	// the smallest s above 0 where there are zeros. Where most are 0 they stay 0, and the mean square is 1.
	Number
	// Category is a feature of 0 and 1 for each of at most [MostValues] values that two rows have or more, the most
	// frequent ones. Others are as holes: to share one feature would make rows alike that have nothing in common. A
	// value has one form: true, True and TRUE are one, and 1 and 1.0. In a column whose kind is detected a cell may have several:
	// a JSON list of text, or what stands between bars or semicolons, if these are fewer values than there are different cells.
	Category
	// Text is counts of words: the segments of Unicode's word boundaries (UAX 29) that have a letter or a digit,
	// in lower case and composed form (NFC). It keeps words in two rows or more, at most [MostWords], the most
	// frequent ones.
	Text
	// Date is a Number, the seconds since 1970, without logarithms. Dates are written as in ISO 8601, with the
	// time and zone (Z, +01:00, +0100, +01) or without, with a T or a space before the time, with slashes, or as
	// 31.12.2024.
	Date
	// Ignore makes no features.
	Ignore
	// Vector is an embedding: cells are lists of numbers, all of one length, as JSON or NumPy write them. Each number is
	// a feature, less its mean, in a unit of all of them.
	Vector
)

// MostValues and MostWords bound the features of a category and of a text.
const (
	MostValues = 1000
	MostWords  = 5000
)

var mostNames = map[Kind]int{Category: MostValues, Text: MostWords}

var kindNames = []string{"detect", "number", "category", "text", "date", "ignore", "vector"}

// String is the name that UnmarshalText reads.
func (k Kind) String() string { return setting.Name(k, kindNames) }

// MarshalText gives the name that UnmarshalText reads.
func (k Kind) MarshalText() ([]byte, error) { return setting.Marshal(k, kindNames) }

// UnmarshalText reads a name such as "category".
func (k *Kind) UnmarshalText(text []byte) error { return setting.Unmarshal(k, text, kindNames) }

// A Column is a variable: a cell for every row, as text. See [IsHole] for missing values.
type Column struct {
	Name  string
	Kind  Kind
	Cells []string
	Exact bool // of cells that are no numbers or dates only empty ones are missing: what others stand for a reader has seen to
}

// lacks reports whether a cell of a column of this kind is missing.
func (c *Column) lacks(cell string, kind Kind) bool {
	return cell == "" || (!c.Exact || kind == Number || kind == Date) && IsHole(cell)
}

// A Table is columns of equal length, a row for every node.
type Table struct {
	IDs     []string // of the rows; nil where they are only numbered
	Columns []Column // of different names

	// Where the rows stand, for errors: the name of a file and the line of every row in it, nil if there are none.
	File  string
	Lines []int
}

// New returns a table without rows that has columns of these names, of a kind to be detected.
func New(columns ...string) *Table {
	t := &Table{}
	for _, name := range columns {
		t.Columns = append(t.Columns, Column{Name: name})
	}
	return t
}

// Add adds a row with a cell for every column: text, a number, a bool, a time.Time or a slice of floats, a pointer to
// one, or a driver.Valuer such as sql.NullString. nil, NaN, the zero time and "" are holes. It panics for a wrong number of
// cells and for a cell of another type. Rows that were only numbered get their numbers for ids.
func (t *Table) Add(id string, cells ...any) {
	if len(cells) != len(t.Columns) {
		panic(fmt.Sprintf("table: %d cells for %d columns", len(cells), len(t.Columns)))
	}
	for i := len(t.IDs); i < t.Rows(); i++ {
		t.IDs = append(t.IDs, strconv.Itoa(i))
	}
	t.IDs = append(t.IDs, id)
	if t.Lines != nil {
		t.Lines = append(t.Lines, 0) // it stands in none
	}
	for j, cell := range cells {
		t.Columns[j].Cells = append(t.Columns[j].Cells, text(cell))
	}
}

// text is a cell as a file would have it.
func text(cell any) string {
	switch v := cell.(type) {
	case nil:
		return ""
	case string:
		return v
	case []byte:
		return string(v)
	case time.Time:
		if v.IsZero() {
			return ""
		}
		return v.Format(time.RFC3339Nano)
	}
	r := reflect.ValueOf(cell)
	if r.Kind() == reflect.Pointer && r.IsNil() {
		return ""
	}
	if v, ok := cell.(driver.Valuer); ok {
		value, err := v.Value()
		if err != nil {
			panic(fmt.Sprintf("table: a cell of type %T: %v", cell, err))
		}
		return text(value)
	}
	switch r.Kind() {
	case reflect.Slice:
		if elem := r.Type().Elem().Kind(); elem == reflect.Float32 || elem == reflect.Float64 {
			return list(r)
		}
	case reflect.Pointer:
		return text(r.Elem().Interface())
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		return fmt.Sprint(cell) // of floats the shortest form, as of strconv
	}
	panic(fmt.Sprintf("table: a cell of type %T; give text, a number, a bool, a time, a slice of floats, a pointer to one or a driver.Valuer", cell))
}

// list is a slice of floats as a cell, "" without any.
func list(of reflect.Value) string {
	if of.Len() == 0 {
		return ""
	}
	cell := []byte{'['}
	for k := range of.Len() {
		cell = append(strconv.AppendFloat(cell, of.Index(k).Float(), 'g', -1, of.Type().Elem().Bits()), ',')
	}
	cell[len(cell)-1] = ']'
	return string(cell)
}

// Rows is the number of rows.
func (t *Table) Rows() int {
	if len(t.Columns) == 0 {
		return len(t.IDs)
	}
	return len(t.Columns[0].Cells)
}

// SetKind sets the kind of a column. The error is coles.ErrSetting for a name that no column has.
func (t *Table) SetKind(column string, kind Kind) error {
	k := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == column })
	if k < 0 {
		var names []string
		for _, c := range t.Columns {
			names = append(names, strconv.Quote(c.Name))
		}
		return fmt.Errorf("table: %w", setting.Bad("column", column, "one of %s", strings.Join(names, ", ")))
	}
	t.Columns[k].Kind = kind
	return nil
}

// Select returns the table of these rows in this order; −1 is a row of holes without an id.
func (t *Table) Select(rows []int) *Table {
	s := &Table{File: t.File, Columns: slices.Clone(t.Columns)}
	for j, c := range t.Columns {
		s.Columns[j].Cells = filed.Picked(c.Cells, rows)
	}
	s.IDs, s.Lines = filed.Picked(t.IDs, rows), filed.Picked(t.Lines, rows)
	return s
}

// check finds columns of different lengths, of one name, and of a name that no file holds.
func (t *Table) check() error {
	n := t.Rows()
	seen := make(map[string]bool)
	for _, c := range t.Columns {
		if len(c.Cells) != n {
			return fmt.Errorf("%d cells in column %q, %d in the first: %w", len(c.Cells), c.Name, n, coles.ErrShape)
		}
		if seen[c.Name] || !utf8.ValidString(c.Name) {
			return fmt.Errorf("column %q is there twice or not UTF-8: %w", c.Name, coles.ErrIDs)
		}
		seen[c.Name] = true
	}
	if t.IDs != nil && len(t.IDs) != n || t.Lines != nil && len(t.Lines) != n || n == 0 {
		return fmt.Errorf("%d rows, %d ids and %d lines: %w", n, len(t.IDs), len(t.Lines), coles.ErrShape)
	}
	return nil
}

// A CellError is a cell that does not fit the kind of its column.
type CellError struct {
	File   string // "" where the table has none
	Line   int    // 0 where the table has none
	Row    int    // from 0
	Column string
	Err    error // wraps a named error
}

// Error names the place of the cell and the fault.
func (e *CellError) Error() string {
	where := fmt.Sprintf("row %d", e.Row)
	if e.Line > 0 {
		where = fmt.Sprintf("%s:%d", e.File, e.Line)
	}
	return fmt.Sprintf("table: %s: column %q: %v", where, e.Column, e.Err)
}

// Unwrap gives the cause to errors.Is and errors.As.
func (e *CellError) Unwrap() error { return e.Err }

func (t *Table) fault(row int, column string, err error) error {
	e := &CellError{File: t.File, Row: row, Column: column, Err: err}
	if t.Lines != nil {
		e.Line = t.Lines[row]
	}
	return e
}
