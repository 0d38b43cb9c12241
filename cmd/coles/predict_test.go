package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"coles/dataset"
	"coles/internal/testkit"
	"coles/learn"
)

// said is the output of predict: standard error names the choice of its model, if any, and its
// accuracy.
func said(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	code, stdout, stderr := call("", append([]string{"predict"}, args...)...)
	if code != 0 || !strings.Contains(stderr, "predictions are right") && !strings.Contains(stderr, "cross-valid") {
		t.Fatalf("coles predict %s: exit %d, standard error %q", strings.Join(args, " "), code, stderr)
	}
	return stdout, stderr
}

// The accuracy of predictions is from the library's cross-validation, as text and as JSON; -seed draws the parts.
func TestPredictSaysHowGoodItIs(t *testing.T) {
	d, path := community(t)
	known, lines := slices.Repeat([]int{-1}, 300), ""
	for i := range 75 {
		known[4*i] = d.Labels[4*i]
		if i%5 == 0 {
			known[4*i] = (known[4*i] + 1) % 3 // noise, which makes errors
		}
	}
	for class := range 3 { // a reader numbers classes as they come
		for i, l := range known {
			if l == class {
				lines += fmt.Sprintf("%d,\"class\t\"\"%d\"\"\"\n", i, l)
			}
		}
	}
	dir := folder(t, map[string]string{"labels.csv": lines})
	labels, vectors := filepath.Join(dir, "labels.csv"), filepath.Join(dir, "y.npy")
	must(t, "", "embed", path, "-kind", "graph", "-dim", "8", "-o", vectors)
	y := testkit.Must(dataset.Open(vectors, dataset.ReadNPY))
	p := testkit.Must(learn.Fit(t.Context(), nil, y, learn.Labels{Classes: known}, learn.Options{Seed: 2}))
	want, largest := p.Confusion, 0
	want.Names = []string{"class\t\"0\"", "class\t\"1\"", "class\t\"2\""}
	for k := range want.Classes {
		largest = max(largest, want.Size(k))
	}
	for of, args := range map[string][]string{
		"graph model":               {path, "-kind", "graph", "-dim", "8", "-alone"},
		"the vectors of " + vectors: {"-embedding", vectors},
	} {
		args = append(args, "-labels", labels, "-seed", "2")
		_, stderr := said(t, args...)
		testkit.WantSame(t, of, stderr, fmt.Sprintf("coles: %.0f of 100 predictions are right, by 75 labelled nodes, each predicted without its label; the largest class has %.0f of 100\n%vcoles: %s: %v\n",
			100*want.Accuracy(), 100*float64(largest)/75, want, of, p.Weights))
		var r struct {
			Kind     string
			Accuracy float64
			Classes  []classErrors
		}
		stdout, _ := said(t, append(args, "-json")...)
		testkit.Check(t, json.Unmarshal([]byte(stdout), &r))
		counts := make([][]int, 3)
		for i, class := range r.Classes {
			for j := range 3 {
				counts[i] = append(counts[i], class.Predicted[want.Name(j)])
			}
			class.Predicted = nil
			testkit.WantSame(t, "a class in JSON", class, classErrors{want.Name(i), want.Size(i), want.Recall(i), want.Precision(i), nil})
		}
		testkit.WantSame(t, "the counts in JSON", counts, want.Counts)
		testkit.WantSame(t, "the accuracy in JSON", r.Accuracy, want.Accuracy())
		if of == r.Kind+" model" != (args[0] == path) {
			t.Errorf("%s: the kind in JSON is %q", of, r.Kind)
		}
	}
}
