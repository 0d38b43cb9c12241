package main

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/dataset"
	"coles/eval"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// cv and scaled see neither the scale of an embedding nor where its rows lie; raw leaves both.
func TestColumnsSeeNoScale(t *testing.T) {
	rng := testkit.Random(1)
	y := mat.NewDense(300, 40, nil)
	y.Apply(func(_, j int, _ float64) float64 { return 5 + rng.NormFloat64()/float64(j+1) }, y)
	var short mat.Dense
	short.Scale(0.01, y)
	for _, s := range scalings {
		a, b := testkit.Must(s.scale(t.Context(), y)), testkit.Must(s.scale(t.Context(), &short))
		if s.name == "raw" {
			if a != mat.Matrix(y) {
				t.Error("raw changes an embedding")
			}
			continue
		}
		for name, x := range map[string]mat.Matrix{"long": a, "short": b} {
			norm := testkit.MeanNorm(mat.DenseCopyOf(x))
			testkit.WantNear(t, s.name+": norm of the rows of an embedding with "+name+" ones", norm, 4, 1e-9/4)
		}
		if !mat.EqualApprox(a, b, 1e-9) {
			t.Errorf("%s: a hundredth of an embedding differs", s.name)
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
		components := testkit.Must(eval.PCA(t.Context(), y, 60))
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
	d := testkit.Must(dataset.Communities{Nodes: 300, Features: 40, Seed: 1}.Generate(t.Context()))
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
			t.Errorf("%s: %d runs for %d cells, want %d for 6", c.name, runs, len(cells), c.runs)
		}
		for i, cell := range cells {
			if cell.Scaling.name != scalings[i/2].name || cell.PerClass != perClass[i%2] || len(cell.bySplit) != 3 {
				t.Errorf("%s: cell %d is %+v", c.name, i, cell)
			}
			// Of 0.1, 0.2 and 0.3, and 0.1, 0.2 and 0.6: the mean over the seeds.
			if c.name == "learns" {
				testkit.WantClose(t, "accuracies by split", mat.NewVecDense(3, cell.bySplit), mat.NewVecDense(3, []float64{0.1, 0.2, 0.45}), 1e-15)
			}
		}
	}
}

// The row to compare with is measured first and added in its turn. The others differ from it by what
// they have more on each split.
func TestRowsAreComparedSplitBySplit(t *testing.T) {
	accuracy := map[string][]float64{"A": {0.5, 0.6, 0.7}, "B": {0.6, 0.6, 0.9}, "COLES": {0.4, 0.5, 0.6}}
	var order, added []string
	found := make(map[string]measure)
	tab := table{reference: "COLES", rows: []method{{name: "A"}, {name: "COLES"}, {name: "B"}}}
	err := tab.measureRows(func(m method) ([]cell, error) {
		order = append(order, m.name)
		return []cell{{bySplit: accuracy[m.name], Measures: make([]measure, 1)}}, nil
	}, func(c cell) error {
		added = append(added, c.Method)
		found[c.Method] = c.Measures[0]
		return nil
	})
	if err != nil || strings.Join(order, " ") != "COLES A B" || strings.Join(added, " ") != "A COLES B" {
		t.Fatalf("measured %v, added %v, error %v", order, added, err)
	}
	if found["COLES"].Difference != nil {
		t.Error("COLES is compared with itself")
	}
	// A is a tenth better everywhere. Of B the differences are 0.2, 0.1 and 0.3: mean 0.2, standard
	// deviation 0.1, t = 0.2·√3/0.1 = 2√3, whose two-sided p with 2 degrees of freedom is
	// 1 − t/√(t² + 2) = 1 − √(12/14).
	if a := found["A"].Difference; math.Abs(a.Mean-0.1) > 1e-12 || found["A"].Versus() != "+10.0*" {
		t.Errorf("A: %+v", a)
	}
	if b := found["B"].Difference; math.Abs(b.Mean-0.2) > 1e-12 || math.Abs(b.P-(1-math.Sqrt(12.0/14))) > 1e-9 || found["B"].Versus() != "+20.0" {
		t.Errorf("B: %+v", b)
	}
	broken := errors.New("broken")
	err = tab.measureRows(func(method) ([]cell, error) { return nil, broken }, nil)
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "COLES") {
		t.Errorf("error %v", err)
	}
}
