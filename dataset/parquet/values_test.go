package parquet_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"coles"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
	"gonum.org/v1/gonum/mat"
)

// Decimals have a point.
func TestDecimals(t *testing.T) {
	type row struct {
		ID   int32    `parquet:"id"`
		Some int32    `parquet:"some,decimal(2:9)"`
		More int64    `parquet:"more,decimal(3:18)"`
		Long [16]byte `parquet:"long,decimal(1:38)"`
	}
	var minus [16]byte
	for i := range minus {
		minus[i] = 0xff // −1 in two's complement
	}
	got := must(readTable(rowsFile(t, row{7, -1234, 5, minus}, row{8, 99, -1000, [16]byte{14: 1}}, row{9, 0, 1, [16]byte{15: 10}})))
	wantSame(t, "ids", got.IDs, []string{"7", "8", "9"})
	for k, want := range []string{"-12.34 0.99 0.00", "0.005 -1.000 0.001", "-0.1 25.6 1.0"} {
		wantSame(t, got.Columns[k].Name, strings.Join(got.Columns[k].Cells, " "), want)
	}
}

type halfType struct{ parquet.Type }

func (halfType) LogicalType() *format.LogicalType {
	return &format.LogicalType{Value: &format.Float16Type{}}
}

// Numbers of 16 bits are what IEEE 754 says.
func TestHalves(t *testing.T) {
	var b bytes.Buffer
	w := parquet.NewGenericWriter[any](&b, parquet.NewSchema("", parquet.Group{
		"id": parquet.String(), "x": parquet.Leaf(halfType{parquet.FixedLenByteArrayType(2)}),
	}))
	want := []string{"-2", "5.960464477539063e-08", "65504", "0.333251953125"} // the least is 2⁻²⁴, and ⅓ is 1365/4096
	for k, bits := range []string{"\x00\xc0", "\x01\x00", "\xff\x7b", "\x55\x35"} {
		must(w.WriteRows([]parquet.Row{{parquet.ValueOf(want[k]).Level(0, 0, 0), parquet.FixedLenByteArrayValue([]byte(bits)).Level(0, 0, 1)}}))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got := must(readTable(b.Bytes()))
	wantSame(t, "cells", got.Columns[0].Cells, want)
}

// The three readers take integers of any width for ids, and any numbers for weights and vectors.
func TestNumbersOfAllTypes(t *testing.T) {
	type edge struct {
		Source int32   `parquet:"source"`
		Target uint32  `parquet:"target"`
		Weight float32 `parquet:"weight"`
	}
	d := must(readEdges(rowsFile(t, edge{-1, math.MaxUint32, 0.5}, edge{2, 7, 2})))
	wantSame(t, "ids", d.IDs, []string{"-1", "4294967295", "2", "7"})
	wantSame(t, "weight", d.Adjacency.At(0, 1), 0.5)
	type vector struct {
		ID     uint64    `parquet:"id"`
		Vector []float64 `parquet:"vector,list"`
	}
	v := must(readVectors(rowsFile(t, vector{1 << 63, []float64{0.1, -2}})))
	wantSame(t, "ids", v.IDs, []string{"9223372036854775808"})
	wantSame(t, "vector", mat.Row(nil, 0, v.Features), []float64{0.1, -2})
}

// The column of ids is found by its name, wherever it stands, and floats are none.
func TestColumnOfIDs(t *testing.T) {
	type index struct {
		X     float64 `parquet:"x"`
		Index string  `parquet:"__index_level_0__"`
	}
	type capitals struct {
		X    float64 `parquet:"x"`
		Node int8    `parquet:"Node_ID"`
	}
	type none struct {
		X float64 `parquet:"x"`
		Y string  `parquet:"y"`
	}
	type old struct {
		ID   string           `parquet:"id"`
		When deprecated.Int96 `parquet:"when"`
	}
	for name, c := range map[string]struct {
		file []byte
		id   string
		err  error
		text string
	}{
		"an index of pandas": {rowsFile(t, index{0.5, "n0"}), "n0", nil, ""},
		"capitals":           {rowsFile(t, capitals{0.5, 3}), "3", nil, ""},
		"a float":            {rowsFile(t, none{0.5, "a"}), "", coles.ErrIDs, `column "x"`},
		"INT96":              {rowsFile(t, old{"a", deprecated.Int96{1}}), "", coles.ErrFormat, "INT96"},
	} {
		got, err := readTable(c.file)
		if !errors.Is(err, c.err) || err != nil && !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: error %v, want %v with %s", name, err, c.err, c.text)
		} else if err == nil && (got.IDs[0] != c.id || got.Columns[0].Name != "x") {
			t.Errorf("%s: id %q and column %q", name, got.IDs[0], got.Columns[0].Name)
		}
	}
}

// A packed run may be filled up to 256 numbers, as DuckDB writes it, and nothing comes after it.
func TestFilledRuns(t *testing.T) {
	run := "\x41" + strings.Repeat("\x00", 32)                                                               // 32 times eight numbers of a bit
	if _, err := readVectors(twoPages(t, format.RLEDictionary, "\x01"+run)); !errors.Is(err, coles.ErrIDs) { // "a" is there twice
		t.Errorf("two ids in a run of 256: %v", err)
	}
	if _, err := readVectors(twoPages(t, format.RLEDictionary, "\x01"+run+run)); !errors.Is(err, coles.ErrFormat) {
		t.Errorf("a run after the last: %v", err)
	}
}
