package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coles"
	"coles/dataset"
	"coles/dataset/parse"
	"coles/internal/testkit"
)

// fitted fits the small graph with the library.
func fitted(t *testing.T, opts ...coles.Option) *coles.Model {
	t.Helper()
	d := testkit.Must(dataset.ReadEdgeList(strings.NewReader(edgesText), strings.NewReader(featuresText), parse.Options{}))
	g := testkit.Must(coles.FromCSR(d.Adjacency, coles.WithMirrors(), coles.WithIDs(d.IDs)))
	return testkit.Must(coles.Fit(t.Context(), g, d.Features, opts...))
}

func text(t *testing.T, write func(*bytes.Buffer) error) string {
	t.Helper()
	var b bytes.Buffer
	testkit.Check(t, write(&b))
	return b.String()
}

func read(t *testing.T, path string) string {
	t.Helper()
	return string(testkit.Must(os.ReadFile(path)))
}

func TestEmbedWritesWhatTheLibraryFits(t *testing.T) {
	dir, edges, features := small(t)
	m := fitted(t, coles.WithDim(2), coles.WithSeed(7))
	model := filepath.Join(dir, "m.model")
	args := []string{"embed", edges, "-features", features, "-dim", "2", "-seed=7", "-model", model}
	for name, file := range map[string]string{"npy": "y.npy", "tsv": "y.tsv", "word2vec": "y.txt", "csv": "y.csv", "jsonl": "y.jsonl"} {
		f, _ := dataset.FormatNamed(name)
		want := text(t, func(b *bytes.Buffer) error {
			return f.Write(b, &dataset.Dataset{IDs: []string{"ann", "bob", "cy", "dan"}, Features: m.Embedding()})
		})
		out := filepath.Join(dir, file)
		must(t, "", append(args, "-o", out)...)
		testkit.WantSame(t, file, read(t, out), want)
		prints(t, want, "", append(args, "--format", name)...)
	}
	grown, more := edgesText+"dan\teve\n", featuresText+"eve,1,0,1\n"
	d := testkit.Must(dataset.ReadEdgeList(strings.NewReader(grown), strings.NewReader(more), parse.Options{}))
	y := testkit.Must(m.Embed(t.Context(), testkit.Must(d.Graph()), d.Features))
	want := text(t, func(b *bytes.Buffer) error { return dataset.WriteTSV(b, d.IDs, y) })
	prints(t, want, grown, "embed", "-with", model, "-features", write(t, filepath.Join(dir, "more.csv"), more))
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	return string(testkit.Must(json.Marshal(v)))
}
