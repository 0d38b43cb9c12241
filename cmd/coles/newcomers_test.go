package main

import (
	"bytes"
	"path/filepath"
	"testing"

	"coles"
	"coles/dataset"
	"coles/internal/testkit"
	"coles/live"

	"gonum.org/v1/gonum/mat"
)

// Two nodes that join the small graph, in a row, beyond its tail.
const (
	newFeatures = "eve,1,0,1\nfay,0,0,2\n"
	newEdges    = "eve,dan\nfay,eve\ncy,fay\n"
)

func TestEmbedNewcomers(t *testing.T) {
	dir, edges, features := small(t)
	model, x := filepath.Join(dir, "m.model"), write(t, filepath.Join(dir, "x.csv"), newFeatures)
	must(t, "", "embed", edges, "-features", features, "-dim", "2", "-model", model)
	d := testkit.Must(dataset.OpenEdgeList(edges, features, ""))
	frozen := testkit.Must(live.Freeze(t.Context(), fitted(t, coles.WithDim(2)), testkit.Must(d.Graph()), d.Features))
	embedded := func(edges ...coles.Edge) string {
		y := testkit.Must(frozen.Embed(t.Context(), mat.NewDense(2, 3, []float64{1, 0, 1, 0, 0, 2}), edges, nil))
		return text(t, func(b *bytes.Buffer) error { return dataset.WriteTSV(b, []string{"eve", "fay"}, y) })
	}
	args := []string{"embed", edges, "-features", features, "-with", model, "-new-features", x}
	prints(t, embedded(), "", args...)
	joined := embedded(coles.Edge{U: 4, V: 3}, coles.Edge{U: 5, V: 4}, coles.Edge{U: 2, V: 5})
	prints(t, joined, newEdges, append(args, "-new-edges", "-")...)

	// Without features newcomers are the nodes that the graph does not have, in the order of their edges.
	g := testkit.Must(d.Graph())
	must(t, "", "embed", edges, "-dim", "2", "-model", model, "-o", filepath.Join(dir, "y.tsv"))
	frozen = testkit.Must(live.Freeze(t.Context(), testkit.Must(coles.Fit(t.Context(), g, nil, coles.WithDim(2))), g, nil))
	y := testkit.Must(frozen.Embed(t.Context(), nil, []coles.Edge{{U: 4, V: 3}, {U: 5, V: 4}, {U: 2, V: 5}}, nil))
	want := text(t, func(b *bytes.Buffer) error { return dataset.WriteTSV(b, []string{"eve", "fay"}, y) })
	prints(t, want, newEdges, "embed", edges, "-with", model, "-new-edges", "-")
}
