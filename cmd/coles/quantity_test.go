package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"coles"
	"coles/internal/testkit"
	"coles/learn"
)

// Labels with fractions are predicted by the library's regression; whole numbers are, where most occur once.
func TestPredictNumbers(t *testing.T) {
	d, path := community(t)
	g := testkit.Must(d.Graph())
	y := testkit.Must(coles.Fit(t.Context(), g, d.Features, coles.WithDim(8))).Embedding()
	for name, of := range map[string]func(i int) float64{
		"fractions": func(i int) float64 { return math.Round(1e3*(2+y.At(i, 0)+y.At(i, 1))) / 1e3 },
		"whole":     func(i int) float64 { return math.Round(1e5 * y.At(i, 0)) },
	} {
		var lines strings.Builder
		values := make([]float64, g.Nodes())
		for i := range values {
			if values[i] = math.NaN(); i%3 == 0 {
				values[i] = of(i)
				fmt.Fprintf(&lines, "%d,%v\n", i, strconv.FormatFloat(values[i], 'f', -1, 64))
			}
		}
		labels := filepath.Join(folder(t, map[string]string{"labels.csv": lines.String()}), "labels.csv")
		of := learn.Labels{Values: values}
		p := testkit.Must(learn.Fit(t.Context(), g, y, of, learn.Options{Seed: 1}))
		found := testkit.Must(p.Predict(t.Context(), g, y, of, []int{1}))[0]
		code, out, said := call("", "predict", path, "-dim", "8", "-kind", "auto", "-labels", labels)
		if code != 0 {
			t.Fatal(said)
		}
		testkit.WantText(t, said, "the labels are numbers", "the neighbours' mean by", fmt.Sprintf("R² %.2f", p.Ridge.Found.R2))
		first, _, _ := strings.Cut(out, "\n")
		testkit.WantSame(t, name, first, fmt.Sprintf("1\t%.6g\t%.6g\t%.6g", found.Value, found.Low, found.High))
		if _, out, _ := call("", "predict", path, "-dim", "8", "-labels", labels, "-labels-as", "classes"); strings.Count(out, "\t") != 2*strings.Count(out, "\n") {
			t.Errorf("%s as classes: %s", name, out)
		}
	}
}

// The error the neighbours' mean by, by hand: on a path of 1, 2 and 4 the ends are predicted 2, the middle 2.5.
func TestNeighboursError(t *testing.T) {
	g := testkit.Must(coles.NewGraph(5, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}}))
	testkit.WantNear(t, "the error", neighboursError(g, []float64{1, 2, 4, math.NaN(), math.NaN()}), (1+0.5+2)/3., 1e-12)
}
