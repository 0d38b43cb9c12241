package main

import (
	"math"
	"strings"
	"testing"

	"coles/dataset/synthetic"
	"coles/internal/testkit"
)

// The reasons of a prediction are parts of its score: of two classes that one says by its probability where the
// vectors alone speak, and it is known how much they count.
func TestPredictSaysWhy(t *testing.T) {
	d := testkit.Must(synthetic.Communities{Nodes: 120, Classes: 2, Features: 20}.Generate(t.Context()))
	path := archiveOf(t, d)
	labels := labelFile(t, d.Labels, every(4, 120))
	r := reported(t, path, "-labels", labels, "-why", "-alone")
	testkit.WantSame(t, "number of predictions", len(r.Predictions), 90)
	for _, p := range r.Predictions {
		w := p.Why
		if w == nil || len(w.Nodes) != 3 || len(w.Columns) != 3 {
			t.Fatalf("%s: %+v", p.ID, w)
		}
		odds := math.Log(p.Probability/(1-p.Probability)) / r.Weights.Vectors
		testkit.WantNear(t, "the score of "+p.ID, w.Score, odds, 1e-6*(1+math.Abs(odds)))
		if !strings.HasPrefix(w.Columns[0].Name, "column ") || w.Columns[0].Part == 0 || w.Nodes[0].Part == 0 {
			t.Errorf("%s: %v", p.ID, w)
		}
	}
}
