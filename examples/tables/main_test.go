package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coles/dataset"
)

// sharedData is a folder of real graphs beside the project, which is no part of it.
func sharedData(t *testing.T) string {
	t.Helper()
	folder := filepath.Join("..", "..", "..", "shared", "data")
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("%s is not there (real graphs are kept beside the project, not in it)", folder)
	}
	return folder
}

func TestNamesAreMatchedWithoutCaseAndPunctuation(t *testing.T) {
	for _, c := range []struct{ list, want string }{
		{"coles-s2gc", "COLES-S2GC"},
		{"COLES S²GC", "COLES-S2GC"},
		{"s2gc(same features)", "S2GC (same features)"},
		{"S²GC", "S2GC"},
		{"pca_s2gc", "PCA-S2GC"},
	} {
		found, err := findMethods(allMethods(), c.list)
		if err != nil || len(found) != 1 || found[0].name != c.want {
			t.Errorf("%q finds %v (%v), want %s", c.list, found, err, c.want)
		}
	}
	if _, err := findMethods(allMethods(), "coles"); err == nil || !strings.Contains(err.Error(), "COLES-SGC") {
		t.Errorf("an unknown method: %v, want an error that lists the known ones", err)
	}
}

func TestTablePrintsOneCellPerLineOfJSON(t *testing.T) {
	data := sharedData(t)
	var stdout, stderr bytes.Buffer
	if err := run(context.Background(), []string{"-data", data, "-datasets", "texas", "-methods", "raw,coles-s2gc,eigenmaps", "-splits", "3", "-json"}, &stdout, &stderr); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(stdout.String()), "\n")
	if len(lines) != 6 {
		t.Fatalf("%d lines, want 3 methods × 2 numbers of labels:\n%s", len(lines), stdout.String())
	}
	for i, line := range lines {
		var c struct {
			Table, Dataset string
			PerClass       int `json:"per_class"`
			Mean           float64
			Paper          *float64
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		if c.Table != "classification" || c.Dataset != "texas" || c.PerClass != perClass[i%2] || c.Mean <= 0 || c.Mean > 100 || c.Paper != nil {
			t.Errorf("line %d: %s", i, line)
		}
	}
	if !strings.Contains(stderr.String(), "3 splits of 5 per class are drawn") {
		t.Errorf("standard error does not say that splits were drawn: %s", stderr.String())
	}
}

func TestTableShowsThePapersFigures(t *testing.T) {
	data := sharedData(t)
	var stdout, stderr bytes.Buffer
	if err := run(context.Background(), []string{"-data", data, "-datasets", "cora", "-methods", "s2gc", "-splits", "2"}, &stdout, &stderr); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| | cora, 5 | cora, 20 |", "| S2GC |", "(71.4)", "(81.3)"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, stdout.String())
		}
	}
}

func TestTablesSayWhatIsWrong(t *testing.T) {
	empty := t.TempDir()
	broken := t.TempDir()
	for _, folder := range []string{"npz", "splits"} {
		if err := os.Mkdir(filepath.Join(broken, folder), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(broken, "npz", "cora.npz"), []byte("nothing"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args []string
		text string
	}{
		{"no folder", nil, "-data"},
		{"no such data set", []string{"-data", empty, "-datasets", "nowhere"}, "nowhere.npz"},
		{"broken archive", []string{"-data", broken, "-datasets", "cora"}, dataset.ErrFormat.Error()},
		{"unknown table", []string{"-data", empty, "-table", "chairs"}, "classification"},
		{"no splits", []string{"-data", empty, "-splits", "0"}, "-splits"},
		{"no data sets", []string{"-data", empty, "-datasets", " , "}, "-datasets"},
		{"methods of a table that has one", []string{"-data", empty, "-table", "kappa", "-methods", "raw"}, "-methods"},
		{"two formats", []string{"-data", empty, "-json", "-format", "csv"}, "-json"},
		{"unknown format", []string{"-data", empty, "-format", "pdf"}, "markdown"},
		{"unknown method", []string{"-data", empty, "-table", "all", "-methods", "raw,guess"}, "guess"},
		{"method of another table", []string{"-data", empty, "-methods", "k-means"}, "k-means"},
		{"stray argument", []string{"-data", empty, "cora"}, "cora"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			err := run(context.Background(), c.args, &stdout, &stderr)
			if err == nil || !strings.Contains(err.Error(), c.text) {
				t.Errorf("error %v, want one that mentions %q", err, c.text)
			}
			if stdout.Len() > 0 {
				t.Errorf("standard output: %q", stdout.String())
			}
		})
	}
}

func TestAllLeavesOutWhatTrainsNetworks(t *testing.T) {
	for _, c := range []struct {
		list string
		has  []string
		not  []string
	}{
		{"all", []string{"classification", "clustering", "labelrate", "dims", "filters", "links", "inductive", "kappa"}, []string{"kappa-gcn", "means"}},
		{"means, all,kappa", []string{"means", "classification", "kappa"}, []string{"kappa-gcn"}},
	} {
		found, err := findTables(c.list)
		if err != nil {
			t.Fatal(err)
		}
		count := make(map[string]int)
		for _, f := range found {
			count[f.name]++
		}
		for _, name := range c.has {
			if count[name] != 1 {
				t.Errorf("%s has %s %d times", c.list, name, count[name])
			}
		}
		for _, name := range c.not {
			if count[name] != 0 {
				t.Errorf("%s has %s", c.list, name)
			}
		}
	}
}

func TestEachTableMeasuresTheMethodsItHas(t *testing.T) {
	all, err := findTables("all")
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := chooseMethods(all, "raw,coles-gcn")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range chosen {
		for _, m := range c.standard {
			if m.name != "Raw" && m.name != "COLES-GCN" {
				t.Errorf("%s measures %s", c.name, m.name)
			}
		}
	}
	if first := methodNames(chosen[0].standard); strings.Join(first, ",") != "Raw,COLES-GCN" {
		t.Errorf("%s measures %q", chosen[0].name, first)
	}
}

func TestFileAppearsOnlyWhenAllIsMeasured(t *testing.T) {
	data := sharedData(t)
	path := filepath.Join(t.TempDir(), "cells.csv")
	args := []string{"-data", data, "-datasets", "texas", "-methods", "raw", "-splits", "2", "-format", "csv", "-o", path}
	var stdout, stderr bytes.Buffer
	if err := run(context.Background(), args, &stdout, &stderr); err != nil {
		t.Fatal(err)
	}
	first, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(first), "table,dataset,per_class,method,mean") || stdout.Len() > 0 {
		t.Errorf("the file is %q (%v), standard output %q", first, err, stdout.String())
	}
	args[3] = "texas,nowhere"
	if err := run(context.Background(), args, &stdout, &stderr); err == nil {
		t.Fatal("a data set that is not there was measured")
	}
	if again, err := os.ReadFile(path); err != nil || !bytes.Equal(again, first) {
		t.Errorf("a run that failed left %q (%v)", again, err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("beside the file is something else: %v (%v)", left, err)
	}
}

// The varied value stands under its own name, and each table has the rows and the
// numbers of labels that it promises.
func TestAblationsNameWhatTheyVary(t *testing.T) {
	data := sharedData(t)
	for _, c := range []struct {
		table, key string
		values     int
		labels     int
	}{
		{"dims", "dim", 7, 2}, // texas has 1,703 features
		{"filters", "filter", 6, 2},
		{"kappa", "kappa", 4, 2},
		{"labelrate", "per_class", 6, 1}, // with one method
	} {
		t.Run(c.table, func(t *testing.T) {
			args := []string{"-data", data, "-datasets", "texas", "-table", c.table, "-splits", "2", "-json"}
			if c.table == "labelrate" {
				args = append(args, "-methods", "coles-s2gc")
			}
			var stdout, stderr bytes.Buffer
			if err := run(context.Background(), args, &stdout, &stderr); err != nil {
				t.Fatal(err)
			}
			values, lines := make(map[any]int), strings.Split(strings.TrimSpace(stdout.String()), "\n")
			for _, line := range lines {
				var members map[string]any
				if err := json.Unmarshal([]byte(line), &members); err != nil {
					t.Fatal(err)
				}
				if mean, ok := members["mean"].(float64); !ok || mean <= 0 || mean > 100 || members["table"] != c.table || members[c.key] == nil {
					t.Errorf("%s", line)
				}
				values[members[c.key]]++
			}
			if len(values) != c.values || len(lines) != c.values*c.labels {
				t.Errorf("%d values of %s on %d lines, want %d on %d", len(values), c.key, len(lines), c.values, c.values*c.labels)
			}
		})
	}
}

func TestDimensionsAboveTheFeaturesAreLeftOut(t *testing.T) {
	data := sharedData(t)
	var stdout, stderr bytes.Buffer
	// Tolokers has ten features.
	if err := run(context.Background(), []string{"-data", data, "-datasets", "tolokers", "-table", "dims", "-splits", "1", "-json"}, &stdout, &stderr); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(stdout.String(), "\n"); lines != 2 || strings.Count(stdout.String(), `"dim":8`) != 2 {
		t.Errorf("want d′ = 8 alone:\n%s", stdout.String())
	}
}

func TestCurvesHaveTheMethodsTheyName(t *testing.T) {
	if got := methodNames(labelRateTable().standard); len(got) != len(inCurves) {
		t.Errorf("%q of %q", got, inCurves)
	}
}
