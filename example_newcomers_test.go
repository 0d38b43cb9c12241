package coles_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// club is a fitted karate club, ready to grow.
func club() (*coles.Model, *coles.Growing) {
	ctx := context.Background()
	g, x := karate()
	m, err := coles.Fit(ctx, g, x, coles.WithDim(2), coles.WithFilter(coles.S2GCSum(2)))
	if err != nil {
		log.Fatal(err)
	}
	r, err := m.Grow(ctx, g, x)
	if err != nil {
		log.Fatal(err)
	}
	return m, r
}

// Two that join together, friends of each other and of a member each. A stronger tie counts
// for more, and nobody else's vector is touched.
func ExampleFrozen_Embed() {
	ctx := context.Background()
	g, x := karate()
	m, _ := club()
	frozen, err := m.Freeze(ctx, g, x)
	if err != nil {
		log.Fatal(err)
	}
	edges := []coles.Edge{{U: 34, V: 0}, {U: 35, V: 33}, {U: 34, V: 35}}
	for _, weights := range [][]float64{nil, {1, 1, 9}} {
		y, err := frozen.Embed(ctx, mat.NewDense(2, 34, nil), edges, weights)
		if err != nil {
			log.Fatal(err)
		}
		show(y)
	}
	// Output:
	// 0.52  0.28
	//  -0.44 -0.13
	//   0.17  0.10
	//  -0.13 -0.02
}

// Newcomers are numbered from here, in each call anew.
func ExampleFrozen_Nodes() {
	ctx := context.Background()
	g, x := karate()
	m, _ := club()
	frozen, err := m.Freeze(ctx, g, x)
	if err != nil {
		log.Fatal(err)
	}
	newcomer := []coles.Edge{{U: frozen.Nodes(), V: 0}}
	if _, err := frozen.Embed(ctx, mat.NewDense(1, 34, nil), newcomer, nil); err != nil {
		log.Fatal(err)
	}
	fmt.Println(newcomer[0], frozen.Nodes())
	// Output: {34 0} 34
}

// Along a chain of 40 hosts a new tie is heard of two hops away and no further. What cannot
// be added changes nothing.
func ExampleGrowing_Add() {
	ctx := context.Background()
	x := mat.NewDense(40, 4, nil)
	var chain []coles.Edge
	for u := range 40 {
		x.Set(u, u/10, 1)
		if u > 0 {
			chain = append(chain, coles.Edge{U: u - 1, V: u})
		}
	}
	g, err := coles.NewGraph(40, chain)
	if err != nil {
		log.Fatal(err)
	}
	m, err := coles.Fit(ctx, g, x, coles.WithDim(2), coles.WithFilter(coles.SGC(2)))
	if err != nil {
		log.Fatal(err)
	}
	r, err := m.Grow(ctx, g, x)
	if err != nil {
		log.Fatal(err)
	}
	for _, tie := range []coles.Edge{{U: 10, V: 30}, {U: 10, V: 40}} {
		grown, err := r.Add(ctx, coles.Growth{Edges: []coles.Edge{tie}})
		if errors.Is(err, coles.ErrIndex) {
			fmt.Println(tie, "is refused")
			continue
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(tie, "moves", grown.Moved, "everything computed again:", grown.Whole)
	}
	// Output:
	// {10 30} moves [8 9 10 11 12 28 29 30 31 32] everything computed again: false
	// {10 40} is refused
}

// The graph as it has become, for a fit from scratch or for a file.
func ExampleGrowing_Graph() {
	_, r := club()
	if _, err := r.Add(context.Background(), coles.Growth{Edges: []coles.Edge{{U: 11, V: 12}}}); err != nil {
		log.Fatal(err)
	}
	g, err := r.Graph()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(g.Report())
	// Output: 34 nodes, 79 edges
}

// The next node gets this number.
func ExampleGrowing_Nodes() {
	_, r := club()
	next := r.Nodes()
	added := coles.Growth{Features: mat.NewDense(1, 34, nil), Edges: []coles.Edge{{U: next, V: 0}}}
	if _, err := r.Add(context.Background(), added); err != nil {
		log.Fatal(err)
	}
	fmt.Println(next, r.Nodes())
	// Output: 34 35
}
