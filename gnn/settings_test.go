package gnn

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"coles"
	"coles/gnn/custom"
	"coles/gnn/optim"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

var pointer = regexp.MustCompile(`\(0x[0-9a-f]+\)`)

// same compares values with all that they hold; functions have to be there in both or in neither.
func same(a, b any) bool {
	plain := func(v any) string { return pointer.ReplaceAllString(fmt.Sprintf("%#v", v), "(some)") }
	return plain(a) == plain(b)
}

// String gives one text, and UnmarshalText reads it.
func TestTextForms(t *testing.T) {
	type choice interface {
		fmt.Stringer
		encoding.TextMarshaler
	}
	for want, c := range map[string]choice{
		"gcn:64":                   GCN(64),
		"gcn":                      GCN(AutoWidth),
		"gcn:64,orthonormal":       GCN(64).Orthonormal(),
		"linear:orthonormal":       Linear(AutoWidth).Orthonormal(),
		"sage:7":                   SAGE(7),
		"propagate:s2gcsum:8":      Propagate(coles.S2GCSum(8)),
		"propagate:appnp:10,0.1":   Propagate(coles.APPNP(10, 0.1)),
		"relu":                     ReLU(),
		"prelu":                    PReLU(),
		"elu":                      ELU(),
		"dropout:0.5":              Dropout(0.5),
		"coles:10":                 COLES(10),
		"coles:0":                  COLES(0),
		"sampled-nce:5,0.5":        SampledNCE(5, 0.5),
		"power-mean:-1,3":          PowerMean(-1, 3),
		"cross-entropy":            ClassifierSettings().Objective,
		"adam:0.001":               optim.Adam(1e-3),
		"adam:0.001,0.0005":        optim.Adam(1e-3).WithDecay(5e-4),
		"adam:1,0.25,decoupled":    optim.Adam(1).WithDecoupledDecay(0.25),
		"sgd:0.1,0.9":              optim.SGD(0.1, 0.9),
		"sgd:0.1,0,0.01,decoupled": optim.SGD(0.1, 0).WithDecoupledDecay(0.01),
		"custom:mine":              NewLayer("mine", custom.LayerSpec{Width: SameWidth}, nil, nil),
		"custom:mine,64":           NewLayer("mine", custom.LayerSpec{Width: 64}, nil, nil),
		"custom:a b=0.4,0":         NewLayer("a b=0.4", custom.LayerSpec{}, nil, nil),
		"custom:ours":              NewObjective("ours", custom.ObjectiveSpec{}, nil, nil),
		"none":                     Augmentation{},
		"drop:0.1,0.2,0.3,0":       Drop([2]float64{0.1, 0.2}, [2]float64{0.3, 0}),
		"custom:theirs":            NewAugmentation("theirs", false, nil),
		"custom:whose":             custom.Sampler{Name: "whose"},
		"constant":                 optim.Schedule{},
		"cosine:10":                optim.Cosine(10),
		"exponential:0.99":         optim.Exponential(0.99),
	} {
		text, err := c.MarshalText()
		if err != nil || string(text) != want || c.String() != want {
			t.Errorf("%q, %q, error %v, want %q", text, c, err, want)
		}
		read := reflect.New(reflect.TypeOf(c))
		err = read.Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(want))
		if got := read.Elem().Interface(); err != nil || !same(got, c) {
			t.Errorf("%q is read as %v, error %v", want, got, err)
		}
	}
	for _, c := range []choice{Layer{}, Objective{}, optim.Optimizer{}, GCN(-1), Dropout(1), COLES(-1), optim.Adam(0), optim.Cosine(-1)} {
		testkit.WantError(t, testkit.Err(c.MarshalText()), coles.ErrSetting)
	}
}

func TestTextsThatMeanNothing(t *testing.T) {
	for _, c := range []struct {
		read  encoding.TextUnmarshaler
		texts []string
	}{
		{new(Layer), []string{"", "none", "attention:3", "gcn:", "gcn:x", "gcn:-1", "gcn:3,4", "gcn:3,skew", "gcn:orthonormal,3", "sage:3,orthonormal",
			"relu:3", "dropout", "dropout:1", "dropout:NaN", "propagate", "propagate:sgc", "propagate:none", "propagate:sgc:-1",
			"custom", "custom:", "custom:,3", "custom:a,", "custom:a,-1", "custom:a,-3", "custom:a,b", "custom:a,b,c", "custom:a,3,4", "custom:a,3,orthonormal", "custom:a,1e3"}},
		{new(Objective), []string{"", "none", "coles", "coles:-1", "coles:1,2", "sampled-nce:0,1", "sampled-nce:5", "power-mean:Inf,3", "cross-entropy:1", "mse", "custom", "custom:", "custom:a,b"}},
		{new(Augmentation), []string{"", "none:1", "drop", "drop:0.1,0.1,0.1", "drop:0,0,0,0,0", "drop:1,0,0,0", "drop:0,0,0,-0.1", "drop:NaN,0,0,0", "custom", "custom:", "custom:a,b"}},
		{new(custom.Sampler), []string{"", "none:1", "whole", "custom", "custom:", "custom:a,b"}},
		{new(optim.Optimizer), []string{"", "none", "adam", "adam:0", "adam:1,-1", "adam:1,2,coupled", "adam:1,decoupled", "sgd:1", "sgd:1,1", "sgd:1,0,1,decoupled,3"}},
		{new(optim.Schedule), []string{"", "none", "constant:1", "cosine", "cosine:-1", "cosine:1.5", "exponential:0", "exponential:1.1"}},
	} {
		before := reflect.ValueOf(c.read).Elem().Interface()
		for _, text := range c.texts {
			t.Run(fmt.Sprintf("%T %q", c.read, text), func(t *testing.T) {
				testkit.WantError(t, c.read.UnmarshalText([]byte(text)), coles.ErrSetting)
				if after := reflect.ValueOf(c.read).Elem().Interface(); !same(after, before) {
					t.Errorf("half of it was read: %v", after)
				}
			})
		}
	}
}

// Settings that differ in everything from those they are read into come back as they were.
func TestEverySettingSurvivesJSON(t *testing.T) {
	everything := Settings{
		Network: Network{Propagate(coles.S2GC(3, 0.25)), Dropout(0.1), SAGE(7), ELU(), GCN(3).Orthonormal()}, Objective: PowerMean(0.1, 7),
		Preparation: coles.PrepareStandardize, FeatureScale: 0.1, Negatives: coles.DegreeNegatives(3).ExcludeEdges(), Kappa: 7, Eta: 0.3, FreshNegatives: true,
		Augmentation: Drop([2]float64{0.1, 0.2}, [2]float64{0.3, 0.4}), Optimizer: optim.SGD(0.3, 0.7).WithDecoupledDecay(1e-3), Schedule: optim.Cosine(3),
		Epochs: 77, StopRank: 3.3, Patience: 5, BatchSize: 100, Sampler: custom.Sampler{Name: "ours"}, Norm: 0.7, Precision: coles.Float64, Seed: 1<<63 + 1,
	}
	standard := reflect.ValueOf(DefaultSettings())
	for i := range standard.NumField() {
		if same(reflect.ValueOf(everything).Field(i).Interface(), standard.Field(i).Interface()) {
			t.Errorf("the test does not change %s", standard.Type().Field(i).Name)
		}
	}
	for _, s := range []Settings{everything, DefaultSettings(), StiefelSettings(), LinearSettings(), AugmentedSettings(), ClassifierSettings()} {
		text := testkit.Must(json.Marshal(s))
		for _, into := range []Settings{{}, DefaultSettings(), everything} {
			if err := json.Unmarshal(text, &into); err != nil || !same(into, s) {
				t.Errorf("%s comes back as %+v, error %v", text, into, err)
			}
		}
	}
}

// A missing name leaves its setting unchanged, and an unknown name is refused wherever it is.
func TestSettingsInPart(t *testing.T) {
	s := DefaultSettings()
	testkit.Check(t, json.Unmarshal([]byte(`{"epochs": 7, "network": ["linear:3"]}`), &s))
	want := DefaultSettings()
	want.Epochs, want.Network = 7, Network{Linear(3)}
	if !same(s, want) {
		t.Errorf("read %+v, want %+v", s, want)
	}
	for _, text := range []string{
		`{"epoch": 7}`, `{"epochs": "7"}`, `[]`, `{"network": ["conv"]}`, `{"network": {}}`, `{"network": [3]}`, `{"schedule": 0.9}`, `{"objective": "mse"}`,
		`{"augmentation": {"drop": [0, 0]}}`, `{"augmentation": {"drop_edges": 0.1}}`, `{"negatives": "uniform"}`, `{"preparation": "whiten"}`,
	} {
		s := DefaultSettings()
		testkit.WantError(t, json.Unmarshal([]byte(text), &s), coles.ErrSetting)
		if !same(s, DefaultSettings()) {
			t.Errorf("%s: half of it was read: %+v", text, s)
		}
	}
	// A layer that is null is no layer, and not the one that stood there before.
	if err := json.Unmarshal([]byte(`{"network": [null]}`), &s); err != nil || !same(s.Network, Network{{}}) {
		t.Errorf("null is read as %v, error %v", s.Network, err)
	}
}

// A setting is refused where it changes no number that comes out, and only there.
func TestSettingsWithoutEffectAreRefused(t *testing.T) {
	g, x, labels, train, val := separated()
	drawing := With(func(s *Settings) { s.Negatives, s.Kappa, s.Eta = coles.UniformNegatives(3), 2, 0.9 })
	without := With(func(s *Settings) { s.Negatives = coles.NegativeSampler{} })
	linear := withNetwork(Linear(8), ReLU(), Linear(3))
	classify := With(func(s *Settings) { s.Objective, s.Norm = crossEntropy(), 0 })
	changes := map[string]func(s *Settings){
		"Negatives":      func(s *Settings) { s.Negatives = coles.DegreeNegatives(2) },
		"Kappa":          func(s *Settings) { s.Kappa = 3 },
		"Eta":            func(s *Settings) { s.Eta = 0.5 },
		"FreshNegatives": func(s *Settings) { s.FreshNegatives = true },
		"Norm":           func(s *Settings) { s.Norm = 7 },
		"Augmentation":   func(s *Settings) { s.Augmentation = Drop([2]float64{0.5, 0.2}, [2]float64{}) },
	}
	for name, opts := range map[string][]Option{
		"expected negatives": nil, "drawn negatives": {drawing}, "no negatives": {without}, "no edges": {linear},
		"NCE": {withObjective(SampledNCE(2, 1))}, "means": {withObjective(PowerMean(0, 2))}, "labels": {classify}, "labels of features": {classify, linear},
	} {
		run := func(more ...Option) (config, *mat.Dense) {
			c := testkit.Must(newConfig(DefaultSettings(), slices.Concat(smallOptions(withNetwork(GCN(8), ReLU(), GCN(3)), withEpochs(3)), opts, more)))
			var s supervision
			if c.Objective.spec.Labels {
				classes := testkit.Must(classesOf(g.Nodes(), labels, train, val))
				s = supervision{len(classes), targetsOf(classes, labels, train), targetsOf(classes, labels, val)}
				c.every, c.patience = 1, c.Epochs
			}
			r := testkit.Must(newRun[float64](ctx, c, g, x, s))
			testkit.Check(t, r.train(ctx))
			if s.classes > 0 {
				return c, dense(testkit.Must(r.output(ctx)))
			}
			return c, testkit.Must(r.model(ctx)).Embedding()
		}
		c, plain := run()
		testkit.Check(t, c.checkUsed())
		for field, change := range changes {
			if c.Objective.spec.Labels && field == "Augmentation" {
				continue // which a classifier refuses
			}
			c, changed := run(With(change))
			err, used := c.checkUsed(), !mat.Equal(plain, changed)
			var bad *coles.SettingError
			if refused := errors.As(err, &bad); refused == used || refused && bad.Field != field {
				t.Errorf("%s: %s changes something: %v, error %v", name, field, used, err)
			}
		}
	}
}

// What is as settings to start with have it is not in the way of a training that does not use it; a program's
// own objective may use all; and a checkpoint goes on.
func TestUnusedSettingsThatAreUsual(t *testing.T) {
	g, x := small(1)
	odd := func(s *Settings) { s.Kappa, s.Eta, s.FreshNegatives = 5, 0.5, true }
	testkit.WantError(t, testkit.Err(Train(ctx, g, x, smallOptions(withObjective(PowerMean(0, 2)), With(odd))...)), coles.ErrSetting)
	for _, opts := range [][]Option{
		{withObjective(SampledNCE(2, 1)), With(func(s *Settings) { s.Negatives, s.Kappa, s.Eta = coles.NegativeSampler{}, 0, 0 })},
		{withObjective(infomax()), With(odd)},
	} {
		trained(t, g, x, opts...)
	}
	c := checkpointsOf(t, g, x, withObjective(PowerMean(0, 2)))[2]
	c.header.Settings.Kappa = 5 // of a version that did not mind
	testkit.Must(Resume(ctx, c, g, x))
}
