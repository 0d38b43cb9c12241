package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"coles/dataset"
	"coles/internal/testkit"
	"coles/near"
	"coles/task"
)

// TestDoorsAgree asks the library, the command, the service and the page the same of the same files. Where it was first
// run, service and page predicted by the model that is fitted without labels, and were wrong of nodes whose labels only
// the features know; the service learnt links from vectors that had seen the hidden edges; the page clustered vectors
// that are not for clustering; the service joined each of few rows to ten others, and fewer than eleven not at all.
func TestDoorsAgree(t *testing.T) {
	command := built(t)
	for k, kind := range []string{"words", "table", "edges", "rows", "few rows"} {
		t.Run(kind, func(t *testing.T) {
			meanings := []string{"classes", "several", "numbers"}
			if testing.Short() {
				meanings = meanings[k%3 : k%3+1]
			}
			for _, labels := range meanings {
				d := &doors{made: madeFiles(t, kind, labels), command: command}
				d.want = d.library(t)
				for name, door := range map[string]struct {
					ask     func(*testing.T) answers
					answers string // besides reasons, about the nodes asked for
				}{
					"command": {d.commands, "cluster of, links of, prediction of, similar to"},
					"service": {d.service, "links of, prediction of, similar to"},
					"page":    {d.page, "cluster of, prediction of, similar to"},
				} {
					got := door.ask(t)
					for what := range strings.SplitSeq(door.answers, ", ") {
						if _, answered := got[what+" "+d.asked[2]]; !answered { // which has no label
							t.Errorf("%s, the %s: no %s %s", labels, name, what, d.asked[2])
						}
					}
					for _, question := range slices.Sorted(maps.Keys(got)) {
						if got[question] != d.want[question] {
							t.Errorf("%s, the %s: %s\n%s, want\n%s", labels, name, question, got[question], d.want[question])
						}
					}
				}
			}
		})
	}
}

// TestNewcomersAgree places a node after the fit, by the same file, and predicts its class by its vector.
func TestNewcomersAgree(t *testing.T) {
	command := built(t)
	for kind, kim := range map[string]struct{ file, features string }{
		"words": {"kim 1:1 3:1 7:1\n", `{"1": 1, "3": 1, "7": 1}`},
		"table": {"id,brand,price,about\nkim,brand 2,9.5,round and red\n", `{"brand": "brand 2", "price": 9.5, "about": "round and red"}`},
	} {
		d := &doors{made: madeFiles(t, kind, "classes"), command: command}
		of := func(name string) string { return filepath.Join(filepath.Dir(d.edges), name) }
		write(t, of("kim.txt"), kim.file)
		write(t, of("kim.edges"), "kim n1\nkim n5\n")
		var predicted struct {
			Predictions []struct {
				ID, Class   string
				Probability float64
			}
		}
		d.run(t, "predict", nil, "-labels", d.labels, "-model", of("m"), "-classifier", of("c"))
		d.run(t, "embed", nil, "-with", of("m"), "-new-features", of("kim.txt"), "-new-edges", of("kim.edges"), "-o", of("kim.npy"))
		d.print(t, &predicted, "predict", "-embedding", of("kim.npy"), "-use", of("c"), "-json")
		s := start(t, source{graph: d.edges, features: d.features, labels: d.labels, model: of("m")})
		body := `{"neighbours": ["n1", "n5"], "features": ` + kim.features + `}`
		y := testkit.Must(dataset.Open(of("kim.npy"), dataset.ReadNPY))
		got := ask(t, s, "POST", "/embed", body, 200).Vector
		_, width := y.Dims()
		testkit.WantSame(t, "columns", len(got), width)
		for j, v := range got {
			testkit.WantSame(t, fmt.Sprintf("%s: column %d of the vector", kind, j), digits(v), digits(y.At(0, j)))
		}
		p := predicted.Predictions[0]
		alone := start(t, source{graph: d.edges, features: d.features, model: of("m")}) // which has the classifier, too
		for name, s := range map[string]*service{"beside labels": s, "without labels": alone} {
			best := ask(t, s, "POST", "/predict", body, 200).Classes[0]
			testkit.WantSame(t, kind+": the class "+name, best.Class+":"+digits(best.Probability), p.Class+":"+digits(p.Probability))
		}
		d.run(t, "predict", &predicted, "-use", of("m"), "-json")
		for _, p := range predicted.Predictions {
			if slices.Contains(d.asked, p.ID) {
				best := ask(t, alone, "GET", "/predict?id="+p.ID, "", 200).Classes[0]
				testkit.WantSame(t, kind+": the class of "+p.ID, best.Class+":"+digits(best.Probability), p.Class+":"+digits(p.Probability))
			}
		}
	}
}

// TestNumbersByColumnsAgree learns numbers that the columns know better than the vectors, and answers by the file alone.
func TestNumbersByColumnsAgree(t *testing.T) {
	d := &doors{made: madeFiles(t, "table", "classes"), command: built(t)}
	labels, file := filepath.Join(t.TempDir(), "labels.csv"), filepath.Join(t.TempDir(), "m")
	var text strings.Builder
	for i, line := range strings.Split(string(testkit.Must(os.ReadFile(d.features))), "\n") {
		if cells := strings.Split(line, ","); len(cells) > 2 && i%3 > 0 {
			price, _ := strconv.ParseFloat(cells[2], 64)
			fmt.Fprintf(&text, "%s,%.3f\n", cells[0], 2*price+1)
		}
	}
	write(t, labels, text.String())
	d.run(t, "predict", nil, "-labels", labels, "-model", file)
	kept := testkit.Must(dataset.Open(file, task.ReadFile))
	testkit.WantSame(t, "by columns", kept.Predictor.Reads(), "columns")
	var predicted struct {
		Predictions []struct {
			ID    string
			Value float64
		}
	}
	d.run(t, "predict", &predicted, "-use", file, "-json")
	s := start(t, source{graph: d.edges, features: d.features, model: file})
	for _, p := range predicted.Predictions[:10] {
		testkit.WantSame(t, "the number of "+p.ID, digits(ask(t, s, "GET", "/predict?id="+p.ID, "", 200).Value), digits(p.Value))
	}
}

// Answers are by question, such as "links of n3", in the digits that the command prints.
type answers map[string]string

func (a answers) add(what, id string, parts ...string) { a[what+" "+id] = strings.Join(parts, " ") }

func digits(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// ranked are nodes and scores.
func ranked[T any](all []T, of func(T) (string, float64)) (parts []string) {
	for _, one := range all {
		id, score := of(one)
		parts = append(parts, id+":"+digits(score))
	}
	return parts
}

// named are matches by the names of rows.
func named(ids []string, found []near.Match) (all []match) {
	for _, m := range found {
		all = append(all, match{ids[m.Row], m.Score})
	}
	return all
}

func ofMatch(m match) (string, float64)        { return m.ID, m.Score }
func ofChance(c task.Chance) (string, float64) { return c.Class, c.Probability }
func ofPart(p task.NodePart) (string, float64) { return p.ID, p.Part }
func ofColumn(p task.ColumnPart) (string, float64) {
	return fmt.Sprintf("%s=%g", p.Name, p.Value), p.Part
}

// why are the reasons for a class.
func (a answers) why(id string, w *task.Why) {
	if w != nil {
		a.add("reasons for", id, slices.Concat(ranked(w.Nodes, ofPart), ranked(w.Columns, ofColumn))...)
	}
}

// made are small files: nodes in three communities, whose classes no edge knows, but the features, if there are some.
type made struct {
	edges, features, labels string // paths, "" for none
	asked                   []string
}

func madeFiles(t *testing.T, kind, labels string) made {
	t.Helper()
	n, dir := 150, t.TempDir()
	if kind == "few rows" {
		n = 12
	}
	rng := rand.New(rand.NewPCG(7, 0))
	var edges, features, named strings.Builder
	if kind == "table" {
		features.WriteString("id,brand,price,about\n")
	}
	words := []string{"red", "green", "blue", "round", "flat", "heavy"}
	for i := range n {
		class, community := rng.IntN(2), i%3
		if kind == "edges" || n < 20 {
			class = min(community, 1)
		}
		for range 4 {
			other := rng.IntN(n)
			if rng.IntN(10) > 0 {
				other += (community - other%3 + 3) % 3
			}
			if other < n && other != i {
				fmt.Fprintf(&edges, "n%d,n%d\n", i, other)
			}
		}
		switch kind {
		case "words":
			fmt.Fprintf(&features, "n%d", i)
			for j := range 30 {
				if p := rng.Float64(); j/5 == class && p < .5 || j/5 == 2+community && p < .3 || p < .05 {
					fmt.Fprintf(&features, " %d:1", j)
				}
			}
			features.WriteString("\n")
		case "table":
			fmt.Fprintf(&features, "n%d,brand %d,%.2f,%s and %s\n", i, (community+rng.IntN(2))%3, 10*float64(class)+3*rng.NormFloat64(), words[3*class+rng.IntN(3)], words[rng.IntN(6)])
		default:
			fmt.Fprintf(&features, "n%d", i)
			for j := range 6 {
				fmt.Fprintf(&features, ",%.3f", rng.NormFloat64()+2*float64(class*(j%2)+community*((j+1)%2)))
			}
			features.WriteString("\n")
		}
		if i%3 > 0 || i < 4 {
			switch labels {
			case "classes":
				fmt.Fprintf(&named, "n%d,%c\n", i, 'a'+class)
			case "several":
				fmt.Fprintf(&named, "n%d,%c|%s\n", i, 'a'+class, []string{"x", "y"}[rng.IntN(10)/9])
			case "numbers":
				fmt.Fprintf(&named, "n%d,%.3f\n", i, 5*float64(class)+rng.NormFloat64())
			}
		}
	}
	of := func(name, text string) string {
		path := filepath.Join(dir, name)
		write(t, path, text)
		return path
	}
	m := made{labels: of("labels.csv", named.String()), asked: []string{"n1", "n5", "n6", "n11"}}
	if kind != "rows" && kind != "few rows" {
		m.edges = of("edges.csv", edges.String())
	}
	switch kind {
	case "words":
		m.features = of("features.txt", features.String())
	case "table", "rows", "few rows":
		m.features = of("features.csv", features.String())
	}
	return m
}
