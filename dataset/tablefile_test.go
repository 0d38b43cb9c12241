package dataset

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"coles"
	"coles/dataset/parse"
	"coles/internal/testkit"
	"coles/table"

	"gonum.org/v1/gonum/mat"
)

// cells are the columns of a table with their cells: "name: cell|cell|…".
func cells(t *table.Table) (all []string) {
	for _, c := range t.Columns {
		all = append(all, c.Name+": "+strings.Join(c.Cells, "|"))
	}
	return all
}

// A features file with text somewhere at its beginning is a table, in every form of text.
func TestTableForms(t *testing.T) {
	want := []string{"size: 1||2", "colour: red|dark blue|", "note: a|b\nb|"}
	for name, features := range map[string]string{
		"commas":     "id,size,colour,note\nann,1,red,a\nbob,,\"dark blue\",\"b\nb\"\ncy,2,,\n",
		"tabs":       "id\tsize\tcolour\tnote\nann\t1\tred\ta\nbob\t\tdark blue\t\"b\nb\"\ncy\t2\t\t\n",
		"semicolons": "\ufeff# exported\r\nid;size;colour;note\r\n\"ann\";1;red;a\r\nbob;; dark blue ;\"b\nb\"\r\ncy;2;;\r\n",
		"objects":    `{"id":"ann","size":1,"colour":"red","note":"a"}` + "\n\n" + `{"note":"b\nb", "colour":"dark blue", "id":"bob"}` + "\n" + `{"id":"cy","size":2,"colour":null}`,
		"no id":      "\ufeff" + `{"who":"ann","size":1,"colour":"red","note":"a"}` + "\n" + `{"colour":"dark blue","note":"b\nb","who":"bob"}` + "\n" + `{"who":"cy","size":2}`,
	} {
		t.Run(name, func(t *testing.T) {
			d := testkit.Must(readText("bob,cy\n", features, ""))
			testkit.WantSame(t, "ids", [][]string{d.IDs, d.Table.IDs}, [][]string{{"ann", "bob", "cy"}, {"ann", "bob", "cy"}})
			testkit.WantSame(t, "cells", cells(d.Table), want)
		})
	}

	d := testkit.Must(readText("x y\n", "x 12:30 1 a\ny 13 2 b\n", ""))
	testkit.WantSame(t, "without a header", cells(d.Table), []string{"2: 12:30|13", "3: 1|2", "4: a|b"})
	d = testkit.Must(readText("x,#2\n", "name,a,b\nx,1,red\n#2,2,%\n", ""))
	testkit.WantSame(t, "names like comments", cells(d.Table), []string{"a: 1|2", "b: red|%"})
	d = testkit.Must(readWith("x,y\n", "id,a,b\nx,1,2\ny,3,4\n", "", parse.Options{Kinds: map[string]table.Kind{"b": table.Category}}))
	testkit.WantSame(t, "nothing but numbers", cells(d.Table), []string{"a: 1|3", "b: 2|4"})
	testkit.WantSame(t, "kinds", []table.Kind{d.Table.Columns[0].Kind, d.Table.Columns[1].Kind}, []table.Kind{table.Detect, table.Category})
}

// What a file is does not depend on the pieces that it comes in, nor on the end of its last line.
func TestTableInPieces(t *testing.T) {
	late := numbers(5500) + "last,red,4\n" // behind 55 kB of numbers
	open := strings.TrimSuffix(late, "\n")
	for _, features := range []io.Reader{strings.NewReader(late), iotest.OneByteReader(strings.NewReader(late)), strings.NewReader(open)} {
		_, err := ReadEdgeList(strings.NewReader("n1,last\n"), features, parse.Options{})
		testkit.WantError(t, err, coles.ErrFormat)
		testkit.WantText(t, err.Error(), `features:5501: column "2"`) // as of a table
	}
}

// Faults in a table have the line on which its row begins.
func TestTablePlaces(t *testing.T) {
	d := testkit.Must(readText("a b\n", "id,n,text\na,1,\"x\n\ny\"\nb,2,z\n", ""))
	testkit.WantSame(t, "lines", d.Table.Lines, []int{2, 5})
	_, err := readWith("a b\n", "id,n,text\na,1,\"x\n\ny\"\nb,2,z\n", "", parse.Options{Kinds: map[string]table.Kind{"text": table.Number}})
	testkit.WantError(t, err, coles.ErrFormat)
	testkit.WantText(t, err.Error(), `dataset: features:2: column "text": malformed: "x\n\ny" is not a number; parse.Options.Kinds says`)
}

// Nodes without a row, and rows with holes, go by what the options say, as with numbers.
func TestTableMissing(t *testing.T) {
	const edges, features = "a b\nb c\nc d\n", "id,size,colour,weight\na,1,red,1\nb,,red,2\nc,3,red,3\n"
	for missing, want := range map[string]string{
		"":      `bad node ids: no line in features for node "d"`,
		"error": `features:3:3: malformed: "" says nothing`,
		"zero":  "a b c d: 1||3|",
		"mean":  "a b c d: 1||3|",
		"drop":  "a c: 1|3",
	} {
		d, err := readWith(edges, features, "", parse.Options{Missing: missing, MissingRows: missing})
		if err != nil {
			testkit.WantText(t, err.Error(), want)
			continue
		}
		testkit.WantSame(t, missing, strings.Join(d.IDs, " ")+strings.TrimPrefix(cells(d.Table)[0], "size"), want)
	}
	ignored := parse.Options{Missing: "error", Kinds: map[string]table.Kind{"size": table.Ignore}}
	testkit.Must(readWith("a b\n", features, "", ignored))
	d := testkit.Must(readWith("c b\n", features, "", parse.Options{SkipUnknown: true}))
	testkit.WantSame(t, "skipped", cells(d.Table)[0], "size: |3")
	d.Table.Columns[0].Cells = nil
	testkit.WantError(t, d.Validate(), coles.ErrShape)

	// Of numbers alone a gap is the mean, which is said.
	var said error
	d = testkit.Must(readWith("a b\nb c\n", "a,1,5\nb,NA,5\nc,4,5\n", "", parse.Options{Warn: func(err error) { said = err }}))
	testkit.WantSame(t, "mean", d.Features.At(1, 0), 2.5)
	testkit.WantSame(t, "said", said.Error(), "dataset: features: cells without a number get the mean of their column: 1")
}

// Features of a table are made by the encoder that is given, or one learned.
func TestEncoders(t *testing.T) {
	d := testkit.Must(readText("a b\n", "id,size,colour\na,1,red\nb,2,red\nc,3,blue\nd,3,blue\n", ""))
	testkit.WantSame(t, "names", d.FeatureNames, []string{"size", "colour=blue", "colour=red"})
	testkit.WantClose(t, "features", d.Features, testkit.Must(d.Encoder.Encode(context.Background(), d.Table)), 0)
	testkit.Check(t, d.Validate())
	later := testkit.Must(readWith("x y\n", "id,colour\nx,red\ny,green\n", "", parse.Options{Encoder: d.Encoder}))
	testkit.WantSame(t, "newcomers", [][]float64{mat.Row(nil, 0, later.Features), mat.Row(nil, 1, later.Features)}, [][]float64{{0, 0, 1}, {0, 0, 0}})
	numbers := testkit.Must(readWith("x y\n", "id,size\nx,2.25\ny,4\n", "", parse.Options{Encoder: d.Encoder}))
	testkit.WantSame(t, "one of the mean", mat.Row(nil, 0, numbers.Features), []float64{0, 0, 0})
	_, err := readWith("", `{"id":"x","vector":[[1,2,3]]}`, "", parse.Options{Encoder: d.Encoder})
	testkit.WantError(t, err, coles.ErrFormat)
	testkit.WantText(t, err.Error(), `features:1: malformed: member "vector" is neither text nor a number`)
	for _, constant := range []string{"id,c\na,x\nb,y\n", "id,c,d\na,x,7\nb,x,7\n"} { // as the same numbers in all rows
		d := testkit.Must(readText("a b\n", constant, ""))
		testkit.WantClose(t, "no column tells rows apart", d.Features, mat.NewDense(2, 1, nil), 0)
		testkit.WantSame(t, "a table, an encoder", []bool{d.Table != nil, d.Encoder != nil}, []bool{false, false})
	}
}

// Numbers as they are go into the columns of an encoder by name, in every form of text, and by position without names.
func TestNumbersByName(t *testing.T) {
	e := testkit.Must(table.AsIs([]string{"b", "a"}, []float64{7, 8}))
	want := mat.NewDense(2, 2, []float64{2, 1, -0.5, 3e7})
	for name, features := range map[string]string{
		"a table":         "id,a,b\nx,1,2\ny,3e7,-0.5\n",
		"the same order":  "id\tb\ta\nx\t2\t1\ny\t-0.5\t3e7\n",
		"a column more":   "id,note,a,b\nx,new,1,2\ny,,3e7,-0.5\n",
		"objects":         `{"id":"x","a":1,"b":2}` + "\n" + `{"b":-0.5,"id":"y","a":" 3e7 "}`,
		"no names":        "x,2,1\ny,-0.5,3e7\n",
		"objects without": `{"id":"x","vector":[2,1]}` + "\n" + `{"id":"y","vector":[-0.5,3e7]}`,
	} {
		var said []string
		d := testkit.Must(readWith("x y\n", features, "", parse.Options{Encoder: e, Warn: func(err error) { said = append(said, err.Error()) }}))
		testkit.WantClose(t, name, d.Features, want, 0)
		testkit.WantSame(t, name, d.Table == nil && d.Encoder == nil, true)
		if name == "a column more" {
			testkit.WantSame(t, name, said, []string{"dataset: features: columns that are left out: note"})
		} else {
			testkit.WantSame(t, name, len(said), 0)
		}
	}
	one := testkit.Must(readWith("", `{"id":"x","a":1,"b":2}`, "", parse.Options{Encoder: e}))
	testkit.WantClose(t, "one row", one.Features, want.Slice(0, 1, 0, 2), 0)
	gap := testkit.Must(readWith("", `{"id":"x","a":1,"b":2}`+"\n"+`{"id":"y","a":null,"b":2}`, "", parse.Options{Encoder: e}))
	testkit.WantSame(t, "the mean that is known", gap.Features.At(1, 1), 8.0)
	numbers := func(missing string, lines ...string) func() error {
		return func() error {
			_, err := readWith("", strings.Join(lines, "\n"), "", parse.Options{Encoder: e, Missing: missing})
			return err
		}
	}
	refuse(t, []bad{
		{"no such column", numbers("", "id,w,b", "x,1,2"), ErrMissing, `features: missing part: no column "a"`},
		{"a column twice", numbers("", "id,a,b,a", "x,1,2,3"), ErrDuplicate, `column "a"`},
		{"text", numbers("", `{"id":"x","a":1,"b":2}`, `{"id":"y","a":"big","b":2}`), coles.ErrFormat, `features:2: column "a": malformed: "big" is not a number`},
		{"too large", numbers("", `{"id":"x","a":1e999,"b":2}`), coles.ErrNotFinite, "features:1"},
		{"a gap", numbers("error", `{"id":"x","a":null,"b":2}`), coles.ErrFormat, "features:1"},
	})
}

func TestBadObjects(t *testing.T) {
	many := `{"id":"a","x":1}` + "\n"
	for i := range 300 { // each with a column of its own
		many += fmt.Sprintf(`{"id":%d,"y%d":1}`+"\n", i, i)
	}
	objects := func(lines ...string) func() error { return edgeList("", strings.Join(lines, "\n"), "") }
	refuse(t, []bad{
		{"not an object", objects(`{"id":"a","x":1}`, `["b",2]`), coles.ErrFormat, "features:2"},
		{"cut off", objects(`{"id":"a","x":1}`, `{"id":"b","x"`), coles.ErrFormat, "features:2"},
		{"two on a line", objects(`{"id":"a","x":1} {"id":"b","x":2}`), coles.ErrFormat, "features:1"},
		{"no id", objects(`{"id":"a","x":1}`, `{"x":2}`), ErrMissing, "features:2"},
		{"nothing", objects(`{}`), ErrMissing, "features:1"},
		{"an empty id", objects(`{"id":"","x":1}`), coles.ErrFormat, "features:1"},
		{"an id twice", objects(`{"id":"a","x":1}`, `{"id":"a","x":1}`), coles.ErrIDs, "features:2"},
		{"a member twice", objects(`{"id":"a","x":1,"x":2}`), ErrDuplicate, "features:1"},
		{"nested", objects(`{"id":"a","x":{"y":1}}`), coles.ErrFormat, `features:1: malformed: member "x"`},
		{"a vector of text", objects(`{"id":"a","vector":[1,"2"]}`), coles.ErrFormat, "features:1"},
		{"an empty vector", objects(`{"id":"a","vector":[]}`), coles.ErrFormat, "features:1"},
		{"vectors of two lengths", objects(`{"id":"a","vector":[1]}`, `{"id":"b","vector":[1,2]}`), coles.ErrShape, "features:2"},
		{"a vector and more", objects(`{"id":"a","vector":[1]}`, `{"id":"b","vector":[1],"x":2}`), coles.ErrFormat, "features:2"},
		{"a number beyond float64", objects(`{"id":"a","vector":[1e999]}`), coles.ErrFormat, "features:1"},
		{"a column a row", objects(many), coles.ErrTooLarge, "features:"},
	})
	ignored := parse.Options{Kinds: map[string]table.Kind{"x": table.Ignore}}
	d := testkit.Must(readWith("", `{"id":"a","x":{"y":1},"n":3}`+"\n"+`{"id":"b","n":4}`, "", ignored))
	testkit.WantSame(t, "ignored", cells(d.Table), []string{"x: |", "n: 3|4"})
}

// Vectors beside words and numbers are a column of a table, in every form of text.
func TestTablesOfVectors(t *testing.T) {
	for name, features := range map[string]string{
		"commas":     "id,photo,size\nann,\"[1, 2.5]\",1\nbob,,2\ncy,\"[3, -1]\",4\n",
		"tabs":       "id\tphoto\tsize\nann\t[1,2.5]\t1\nbob\t\t2\ncy\t[3,-1]\t4\n",
		"semicolons": "id;photo;size\nann;[1,2.5];1\nbob;;2\ncy;[3 -1];4\n",
		"objects":    `{"id":"ann","photo":[1,2.5],"size":1}` + "\n" + `{"id":"bob","size":2}` + "\n" + `{"id":"cy","photo":[3,-1],"size":4}`,
	} {
		t.Run(name, func(t *testing.T) {
			d := testkit.Must(readText("bob,cy\n", features, ""))
			testkit.WantSame(t, "kind", d.Encoder.Variables()[0].String(), "vector, 2 numbers, 1 hole, 2 features")
			testkit.WantSame(t, "names", d.FeatureNames, []string{"photo:0", "photo:1", "size"})
			x := testkit.DenseOf(d.Features)
			testkit.WantSame(t, "a hole", x.RawRowView(1)[:2], []float64{0, 0})
			testkit.WantSame(t, "across the mean", []float64{x.At(0, 0) / x.At(0, 1), x.At(0, 0)}, []float64{-1 / 1.75, -x.At(2, 0)})
		})
	}
	for name, c := range map[string][2]string{
		"commas":  {"id,photo,size\na,\"[1,2]\",1\nb,\"[1,2,3]\",2\n", `features:3: column "photo": a vector of 3 numbers, those before have 2`},
		"objects": {`{"id":"a","photo":[1,2],"size":1}` + "\n" + `{"id":"b","photo":[1,"x"],"size":2}`, `features:2: column "photo": number 2 of the list`},
		"an id":   {`{"id":[1,2],"size":1}`, "features:1: malformed: member \"id\": a list is no id"},
	} {
		_, err := readText("a,b\n", c[0], "")
		if testkit.WantText(t, fmt.Sprint(err), c[1]); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
