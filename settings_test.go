package coles_test

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// A choice is a setting with a text form.
type choice interface {
	fmt.Stringer
	encoding.TextMarshaler
}

// ways are the ways back from the text form.
func ways[T choice, P interface {
	*T
	encoding.TextUnmarshaler
}]() map[string]func(text string) (choice, error) {

	return map[string]func(text string) (choice, error){
		"UnmarshalText": func(text string) (choice, error) {
			var v T
			err := P(&v).UnmarshalText([]byte(text))
			return v, err
		},
		"JSON": func(text string) (choice, error) {
			var v T
			err := json.Unmarshal(testkit.Must(json.Marshal(text)), &v)
			return v, err
		},
	}
}

// textForms are the text form of every kind of setting: of good values, texts of none, and values
// that have none.
var textForms = map[string]struct {
	ways map[string]func(text string) (choice, error)
	good map[string]choice
	bad  []string
	none []choice
}{

	"Filter": {
		ways: ways[coles.Filter](),
		good: filterTexts(),
		bad: []string{
			"", "none", "gcn:2", "SGC:2", "sgc", "sgc:", "sgc:two", "sgc:2.5", "sgc:2,1", "sgc:-1", "sgc:10001", "sgc: 2", "sgc:2:1", "s2gc:8", "s2gc:8,2", "s2gc:8,0.1,",
			"s2gcsum:0", "appnp:2,NaN", "heat:1,-1", "heat:2,Inf", "heat:2,1e999", "polynomial", "polynomial:", "polynomial:1,x", "polynomial:1,,2",
		},
	},
	"NegativeSampler": {
		ways: ways[coles.NegativeSampler](),
		good: map[string]choice{
			"none": noNegatives, "uniform:5": coles.UniformNegatives(5), "uniform:5,exclude-edges": coles.UniformNegatives(5).ExcludeEdges(),
			"degree:1": coles.DegreeNegatives(1), "degree:1,exclude-edges": coles.DegreeNegatives(1).ExcludeEdges(),
			"erdos-renyi:0.001": coles.ErdosRenyiNegatives(0.001), "erdos-renyi:1,exclude-edges": coles.ErdosRenyiNegatives(1).ExcludeEdges(),
			"expected-uniform": coles.ExpectedUniformNegatives(), "expected-degree": coles.ExpectedDegreeNegatives(),
			"custom:mine": coles.NegativeFunc("mine", nil), "custom:by day, 1:2": coles.NegativeFunc("by day, 1:2", nil),
		},
		bad: []string{
			"", "unheard", "uniform", "uniform:", "uniform:0", "uniform:-1", "uniform:5,6", "uniform:5,exclude", "uniform:exclude-edges", "none:1", "none:exclude-edges",
			"erdos-renyi:2", "erdos-renyi:-0.1", "erdos-renyi:NaN", "expected-degree:exclude-edges", "expected-uniform:3",
		},
		none: []choice{coles.UniformNegatives(0), coles.DegreeNegatives(-1), coles.ErdosRenyiNegatives(math.NaN()), coles.ExpectedDegreeNegatives().ExcludeEdges(), noNegatives.ExcludeEdges()},
	},
	"Preparation": {
		ways: ways[coles.Preparation](),
		good: map[string]choice{
			"auto": coles.PrepareAuto, "none": coles.PrepareNone, "tfidf": coles.PrepareTFIDF,
			"row-l2": coles.PrepareRowL2, "row-l1": coles.PrepareRowL1, "standardize": coles.PrepareStandardize,
			"balanced": coles.PrepareBalanced, "undamped": coles.PrepareUndamped,
		},
		bad:  []string{"", "whiten", "TFIDF", "0"},
		none: []choice{coles.Preparation(77), coles.Preparation(-1)},
	},
	"Kind": {
		ways: ways[coles.Kind](),
		good: map[string]choice{"auto": coles.Kind(0), "graph": coles.UseGraph, "features": coles.UseFeatures},
		bad:  []string{"", "Graph", "feature", "1"},
		none: []choice{coles.Kind(77), coles.Kind(-1)},
	},
	"Solver": {
		ways: ways[coles.Solver](),
		good: map[string]choice{"auto": coles.Solver(0), "direct": coles.SolverDirect, "krylov": coles.SolverKrylov},
		bad:  []string{"", "quantum", "1"},
		none: []choice{coles.Solver(77), coles.Solver(-1)},
	},
	"Precision": {
		ways: ways[coles.Precision](),
		good: map[string]choice{"auto": coles.Precision(0), "float64": coles.Float64, "float32": coles.Float32},
		bad:  []string{"", "float16", "2"},
		none: []choice{coles.Precision(77), coles.Precision(-1)},
	},
}

func filterTexts() map[string]choice {
	texts := map[string]choice{"auto": coles.Filter{}, "sgc:10000": coles.SGC(10_000), "polynomial:5e-324,-1e+300": coles.Polynomial(5e-324, -1e300)}
	for _, c := range filterCases {
		texts[c.text] = c.filter
	}
	return texts
}

func TestTextForms(t *testing.T) {
	for kind, c := range textForms {
		t.Run(kind, func(t *testing.T) {
			for text, v := range c.good {
				testkit.WantSame(t, "String", v.String(), text)
				testkit.WantSame(t, "MarshalText", string(testkit.Must(v.MarshalText())), text)
				for way, read := range c.ways {
					if got, err := read(text); err != nil || !reflect.DeepEqual(got, v) {
						t.Errorf("%s: %q is read as %v, error %v", way, text, got, err)
					}
				}
			}
			for _, text := range c.bad {
				for way, read := range c.ways {
					got, err := read(text)
					testkit.WantError(t, err, coles.ErrSetting)
					if !reflect.ValueOf(got).IsZero() {
						t.Errorf("%s: of %q something was read: %v", way, text, got)
					}
				}
			}
			for _, v := range c.none {
				testkit.WantError(t, testkit.Err(v.MarshalText()), coles.ErrSetting)
			}
		})
	}
}

// The values of the doc comment of DefaultSettings, which gives their reasons.
func TestDefaultSettingsAreAsDocumented(t *testing.T) {
	want := `{"dim":0,"seed":1,"preparation":"auto","filter":"auto","negatives":"expected-degree","kappa":1,"eta":1,"weight_span":100,"kind":"auto",` +
		`"scaling":{"rank":20,"floor":8,"power":0,"norm":4},"structure":"auto","truncate":false,"solver":"auto","precision":"auto"}`
	testkit.WantSame(t, "settings", string(testkit.Must(json.Marshal(coles.DefaultSettings()))), want)
	m, _, _ := smallFit(83, false)
	testkit.WantSame(t, "d′ of 40 features", m.Settings().Dim, 40)
	m, _, _ = smallFit(83, true)
	testkit.WantSame(t, "d′ of 120 nodes", m.Settings().Dim, 40) // a third
}

// Every field comes back as it was.
func TestEverySettingSurvivesJSON(t *testing.T) {
	s := coles.Settings{
		Dim: 7, Seed: math.MaxUint64, // beyond 2⁵³, where JSON numbers of others end
		Preparation: coles.PrepareRowL1, Filter: coles.Heat(3, 1./3), Negatives: coles.ErdosRenyiNegatives(1. / 7).ExcludeEdges(), Kappa: 3, Eta: 0.1,
		Kind: coles.UseFeatures, Scaling: coles.ScalingRule{Rank: 9.1, Floor: 1. / 3, Power: 0.3, Norm: 5e-324},
		Truncate: true, Solver: coles.SolverKrylov, Precision: coles.Float32,
	}
	set, usual := reflect.ValueOf(s), reflect.ValueOf(coles.DefaultSettings())
	for i := range set.NumField() {
		if reflect.DeepEqual(set.Field(i).Interface(), usual.Field(i).Interface()) {
			t.Errorf("the test does not set the field %s", set.Type().Field(i).Name)
		}
	}
	for _, want := range []coles.Settings{s, coles.DefaultSettings()} {
		var back coles.Settings
		if err := json.Unmarshal(testkit.Must(json.Marshal(want)), &back); err != nil || !reflect.DeepEqual(back, want) {
			t.Errorf("%+v comes back as %+v, error %v", want, back, err)
		}
	}
}

// A missing name leaves its setting unchanged, and an unknown name is refused wherever it is.
func TestSettingsInPart(t *testing.T) {
	s, want := coles.DefaultSettings(), coles.DefaultSettings()
	want.Dim, want.Scaling.Norm = 7, 2
	for _, text := range []string{`{"dim": 7, "scaling": {"norm": 2}}`, `{"scaling": null, "filter": null, "negatives": null, "solver": null}`} {
		if err := json.Unmarshal([]byte(text), &s); err != nil || !reflect.DeepEqual(s, want) {
			t.Errorf("%s: read %+v, error %v, want %+v", text, s, err, want)
		}
	}
	want.Kind = coles.UseFeatures
	if err := json.Unmarshal([]byte(`{"model": "features"}`), &s); err != nil || !reflect.DeepEqual(s, want) { // an older name
		t.Errorf("read %+v, error %v, want %+v", s, err, want)
	}
	if err := json.Unmarshal([]byte(`{"degree_share": 0.25}`), &s); err != nil || !reflect.DeepEqual(s, want) { // of earlier versions
		t.Errorf("read %+v, error %v, want %+v", s, err, want)
	}
	for _, text := range []string{
		`{"degree_share": "some"}`, `{"model": 1}`, `{"dims": 7}`, `{"dim": "7"}`, `{"dim": 1.5}`, `{"dim": 1e30}`, `{"seed": -1}`, `[]`, `"default"`, `{} {}`,
		`{"scaling": {"norms": 2}}`, `{"scaling": 4}`, `{"filter": {"name": "sgc"}}`, `{"filter": "sgc"}`, `{"filter": 2}`,
		`{"negatives": {"kind": "uniform"}}`, `{"negatives": "unheard"}`, `{"negatives": 5}`, `{"preparation": "whiten"}`, `{"solver": 1}`, `{"precision": "float16"}`,
	} {
		s := coles.DefaultSettings()
		testkit.WantError(t, s.UnmarshalJSON([]byte(text)), coles.ErrSetting)
		if !reflect.DeepEqual(s, coles.DefaultSettings()) {
			t.Errorf("%s: half of it was read: %+v", text, s)
		}
	}
}

// badSettings are every setting out of its range, and the text that the error must have.
var badSettings = map[string]func(s *coles.Settings){
	"Dim = -2":                               func(s *coles.Settings) { s.Dim = -2 },
	"Kappa = -1":                             func(s *coles.Settings) { s.Kappa = -1 },
	"Eta = 1.01":                             func(s *coles.Settings) { s.Eta = 1.01 },
	"Eta = -0.01":                            func(s *coles.Settings) { s.Eta = -0.01 },
	"Eta = NaN":                              func(s *coles.Settings) { s.Eta = math.NaN() },
	"Kind = coles.Kind(3)":                   func(s *coles.Settings) { s.Kind = 3 },
	"Kind = coles.Kind(-1)":                  func(s *coles.Settings) { s.Kind = -1 },
	"Preparation = coles.Preparation(44)":    func(s *coles.Settings) { s.Preparation = 44 },
	"Solver = coles.Solver(-1)":              func(s *coles.Settings) { s.Solver = -1 },
	"Precision = coles.Precision(9)":         func(s *coles.Settings) { s.Precision = 9 },
	"Negatives = uniform:0, want at least 1": func(s *coles.Settings) { s.Negatives = coles.UniformNegatives(0) },
	"Negatives = erdos-renyi:1.5, want a probability from 0": func(s *coles.Settings) { s.Negatives = coles.ErdosRenyiNegatives(1.5) },
	"Scaling.Power = -1":                               func(s *coles.Settings) { s.Scaling = coles.ScalingRule{Power: -1, Norm: 4} },
	"Scaling.Power = NaN":                              func(s *coles.Settings) { s.Scaling = coles.ScalingRule{Power: math.NaN(), Norm: 4} },
	"Scaling.Power = 1, want 0 or more, and 0 where γ": func(s *coles.Settings) { s.Scaling.Power = 1 },
	"Scaling.Rank = 0.5":                               func(s *coles.Settings) { s.Scaling.Rank, s.Scaling.Floor = 0.5, 0.5 },
	"Scaling.Rank = 8, want 0, or at least Floor, 20":  func(s *coles.Settings) { s.Scaling.Rank, s.Scaling.Floor = 8, 20 },
	"Scaling.Norm = 0":                                 func(s *coles.Settings) { s.Scaling.Norm = 0 },
	"Scaling.Norm = +Inf":                              func(s *coles.Settings) { s.Scaling.Norm = math.Inf(1) },
}

func TestBadSettingsAreRefused(t *testing.T) {
	g, words, _ := small(121)
	for says, change := range badSettings {
		s := coles.DefaultSettings()
		change(&s)
		errs := map[string]error{
			"Check":     s.Check(),
			"Fit":       testkit.Err(coles.Fit(ctx, g, words, coles.WithSettings(s))),
			"Fit, no x": testkit.Err(coles.Fit(ctx, g, nil, coles.WithSettings(s))),
			"Estimate":  testkit.Err(s.Estimate(g, words)),
		}
		if s.Kappa != 1 || s.Eta != 1 || s.Negatives != coles.ExpectedDegreeNegatives() {
			errs["Contrast"] = testkit.Err(coles.Contrast(ctx, g, s.Negatives, s.Kappa, s.Eta, 1))
		}
		for door, err := range errs {
			testkit.WantError(t, err, coles.ErrSetting)
			bad := &coles.SettingError{}
			if !errors.As(err, &bad) || !strings.HasPrefix(says, bad.Field) || !strings.Contains(bad.Error(), says) {
				t.Errorf("%s: error %v does not say %q of %q", door, err, says, bad.Field)
			}
		}
	}
	// Several are reported at once.
	_, err := coles.Fit(ctx, g, words, coles.With(func(s *coles.Settings) {
		s.Dim = -2
		s.Negatives, s.Kappa, s.Eta = noNegatives, -1, 3
		s.Solver = -1
		s.Scaling = coles.ScalingRule{}
	}))
	for _, says := range []string{"Dim = -2", "Kappa = -1", "Eta = 3", "Solver(-1)", "Norm = 0"} {
		if !strings.Contains(fmt.Sprint(err), says) {
			t.Errorf("error %v does not say %q", err, says)
		}
	}
	// A later option mends an earlier one.
	fitted(g, words, coles.WithDim(-1), coles.WithDim(2))
	fitted(g, words, coles.WithDim(-1), coles.WithSettings(coles.DefaultSettings()))
}

// Whatever settings can be read are written as they were read.
func FuzzSettings(f *testing.F) {
	f.Add(string(testkit.Must(json.Marshal(coles.DefaultSettings()))))
	f.Add(`{"dim":7,"filter":"polynomial:1,2","negatives":"erdos-renyi:0.5,exclude-edges"}`)
	f.Fuzz(func(t *testing.T, text string) {
		s := coles.DefaultSettings()
		if json.Unmarshal([]byte(text), &s) != nil {
			return
		}
		again, err := json.Marshal(s)
		if err != nil {
			t.Fatalf("%q is read and cannot be written: %v", text, err)
		}
		var back coles.Settings
		if err := json.Unmarshal(again, &back); err != nil || !reflect.DeepEqual(back, s) {
			t.Errorf("%s comes back as %+v, error %v", again, back, err)
		}
	})
}

// purposeSettings are the numbers in the doc comments of settings for a purpose; 0 columns stand
// for the default.
var purposeSettings = map[string]struct {
	of        func(nodes, features int) coles.Settings
	dim, bare int // columns with features and without
	change    func(s *coles.Settings, nodes, features int)
}{
	"classification": {func(int, int) coles.Settings { return coles.DefaultSettings() }, 0, 0, func(*coles.Settings, int, int) {}},
	"clustering": {coles.ClusteringSettings, 32, 32, func(s *coles.Settings, _, features int) {
		s.Preparation, s.Filter = coles.PrepareUndamped, coles.S2GCSum(20)
		if s.Scaling = (coles.ScalingRule{Rank: 12, Floor: 10, Norm: 4}); features == 0 {
			s.Preparation, s.Filter, s.Scaling = coles.PrepareAuto, coles.S2GC(20, 0), coles.ScalingRule{Rank: 20, Floor: 20, Norm: 4}
		}
	}},
	"links": {coles.LinkSettings, 256, 256, func(s *coles.Settings, nodes, features int) {
		s.Kind = coles.UseGraph
		if s.Filter, s.Scaling = coles.S2GC(3, 0.05), (coles.ScalingRule{Norm: 4}); features == 0 {
			columns := 256 // of a graph with more than three times as many nodes, or else what a fit takes
			if nodes <= 3*256 {
				columns = min(128, max(2, nodes/3), nodes)
			}
			rank := math.Max(1, 0.55*float64(columns))
			s.Filter, s.Scaling = coles.S2GC(2, 0), coles.ScalingRule{Rank: rank, Floor: rank, Norm: 4}
		}
	}},
}

// Settings equal the doc comment, with as many columns as there are features; without
// features, as many as the purpose has on a graph with more than 3 nodes a column, and else the default.
func TestSettingsOfPurposes(t *testing.T) {
	for name, p := range purposeSettings {
		for _, c := range []struct{ nodes, features, dim int }{
			{10, 1, min(1, p.dim)}, {10, 31, min(31, p.dim)}, {1000, 33, min(33, p.dim)}, {10, 300, p.dim},
			{math.MaxInt, math.MaxInt, p.dim}, {1, 0, 0}, {3 * p.bare, 0, 0}, {3*p.bare + 1, 0, p.bare}, {1 << 20, 0, p.bare},
		} {
			got, want := p.of(c.nodes, c.features), coles.DefaultSettings()
			p.change(&want, c.nodes, c.features)
			if want.Dim = c.dim; name == "links" && c.dim < 128 {
				want.Dim = 0 // as many as features, and those of the structure
			}
			testkit.WantSame(t, fmt.Sprintf("%s, %d nodes, %d features", name, c.nodes, c.features), string(testkit.Must(json.Marshal(got))), string(testkit.Must(json.Marshal(want))))
			if err := got.Check(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// Fit takes the settings of every purpose for the graph they are asked for, and reports
// d′ columns, and the model that was asked for.
func TestFitForPurposes(t *testing.T) {
	g, words, _ := small(211) // 120 nodes, 40 features
	large := testkit.RandomGraph(212, 530, 0.02)
	columns := func(classification, clustering, links int) map[string]int {
		return map[string]int{"classification": classification, "clustering": clustering, "links": links}
	}
	for name, p := range purposeSettings {
		for input, c := range map[string]struct {
			g       *coles.Graph
			x       mat.Matrix
			columns map[string]int
		}{
			"40 features":             {g, words, columns(40, 32, 40)},
			"9 features":              {g, testkit.DenseOf(words).Slice(0, 120, 0, 9), columns(9, 9, 9)},
			"one feature":             {g, testkit.DenseOf(words).Slice(0, 120, 0, 1), columns(1, 1, 1)},
			"no features":             {g, nil, columns(40, 32, 40)}, // 120/3
			"530 nodes, no features":  {large, nil, columns(128, 32, 128)},
			"nodes without any edges": {graphOf(120), words, columns(40, 32, 40)},
		} {
			features := 0
			if c.x != nil {
				_, features = c.x.Dims()
			}
			m, err := coles.Fit(ctx, c.g, c.x, coles.WithSettings(p.of(c.g.Nodes(), features)))
			if err != nil {
				t.Errorf("%s, %s: %v", name, input, err)
				continue
			}
			r := m.Report()
			if _, columns := m.Embedding().Dims(); columns != c.columns[name] {
				t.Errorf("%s, %s: %d columns, want %d", name, input, columns, c.columns[name])
			}
			if (r.Alignment == nil) != (name == "links" || features == 0) || name == "links" && r.Kind != coles.UseGraph {
				t.Errorf("%s, %s: %v by %v", name, input, r.Kind, r.Alignment)
			}
		}
	}
}
