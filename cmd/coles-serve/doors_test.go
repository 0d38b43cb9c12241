package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"coles/dataset"
	"coles/dataset/parse"
	browser "coles/examples/browser/view"
	"coles/internal/testkit"
	"coles/learn"
	"coles/near"
	"coles/task"
)

// Doors answer: each asks all questions that it takes.
type doors struct {
	made
	command string
	want    answers // of the library
}

// built is the command.
func built(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "coles")
	build := exec.Command("go", "build", "-o", path, "./cmd/coles")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

func (d *doors) library(t *testing.T) answers {
	t.Helper()
	ctx := t.Context()
	all, ids := answers{}, []string(nil)
	data := d.data(t)
	ids = data.Graph.IDs()
	var rows []int
	for _, id := range d.asked {
		row, _ := data.Graph.Row(id)
		rows = append(rows, row)
	}
	fitted := testkit.Must(data.Fit(ctx, task.Fitting{}))
	similar := testkit.Must(testkit.Must(task.NewSimilar(ctx, data, fitted.Rows, near.Cosine, nil)).Rows(ctx, rows, 5))
	links := testkit.Must(testkit.Must(data.Links(ctx, task.Linking{Seed: 1})).Recommend(ctx, rows, 5, nil))
	for q, id := range d.asked {
		for what, found := range map[string][]match{"similar to": named(ids, similar[q]), "links of": named(ids, links[q])} {
			all.add(what, id, ranked(found, ofMatch)...)
		}
	}
	clusters := testkit.Must(task.Cluster(ctx, testkit.Must(data.Fit(ctx, task.Fitting{For: task.ForClustering})).Rows, 3, 1, nil))
	for i, id := range ids {
		all.add("cluster of", id, strconv.Itoa(clusters.Of[i]))
	}
	target := testkit.Must(task.TargetOf(data.Dataset, len(ids), ""))
	how := learn.Options{Seed: 1}
	chosen := testkit.Must(data.Fit(ctx, task.Fitting{Labels: &target, How: how}))
	p := testkit.Must(task.FitPredictor(ctx, data.Graph, chosen.Rows, chosen.Model, target, how))
	rest := make([]int, len(ids))
	for i := range rest {
		rest[i] = i
	}
	found := testkit.Must(p.Answers(ctx, data.Graph, chosen.Rows, target, rest))
	var why []*task.Why
	if p.Kind() == task.OneClass {
		why = testkit.Must(p.Why(ctx, data, chosen.Model, chosen.Rows, target, rest, found))
	}
	for q, a := range found {
		id := ids[rest[q]]
		if p.Kind() == task.Number {
			all.add("prediction of", id, digits(a.Value), digits(a.Low), digits(a.High))
		} else {
			all.add("prediction of", id, ranked(p.Likeliest(a, a.Has), ofChance)...)
		}
		if why != nil {
			all.why(id, why[q])
		}
	}
	return all
}

// data are read by the library.
func (d *doors) data(t *testing.T) *task.Data {
	t.Helper()
	if d.edges != "" {
		return testkit.Must(task.New(testkit.Must(dataset.OpenEdgeList(d.edges, d.features, d.labels))))
	}
	features, labels := testkit.Must(os.Open(d.features)), testkit.Must(os.Open(d.labels))
	defer features.Close()
	defer labels.Close()
	rows := testkit.Must(dataset.ReadEdgeList(strings.NewReader(""), features, parse.Options{Labels: labels, FeaturesName: d.features, LabelsName: d.labels}))
	return testkit.Must(task.Join(t.Context(), rows, 0))
}

// run runs the command on the files, and reads its JSON.
func (d *doors) run(t *testing.T, name string, to any, args ...string) {
	t.Helper()
	all := []string{name}
	if d.edges != "" {
		all = append(all, d.edges)
	}
	if d.features != "" {
		all = append(all, "-features", d.features)
	}
	d.print(t, to, append(all, args...)...)
}

func (d *doors) print(t *testing.T, to any, args ...string) {
	t.Helper()
	var said bytes.Buffer
	c := exec.CommandContext(t.Context(), d.command, args...)
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, said.String())
	}
	if to != nil {
		testkit.Check(t, json.Unmarshal(out, to))
	}
}

func (d *doors) commands(t *testing.T) answers {
	t.Helper()
	all := answers{}
	var predicted struct {
		Predictions []struct {
			ID               string
			Class            string
			Probability      float64
			Classes          []task.Chance
			Value, Low, High float64
			Why              *task.Why
		}
	}
	args := []string{"-labels", d.labels, "-all", "-json"}
	if strings.Contains(d.text(t, d.labels), ",a\n") {
		args = append(args, "-why")
	}
	d.run(t, "predict", &predicted, args...)
	for _, p := range predicted.Predictions {
		switch {
		case p.Class != "":
			all.add("prediction of", p.ID, p.Class+":"+digits(p.Probability))
		case p.Classes != nil:
			slices.SortStableFunc(p.Classes, func(a, b task.Chance) int { return cmp.Compare(b.Probability, a.Probability) })
			all.add("prediction of", p.ID, ranked(p.Classes, ofChance)...)
		default:
			all.add("prediction of", p.ID, digits(p.Value), digits(p.Low), digits(p.High))
		}
		all.why(p.ID, p.Why)
	}
	var clusters []struct {
		ID      string
		Cluster int
	}
	d.run(t, "cluster", &clusters, "-k", "3", "-json")
	for _, c := range clusters {
		all.add("cluster of", c.ID, strconv.Itoa(c.Cluster))
	}
	vectors := filepath.Join(t.TempDir(), "vectors.npy")
	similar := []string{"similar", "-embedding", vectors, "-ids", vectors + ".ids"}
	if d.features == "" {
		similar = []string{"similar", "-graph", d.edges}
	} else {
		d.run(t, "embed", nil, "-o", vectors, "-write-ids", vectors+".ids")
	}
	var found []struct {
		Query   string
		Similar []struct {
			ID         string
			Similarity float64
		}
	}
	d.print(t, &found, append(append(similar, "-k", "5", "-json"), d.asked...)...)
	for _, f := range found {
		var of []match
		for _, s := range f.Similar {
			of = append(of, match{s.ID, s.Similarity})
		}
		all.add("similar to", f.Query, ranked(of, ofMatch)...)
	}
	var recommended struct {
		Links []struct {
			ID, Node string
			Score    float64
		}
	}
	asks := []string{"-k", "5", "-json"}
	for _, id := range d.asked {
		asks = append(asks, "-node", id)
	}
	d.run(t, "links", &recommended, asks...)
	of := map[string][]match{}
	for _, id := range d.asked {
		of[id] = nil
	}
	for _, l := range recommended.Links {
		of[l.ID] = append(of[l.ID], match{l.Node, l.Score})
	}
	for id, links := range of {
		all.add("links of", id, ranked(links, ofMatch)...)
	}
	return all
}

func (d *doors) text(t *testing.T, path string) string {
	t.Helper()
	return string(testkit.Must(os.ReadFile(path)))
}

func (d *doors) service(t *testing.T) answers {
	t.Helper()
	all := answers{}
	ctx, stop := context.WithCancel(t.Context())
	stdout, w := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"-addr", "localhost:0", "-graph", d.edges, "-features", d.features, "-labels", d.labels}, w, io.Discard)
		w.Close()
	}()
	var line [512]byte
	n, err := stdout.Read(line[:])
	if err != nil {
		t.Fatal(<-ended)
	}
	_, base, _ := strings.Cut(strings.TrimSpace(string(line[:n])), " on ")
	get := func(path, id string) (a struct {
		answer
		High float64
	}) {
		t.Helper()
		r := testkit.Must(http.Get(base + path + "?k=5&id=" + url.QueryEscape(id)))
		defer r.Body.Close()
		testkit.Check(t, json.NewDecoder(r.Body).Decode(&a))
		testkit.WantSame(t, path+" of "+id, a.Error, "")
		return a
	}
	for _, id := range d.asked {
		all.add("similar to", id, ranked(get("/similar", id).Nearest, ofMatch)...)
		var links []match
		for _, l := range get("/links", id).Links {
			links = append(links, l.match)
		}
		all.add("links of", id, ranked(links, ofMatch)...)
		a := get("/predict", id)
		if a.Classes == nil {
			all.add("prediction of", id, digits(a.Value), digits(a.Low), digits(a.High))
		} else {
			// Of several classes it gives the chances of all.
			all.add("prediction of", id, ranked(a.Classes[:len(strings.Fields(d.want["prediction of "+id]))], ofChance)...)
		}
		all.why(id, a.Why)
	}
	stop()
	testkit.Check(t, <-ended)
	return all
}

func (d *doors) page(t *testing.T) answers {
	t.Helper()
	all, files := answers{}, map[string]browser.File{}
	for part, path := range map[string]string{"edges": d.edges, "features": d.features, "labels": d.labels} {
		if path != "" {
			files[part] = browser.File{Name: filepath.Base(path), Data: []byte(d.text(t, path))}
		}
	}
	var v browser.View
	var ids []string
	ask := func(r browser.Request, take func(message any)) {
		t.Helper()
		v.Answer(t.Context(), r, func(message any) {
			if f, failed := message.(browser.Failure); failed {
				t.Fatal(f.Error)
			}
			take(message)
		})
	}
	lines := func(text string) [][]string {
		return testkit.Must(csv.NewReader(strings.NewReader(text)).ReadAll())[1:]
	}
	ask(browser.Request{Files: files}, func(message any) {
		if g, ok := message.(browser.Graph); ok {
			ids = g.IDs
		}
	})
	ask(browser.Request{Want: "clusters", Clusters: 3}, func(message any) {
		if g, ok := message.(browser.Groups); ok {
			for _, line := range lines(g.CSV.Text) {
				all.add("cluster of", line[0], line[1])
			}
		}
	})
	ask(browser.Request{Want: "predictions"}, func(message any) {
		g, ok := message.(browser.Groups)
		if !ok {
			return
		}
		of := map[string][]string{}
		for _, line := range lines(g.CSV.Text) {
			if len(line) == 4 {
				of[line[0]] = line[1:]
			} else {
				of[line[0]] = append(of[line[0]], line[1]+":"+line[2])
			}
		}
		for id, parts := range of {
			if len(parts) > 1 && strings.Contains(parts[0], ":") {
				slices.SortStableFunc(parts, func(a, b string) int { return cmp.Compare(chanceOf(b), chanceOf(a)) })
			}
			all.add("prediction of", id, parts...)
		}
	})
	for _, id := range d.asked {
		ask(browser.Request{Node: slices.Index(ids, id)}, func(message any) {
			found := named(ids, message.(browser.Table).Table)
			all.add("similar to", id, ranked(found[:min(5, len(found))], ofMatch)...)
		})
	}
	return all
}

func chanceOf(part string) float64 {
	v, _ := strconv.ParseFloat(part[strings.LastIndex(part, ":")+1:], 64)
	return v
}
