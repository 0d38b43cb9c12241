package parquet_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"coles"
	"coles/dataset"
	pq "coles/dataset/parquet"
	"coles/table"
)

func wantSame(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// A product is a row of every type that a table may have.
type product struct {
	Brand string     `parquet:"brand,dict"`
	ID    int64      `parquet:"id"`
	Price *float64   `parquet:"price"`
	Stock int32      `parquet:"stock"`
	Seen  uint64     `parquet:"seen"`
	Sale  bool       `parquet:"sale"`
	Added time.Time  `parquet:"added,timestamp(microsecond)"`
	Since int32      `parquet:"since,date"`
	Part  float32    `parquet:"part"`
	Gone  *time.Time `parquet:"gone"`
}

func readTable(file []byte) (*table.Table, error) { return pq.ReadTable(bytes.NewReader(file)) }

func TestTable(t *testing.T) {
	price := 0.1
	when := time.Date(2024, 2, 29, 12, 0, 0, 500000, time.UTC)
	got := must(readTable(rowsFile(t,
		product{"Acme", 7, &price, -2, 1 << 63, true, when, 19782, 0.1, &when}, // 19782 days after 1970-01-01 is 2024-02-29
		product{"", 8, nil, 0, 0, false, when.Add(time.Hour), -1, 2, nil},
	)))
	var cells []string
	for _, c := range got.Columns {
		cells = append(cells, c.Name+" "+strings.Join(c.Cells, " "))
	}
	wantSame(t, "ids", got.IDs, []string{"7", "8"})
	wantSame(t, "cells", cells, []string{
		"brand Acme ", "price 0.1 ", "stock -2 0", "seen 9223372036854775808 0", "sale true false",
		"added 2024-02-29T12:00:00.0005Z 2024-02-29T13:00:00.0005Z", "since 2024-02-29T00:00:00Z 1969-12-31T00:00:00Z", "part 0.1 2",
		"gone 2024-02-29T12:00:00.0005Z ",
	})
	narrow := must(readTable(must(os.ReadFile("testdata/narrow.parquet"))))
	wantSame(t, "deltas of 32 bits", narrow.Columns[0].Cells, []string{"1", "2000000000", "7"})
	e := must(table.Fit(context.Background(), got))
	wantSame(t, "kinds", []table.Kind{e.Variables()[5].Kind, e.Variables()[1].Kind}, []table.Kind{table.Date, table.Number})
}

func TestBadTable(t *testing.T) {
	type text struct{ ID, Name string }
	type list struct {
		ID   string
		Tags []string
	}
	type group struct{ ID struct{ A, B string } }
	for name, c := range map[string]struct {
		file []byte
		want error
		text string
	}{
		"no rows":     {rowsFile[text](t), dataset.ErrMissing, "no rows"},
		"an id twice": {rowsFile(t, text{"a", "x"}, text{"a", "y"}), coles.ErrIDs, "row 1"},
		"an empty id": {rowsFile(t, text{"", "x"}), coles.ErrIDs, "row 0"},
		"a list":      {rowsFile(t, list{"a", []string{"b"}}), coles.ErrFormat, `column "Tags"`},
		"a group":     {rowsFile(t, group{}), coles.ErrFormat, `column "ID"`},
		// DuckDB 1.5.6: copy (select 'a' as id, 1::UINTEGER as c union all select 'b', 4000000000 union all select 'c', 7)
		// to 'wide.parquet' (format parquet, parquet_version V2); narrow.parquet has 2000000000.
		"wide deltas":     {must(os.ReadFile("testdata/wide.parquet")), coles.ErrFormat, "PARQUET_VERSION"},
		"text not UTF-8":  {rowsFile(t, text{"a", "\xff"}), coles.ErrFormat, `column "Name"`},
		"no file of this": {[]byte("id,name"), coles.ErrChecksum, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readTable(c.file)
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("error %v, want %v at %s", err, c.want, c.text)
			}
		})
	}
}

// A list of numbers is a cell, a list that is null or empty a hole.
func TestTableOfVectors(t *testing.T) {
	type photo struct {
		ID     string    `parquet:"id"`
		Photo  []float32 `parquet:"photo,list"`
		Size   int64     `parquet:"size"`
		Double []float64 `parquet:"double,optional"`
	}
	got := must(readTable(rowsFile(t, photo{"a", []float32{0.5, -2}, 1, []float64{0.1}}, photo{"b", nil, 2, nil}, photo{"c", []float32{1, 3}, 4, []float64{3}})))
	var cells [][]string
	for _, c := range got.Columns {
		cells = append(cells, append([]string{c.Name}, c.Cells...))
	}
	wantSame(t, "cells", cells, [][]string{{"photo", "[0.5,-2]", "", "[1,3]"}, {"size", "1", "2", "4"}, {"double", "[0.1]", "", "[3]"}})
	e := must(table.Fit(context.Background(), got))
	wantSame(t, "kinds", []table.Kind{e.Variables()[0].Kind, e.Variables()[1].Kind}, []table.Kind{table.Vector, table.Number})
}
