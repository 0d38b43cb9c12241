package gnn

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"

	"coles"
)

// settingsOf draws every field of Settings; one that has no entry fails the test.
var settingsOf = map[string]func(*rand.Rand) any{
	"Network": func(r *rand.Rand) any {
		w := 1 + r.IntN(50)
		return []Network{
			{GCN(w), ReLU(), GCN(3).Orthonormal()}, {SAGE(w), ELU(), SAGE(AutoWidth)},
			{Propagate(coles.S2GC(w, r.Float64())), Dropout(r.Float64()), Linear(w)}, {Linear(w).Orthonormal(), PReLU(), GCN(w)},
		}[r.IntN(4)]
	},
	"Objective": func(r *rand.Rand) any {
		return []Objective{COLES(r.ExpFloat64()), SampledNCE(1+r.IntN(9), r.Float64()), PowerMean(r.NormFloat64(), 1+r.IntN(9)), COLES(0)}[r.IntN(4)]
	},
	"Features":     func(r *rand.Rand) any { return coles.Preparation(4 + r.IntN(2)) },
	"FeatureScale": func(r *rand.Rand) any { return r.ExpFloat64() },
	"Negatives": func(r *rand.Rand) any {
		return []coles.NegativeSampler{coles.NoNegatives(), coles.DegreeNegatives(1+r.IntN(9), coles.ExcludeEdges())}[r.IntN(2)]
	},
	"Kappa":          func(r *rand.Rand) any { return 2 + r.IntN(1000) },
	"Eta":            func(r *rand.Rand) any { return r.Float64() },
	"FreshNegatives": func(*rand.Rand) any { return true },
	"Augmentation": func(r *rand.Rand) any {
		return Augmentation{[2]float64{r.Float64(), r.Float64()}, [2]float64{r.Float64(), r.Float64()}}
	},
	"Optimizer": func(r *rand.Rand) any {
		return []Optimizer{Adam(r.ExpFloat64()), Adam(1).WithDecay(r.Float64()), SGD(1, r.Float64()).WithDecoupledDecay(r.Float64())}[r.IntN(3)]
	},
	"Schedule":  func(r *rand.Rand) any { return []Schedule{Cosine(r.IntN(9)), Exponential(r.Float64())}[r.IntN(2)] },
	"Epochs":    func(r *rand.Rand) any { return 100 + r.IntN(1000) },
	"StopRank":  func(r *rand.Rand) any { return r.ExpFloat64() },
	"BatchSize": func(r *rand.Rand) any { return 1 + r.IntN(1000) },
	"Norm":      func(r *rand.Rand) any { return r.ExpFloat64() },
	"Precision": func(r *rand.Rand) any { return coles.Float64 + coles.Precision(r.IntN(2)) },
	"Seed":      func(r *rand.Rand) any { return r.Uint64() },
}

// Every field alone, and all together, come back as they were.
func TestEverySettingSurvivesJSON(t *testing.T) {
	rnd := newRand(1)
	all := DefaultSettings()
	fields := reflect.TypeFor[Settings]()
	comesBack := func(name string, s Settings) {
		t.Helper()
		var read Settings
		text := must(json.Marshal(s))
		if err := json.Unmarshal(text, &read); err != nil || !reflect.DeepEqual(read, s) {
			t.Errorf("%s: %+v comes back as %+v, error %v", name, s, read, err)
		}
	}
	for range 100 {
		for i := range fields.NumField() {
			name := fields.Field(i).Name
			draw, ok := settingsOf[name]
			if !ok {
				t.Fatalf("the test does not know the field %s", name)
			}
			one, value := DefaultSettings(), reflect.ValueOf(draw(rnd))
			reflect.ValueOf(&one).Elem().Field(i).Set(value)
			reflect.ValueOf(&all).Elem().Field(i).Set(value)
			if string(must(json.Marshal(one))) == string(must(json.Marshal(DefaultSettings()))) {
				t.Errorf("%s = %v is not in the JSON", name, value)
			}
			comesBack(name, one)
		}
		comesBack("all", all)
	}
}

// What is not said stays as it is, and what nobody knows is refused wherever it stands.
func TestSettingsInPart(t *testing.T) {
	s := DefaultSettings()
	if err := json.Unmarshal([]byte(`{"epochs": 7, "network": [{"kind": "linear", "width": 3}]}`), &s); err != nil {
		t.Fatal(err)
	}
	want := DefaultSettings()
	want.Epochs, want.Network = 7, Network{Linear(3)}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("read %+v, want %+v", s, want)
	}
	for _, text := range []string{
		`{"epoch": 7}`, `{"epochs": "7"}`, `[]`, `{"network": [{"kind": "linear", "width": 3, "bias": true}]}`, `{"network": [{"kind": "conv"}]}`,
		`{"network": {}}`, `{"network": [null]}`, `{"network": [{"width": 16}]}`, `{"network": [{"kind": "relu", "width": -5}]}`, `{"schedule": {"factor": 0.9}}`,
		`{"objective": {"kind": "coles", "betas": 1}}`, `{"optimizer": {"kind": "adam", "rate": 1, "beta1": 0.9}}`,
		`{"optimizer": {"kind": "adam", "rate": -1}}`, `{"schedule": {"kind": "cosine", "warm": 3}}`, `{"augmentation": {"drop": [0, 0]}}`,
		`{"augmentation": {"drop_edges": 0.1}}`, `{"negatives": {"kind": "none", "per": 3}}`, `{"features": "whiten"}`,
	} {
		s := DefaultSettings()
		wantError(t, json.Unmarshal([]byte(text), &s), coles.ErrSetting)
		if !reflect.DeepEqual(s, DefaultSettings()) {
			t.Errorf("%s: half of it was read: %+v", text, s)
		}
	}
}
