package table

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"coles/internal/testkit"
)

// BenchmarkShop learns from and encodes 20,000 rows of seven columns, two of them texts of 5 to 14 words.
func BenchmarkShop(b *testing.B) {
	rng := testkit.Random(1)
	words := func() string {
		all := make([]string, 5+rng.IntN(10))
		for k := range all {
			all[k] = fmt.Sprintf("word%d", rng.IntN(2000))
		}
		return strings.Join(all, " ")
	}
	t := New("brand", "colour", "price", "weight", "added", "title", "description")
	for i := range 20000 {
		t.Add(fmt.Sprint(i), fmt.Sprint("Brand ", rng.IntN(40)), []string{"red", "blue", ""}[rng.IntN(3)], rng.ExpFloat64(), rng.NormFloat64(),
			fmt.Sprintf("2024-%02d-01", 1+rng.IntN(12)), words(), words())
	}
	for b.Loop() {
		e := testkit.Must(Fit(context.Background(), t))
		testkit.Must(e.Encode(context.Background(), t))
	}
}

// wide is a table with a number of categories of two values and a rare one.
func wide(columns int) *Table {
	t := &Table{Columns: make([]Column, columns)}
	for j := range t.Columns {
		t.Columns[j] = Column{Name: fmt.Sprint("column ", j), Kind: Category, Cells: []string{"x", "y", "x", "y", fmt.Sprint(j)}}
	}
	return t
}

// BenchmarkRow encodes a row of one column by encoders of 20,000 columns, and of 500,000 rare values from a file of an
// earlier version, which lists them.
func BenchmarkRow(b *testing.B) {
	values := slices.Sorted(slices.Values(repeat(500000, "value %d")))
	for name, c := range map[string]struct {
		e      *Encoder
		column string
	}{
		"columns": {testkit.Must(Fit(context.Background(), wide(20000))), "column 7"},
		"earlier": {testkit.Must(newEncoder([]Variable{{Name: "c", Kind: Category, Names: []string{"x"}, Rare: values}})), "c"},
	} {
		b.Run(name, func(b *testing.B) {
			row := New(c.column)
			row.Add("", "value 7")
			for b.Loop() {
				testkit.Must(c.e.Encode(context.Background(), row))
			}
		})
	}
}
