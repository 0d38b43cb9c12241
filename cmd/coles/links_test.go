package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"coles"
	"coles/eval"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// The vectors of vectorsText, all but b and help joined to the others; e has a vector of zeros.
const vectorEdgesText = "a b\n-c a\nb -c\ne help\n"

func TestLinksOfVectors(t *testing.T) {
	dir := folder(t, map[string]string{"g.txt": vectorEdgesText, "v.tsv": "a\t3\t4\nb\t4\t3\n-c\t-3\t-4\ne\t0\t0\nhelp\t50\t0\n"})
	given := []string{"links", filepath.Join(dir, "g.txt"), "-embedding", filepath.Join(dir, "v.tsv")}
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "a\thelp\t0.6\nb\thelp\t0.8\nhelp\tb\t0.8\nhelp\ta\t0.6\n"},
		{[]string{"-k", "1", "-node", "help", "-node", "a"}, "help\tb\t0.8\na\thelp\t0.6\n"},
		{[]string{"-node=-c", "-node", "e"}, ""}, // what is similar is joined, or nothing is
	} {
		prints(t, c.want, "", append(given, c.args...)...)
	}
	got := decoded[recommendations](t, "", append(given, "-json", "-node", "help")...)
	testkit.WantSame(t, "JSON", got, recommendations{Links: []recommendation{{ID: "help", Node: "b", Score: 0.8}, {ID: "help", Node: "a", Score: 0.6}}})
	prints(t, "a\thelp\t0.6\t\nb\thelp\t0.8\t\nhelp\tb\t0.8\t\nhelp\ta\t0.6\t\n", "", append(given, "-why")...)
	more := folder(t, map[string]string{"g.txt": vectorEdgesText + "a e\na x\nx help\nx y\n", "v.tsv": "a\t3\t4\nb\t4\t3\n-c\t-3\t-4\ne\t0\t0\nhelp\t50\t0\nx\t0\t0\ny\t0\t0\n"})
	prints(t, "a\thelp\t0.6\te, x\n", "", "links", filepath.Join(more, "g.txt"), "-embedding", filepath.Join(more, "v.tsv"), "-node", "a", "-why") // of two and three edges
	testkit.WantSame(t, "none as JSON", must(t, "", append(given, "-json", "-node", "e")...), "{\n  \"links\": []\n}\n")
}

// What is made of a graph is the library's, and -node the lines of some; an id may hold a comma.
func TestLinksAreThoseOfTheLibrary(t *testing.T) {
	d, path := community(t)
	g := testkit.Must(coles.FromCSR(d.Adjacency))
	m := testkit.Must(coles.Fit(t.Context(), g, d.Features, coles.WithSettings(coles.LinkSettings(d.Features.Dims()))))
	var want, of3 string
	for i, matches := range testkit.Must(testkit.Must(eval.NewIndex(t.Context(), m.Embedding(), eval.Cosine)).RecommendLinks(t.Context(), g, nil, 4, nil)) {
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
		return embeddingOf(m), err
	}
	r := testkit.Must(eval.LearnLinks(t.Context(), g, eval.LinkOptions{Embed: embed, Features: d.Features, Seed: 5}))
	want = ""
	for _, m := range testkit.Must(r.Recommend(t.Context(), []int{3}, 4, nil))[0] {
		want += fmt.Sprintf("3\t%d\t%s\n", m.Row, strconv.FormatFloat(m.Score, 'g', 6, 64))
	}
	_, out, said := call("", "links", path, "-k", "4", "-node", "3", "-seed", "5")
	testkit.WantSame(t, "by walks", out, want)
	testkit.WantSame(t, "what they are worth", said, "coles: "+r.Worth.String()+"\n")

	dir := folder(t, map[string]string{"v.csv": "\"a,b\",3,4\nc,4,3\nd,1,0\n"})
	out = filepath.Join(dir, "links.csv")
	must(t, "\"a,b\",\"a,b\"\nc,d\n", "links", "-", "-from", "edges", "-header", "no", "-embedding", filepath.Join(dir, "v.csv"), "-node", "a,b", "-o", out)
	testkit.WantSame(t, "links as CSV", read(t, out), "id,node,score\n\"a,b\",c,0.96\n\"a,b\",d,0.6\n")
}

// Users 1 to 8 have bought all of things a to h but their own, and user 9 has bought nothing: edges join two kinds.
func TestLinksOfTwoKinds(t *testing.T) {
	var edges strings.Builder
	things := "abcdefgh"
	for u := range len(things) {
		for v, thing := range things {
			if u != v {
				fmt.Fprintf(&edges, "%d,%c\n", u+1, thing)
			}
		}
	}
	dir := folder(t, map[string]string{"sales.csv": edges.String(), "stock.txt": "c\nd\n3\n", "asked.txt": "3 c\n1 a\n"})
	sales := filepath.Join(dir, "sales.csv")
	_, out, said := call("", "links", sales, "-node", "3")
	testkit.WantSame(t, "what user 3 lacks", out, "3\tc\t1\n")
	testkit.WantText(t, said, "two kinds", "recall@10")
	// Six edges show no two kinds, but -bipartite says so: users are not recommended to users.
	_, out, said = call("a,x\nb,x\nb,y\nc,y\nc,z\nd,z\n", "links", "-", "-from", "edges", "-bipartite", "-header", "no", "-node", "a")
	testkit.WantText(t, said, "two kinds")
	testkit.WantSame(t, "what a lacks", out, "a\ty\t1\n")
	_, out, _ = call("", "links", sales, "-node", "1", "-node", "3", "-among", filepath.Join(dir, "stock.txt"))
	testkit.WantSame(t, "what is in stock", out, "3\tc\t1\n")
	_, out, _ = call("", "links", sales, "-pairs", filepath.Join(dir, "asked.txt"), "-json")
	var got recommendations
	testkit.Check(t, json.Unmarshal([]byte(out), &got))
	if len(got.Links) != 2 || got.Links[0].ID != "1" || got.Links[1].Score != 1 || got.Worth.Hidden == 0 {
		t.Errorf("%+v", got)
	}
}

func TestLinksRefuses(t *testing.T) {
	dir, edges, features := small(t)
	for name, c := range map[string]struct {
		code       int
		args, want string
	}{
		"a node unknown":      {exitFailure, edges + " -node anne", `unknown node "anne": did you mean ann?`},
		"no links":            {exitUsage, edges + " -k 0", "-k 0"},
		"no such scores":      {exitUsage, edges + " -by luck", "want walks or cosine"},
		"walks of vectors":    {exitUsage, edges + " -by walks -embedding " + features, "-embedding goes with cosines"},
		"pairs and nodes":     {exitUsage, edges + " -pairs " + edges + " -k 3", "say nothing of them"},
		"settings of walks":   {exitUsage, edges + " -dim 2", "-dim changes vectors"},
		"unknown candidates":  {exitFailure, edges + " -among " + edges, "unknown node"},
		"vectors alone":       {exitUsage, "-embedding " + features, "name GRAPH"},
		"settings of vectors": {exitUsage, edges + " -dim 2 -embedding " + features, "-dim cannot be used with -embedding"},
	} {
		t.Run(name, func(t *testing.T) {
			refused(t, dir, c.code, c.want, "", append([]string{"links"}, split(c.args)...)...)
		})
	}
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
	r := testkit.Must(eval.LearnLinks(t.Context(), g, eval.LinkOptions{Arcs: list, Seed: 1}))
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
	refused(t, dir, exitUsage, "cosines have no direction", "", "links", path, "-directed", "-by", "cosine")
}
