package coles_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// barbell is two triangles joined by an edge, with one feature a triangle and
// one that all nodes share.
func barbell() (*coles.Graph, *mat.Dense) {
	g, err := coles.NewGraph(6, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 0}, {U: 2, V: 3}, {U: 3, V: 4}, {U: 4, V: 5}, {U: 5, V: 3}})
	if err != nil {
		panic(err)
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

// From a graph and features to a vector for each node: the first column tells
// the two triangles apart.
func ExampleFit() {
	g, x := barbell()
	m, err := coles.Fit(context.Background(), g, x, coles.WithDim(2), coles.WithFilter(coles.SGC(2)))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Report().Graph)
	show(m.Embedding())
	// Output:
	// 6 nodes, 7 edges
	//   4.53  4.03
	//   4.53  4.03
	//   2.85  4.94
	//  -2.85  4.94
	//  -4.53  4.03
	//  -4.53  4.03
}

// A graph without features is embedded by its edges alone.
func ExampleFit_withoutFeatures() {
	g, _ := barbell()
	m, err := coles.Fit(context.Background(), g, nil, coles.WithDim(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	show(m.Embedding().T())
	// Output:
	//  4.41  4.41  3.19 -3.19 -4.41 -4.41
}

// A node that comes later is embedded without fitting again.
func ExampleModel_Embed() {
	ctx := context.Background()
	g, x := barbell()
	m, err := coles.Fit(ctx, g, x, coles.WithDim(2), coles.WithFilter(coles.SGC(1)))
	if err != nil {
		fmt.Println(err)
		return
	}
	// Node 6 knows nodes 4 and 5 of the second triangle, and shares a feature with them.
	list := []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 0}, {U: 2, V: 3}, {U: 3, V: 4}, {U: 4, V: 5}, {U: 5, V: 3}, {U: 6, V: 4}, {U: 6, V: 5}}
	grown, err := coles.NewGraph(7, list)
	if err != nil {
		fmt.Println(err)
		return
	}
	more := mat.NewDense(7, 3, nil)
	more.Copy(x)
	more.Set(6, 1, 1)
	y, err := m.Embed(ctx, grown, more)
	if err != nil {
		fmt.Println(err)
		return
	}
	show(y.Slice(4, 7, 0, 2))
	// Output:
	//  -5.07  5.70
	//  -5.07  5.70
	//  -5.86  4.08
}

// A model written to a file embeds as before when read again.
func ExampleReadModel() {
	ctx := context.Background()
	g, x := barbell()
	m, err := coles.Fit(ctx, g, x)
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	if _, err := m.WriteTo(&file); err != nil {
		fmt.Println(err)
		return
	}
	read, err := coles.ReadModel(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	before, _ := m.Embed(ctx, g, x)
	after, _ := read.Embed(ctx, g, x)
	fmt.Println(mat.Equal(before, after))
	// Output:
	// true
}

// A damaged file is an error, not a wrong model.
func ExampleModel_WriteTo() {
	g, x := barbell()
	m, err := coles.Fit(context.Background(), g, x)
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	if _, err := m.WriteTo(&file); err != nil {
		fmt.Println(err)
		return
	}
	damaged := file.Bytes()
	damaged[len(damaged)-1]++
	_, err = coles.ReadModel(bytes.NewReader(damaged))
	fmt.Println(errors.Is(err, coles.ErrChecksum))
	// Output:
	// true
}

// The memory of a fit is known before it begins.
func ExampleEstimate() {
	g, x := barbell()
	for _, solver := range []coles.Solver{coles.SolverDirect, coles.SolverKrylov} {
		m, err := coles.Estimate(g, x, coles.WithSolver(solver), coles.WithDim(2))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(m.Solver, "below 100 kB:", m.Bytes < 100_000)
	}
	// Output:
	// direct below 100 kB: true
	// krylov below 100 kB: true
}

func ExampleWithProgress() {
	g, x := barbell()
	stage := ""
	_, err := coles.Fit(context.Background(), g, x, coles.WithProgress(func(p coles.Progress) {
		if p.Stage != stage {
			stage = p.Stage
			fmt.Println(stage)
		}
	}))
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// prepare
	// filter
	// solve
	// embed
}
