package main

import (
	"bytes"
	"path/filepath"
	"testing"

	"coles"
	"coles/dataset"
	"coles/dataset/parse"
	"coles/internal/testkit"
	"coles/live"
	"coles/task"

	"gonum.org/v1/gonum/mat"
)

// Without a graph a newcomer joins the rows nearest to it; the model may have been kept with its rows.
func TestEmbedRow(t *testing.T) {
	from, _, x, _ := circle(t)
	from.graph, from.knn = "", 2
	m, rows, err := live.FitRows(t.Context(), x, 2)
	testkit.Check(t, err)
	want := testkit.Must(rows.Embed(t.Context(), mat.NewDense(1, 3, []float64{0, 0.5, 0}))).RawRowView(0)
	const row = `{"features": {"1": 0.5}}`
	testkit.WantSame(t, "vector of a row", ask(t, start(t, from), "POST", "/embed", row, 200).Vector, want)
	var file bytes.Buffer
	testkit.Must(task.Keep(m, parse.Options{}, testkit.Must(task.Join(t.Context(), &dataset.Dataset{Features: x}, 2))).WriteTo(&file))
	from.model = filepath.Join(t.TempDir(), "rows.model")
	write(t, from.model, file.String())
	testkit.WantSame(t, "by its model", ask(t, start(t, from), "POST", "/embed", row, 200).Vector, want)
	testkit.WantSame(t, "by its model alone", ask(t, start(t, source{model: from.model}), "POST", "/embed", row, 200).Vector, want)
	from.knn = 6
	testkit.WantError(t, testkit.Err(from.load(t.Context())), coles.ErrShape)
}
