package table

import (
	"database/sql"
	"errors"
	"testing"
	"time"

	"coles/internal/testkit"
)

type brand string

// Cells may be what a program or database/sql has; nil of any kind is a hole.
func TestAddTakesValuesOfPrograms(t *testing.T) {
	name, when := brand("Acme"), time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)
	price := 2.5
	var none *float64
	var gone *time.Time
	for _, c := range []struct {
		cell any
		want string
	}{
		{name, "Acme"}, {&name, "Acme"}, {&price, "2.5"}, {none, ""}, {gone, ""}, {&when, "2024-05-01T00:00:00Z"}, {[]byte("raw"), "raw"},
		{sql.NullString{String: "x", Valid: true}, "x"}, {sql.NullInt64{}, ""}, {&sql.NullTime{Time: when, Valid: true}, "2024-05-01T00:00:00Z"},
		{(*sql.NullFloat64)(nil), ""}, {sql.Null[bool]{V: true, Valid: true}, "true"}, {uint8(7), "7"},
	} {
		x := New("column")
		x.Add("a", c.cell)
		testkit.WantSame(t, "cell", x.Columns[0].Cells, []string{c.want})
	}
	for _, cell := range []any{struct{ X int }{1}, []string{"a"}, map[string]int{}, &[]int{1}, errors.New("no value"), 1i} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a cell of type %T is taken", cell)
				}
			}()
			New("column").Add("a", cell)
		}()
	}
}

// A table takes more rows after it was read, whose lines and ids stay those of their rows.
func TestAddToATableThatWasRead(t *testing.T) {
	x := &Table{Columns: []Column{{Name: "x", Cells: []string{"1", "2"}}}, File: "people.csv", Lines: []int{2, 3}}
	x.Add("new", "many")
	testkit.Check(t, x.check())
	testkit.WantSame(t, "ids", x.IDs, []string{"0", "1", "new"})
	testkit.Check(t, x.SetKind("x", Number))
	testkit.WantText(t, testkit.Err(Fit(t.Context(), x)).Error(), "row 2", `"many"`)
}
