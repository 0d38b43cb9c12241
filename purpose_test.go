package coles_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// purposeSettings are what the doc comments of purposes say, by the names of these; 0 columns stand
// for the default.
var purposeSettings = map[string]struct {
	purpose coles.Purpose
	dim     int
	change  func(*coles.Settings)
}{
	"classification": {coles.ForClassification, 0, func(*coles.Settings) {}},
	"clustering": {coles.ForClustering, 32, func(s *coles.Settings) {
		s.Preparation, s.Filter, s.DegreeShare = coles.PrepareUndamped, coles.S2GCSum(20), 0
		s.Scaling = coles.ScalingRule{Rank: 12, Floor: 10, Norm: 4}
	}},
	"links": {coles.ForLinks, 256, func(s *coles.Settings) {
		s.Model, s.Filter, s.DegreeShare = coles.GraphModel, coles.S2GC(3, 0.05), 0
		s.Scaling = coles.ScalingRule{Norm: 4}
	}},
}

// Settings are those of the doc comment, with as many columns as there are features; without
// features, as many as the purpose has on a graph with 16 nodes a column, and else the default.
func TestSettingsOfPurposes(t *testing.T) {
	for name, p := range purposeSettings {
		for _, c := range []struct{ nodes, features, dim int }{
			{10, 1, min(1, p.dim)}, {10, 31, min(31, p.dim)}, {1000, 33, min(33, p.dim)}, {10, 300, p.dim},
			{math.MaxInt, math.MaxInt, p.dim}, {1, 0, 0}, {16 * p.dim, 0, 0}, {16*p.dim + 1, 0, p.dim}, {1 << 20, 0, p.dim},
		} {
			got, want := p.purpose.Settings(c.nodes, c.features), coles.DefaultSettings()
			p.change(&want)
			want.Dim = c.dim
			testkit.WantSame(t, fmt.Sprintf("%s, %d nodes, %d features", name, c.nodes, c.features), string(testkit.Must(json.Marshal(got))), string(testkit.Must(json.Marshal(want))))
			if err := got.Check(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	for _, features := range []int{0, 1, 500} {
		testkit.WantSame(t, "of classification", testkit.Must(json.Marshal(coles.ForClassification.Settings(700, features))), testkit.Must(json.Marshal(coles.DefaultSettings())))
	}
}

// Fit takes the settings of every purpose for the graph they are asked for, and says what it did:
// d′ columns, the model that was asked for, and a column of degrees for a classifier alone.
func TestFitForPurposes(t *testing.T) {
	g, words, _ := small(211) // 120 nodes, 40 features
	large := testkit.RandomGraph(212, 530, 0.02)
	for name, p := range purposeSettings {
		for input, c := range map[string]struct {
			g       *coles.Graph
			x       mat.Matrix
			columns map[coles.Purpose]int
		}{
			"40 features":             {g, words, map[coles.Purpose]int{coles.ForClassification: 40, coles.ForClustering: 32, coles.ForLinks: 40}},
			"9 features":              {g, testkit.DenseOf(words).Slice(0, 120, 0, 9), map[coles.Purpose]int{coles.ForClassification: 9, coles.ForClustering: 9, coles.ForLinks: 9}},
			"one feature":             {g, testkit.DenseOf(words).Slice(0, 120, 0, 1), map[coles.Purpose]int{coles.ForClassification: 1, coles.ForClustering: 1, coles.ForLinks: 1}},
			"no features":             {g, nil, map[coles.Purpose]int{coles.ForClassification: 7, coles.ForClustering: 7, coles.ForLinks: 7}}, // 120/16
			"530 nodes, no features":  {large, nil, map[coles.Purpose]int{coles.ForClassification: 33, coles.ForClustering: 32, coles.ForLinks: 33}},
			"nodes without any edges": {graphOf(120), words, map[coles.Purpose]int{coles.ForClassification: 40, coles.ForClustering: 32, coles.ForLinks: 40}},
		} {
			features := 0
			if c.x != nil {
				_, features = c.x.Dims()
			}
			m, err := coles.Fit(ctx, c.g, c.x, coles.WithSettings(p.purpose.Settings(c.g.Nodes(), features)))
			if err != nil {
				t.Errorf("%s, %s: %v", name, input, err)
				continue
			}
			r := m.Report()
			if _, columns := m.Embedding().Dims(); columns != c.columns[p.purpose] {
				t.Errorf("%s, %s: %d columns, want %d", name, input, columns, c.columns[p.purpose])
			}
			if has := r.DegreeShare > 0; has != (p.purpose == coles.ForClassification && r.Model == coles.GraphModel && features > 1) {
				t.Errorf("%s, %s: a column of degrees: %v, %v", name, input, has, r.Model)
			}
			if (r.Alignment == nil) != (p.purpose == coles.ForLinks || features == 0) || p.purpose == coles.ForLinks && r.Model != coles.GraphModel {
				t.Errorf("%s, %s: %v by %v", name, input, r.Model, r.Alignment)
			}
		}
	}
}

// Names of purposes are read back, and nothing else is; numbers that are none have no name.
func TestNamesOfPurposes(t *testing.T) {
	for name, p := range purposeSettings {
		text := testkit.Must(p.purpose.MarshalText())
		var back coles.Purpose
		if err := back.UnmarshalText(text); string(text) != name || p.purpose.String() != name || err != nil || back != p.purpose {
			t.Errorf("%q and %q of %s, read as %v (%v)", p.purpose, text, name, back, err)
		}
	}
	for _, bad := range []string{"", "link", "Links", "links ", "auto", "0"} {
		p := coles.ForLinks
		testkit.WantError(t, p.UnmarshalText([]byte(bad)), coles.ErrSetting)
		testkit.WantSame(t, "after an error", p, coles.ForLinks)
	}
	for _, none := range []coles.Purpose{-1, 3} {
		testkit.WantError(t, testkit.Err(none.MarshalText()), coles.ErrSetting)
	}
}
