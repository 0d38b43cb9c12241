package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/dataset"
	"coles/dataset/synthetic"
	"coles/internal/testkit"
	"coles/plane"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// All columns but raw see neither the scale of an embedding nor where its rows lie: four fifths of it make
// the same predictions. Those of a norm are C = 1 on rows of that norm.
func TestColumnsSeeNoScale(t *testing.T) {
	rng := testkit.Random(1)
	y := mat.NewDense(300, 40, nil)
	y.Apply(func(_, j int, _ float64) float64 { return 0.5 + rng.NormFloat64()/float64(j+1) }, y)
	labels := make([]int, 300)
	for i := range labels {
		if y.At(i, 0)+y.At(i, 1) > 1 {
			labels[i] = 1
		}
	}
	var short mat.Dense
	short.Scale(0.8, y)
	splits := testkit.Must(dataset.RandomSplits(labels, 20, 1, 1))
	learnt := func(s scaling, y mat.Matrix) *mat.Dense {
		x, regression, err := s.regression(t.Context(), y)
		testkit.Check(t, err)
		m := testkit.Must(regression.Fit(t.Context(), x, splits[0].Train, labels))
		return testkit.Must(m.Scores(t.Context(), x, splits[0].Test))
	}
	for _, s := range toMeasure(scalings) {
		long, short := learnt(s, y), learnt(s, &short)
		if same := mat.EqualApprox(long, short, 1e-4); same != (s.name != "raw") {
			t.Errorf("%s: that four fifths of an embedding are the same is %v", s.name, same)
		}
		var r float64
		if _, err := fmt.Sscanf(s.name, "norm%g", &r); err == nil {
			var scaled mat.Dense
			scaled.Scale(r/testkit.MeanNorm(y), y)
			testkit.WantClose(t, s.name, long, learnt(scalings[0], &scaled), 1e-4)
		}
	}
	norm := testkit.Must(centredNorm(t.Context(), y))
	testkit.WantNear(t, "norm", norm, testkit.MeanNorm(y), 1e-12)
	testkit.WantNear(t, "norm after scaling", testkit.MeanNorm(mat.DenseCopyOf(testkit.Must(toNorm(t.Context(), y)))), 4, 1e-12)
	testkit.WantNear(t, "norm of equal rows", testkit.Must(centredNorm(t.Context(), mat.NewDense(3, 1, []float64{0.1, 0.1, 0.1}))), 1, 0)
}

// The candidates are half octaves of the norm that include COLES's, and the scale of the embedding.
func TestCandidatesHoldTheScaleOfAnEmbedding(t *testing.T) {
	for _, norm := range []float64{0.01, 0.1, 1, 4, 11, 50} {
		cs := candidates(norm)
		for k, c := range cs[1:] {
			testkit.WantNear(t, "step", c, 2*cs[k], 1e-12)
		}
		for _, held := range []float64{1, 16 / (norm * norm) / 32, 16 / (norm * norm) * 8} {
			if cs[0] > held*1.42 || cs[len(cs)-1] < held/1.42 {
				t.Errorf("norm %v: %v is not within %v", norm, held, cs)
			}
		}
		if inside := norm >= 1 && norm <= 11; inside != (len(cs) == 9) {
			t.Errorf("norm %v: %d candidates", norm, len(cs))
		}
	}
}

// The principal components are scaled by the library's rule, with their variances as eigenvalues: flat
// spectra are weighted by powers, a steep one is left alike.
func TestSpectralScalingFollowsTheRule(t *testing.T) {
	rng := testkit.Random(2)
	for name, decay := range map[string]float64{"flat": 0.15, "sloping": 0.4, "steep": 2} {
		y := mat.NewDense(500, 60, nil)
		y.Apply(func(_, j int, _ float64) float64 { return rng.NormFloat64() * math.Pow(float64(j+1), -decay) }, y)
		var covariance mat.SymDense
		stat.CovarianceMatrix(&covariance, y, nil)
		var eigen mat.EigenSym
		if !eigen.Factorize(&covariance, false) {
			t.Fatal("no eigenvalues")
		}
		variances := eigen.Values(nil)
		slices.Reverse(variances)
		floats.Scale(499./500, variances)
		components := testkit.Must(plane.PCA(t.Context(), y, 60))
		rule := testkit.Must(coles.DefaultSettings().Scaling.Fit(t.Context(), components, variances))
		if alike := rule.Power == 0; alike != (name == "steep") {
			t.Errorf("%s: γ = %v", name, rule.Power)
		}
		testkit.WantClose(t, name, testkit.Must(scaleSpectrum(t.Context(), y)), testkit.Must(rule.Apply(t.Context(), components)), 1e-6)
	}
}

// An embedding is computed once for every seed, whatever it is measured in; a method trained on
// labels once for every seed and number of labels, and is the same in all columns.
func TestMethodsRunOnceForAllColumns(t *testing.T) {
	d := testkit.Must(synthetic.Communities{Nodes: 300, Features: 40, Seed: 1}.Generate(t.Context()))
	p := &problem{Dataset: d, graph: testkit.Must(d.Graph())}
	p.splits = func(per int) ([]dataset.Split, error) { return d.RandomSplits(per, 3, 1) }
	runs := 0
	embeds := method{seeded: true, embed: func(_ context.Context, p *problem, _ uint64) (mat.Matrix, error) {
		runs++
		return p.Features, nil
	}}
	learns := method{seeded: true, classify: func(_ context.Context, _ *problem, splits []dataset.Split, seed uint64) ([]float64, error) {
		runs++
		return []float64{0.1, 0.2, 0.3 * float64(seed)}[:len(splits)], nil
	}}
	o := options{seeds: 2, columns: scalings}
	for _, c := range []struct {
		name string
		m    method
		runs int
	}{{"embeds", embeds, 2}, {"learns", learns, 4}} {
		runs = 0
		cells := testkit.Must(classification(t.Context(), o, p, c.m))
		if runs != c.runs || len(cells) != len(scalings)*len(perClass) {
			t.Errorf("%s: %d runs for %d cells, want %d for %d", c.name, runs, len(cells), c.runs, len(scalings)*len(perClass))
		}
		for i, cell := range cells {
			if cell.Scaling.name != scalings[i/2].name || cell.PerClass != perClass[i%2] || len(cell.trials) != 2 {
				t.Errorf("%s: cell %d is %+v", c.name, i, cell)
			}
			if c.name == "learns" {
				testkit.WantSame(t, "accuracies by seed and split", cell.trials, [][]float64{{0.1, 0.2, 0.3}, {0.1, 0.2, 0.3 * 2}})
			}
		}
	}
}
