package coles_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"

	"coles"
)

// settingsOf draws every field of Settings; one that has no entry fails the test.
var settingsOf = map[string]func(*rand.Rand) any{
	"Dim":      func(r *rand.Rand) any { return 1 + r.IntN(1000) },
	"Seed":     func(r *rand.Rand) any { return r.Uint64() }, // beyond 2⁵³, where JSON numbers of others end
	"Features": func(r *rand.Rand) any { return coles.Preparation(1 + r.IntN(int(coles.PrepareStandardize))) },
	"Filter": func(r *rand.Rand) any {
		k, v := r.IntN(6), r.Float64()
		return []coles.Filter{coles.Identity(), coles.SGC(k), coles.S2GC(k, v), coles.APPNP(k, v), coles.Heat(k, 5*v), coles.Polynomial(r.NormFloat64(), v)}[k]
	},
	"Negatives": func(r *rand.Rand) any {
		k := r.IntN(7)
		return []coles.NegativeSampler{coles.NoNegatives(), coles.UniformNegatives(1 + k), coles.UniformNegatives(1+k, coles.ExcludeEdges()), coles.DegreeNegatives(1 + k),
			coles.ErdosRenyiNegatives(r.Float64()), coles.ErdosRenyiNegatives(r.Float64(), coles.ExcludeEdges()), coles.ExpectedUniformNegatives()}[k]
	},
	"Kappa":     func(r *rand.Rand) any { return 2 + r.IntN(1000) },
	"Eta":       func(r *rand.Rand) any { return r.Float64() },
	"Share":     func(r *rand.Rand) any { return r.ExpFloat64() },
	"AutoShare": func(*rand.Rand) any { return true },
	"Scaling": func(r *rand.Rand) any {
		return coles.ScalingRule{FixedPower: r.IntN(2) == 0, Power: r.Float64(), Rank: 9 + r.Float64(), Floor: 1 + r.Float64(), Norm: r.ExpFloat64()}
	},
	"Truncate":  func(*rand.Rand) any { return true },
	"Solver":    func(r *rand.Rand) any { return coles.SolverDirect + coles.Solver(r.IntN(2)) },
	"Precision": func(r *rand.Rand) any { return coles.Float64 + coles.Precision(r.IntN(2)) },
}

// Every field alone, and all together, come back as they were.
func TestEverySettingSurvivesJSON(t *testing.T) {
	rnd := random(1)
	all := coles.DefaultSettings()
	fields := reflect.TypeFor[coles.Settings]()
	comesBack := func(name string, s coles.Settings) {
		t.Helper()
		var read coles.Settings
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
			one, value := coles.DefaultSettings(), reflect.ValueOf(draw(rnd))
			reflect.ValueOf(&one).Elem().Field(i).Set(value)
			reflect.ValueOf(&all).Elem().Field(i).Set(value)
			if string(must(json.Marshal(one))) == string(must(json.Marshal(coles.DefaultSettings()))) {
				t.Errorf("%s = %v is not in the JSON", name, value)
			}
			comesBack(name, one)
		}
		comesBack("all", all)
	}
}

// What is not said stays as it is, and what nobody knows is refused wherever it stands.
func TestSettingsInPart(t *testing.T) {
	s := coles.DefaultSettings()
	if err := json.Unmarshal([]byte(`{"dim": 7, "scaling": {"norm": 2}}`), &s); err != nil {
		t.Fatal(err)
	}
	want := coles.DefaultSettings()
	want.Dim, want.Scaling.Norm = 7, 2
	if !reflect.DeepEqual(s, want) {
		t.Errorf("read %+v, want %+v", s, want)
	}
	if err := json.Unmarshal([]byte(`{"negatives": null, "scaling": null}`), &s); err != nil || !reflect.DeepEqual(s, want) {
		t.Errorf("null changed settings to %+v, %v", s, err)
	}
	for _, text := range []string{
		`{"dims": 7}`, `{"dim": "7"}`, `{"dim": 1.5}`, `{"dim": 1e30}`, `{"seed": -1}`, `[]`, `"default"`,
		`{"scaling": {"norms": 2}}`, `{"scaling": 4}`,
		`{"filter": {"name": "SGC(2)", "coefficients": [0, 0, 1], "hops": 2}}`, `{"filter": {"coefficients": []}}`, `{"filter": 2}`,
		`{"negatives": {"kind": "uniform", "per_node": 3, "seed": 1}}`, `{"negatives": {"kind": "unheard"}}`, `{"negatives": {}}`, `{"negatives": {"kind": "uniform"}}`,
		`{"features": "whiten"}`, `{"solver": 1}`, `{"precision": "float16"}`,
	} {
		s := coles.DefaultSettings()
		wantError(t, json.Unmarshal([]byte(text), &s), coles.ErrSetting)
		if !reflect.DeepEqual(s, coles.DefaultSettings()) {
			t.Errorf("%s: half of it was read: %+v", text, s)
		}
	}
}

// Whatever settings can be read are written as they were read.
func FuzzSettings(f *testing.F) {
	f.Add(string(must(json.Marshal(coles.DefaultSettings()))))
	f.Add(`{"dim":7,"filter":{"coefficients":[1,2]},"negatives":{"kind":"erdos-renyi","probability":0.5}}`)
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
