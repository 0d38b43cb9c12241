package main

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"coles/dataset/synthetic"
	"coles/internal/testkit"
)

// The reasons of a prediction are parts of its score: of two classes that one says by its probability where nothing is
// smoothed and the temperature is known.
func TestPredictSaysWhy(t *testing.T) {
	d := testkit.Must(synthetic.Communities{Nodes: 120, Classes: 2, Features: 20}.Generate(t.Context()))
	path := archiveOf(t, d)
	labels := labelFile(t, d.Labels, everyFourth(120))
	r := reported(t, path, "-labels", labels, "-why", "-alpha", "0")
	testkit.WantSame(t, "number of predictions", len(r.Predictions), 90)
	for _, p := range r.Predictions {
		w := p.Why
		if w == nil || len(w.Nodes) != mostReasons || len(w.Columns) != mostReasons {
			t.Fatalf("%s: %+v", p.ID, w)
		}
		odds := math.Log(p.Probability/(1-p.Probability)) * r.Temperature
		testkit.WantNear(t, "the score of "+p.ID, w.Score, odds, 1e-6*(1+math.Abs(odds)))
		if !strings.HasPrefix(w.Columns[0].Name, "column ") || w.Columns[0].Part == 0 || w.Nodes[0].Part == 0 {
			t.Errorf("%s: %v", p.ID, w)
		}
	}
	w := &why{Nodes: []nodePart{{"ann", 1.25}, {"bob", -0.5}}, Columns: []columnPart{{"jazz", 2, 0.75}, {"rock", 0, 0.5}}}
	testkit.WantSame(t, "a line", w.String(), "ann +1.25, bob -0.5; jazz=2 +0.75, rock (neighbours) +0.5")

	dir := t.TempDir()
	model, kept := filepath.Join(dir, "m"), filepath.Join(dir, "c")
	said(t, path, "-labels", labels, "-model", model, "-classifier", kept, "-kind", "graph", "-o", filepath.Join(dir, "p.csv"))
	var used predictions
	code, stdout, stderr := call("", "predict", path, "-all", "-with", model, "-use", kept, "-why", "-json")
	if code != 0 {
		t.Fatal(stderr)
	}
	testkit.Check(t, json.Unmarshal([]byte(stdout), &used))
	if w := used.Predictions[0].Why; w.Nodes != nil || len(w.Columns) != mostReasons {
		t.Errorf("with a classifier that was read: %v", w)
	}
	vectors := filepath.Join(dir, "y.npy")
	must(t, "", "embed", path, "-with", model, "-o", vectors)
	if w := reported(t, "-embedding", vectors, "-labels", labels, "-why").Predictions[0].Why; w.Columns != nil || len(w.Nodes) != mostReasons {
		t.Errorf("of vectors alone: %v", w)
	}
	numbers := folder(t, map[string]string{"n.csv": "id,price\n0,1.5\n1,2.5\n2,3.25\n3,1.125\n4,2\n5,7.5\n"})
	refused(t, dir, exitUsage, "-why is for nodes of one class", "", "predict", path, "-kind", "graph", "-labels", filepath.Join(numbers, "n.csv"), "-why")
}
