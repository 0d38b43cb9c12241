package coles_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// A model says what it was made of: whoever has the data can see whether they are the
// same, and fit it again.
func ExampleModel_Provenance() {
	ctx := context.Background()
	g, err := coles.NewGraph(4, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 3}})
	if err != nil {
		log.Fatal(err)
	}
	x := mat.NewDense(4, 2, []float64{1, 0, 1, 1, 0, 1, 0, 1})
	m, err := coles.Fit(ctx, g, x, coles.WithSeed(7))
	if err != nil {
		log.Fatal(err)
	}
	p := m.Provenance()
	input, err := json.Marshal(p.Input)
	fmt.Println(string(input), err)
	fmt.Println("seed", p.Settings.Seed, "format", p.Format)

	here, err := coles.HashInput(ctx, g, x)
	fmt.Println("the same input:", here == p.Input, err)
	x.Set(3, 1, 2)
	here, err = coles.HashInput(ctx, g, x)
	fmt.Println("the same input:", here == p.Input, err)
	// Output:
	// {"graph":"0e221447f11007b1","features":"8073265afa62a1a9"} <nil>
	// seed 7 format 2
	// the same input: true <nil>
	// the same input: false <nil>
}

// A configuration file holds what differs from the default.
func ExampleSettings_UnmarshalJSON() {
	s := coles.DefaultSettings()
	err := json.Unmarshal([]byte(`{"dim": 64, "negatives": {"kind": "uniform", "per_node": 5}, "kappa": 10, "eta": 0.9}`), &s)
	fmt.Println(s.Dim, s.Negatives, s.Kappa, s.Eta, s.Filter, err)

	err = json.Unmarshal([]byte(`{"dimension": 64}`), &s)
	fmt.Println(err)
	// Output:
	// 64 uniform(5) 10 0.9 S2GCSum(8) <nil>
	// coles: settings: bad setting: json: unknown field "dimension"
}

// A dense and a sparse matrix of the same numbers have the same hash.
func ExampleHashInput() {
	g, err := coles.NewGraph(2, []coles.Edge{{U: 0, V: 1}})
	if err != nil {
		log.Fatal(err)
	}
	single, err := coles.NewDense32(2, 2, []float32{1, 0, 0, 2})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	a, _ := coles.HashInput(ctx, g, mat.NewDense(2, 2, []float64{1, 0, 0, 2}))
	b, _ := coles.HashInput(ctx, g, single)
	fmt.Println(a == b)
	// Output: true
}

func ExampleModuleVersion() {
	fmt.Println(coles.ModuleVersion() != "") // such as v0.3.0
	// Output: true
}
