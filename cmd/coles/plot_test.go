package main

import (
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/dataset"
	"coles/internal/testkit"
	"coles/learn"
	"coles/task"
)

// plotted draws into a file of that ending and returns what is in it.
func plotted(t *testing.T, ending string, args ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "map."+ending)
	prints(t, "", "", append([]string{"plot", "-o", out}, args...)...)
	return read(t, out)
}

// svgTexts are the titles, the names and the numbers that an SVG shows.
func svgTexts(t *testing.T, svg string) (texts []string) {
	t.Helper()
	for decode := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := decode.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := token.(xml.CharData); ok {
			if text := strings.TrimSpace(string(s)); text != "" {
				texts = append(texts, text)
			}
		}
	}
}

func count(texts []string, wanted string) (n int) {
	for _, text := range texts {
		if text == wanted {
			n++
		}
	}
	return n
}

func TestPlotFormats(t *testing.T) {
	_, path := community(t)
	drawn := testkit.Must(png.Decode(strings.NewReader(plotted(t, "png", path, "-by", "pca"))))
	if size := drawn.Bounds().Size(); size.X < 1000 || size.Y < 500 {
		t.Errorf("a picture of %v", size)
	}
	if pdf := plotted(t, "pdf", path, "-by", "pca"); !strings.HasPrefix(pdf, "%PDF-") {
		t.Errorf("a PDF that begins %.10q", pdf)
	}
	svg, page := plotted(t, "svg", path, "-by", "pca"), plotted(t, "HTML", path, "-by", "pca")
	if !strings.HasPrefix(svg, "<svg") || !strings.HasPrefix(page, "<!doctype html>") {
		t.Errorf("the SVG begins %.40q, the page %.40q", svg, page)
	}
	testkit.WantText(t, page, "<title>g.npz</title>", "300 nodes", `"title":"features"`, `"title":"embedding"`, `"near":[[`)
	out := filepath.Join(filepath.Dir(path), "in.html")
	if code, _, stderr := call("a 1 0\nb 0 1\nc 1 1\n", "plot", "-embedding", "-", "-k", "2", "-o", out); code != 0 {
		t.Fatalf("plot of standard input: exit %d, %q", code, stderr)
	}
	testkit.WantText(t, read(t, out), "<title>standard input</title>")
	if strings.Contains(page, "src=") || !strings.Contains(page, "default-src 'none'") {
		t.Error("the page loads something")
	}
}

// The features stand next to the embedding where there are some; colours are labels or clusters.
func TestPlotPanelsAndColours(t *testing.T) {
	d, path := community(t)
	labels := labelFile(t, d.Labels, everyFourth(300))
	vectors := filepath.Join(t.TempDir(), "y.npy")
	must(t, "", "embed", path, "-dim", "4", "-o", vectors)
	d.Features, d.Labels = nil, nil
	bare := archiveOf(t, d)
	for name, c := range map[string]struct {
		args []string
		want map[string]int
	}{
		"labels of the graph":       {[]string{path}, map[string]int{"features": 1, "embedding": 1, "class 0": 1, "class 2": 1, "no class": 0}},
		"some labels":               {[]string{path, "-labels", labels}, map[string]int{className(1): 1, "no class": 1}},
		"predicted labels":          {[]string{path, "-labels", labels, "-predicted"}, map[string]int{className(1): 1, "no class": 0}},
		"clusters":                  {[]string{path, "-k", "4"}, map[string]int{"features": 1, "cluster 3": 1, "cluster 4": 0, "class 0": 0}},
		"no features, no labels":    {[]string{bare, "-k", "2"}, map[string]int{"features": 0, "embedding": 1, "cluster 1": 1}},
		"vectors":                   {[]string{"-embedding", vectors, "-k", "2"}, map[string]int{"features": 0, "embedding": 1, "cluster 1": 1}},
		"vectors and their graph":   {[]string{path, "-embedding", vectors}, map[string]int{"features": 1, "embedding": 1}},
		"vectors and a graph alone": {[]string{bare, "-embedding", vectors, "-labels", labels}, map[string]int{"features": 0, "embedding": 1, className(0): 1}},
	} {
		texts := svgTexts(t, plotted(t, "svg", append(c.args, "-by", "pca")...))
		for text, want := range c.want {
			text = strings.ReplaceAll(text, "\t", " ") // as a picture writes it
			testkit.WantSame(t, name+": number of "+text, count(texts, text), want)
		}
	}
	code, _, stderr := call("", "plot", bare, "-by", "pca", "-o", filepath.Join(t.TempDir(), "m.svg"))
	if code != 0 || !strings.Contains(stderr, "silhouette") {
		t.Errorf("clusters by the silhouette: exit %d, %q", code, stderr)
	}
}

// plot embeds as embed does where labels are the colours, and as cluster does where clusters are.
func TestPlotEmbedsByItsColours(t *testing.T) {
	_, path := community(t)
	dir := folder(t, map[string]string{"s.json": `{"dim": 32, "preparation": "undamped", "filter": "s2gcsum:20", "degree_share": 0, "scaling": {"rank": 12, "floor": 10, "norm": 4}}`})
	y, forClusters := filepath.Join(dir, "y.npy"), filepath.Join(dir, "c.npy")
	must(t, "", "embed", path, "-o", y)
	must(t, "", "embed", path, "-o", forClusters, "-settings", filepath.Join(dir, "s.json"))
	for _, c := range [][]string{{y}, {forClusters, "-k", "4"}} {
		args := append([]string{path, "-by", "pca"}, c[1:]...)
		if plotted(t, "svg", args...) != plotted(t, "svg", append(args, "-embedding", c[0])...) {
			t.Errorf("plot %v does not draw %s", args, filepath.Base(c[0]))
		}
	}
}

// A picture names the node of most edges of each class, and draws the edges; a page has the names of all.
func TestPlotNamesNodes(t *testing.T) {
	d := dataset.KarateClub()
	d.IDs = make([]string, d.Nodes())
	for i := range d.IDs {
		d.IDs[i] = fmt.Sprintf("member %d", i+1)
	}
	path := archiveOf(t, d)
	texts := svgTexts(t, plotted(t, "svg", path))
	for name, want := range map[string]int{"member 1": 1, "member 34": 1, "member 2": 0} { // instructor and administrator, of 16 and 17 edges
		testkit.WantSame(t, name, count(texts, name), want)
	}
	page := plotted(t, "html", path)
	testkit.WantText(t, page, `"member 2"`, `"first":[33,0,32,2,`) // of 17, 16, 12 and 10 edges (Zachary 1977)
	if edges := regexp.MustCompile(`"edges":\[([^\]]*)\]`).FindStringSubmatch(page); edges == nil || strings.Count(edges[1], ",") != 2*78-1 {
		t.Errorf("edges %v, want 78", edges)
	}
	vectors := filepath.Join(t.TempDir(), "y.tsv") // without a graph: those nearest to the middle of their class
	must(t, "", "embed", path, "-dim", "4", "-o", vectors)
	page = plotted(t, "html", "-embedding", vectors, "-k", "2")
	testkit.WantText(t, page, `"edges":null`, `"member 2"`, `"first":[`)
}

// t-SNE is the default, and draws a sample of many nodes: those with a label first.
func TestPlotChoosesMethodAndNodes(t *testing.T) {
	path := archiveOf(t, dataset.KarateClub())
	byDefault, tsne, pca := plotted(t, "svg", path), plotted(t, "svg", path, "-by", "tsne"), plotted(t, "svg", path, "-by", "pca")
	if byDefault != tsne || tsne == pca {
		t.Error("34 nodes are not drawn by t-SNE")
	}
	labels := slices.Repeat([]int{-1, -1, 2, -1, 0}, 20) // 40 of 100 have one
	for most, want := range map[int]string{
		30: "30 of 100 nodes drawn",
		40: "40 of 100 nodes drawn, all 40 labelled among them",
		70: "70 of 100 nodes drawn, all 40 labelled among them",
	} {
		rows, said := sampled(labels, most, 1)
		testkit.WantSame(t, "what is said", said, want)
		labelled := 0
		for _, i := range rows {
			if labels[i] >= 0 {
				labelled++
			}
		}
		if distinct := slices.Compact(slices.Sorted(slices.Values(rows))); len(rows) != most || len(distinct) != most || labelled != min(most, 40) {
			t.Errorf("of %d nodes drawn %d differ, and %d have a label", len(rows), len(distinct), labelled)
		}
		again, _ := sampled(labels, most, 1)
		other, _ := sampled(labels, most, 2)
		if !slices.Equal(rows, again) || slices.Equal(rows, other) {
			t.Errorf("%d nodes: the same by one seed %v, by another %v", most, slices.Equal(rows, again), slices.Equal(rows, other))
		}
	}
	if _, said := sampled(slices.Repeat([]int{-1}, 5), 3, 1); said != "3 of 5 nodes drawn" {
		t.Errorf("without labels: %q", said)
	}
}

// Predictions equal "coles predict" on the same embedding; labels stay as they are.
func TestPlotPredicts(t *testing.T) {
	d, path := community(t)
	labels := slices.Clone(d.Labels)
	for i := range labels {
		if i%3 > 0 {
			labels[i] = -1
		}
	}
	labels[0] = (labels[0] + 1) % 3 // a wrong one
	rows := testkit.Must(coles.Fit(t.Context(), testkit.Must(d.Graph()), d.Features)).Embedding()
	v := &vectors{Data: &task.Data{Dataset: &dataset.Dataset{}, Graph: testkit.Must(d.Graph())}, rows: rows}
	how := learn.Options{Seed: 1}
	classes := testkit.Must(predictedClasses(t.Context(), &session{}, v, task.Target{Labels: learn.Labels{Classes: labels}}, how))
	k := testkit.Must(learn.Fit(t.Context(), v.Graph, rows, learn.Labels{Classes: labels}, how))
	for i, l := range labels {
		want := l
		if l < 0 {
			want = testkit.Must(k.Predict(t.Context(), v.Graph, rows, learn.Labels{Classes: labels}, []int{i}))[0].Classes[0].Class
		}
		testkit.WantSame(t, fmt.Sprint("class of node ", i), classes[i], want)
	}
	out := filepath.Join(t.TempDir(), "m.svg")
	refused(t, filepath.Dir(out), exitUsage, "-predicted colours classes", "", "plot", path, "-predicted", "-k", "2", "-o", out)
	d.Labels = nil
	refused(t, filepath.Dir(out), exitFailure, "there are no labels", "", "plot", archiveOf(t, d), "-predicted", "-o", out)
}
