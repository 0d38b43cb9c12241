package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"coles"
	"coles/dataset"
	"coles/internal/testkit"
	"coles/live"

	"gonum.org/v1/gonum/mat"
)

// rowsOf are n rows about three points, and a table of them, named from a number on.
func rowsOf(seed uint64, n, first int) (x *mat.Dense, ids []string, table string) {
	x = testkit.RandomDense(testkit.Random(seed), n, 4)
	table = "id,a,b,c,d\n"
	for i := range n {
		x.Set(i, i%3, x.At(i, i%3)+6)
		ids = append(ids, fmt.Sprint("r", first+i))
		row := x.RawRowView(i)
		table += fmt.Sprintf("%s,%v,%v,%v,%v\n", ids[i], row[0], row[1], row[2], row[3])
	}
	return x, ids, table
}

func TestRowsInThePlaceOfAGraph(t *testing.T) {
	x, ids, table := rowsOf(1, 42, 0)
	more, fresh, moreTable := rowsOf(2, 6, 42)
	dir := folder(t, map[string]string{"x.csv": table, "more.csv": moreTable})
	path := func(name string) string { return filepath.Join(dir, name) }
	tsv := func(ids []string, y mat.Matrix) string {
		return text(t, func(b *bytes.Buffer) error { return dataset.WriteTSV(b, ids, y) })
	}
	m, rows, err := live.FitRows(t.Context(), x, 5)
	testkit.Check(t, err)
	prints(t, tsv(ids, m.Embedding()), "", "embed", "-knn", "5", "-features", path("x.csv"), "-model", path("m.model"))
	want := tsv(fresh, testkit.Must(rows.Embed(t.Context(), more)))
	prints(t, want, "", "embed", "-with", path("m.model"), "-features", path("more.csv"))
	// Edges that come count; in their own graph new rows are others.
	must(t, "", "embed", "-knn", "5", "-features", path("x.csv"), "-structure", "0", "-o", path("y.npy"), "-model", path("s.model"))
	plain := testkit.Must(coles.Fit(t.Context(), rows.Graph(), x, coles.With(func(s *coles.Settings) { s.Kind, s.Structure = coles.UseGraph, 0 })))
	joined := testkit.Must(plain.Embed(t.Context(), testkit.Must(coles.NewGraph(6, []coles.Edge{{U: 0, V: 1}})), more))
	_, got, _ := call("r42,r43\n", "embed", "-with", path("s.model"), "-features", path("more.csv"), "-unweighted")
	testkit.WantSame(t, "by edges", got, tsv(fresh, joined))
	own := testkit.Must(plain.Embed(t.Context(), testkit.Must(coles.KNN(t.Context(), more, 2)), more))
	prints(t, tsv(fresh, own), "", "embed", "-with", path("s.model"), "-knn", "2", "-features", path("more.csv"))
}

func TestRowsThatAreDamaged(t *testing.T) {
	_, _, table := rowsOf(3, 12, 0)
	dir := folder(t, map[string]string{"x.csv": table})
	x := filepath.Join(dir, "x.csv")
	model := filepath.Join(dir, "m.model")
	must(t, "", "embed", "-knn", "3", "-features", x, "-o", filepath.Join(dir, "y.npy"), "-model", model)
	whole := testkit.Must(os.ReadFile(model))
	at := bytes.Index(whole, []byte("PK\x03\x04"))
	for _, cut := range []int{at + 1, at + 50, len(whole) - 30} {
		testkit.Check(t, os.WriteFile(model, whole[:cut], 0o666))
		refused(t, dir, 1, "m.model: ", "", "embed", "-with", model, "-features", x)
	}
	narrow := text(t, func(b *bytes.Buffer) error {
		return dataset.WriteNPZ(b, &dataset.Dataset{Adjacency: testkit.SparseOf(testkit.Eye(3)), Features: testkit.Eye(3)})
	})
	testkit.Check(t, os.WriteFile(model, append(bytes.Clone(whole[:at]), narrow...), 0o666))
	refused(t, dir, 1, "rows of 3 features for a model of 4", "", "embed", "-with", model, "-features", x)
}
