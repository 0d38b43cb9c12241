package coles_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"coles"
	"coles/dataset"

	"gonum.org/v1/gonum/mat"
)

// karate is Zachary's club with one feature a member: who they are.
func karate() (*coles.Graph, *mat.Dense) {
	data := dataset.KarateClub()
	g, err := coles.FromCSR(data.Adjacency)
	if err != nil {
		log.Fatal(err)
	}
	x := mat.NewDense(g.Nodes(), g.Nodes(), nil)
	for i := range g.Nodes() {
		x.Set(i, i, 1)
	}
	return g, x
}

// A club of 34 gains a member with two friends: whoever is within two steps of them moves.
func ExampleModel_Grow() {
	ctx := context.Background()
	g, x := karate()
	m, err := coles.Fit(ctx, g, x, coles.WithDim(2), coles.WithFilter(coles.S2GCSum(2)))
	if err != nil {
		log.Fatal(err)
	}
	club, err := m.Grow(ctx, g, x)
	if err != nil {
		log.Fatal(err)
	}
	// The new one is described as a friend of members 24 and 25.
	like := mat.NewDense(1, 34, nil)
	like.Set(0, 24, 0.5)
	like.Set(0, 25, 0.5)
	grown, err := club.Add(ctx, coles.Growth{Features: like, Edges: []coles.Edge{{U: 34, V: 24}, {U: 34, V: 25}}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("members", club.Nodes(), "with another vector", grown.Moved)
	// Output: members 35 with another vector [0 2 23 24 25 27 28 29 31 32 33 34]
}

// Only what has moved is embedded again, by the P that was fitted.
func ExampleGrowing_Embed() {
	ctx := context.Background()
	g, x := karate()
	m, _ := coles.Fit(ctx, g, x, coles.WithDim(2), coles.WithFilter(coles.S2GCSum(2)))
	club, err := m.Grow(ctx, g, x)
	if err != nil {
		log.Fatal(err)
	}
	grown, err := club.Add(ctx, coles.Growth{Edges: []coles.Edge{{U: 11, V: 12}}})
	if err != nil {
		log.Fatal(err)
	}
	y, err := club.Embed(ctx, grown.Moved[:1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f\n", mat.Formatted(y))
	// Output: [5.08  2.40]
}

// P of the grown graph, and how far it has turned.
func ExampleGrowing_Solve() {
	ctx := context.Background()
	g, x := karate()
	m, _ := coles.Fit(ctx, g, x, coles.WithDim(2), coles.WithFilter(coles.S2GCSum(2)))
	club, err := m.Grow(ctx, g, x)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := club.Add(ctx, coles.Growth{Edges: []coles.Edge{{U: 11, V: 12}}}); err != nil {
		log.Fatal(err)
	}
	p, err := club.Solve(ctx)
	if err != nil {
		log.Fatal(err)
	}
	angle, err := coles.PrincipalAngle(m.Projection(), p.P)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f radians\n", angle)
	// Output: 0.152 radians
}

// The model of the grown graph, without fitting from scratch.
func ExampleGrowing_Refit() {
	ctx := context.Background()
	g, x := karate()
	m, _ := coles.Fit(ctx, g, x, coles.WithDim(2), coles.WithFilter(coles.S2GCSum(2)))
	club, err := m.Grow(ctx, g, x)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := club.Add(ctx, coles.Growth{Edges: []coles.Edge{{U: 11, V: 12}}}); err != nil {
		log.Fatal(err)
	}
	grown, drift, err := club.Refit(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d edges, drift %.3f\n", grown.Report().Graph.Edges, drift)
	// Output: 79 edges, drift 0.152
}

// Every so many additions FX and M are computed again, to take their rounding away.
func ExampleGrowing_Rebuild() {
	ctx := context.Background()
	g, x := karate()
	m, _ := coles.Fit(ctx, g, x, coles.WithDim(2), coles.WithFilter(coles.S2GCSum(2)))
	club, err := m.Grow(ctx, g, x)
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range []coles.Edge{{U: 11, V: 12}, {U: 16, V: 26}, {U: 14, V: 15}} {
		if _, err := club.Add(ctx, coles.Growth{Edges: []coles.Edge{e}}); err != nil {
			log.Fatal(err)
		}
	}
	before, err := club.Solve(ctx)
	if err != nil {
		log.Fatal(err)
	}
	if err := club.Rebuild(ctx); err != nil {
		log.Fatal(err)
	}
	after, err := club.Solve(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("as before to 12 digits:", math.Abs(before.Lambda[0]-after.Lambda[0]) < 1e-12*after.Lambda[0])
	// Output: as before to 12 digits: true
}

// A visitor is embedded at once, and nobody else is touched.
func ExampleModel_Freeze() {
	ctx := context.Background()
	g, x := karate()
	m, err := coles.Fit(ctx, g, x, coles.WithDim(2))
	if err != nil {
		log.Fatal(err)
	}
	club, err := m.Freeze(ctx, g, x)
	if err != nil {
		log.Fatal(err)
	}
	unknown := mat.NewDense(1, 34, nil)
	y, err := club.Embed(ctx, unknown, []coles.Edge{{U: 34, V: 0}, {U: 34, V: 1}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("among %d: %.1f\n", club.Nodes(), mat.Formatted(y))
	// Output: among 34: [ 1.6  -1.5]
}

func ExamplePrincipalAngle() {
	plane := mat.NewDense(2, 3, []float64{1, 0, 0, 0, 1, 0})
	tilted := mat.NewDense(2, 3, []float64{1, 0, 0, 0, 0.8, 0.6})
	angle, err := coles.PrincipalAngle(plane, tilted)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f\n", angle)
	// Output: 0.6435
}
