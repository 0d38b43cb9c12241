package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coles"
	"coles/dataset"
	"coles/internal/testkit"
	"coles/live"
	"coles/task"

	"gonum.org/v1/gonum/mat"
)

// rowsOf are n rows about three points, and a table of them, named from a number on.
func rowsOf(seed uint64, n, first int) (x *mat.Dense, ids []string, table, labels string) {
	x = testkit.RandomDense(testkit.Random(seed), n, 4)
	table = "id,a,b,c,d\n"
	for i := range n {
		x.Set(i, i%3, x.At(i, i%3)+6)
		ids = append(ids, fmt.Sprint("r", first+i))
		row := x.RawRowView(i)
		table += fmt.Sprintf("%s,%v,%v,%v,%v\n", ids[i], row[0], row[1], row[2], row[3])
		labels += fmt.Sprintf("%s,k%d\n", ids[i], i%3)
	}
	return x, ids, table, labels
}

func TestRowsInThePlaceOfAGraph(t *testing.T) {
	x, ids, table, labels := rowsOf(1, 42, 0)
	more, fresh, moreTable, _ := rowsOf(2, 6, 42)
	dir := folder(t, map[string]string{"x.csv": table, "more.csv": moreTable, "labels.csv": labels[:strings.Index(labels, "r24,")]})
	path := func(name string) string { return filepath.Join(dir, name) }
	tsv := func(ids []string, y mat.Matrix) string {
		return text(t, func(b *bytes.Buffer) error { return dataset.WriteTSV(b, ids, y) })
	}
	m, rows, err := live.FitRows(t.Context(), x, 5)
	testkit.Check(t, err)
	prints(t, tsv(ids, embeddingOf(m)), "", "embed", "-knn", "5", "-features", path("x.csv"), "-model", path("m.model"))
	want := tsv(fresh, task.Narrowed(m, testkit.Must(rows.Embed(t.Context(), more))))
	prints(t, want, "", "embed", "-with", path("m.model"), "-features", path("more.csv"))
	testkit.WantText(t, must(t, "", "info", path("m.model")), "rows         42 kept in 0.0 MB")
	// Edges that come count; in their own graph new rows are others.
	must(t, "", "embed", "-knn", "5", "-features", path("x.csv"), "-structure", "0", "-o", path("y.npy"), "-model", path("s.model"))
	plain := testkit.Must(coles.Fit(t.Context(), rows.Graph(), x, coles.With(func(s *coles.Settings) { s.Kind, s.Structure = coles.UseGraph, 0 })))
	joined := testkit.Must(plain.Embed(t.Context(), testkit.Must(coles.NewGraph(6, []coles.Edge{{U: 0, V: 1}})), more))
	_, got, _ := call("r42,r43\n", "embed", "-with", path("s.model"), "-features", path("more.csv"), "-unweighted")
	testkit.WantSame(t, "by edges", got, tsv(fresh, task.Narrowed(plain, joined)))
	own := testkit.Must(plain.Embed(t.Context(), testkit.Must(coles.KNN(t.Context(), more, 2)), more))
	prints(t, tsv(fresh, task.Narrowed(plain, own)), "", "embed", "-with", path("s.model"), "-knn", "2", "-features", path("more.csv"))

	// Without -knn it is said, and labels choose between graph and features.
	code, out, said := call("", "predict", "-features", path("x.csv"), "-labels", path("labels.csv"), "-model", path("p.model"), "-classifier", path("c"))
	testkit.WantSame(t, "exit code", code, 0)
	testkit.WantText(t, said, "coles: no edges are given: each row of "+path("x.csv")+" is joined to the 10 nearest, as by -knn 10\n")
	testkit.WantText(t, said, "cross-validation on 24 labels")
	for i, line := range strings.Split(strings.TrimSpace(out), "\n") {
		testkit.WantText(t, line, fmt.Sprintf("r%d\tk%d\t", 24+i, i%3))
	}
	_, out, _ = call("", "predict", "-with", path("p.model"), "-use", path("c"), "-features", path("more.csv"))
	for i, line := range strings.Split(strings.TrimSpace(out), "\n") {
		testkit.WantText(t, line, fmt.Sprintf("r%d\tk%d\t", 42+i, i%3))
	}
	// Every other command takes rows, too.
	testkit.WantSame(t, "clusters", strings.Count(must(t, "", "cluster", "-knn", "5", "-k", "3", "-features", path("x.csv")), "\n"), 42)
	testkit.WantText(t, must(t, "", "info", "-knn", "5", "-features", path("x.csv")), "nodes          42, 0 isolated\n")
	testkit.WantText(t, must(t, "", "eval", "-knn", "5", "-features", path("x.csv"), "-labels", path("labels.csv"), "-per-class", "2", "-count", "3"), "accuracy 100.0")
	must(t, "", "plot", "-knn", "5", "-k", "3", "-features", path("x.csv"), "-o", path("x.svg"))
	must(t, "", "train", "-knn", "5", "-features", path("x.csv"), "-epochs", "2", "-o", path("t.npz"))
}

func TestRowsRefused(t *testing.T) {
	_, _, table, _ := rowsOf(3, 12, 0)
	dir := folder(t, map[string]string{"x.csv": table, "alike.csv": "a,1,2\nb,1,2\nc,1,2\n", "one.csv": "id,a,b\nx,1,2\n", "edges.csv": "r1,r2\n"})
	x := filepath.Join(dir, "x.csv")
	for _, c := range []struct {
		args string
		code int
		text string
	}{
		{"embed -knn 3 " + filepath.Join(dir, "edges.csv") + " -features " + x, exitUsage, "edges.csv is one already"},
		{"embed -knn 3", exitUsage, "-features FILE"},
		{"embed -knn 0 -features " + x, exitUsage, "-knn 0: want at least 1"},
		{"embed -knn 3 -from npz -features " + x, exitUsage, "-from is the format of GRAPH"},
		{"embed -knn 12 -features " + x, 1, "x.csv: wrong size: -knn 12 takes 13 rows or more, and there are 12"},
		{"embed -knn 1 -features " + filepath.Join(dir, "one.csv"), 1, "there are 1"},
		{"embed -knn 2 -features " + filepath.Join(dir, "alike.csv"), 1, "alike.csv: wrong size: no row is near to another"},
	} {
		refused(t, dir, c.code, c.text, "", strings.Fields(c.args)...)
	}
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
