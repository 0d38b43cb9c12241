package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"coles"
	"coles/internal/testkit"
	"coles/link"
	"coles/near"

	"gonum.org/v1/gonum/mat"
)

// What is made of a graph is the library's, and -node the lines of some.
func TestLinksAreThoseOfTheLibrary(t *testing.T) {
	d, path := community(t)
	g := testkit.Must(coles.FromCSR(d.Adjacency))
	m := testkit.Must(coles.Fit(t.Context(), g, d.Features, coles.WithSettings(coles.LinkSettings(d.Features.Dims()))))
	var want, of3 string
	for i, matches := range testkit.Must(testkit.Must(near.NewIndex(t.Context(), m.Embedding(), near.Cosine)).RecommendLinks(t.Context(), g, nil, 4, nil)) {
		for _, m := range matches {
			want += fmt.Sprintf("%d\t%d\t%s\n", i, m.Row, strconv.FormatFloat(m.Score, 'g', 6, 64))
		}
		if i == 3 {
			of3 = want[strings.Index(want, "\n3\t")+1:]
		}
	}
	prints(t, want, "", "links", path, "-k", "4", "-by", "cosine")
	prints(t, of3, "", "links", path, "-k", "4", "-by", "cosine", "-node", "3")

	embed := func(ctx context.Context, g *coles.Graph) (mat.Matrix, error) {
		m, err := coles.Fit(ctx, g, d.Features, coles.WithSettings(coles.LinkSettings(d.Features.Dims())), coles.WithSeed(5))
		if err != nil {
			return nil, err
		}
		return m.Embedding(), nil
	}
	r := testkit.Must(link.Fit(t.Context(), g, link.Options{Embed: embed, Features: d.Features, Seed: 5}))
	want = ""
	for _, m := range testkit.Must(r.Recommend(t.Context(), []int{3}, 4, nil))[0] {
		want += fmt.Sprintf("3\t%d\t%s\n", m.Row, strconv.FormatFloat(m.Score, 'g', 6, 64))
	}
	_, out, said := call("", "links", path, "-k", "4", "-node", "3", "-seed", "5")
	testkit.WantSame(t, "by walks", out, want)
	testkit.WantSame(t, "what they are worth", said, "coles: "+r.Worth.String()+"\n")
}

// With -directed the library gets the arcs, and heads are recommended to tails.
func TestLinksAlongArcs(t *testing.T) {
	var text strings.Builder
	var list []coles.Edge
	for u := range 60 {
		for _, step := range []int{1, 4, 10, 13, 22} {
			if v := (u + step) % 60; (u+step)%7 > 0 {
				list = append(list, coles.Edge{U: u, V: v})
				fmt.Fprintf(&text, "%d %d\n", u, v)
			}
		}
	}
	dir := folder(t, map[string]string{"g.txt": text.String()})
	path := filepath.Join(dir, "g.txt")
	g := testkit.Must(coles.NewGraph(60, list))
	r := testkit.Must(link.Fit(t.Context(), g, link.Options{Arcs: list, Seed: 1}))
	want := ""
	for _, m := range testkit.Must(r.Recommend(t.Context(), []int{7}, 4, nil))[0] {
		want += fmt.Sprintf("7\t%d\t%.6g\n", m.Row, m.Score)
	}
	code, out, said := call("", "links", path, "-directed", "-node", "7", "-k", "4")
	if code != 0 {
		t.Fatal(said)
	}
	testkit.WantSame(t, "links", out, want)
	testkit.WantText(t, said, r.Worth.String())
}
