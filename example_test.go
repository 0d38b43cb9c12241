package coles_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"math"
	"time"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// barbell is two triangles joined by an edge, with one feature a triangle and one that all nodes
// share.
func barbell() (*coles.Graph, *mat.Dense) {
	g, err := coles.NewGraph(6, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 0}, {U: 2, V: 3}, {U: 3, V: 4}, {U: 4, V: 5}, {U: 5, V: 3}})
	if err != nil {
		log.Fatal(err)
	}
	return g, mat.NewDense(6, 3, []float64{
		1, 0, 1,
		1, 0, 0,
		0, 0, 1,
		0, 0, 1,
		0, 1, 0,
		0, 1, 1,
	})
}

// show prints a small matrix, rounded.
func show(m mat.Matrix) {
	r, c := m.Dims()
	for i := range r {
		for j := range c {
			fmt.Printf("%6.2f", math.Round(100*m.At(i, j))/100+0) // + 0 turns −0 into 0
		}
		fmt.Println()
	}
}

// From a graph and features to a vector for each node: the first column tells the two triangles
// apart, the last one how many neighbours a node has.
func ExampleFit() {
	g, x := barbell()
	m, err := coles.Fit(context.Background(), g, x, coles.WithDim(2), coles.WithFilter(coles.SGC(2)))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Report().Graph)
	show(m.Embedding())
	// Output:
	// 6 nodes, 7 edges
	//   4.33 12.01
	//   4.33 12.01
	//   2.73 13.92
	//  -2.73 13.92
	//  -4.33 12.01
	//  -4.33 12.01
}

// A node that comes later is embedded without fitting again.
func ExampleModel_Embed() {
	ctx := context.Background()
	g, x := barbell()
	m, err := coles.Fit(ctx, g, x, coles.WithDim(2), coles.WithFilter(coles.SGC(1)))
	if err != nil {
		log.Fatal(err)
	}
	// Node 6 knows nodes 4 and 5 of the second triangle, and shares a feature with them.
	grown, err := coles.NewGraph(7, []coles.Edge{
		{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 0}, {U: 2, V: 3}, {U: 3, V: 4}, {U: 4, V: 5}, {U: 5, V: 3},
		{U: 6, V: 4}, {U: 6, V: 5},
	})
	if err != nil {
		log.Fatal(err)
	}
	more := mat.NewDense(7, 3, nil)
	more.Copy(x)
	more.Set(6, 1, 1)
	y, err := m.Embed(ctx, grown, more)
	if err != nil {
		log.Fatal(err)
	}
	show(y.Slice(4, 7, 0, 2))
	// Output:
	//  -4.88 11.69
	//  -4.88 11.69
	//  -5.63  9.17
}

// A model written to a file embeds as before when it is read again, and knows whose row is which. A
// damaged file is an error, not a wrong model.
func ExampleReadModel() {
	ctx := context.Background()
	names := coles.WithIDs([]string{"ann", "bob", "zoe"})
	g, err := coles.NewGraph(3, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}}, names)
	if err != nil {
		log.Fatal(err)
	}
	x := mat.NewDense(3, 2, []float64{1, 0, 1, 1, 0, 1})
	m, err := coles.Fit(ctx, g, x)
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := m.WriteTo(&file); err != nil {
		log.Fatal(err)
	}
	read, err := coles.ReadModel(bytes.NewReader(file.Bytes()))
	if err != nil {
		log.Fatal(err)
	}
	y, err := read.Embed(ctx, g, x)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(read.IDs(), mat.Equal(y, m.Embedding()))

	_, err = coles.ReadModel(bytes.NewReader(file.Bytes()[:file.Len()-1]))
	fmt.Println(errors.Is(err, coles.ErrChecksum))
	// Output:
	// [ann bob zoe] true
	// true
}

// A configuration holds what differs from the default; options change it further. The settings of a
// fit, which resolve what was left open, make the same embedding again.
func ExampleSettings() {
	s := coles.DefaultSettings()
	if err := json.Unmarshal([]byte(`{"dim": 64, "filter": "sgc:2", "negatives": "uniform:1", "kappa": 10, "eta": 0.9}`), &s); err != nil {
		log.Fatal(err)
	}
	g, x := barbell()
	m, err := coles.Fit(context.Background(), g, x, coles.WithSettings(s), coles.WithDim(2))
	if err != nil {
		log.Fatal(err)
	}
	text, err := json.Marshal(m.Settings())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(text))

	fmt.Println(json.Unmarshal([]byte(`{"dimension": 64}`), &s))
	// Output:
	// {"dim":2,"seed":1,"preparation":"auto","filter":"sgc:2","negatives":"uniform:1","kappa":10,"eta":0.9,"model":"graph","scaling":{"rank":20,"floor":8,"power":0,"norm":4},"degree_share":0.1,"truncate":false,"solver":"auto","precision":"float64"}
	// coles: settings: bad setting: json: unknown field "dimension"
}

// The memory of a fit is known before it begins, its progress while it runs, and a context ends it.
func ExampleWithProgress() {
	g, x := barbell()
	bytes, err := coles.DefaultSettings().Estimate(g, x)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("below 1 MB:", bytes < 1_000_000)

	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	_, err = coles.Fit(ctx, g, x, coles.WithProgress(func(stage string, done, total int) {
		if done == 0 {
			fmt.Println(stage)
		}
		if stage == "solve" {
			cancel()
		}
	}))
	fmt.Println(err)
	// Output:
	// below 1 MB: true
	// prepare
	// filter
	// solve
	// context canceled
}

// An embedding in float32 takes half the memory, and a file of it is read by numpy.load.
func ExampleModel_Embedding32() {
	g, x := barbell()
	m, err := coles.Fit(context.Background(), g, x, coles.WithDim(2), coles.WithFilter(coles.SGC(2)), coles.WithPrecision(coles.Float32))
	if err != nil {
		log.Fatal(err)
	}
	y := m.Embedding32()
	fmt.Printf("%T of %d × %d, the first row %.2f\n", y.Data, y.Rows, y.Cols, y.Data[:y.Cols])
	// Output: []float32 of 6 × 2, the first row [4.33 12.01]
}
