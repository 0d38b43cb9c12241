package table

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"coles"
	"coles/internal/testkit"
)

// column is a table of one column of these cells.
func column(cells ...string) *Table {
	return &Table{Columns: []Column{{Name: "c", Cells: cells}}}
}

// repeat is the cells times over, each time with a number where they have %d.
func repeat(times int, cells ...string) (all []string) {
	for i := range times {
		for _, cell := range cells {
			if strings.Contains(cell, "%d") {
				cell = fmt.Sprintf(cell, i)
			}
			all = append(all, cell)
		}
	}
	return all
}

func TestDetection(t *testing.T) {
	for name, c := range map[string]struct {
		cells []string
		want  Kind
	}{
		"whole numbers":            {repeat(9, "%d"), Number},
		"numbers of any unit":      {[]string{"1e-300", "-2.5E+7", "+0", " 12 "}, Number},
		"numbers and holes":        {[]string{"1", "", "NA", "?", " - ", "NaN", "2", "None"}, Number},
		"a mistyped number":        {append(repeat(19, "%d"), "12 kg"), Number}, // nineteen of twenty
		"two mistyped numbers":     {append(repeat(18, "%d"), "12 kg", "3 kg"), Category},
		"decimal commas":           {[]string{"0,5", "1,25"}, Number}, // so that they are refused
		"dates":                    {[]string{"2024-02-29", "1969-12-31", ""}, Date},
		"dates with times":         {[]string{"2024-02-29T12:00:00Z", "2024-02-29 12:00:00", "29.2.2024"}, Date},
		"zones of pandas":          {[]string{"2024-06-01 12:00:00+00:00", "2024-06-02 13:00:00.123456-09:30", "NaT"}, Date},
		"zones of PostgreSQL":      {[]string{"2024-06-01 12:00:00+00", "2024-06-01 12:00:00.5-03", "2024-06-01 12:00+05:30"}, Date},
		"other zones of ISO 8601":  {[]string{"2024-06-01T12:00Z", "2024-06-01T12:00:00+0000", "2024-06-01T12:00:00,5Z"}, Date},
		"holes of pandas":          {[]string{"1", "NaT", "<NA>", "#N/A", "#NA", "-nan", "null", "None", "2"}, Number},
		"people called Nat":        {repeat(3, "Nat", "NAT"), Category},
		"days that are not":        {[]string{"2024-02-30", "2023-02-29"}, Text},
		"months first, or last":    {[]string{"02/03/2024", "03/02/2024"}, Text},
		"truth":                    {repeat(3, "true", "false"), Category},
		"names of countries":       {repeat(9, "United Kingdom", "Cote d'Ivoire"), Category},
		"names of people":          {repeat(9, "Ann Smith%d"), Text},
		"one word each":            {repeat(9, "ann%d"), Category},
		"long, of few":             {repeat(9, "one two three four five six seven eight"), Text},
		"Chinese":                  {repeat(9, "北京市%d"), Text}, // a segment each
		"nothing but holes":        {[]string{"", "na"}, Ignore},
		"a dash between two words": {repeat(9, "-", "x-y"), Category},
	} {
		t.Run(name, func(t *testing.T) {
			kind, _ := column(c.cells...).Columns[0].detect(t.Context())
			testkit.WantSame(t, "kind", kind, c.want)
		})
	}
}

// A time is the same in every form of its zone.
func TestZones(t *testing.T) {
	want := time.Date(2024, 6, 1, 10, 30, 0, 5e8, time.UTC)
	for _, cell := range []string{
		"2024-06-01T12:30:00.5+02:00", "2024-06-01 12:30:00.500+02:00", "2024-06-01 12:30:00.5+02", "2024-06-01T12:30:00.5+0200",
		"2024-06-01 10:30:00.5Z", "2024-06-01 10:30:00.5", "2024-06-01 01:00:00.500000-09:30",
	} {
		got, ok := date(cell)
		testkit.WantSame(t, cell, []any{got, ok}, []any{float64(want.UnixMilli()) / 1000, true})
	}
}

// An error names the place; what is asked for is done.
func TestRefusals(t *testing.T) {
	numbers := repeat(40, "%d")
	typo := column(append(numbers, "x")...)
	typo.File, typo.Lines = "t.csv", make([]int, 41)
	typo.Lines[40] = 57
	far := column("1", "1e999")
	commas := column("0,5", "1,25")
	set := column("1", "two")
	testkit.Check(t, set.SetKind("c", Date))
	for name, c := range map[string]struct {
		t    *Table
		want error
		text string
	}{
		"a mistyped number":   {typo, coles.ErrFormat, `t.csv:57: column "c": malformed: "x" is not a number`},
		"too large":           {far, coles.ErrNotFinite, `row 1: column "c"`},
		"decimal commas":      {commas, coles.ErrFormat, `"0,5" has a comma`},
		"no date":             {set, coles.ErrFormat, `"1" is not a date`},
		"no rows":             {New("a"), coles.ErrShape, "0 rows"},
		"no columns":          {&Table{IDs: []string{"ann"}}, coles.ErrShape, "no column"},
		"nothing in it":       {column("a", "a"), coles.ErrShape, "no column tells rows apart"},
		"rows of two lengths": {&Table{Columns: []Column{{Name: "a", Cells: []string{"1"}}, {Name: "b"}}}, coles.ErrShape, `column "b"`},
		"two of one name":     {&Table{Columns: []Column{{Name: "a", Cells: []string{"1"}}, {Name: "a", Cells: []string{"1"}}}}, coles.ErrIDs, `"a"`},
		"too few ids":         {&Table{IDs: []string{"x"}, Columns: column("1", "2").Columns}, coles.ErrShape, "1 ids"},
		"a name not UTF-8":    {&Table{Columns: []Column{{Name: "\xff", Cells: []string{"1", "2"}}}}, coles.ErrIDs, `"\xff"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Fit(context.Background(), c.t)
			testkit.WantError(t, err, c.want)
			testkit.WantText(t, err.Error(), c.text)
		})
	}
	err := column("1").SetKind("d", Text)
	testkit.WantError(t, err, coles.ErrSetting)
	testkit.WantText(t, err.Error(), `column = "d", want one of "c"`)
	testkit.Stops(t, func(ctx context.Context) error { _, err := Fit(ctx, column(numbers...)); return err })
}

// Lists are split where their parts are shared and few; the expected rows are counted by hand.
func TestListsAreSeveralCategories(t *testing.T) {
	for name, c := range map[string]struct {
		cells []string
		names string // of the features
		rows  []string
	}{
		"bars":           {[]string{"Action|Drama", "Drama", "Action|Comedy", "", "Comedy| Drama |Drama"}, "Action Comedy Drama", []string{"101", "001", "110", "000", "011"}},
		"semicolons":     {[]string{"b;a", "a", "b;c", "c;a"}, "a b c", []string{"110", "100", "011", "101"}},
		"JSON":           {[]string{`["x", "y|z"]`, `["x"]`, `["y|z", "w"]`, `["w"]`}, "w x y|z", []string{"011", "010", "101", "100"}},
		"one in a row":   {[]string{"x|y", "z", "z", "w", "w"}, "w z", []string{"00", "01", "01", "10", "10"}},
		"unlike":         {[]string{"x|y|1", "x|z|2", "u|v|3"}, "x", nil},                                         // of words
		"by chance":      {append(repeat(100, "number %d is good"), "ok", "ok;thanks"), "good is number ok", nil}, // of words
		"the same end":   {append(repeat(100, "number %d is good"), "ink; texts", "ink", "pens; texts", "pens", "maps; texts", "maps", "tape; texts", "tape"), "good ink is maps number pens tape texts", nil},
		"a bar as value": {[]string{"|", "|", "a", "a"}, "a |", []string{"01", "01", "10", "10"}},
	} {
		table := column(c.cells...)
		table.Columns = append(table.Columns, Column{Name: "n", Kind: Number, Cells: repeat(len(c.cells), "%d")})
		e := testkit.Must(Fit(context.Background(), table))
		v := e.Variables()[0]
		testkit.WantSame(t, name, strings.Join(v.Names, " "), c.names)
		if c.rows == nil {
			continue
		}
		x := testkit.Must(e.Encode(context.Background(), table))
		for i, row := range c.rows {
			got := ""
			for j := range v.Names {
				got += fmt.Sprint(x.At(i, j))
			}
			testkit.WantSame(t, fmt.Sprintf("%s, row %d", name, i), got, row)
		}
	}
	table := column("a|b", "b|c", "a|c", "a|b|c")
	table.Columns[0].Kind = Category
	testkit.WantError(t, testkit.Err(Fit(context.Background(), table)), coles.ErrShape) // a name each
	table.Columns[0].Kind = Detect
	testkit.WantSame(t, "line", testkit.Must(Fit(context.Background(), table)).Variables()[0].String(), `category, 3 values, 0 holes, 3 features, several a cell by "|"`)
}
