package dataset

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"coles"
	"coles/dataset/parse"
	"coles/internal/testkit"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// awkward are ids that a file of fields has to protect.
var awkward = []string{"plain", "#hash", "%percent", "tab\there", `"quoted"`, " space ", "two words", "\ufeffmark", "a,b", "semi;colon", "id", "from", "7"}

// wantWrittenEdges reads what writeEdgeList writes: the same entries, by id.
func wantWrittenEdges(t *testing.T, d *Dataset) {
	t.Helper()
	var b bytes.Buffer
	if err := writeEdgeList(&b, d); err != nil {
		if testkit.IsNamed(err) && b.Len() == 0 && linked(d) != nil {
			return
		}
		if testkit.IsNamed(err) && b.Len() == 0 && slices.ContainsFunc(d.IDs, func(id string) bool { return strings.ContainsAny(id, "\r\n") }) {
			return
		}
		t.Fatal(err)
	}
	got, want := entries(testkit.Must(ReadEdgeList(&b, nil, parse.Options{}))), entries(d)
	slices.Sort(got) // nodes are in another order
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestWriteEdgeListReadsBack(t *testing.T) {
	for name, edges := range map[string]string{
		"plain":                 "a b\na b\nc a\nc c\n",
		"weights":               "a b 0.1\na b 1\nc a -1e300\nc c 0\n",
		"the words of a header": "from to\nto from\nnode id\n",
		"the same with weights": "from to 2\nto from 3\nnode id 1\n",
	} {
		t.Run(name, func(t *testing.T) {
			wantWrittenEdges(t, testkit.Must(readWith(edges, "", "", parse.Options{Header: parse.NoHeader})))
		})
	}
	var b Builder
	for k, id := range awkward {
		b.AddEdge(id, awkward[(k+1)%len(awkward)], 1)
	}
	wantWrittenEdges(t, testkit.Must(b.Build()))
	err := writeEdgeList(io.Discard, &Dataset{IDs: []string{"a", "b"}, Adjacency: sparse.NewCSR(2, 2, []int{0, 1, 1}, []int{0}, []float64{1})})
	testkit.WantError(t, err, coles.ErrIDs)
	testkit.WantText(t, err.Error(), `node "b" has no edge`)
}

// What is written, to the byte: of a matrix in the usual types, with ids or without.
func TestWrittenText(t *testing.T) {
	m := mat.NewDense(2, 2, []float64{1, 0.1, -2.5, 1e21})
	csr := sparse.NewCSR(2, 2, []int{0, 2, 4}, []int{1, 0, 0, 1}, []float64{0.1, 1, -2.5, 1e21})
	ids := []string{"a", "ß"}
	type write func(w io.Writer, ids []string, m mat.Matrix) error
	edges := sparse.NewCSR(3, 3, []int{0, 2, 2, 3}, []int{2, 0, 1}, []float64{1, 1, 1})
	weighted := sparse.NewCSR(3, 3, []int{0, 2, 2, 3}, []int{2, 0, 1}, []float64{0.1, 1, 1})
	list := func(a *sparse.CSR) write {
		return func(w io.Writer, _ []string, _ mat.Matrix) error { return writeEdgeList(w, &Dataset{Adjacency: a}) }
	}
	for want, c := range map[string]struct {
		write write
		ids   []string
	}{
		"0\t1\t0.1\n1\t-2.5\t1e+21\n":       {WriteTSV, nil},
		"2 2\na 1 0.1\nß -2.5 1e+21\n":      {writeWord2Vec, ids},
		"id,x0,x1\n0,1,0.1\n1,-2.5,1e+21\n": {WriteCSV, nil},
		"0\t2\n0\t0\n2\t1\n":                {list(edges), nil},
		"0\t2\t0.1\n0\t0\t1\n2\t1\t1\n":     {list(weighted), nil},
		"{\"id\":\"0\",\"vector\":[1,0.1]}\n{\"id\":\"1\",\"vector\":[-2.5,1e+21]}\n": {writeJSONLines, nil},
	} {
		for _, x := range []mat.Matrix{m, csr, m.T().T()} {
			var b bytes.Buffer
			if err := c.write(&b, c.ids, x); err != nil || b.String() != want {
				t.Errorf("%T: %q, want %q (%v)", x, b.String(), want, err)
			}
		}
	}
}

func TestBadEdgesToWrite(t *testing.T) {
	edges := sparse.NewCSR(3, 3, []int{0, 2, 2, 3}, []int{2, 0, 1}, []float64{1, 1, 1})
	for cause, bad := range map[error]*Dataset{
		ErrMissing:         {},
		coles.ErrShape:     {Adjacency: edges, IDs: []string{"a"}},
		coles.ErrIDs:       {Adjacency: edges, IDs: []string{"a", "b\nc", "d"}},
		coles.ErrNotFinite: {Adjacency: sparse.NewCSR(1, 1, []int{0, 1}, []int{0}, []float64{math.NaN()})},
	} {
		var b bytes.Buffer
		wantError(t, writeEdgeList(&b, bad), cause, "edge list")
		if b.Len() > 0 {
			t.Errorf("%q is written of what is refused", b.String())
		}
	}
}

// The standard library's readers and ours read the same from what is written.
func TestAwkwardIDsReadBack(t *testing.T) {
	x := mat.NewDense(len(awkward), 2, nil)
	for i := range awkward {
		x.SetRow(i, []float64{math.Pow(-3, float64(i)) / 7, 5e-324})
	}
	tsv := written(t, func(w io.Writer) error { return WriteTSV(w, awkward, x) })
	text := string(written(t, func(w io.Writer) error { return WriteCSV(w, awkward, x) }))
	for table, names := range map[string][]string{string(tsv): nil, text: {"x0", "x1"}} {
		d := testkit.Must(readText("", table, ""))
		if !slices.Equal(d.IDs, awkward) || !mat.Equal(d.Features, x) || !slices.Equal(d.FeatureNames, names) {
			t.Errorf("%q, %q,\n%v", d.IDs, d.FeatureNames, mat.Formatted(d.Features))
		}
	}
	rows := testkit.Must(csv.NewReader(strings.NewReader(text)).ReadAll())
	if !slices.Equal(rows[0], []string{"id_", "x0", "x1"}) { // awkward has "id"
		t.Errorf("header %q", rows[0])
	}
	objects := written(t, func(w io.Writer) error { return writeJSONLines(w, awkward, x) })
	lines := json.NewDecoder(bytes.NewReader(objects))
	lines.DisallowUnknownFields()
	for i, id := range awkward {
		var object struct {
			ID     string    `json:"id"`
			Vector []float64 `json:"vector"`
		}
		if err := lines.Decode(&object); err != nil || object.ID != id || !slices.Equal(object.Vector, x.RawRowView(i)) {
			t.Errorf("row %d, %q: JSON %+v, %v", i, id, object, err)
		}
		row := rows[i+1]
		for j, v := range x.RawRowView(i) {
			if got, err := strconv.ParseFloat(row[1+j], 64); err != nil || got != v || row[0] != id {
				t.Errorf("row %d, %q: CSV %q", i, id, row)
			}
		}
	}
}
