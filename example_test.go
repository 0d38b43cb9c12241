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

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// check ends an example that cannot go on.
func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// barbell is two triangles joined by an edge, with one feature a triangle and one that all nodes
// share.
func barbell() (*coles.Graph, *mat.Dense) {
	g, err := coles.NewGraph(6, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 0}, {U: 2, V: 3}, {U: 3, V: 4}, {U: 4, V: 5}, {U: 5, V: 3}})
	check(err)
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

// From a graph and features to a vector for each node: the first column separates the two triangles,
// the second tells where they meet.
func ExampleFit() {
	g, x := barbell()
	m, err := coles.Fit(context.Background(), g, x, coles.WithDim(2), coles.WithFilter(coles.SGC(2)))
	check(err)
	fmt.Println(m.Report().Graph)
	show(m.Embedding())
	// Output:
	// 6 nodes, 7 edges
	//   4.53  4.04
	//   4.53  4.04
	//   2.85  4.95
	//  -2.85  4.95
	//  -4.53  4.04
	//  -4.53  4.04
}

// A node that comes later is embedded without fitting again.
func ExampleModel_Embed() {
	ctx := context.Background()
	g, x := barbell()
	m, err := coles.Fit(ctx, g, x, coles.WithDim(2), coles.WithFilter(coles.SGC(1)))
	check(err)
	// Node 6 is joined to nodes 4 and 5 of the second triangle, and shares a feature with them.
	grown, err := coles.NewGraph(7, []coles.Edge{
		{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 0}, {U: 2, V: 3}, {U: 3, V: 4}, {U: 4, V: 5}, {U: 5, V: 3},
		{U: 6, V: 4}, {U: 6, V: 5},
	})
	check(err)
	more := mat.NewDense(7, 3, nil)
	more.Copy(x)
	more.Set(6, 1, 1)
	y, err := m.Embed(ctx, grown, more)
	check(err)
	show(y.Slice(4, 7, 0, 2))
	// Output:
	//  -5.10  5.78
	//  -5.10  5.78
	//  -5.88  4.12
}

// A model written to a file embeds as before when it is read again, and keeps the names of rows. A
// damaged file is an error, not a wrong model.
func ExampleReadModel() {
	ctx := context.Background()
	names := coles.WithIDs([]string{"ann", "bob", "zoe"})
	g, err := coles.NewGraph(3, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}}, names)
	check(err)
	x := mat.NewDense(3, 2, []float64{1, 0, 1, 1, 0, 1})
	m, err := coles.Fit(ctx, g, x)
	check(err)
	var file bytes.Buffer
	_, err = m.WriteTo(&file)
	check(err)
	read, err := coles.ReadModel(bytes.NewReader(file.Bytes()))
	check(err)
	y, err := read.Embed(ctx, g, x)
	check(err)
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
	check(json.Unmarshal([]byte(`{"dim": 64, "filter": "sgc:2", "negatives": "uniform:1", "kappa": 10, "eta": 0.9}`), &s))
	g, x := barbell()
	m, err := coles.Fit(context.Background(), g, x, coles.WithSettings(s), coles.WithDim(2))
	check(err)
	text, err := json.Marshal(m.Settings())
	check(err)
	fmt.Println(string(text))

	fmt.Println(json.Unmarshal([]byte(`{"dimension": 64}`), &s))
	// Output:
	// {"dim":2,"seed":1,"preparation":"auto","filter":"sgc:2","negatives":"uniform:1","kappa":10,"eta":0.9,"weight_span":100,"kind":"graph","scaling":{"rank":20,"floor":8,"power":0,"norm":4},"structure":"0","truncate":false,"solver":"auto","precision":"float64"}
	// coles: settings: bad setting: json: unknown field "dimension"
}

// The memory of a fit is known before it begins, its progress while it runs, and a context ends it.
func ExampleWithProgress() {
	g, x := barbell()
	bytes, err := coles.DefaultSettings().Estimate(g, x)
	check(err)
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
	m, err := coles.Fit(context.Background(), g, x, coles.WithDim(1), coles.WithFilter(coles.SGC(2)), coles.WithPrecision(coles.Float32))
	check(err)
	y := m.Embedding32()
	fmt.Printf("%T of %d × %d, the first row %.2f\n", y.Data, y.Rows, y.Cols, y.Data[:y.Cols])
	// Output: []float32 of 6 × 1, the first row [4.56]
}

// Real edge lists are untidy. The report counts merged and dropped edges, so that a mistake in the
// data shows before it is embedded.
func ExampleNewGraph() {
	list := []coles.Edge{{U: 0, V: 1}, {U: 1, V: 0}, {U: 1, V: 2}, {U: 2, V: 2}}
	g, err := coles.NewGraph(4, list, coles.WithIDs([]string{"ada", "ben", "cy", "dee"}))
	check(err)
	fmt.Println(g)
	row, _ := g.Row("cy")
	fmt.Println("cy is row", row)

	_, err = coles.NewGraph(2, []coles.Edge{{U: 0, V: 2}})
	fmt.Println(err)
	// Output:
	// 4 nodes, 2 edges, 1 repeat joined, 1 self loop dropped, 1 isolated node
	// cy is row 2
	// coles: graph: index out of range: edge 0 joins 0 and 2 in a graph of 2 nodes
}

// Flows between hosts have a direction and are not all alike. They are refused where it would be
// lost silently; a host listens nearly only to the one it talks to most.
func ExampleWithMirrors() {
	flows := sparse.NewCSR(3, 3, []int{0, 1, 2, 2}, []int{1, 2}, []float64{99, 1})
	_, err := coles.FromCSR(flows)
	fmt.Println(err)
	g, err := coles.FromCSR(flows, coles.WithMirrors())
	check(err)
	fmt.Println(g)
	show(g.Positive())
	// Output:
	// coles: graph: matrix is not symmetric: 99 at (0, 1) but 0 at (1, 0); WithMirrors makes directed graphs undirected
	// 3 nodes, 2 edges, 2 directed entries mirrored, weighted
	//   0.00  0.99  0.00
	//   0.99  0.00  0.10
	//   0.00  0.10  0.00
}

// Without the bridge between two triangles, six edges are left.
func ExampleGraph_Without() {
	g, _ := barbell()
	halves := g.Without(func(e coles.Edge) bool { return e == coles.Edge{U: 2, V: 3} })
	fmt.Println(halves)
	for e, weight := range halves.Edges() {
		fmt.Println(e.U, e.V, weight)
	}
	// Output:
	// 6 nodes, 6 edges
	// 0 1 1
	// 0 2 1
	// 1 2 1
	// 3 4 1
	// 3 5 1
	// 4 5 1
}

// Data without a graph: join every row to the one most like it. Dense32 holds features at half the
// memory of a *mat.Dense, and goes wherever a matrix goes.
func ExampleKNN() {
	x := &coles.Dense32{Rows: 4, Cols: 2, Stride: 2, Data: []float32{5, 1, 4, 1, 1, 6, 1, 5}}
	g, err := coles.KNN(context.Background(), x, 1)
	check(err)
	show(g.CSR())
	// Output:
	// 0.00  1.00  0.00  0.00
	//   1.00  0.00  0.00  0.00
	//   0.00  0.00  0.00  1.00
	//   0.00  0.00  1.00  0.00
}

// One hop moves half of a value along an edge; the coefficients are the weights of the distances.
func ExampleFilter() {
	g, err := coles.NewGraph(2, []coles.Edge{{U: 0, V: 1}})
	check(err)
	w, x := coles.Normalize(g), mat.NewDense(2, 1, []float64{1, 0})
	for _, f := range []coles.Filter{coles.SGC(1), coles.S2GC(2, 0.05), coles.S2GCSum(2), coles.APPNP(2, 0.1), coles.Heat(2, 1), coles.Polynomial(1, -0.5)} {
		fx, err := f.Apply(context.Background(), w, x)
		check(err)
		fmt.Printf("%v: %.3f, FX = %.3f\n", f, f.Coefficients(), fx.RawMatrix().Data)
	}
	// Output:
	// sgc:1: [0.000 1.000], FX = [0.500 0.500]
	// s2gc:2,0.05: [0.050 0.475 0.475], FX = [0.525 0.475]
	// s2gcsum:2: [0.500 0.500 0.500], FX = [1.000 0.500]
	// appnp:2,0.1: [0.100 0.090 0.810], FX = [0.550 0.450]
	// heat:2,1: [0.368 0.368 0.184], FX = [0.644 0.276]
	// polynomial:1,-0.5: [1.000 -0.500], FX = [0.750 -0.250]
}

// Every way to draw negatives, and a function: each node against the one opposite in the order.
func ExampleNegativeSampler() {
	ctx := context.Background()
	g, _ := barbell()
	opposite := coles.NegativeFunc("opposite", func(_ context.Context, g *coles.Graph, _ uint64) (*coles.SymCSR, error) {
		var pairs []coles.Edge
		for u := range g.Nodes() / 2 {
			pairs = append(pairs, coles.Edge{U: u, V: g.Nodes() - 1 - u})
		}
		return g.Negative(pairs)
	})
	for _, s := range []coles.NegativeSampler{
		coles.UniformNegatives(1), coles.DegreeNegatives(1), coles.ErdosRenyiNegatives(1), coles.ErdosRenyiNegatives(1).ExcludeEdges(), opposite,
	} {
		w, err := s.Sample(ctx, g, 1)
		check(err)
		fmt.Printf("%v: %d pairs\n", s, w.NNZ()/2)
	}
	// Negatives that are too few to be drawn are an error, not a smaller sample.
	_, err := coles.UniformNegatives(4).ExcludeEdges().Sample(ctx, g, 1)
	fmt.Println(err)
	// Output:
	// uniform:1: 5 pairs
	// degree:1: 5 pairs
	// erdos-renyi:1: 15 pairs
	// erdos-renyi:1,exclude-edges: 8 pairs
	// custom:opposite: 3 pairs
	// coles: negatives: too few nodes to draw negatives from: node 0 has 3 nodes to draw 4 partners from
}

// The steps of Fit, one by one.
func ExampleSolve() {
	ctx := context.Background()
	g, x := barbell()

	prepare, err := coles.PrepareTFIDF.Fit(ctx, x)
	check(err)
	prepared, err := prepare.Apply(ctx, x)
	check(err)
	fx, err := coles.S2GCSum(8).Apply(ctx, coles.Normalize(g), prepared)
	check(err)
	dw, err := coles.Contrast(ctx, g, coles.ExpectedDegreeNegatives(), 1, 1, 1)
	check(err)
	p, err := coles.Solve(ctx, fx, dw, 2)
	check(err)
	var e mat.Dense
	e.Mul(fx, p.P.T())
	scaling, err := coles.ScalingRule{Rank: 20, Floor: 8, Norm: 4}.Fit(ctx, &e, p.Lambda)
	check(err)
	y, err := scaling.Apply(ctx, &e)
	check(err)

	m, err := coles.Fit(ctx, g, x, coles.With(func(s *coles.Settings) { s.Preparation, s.Dim = coles.PrepareTFIDF, 2 }))
	check(err)
	fmt.Println("the same as Fit:", mat.EqualApprox(y, m.Embedding(), 1e-12))
	// Output:
	// the same as Fit: true
}

// P without ever forming FX or M. Its rows are orthonormal and hold the weights of features in a
// column: the features of the two triangles, one against the other.
func ExampleSolveImplicit() {
	ctx := context.Background()
	g, x := barbell()
	dw, err := coles.Contrast(ctx, g, coles.ExpectedDegreeNegatives(), 1, 1, 1)
	check(err)
	p, err := coles.SolveImplicit(ctx, x, coles.Normalize(g), coles.SGC(2), dw, 2)
	check(err)
	fmt.Printf("%v, λ₁ = %.3f\n", p.Solver, p.Lambda[0])
	show(p.P)
	// Output:
	// krylov, λ₁ = 0.708
	//   0.71 -0.71  0.00
	//  -0.38 -0.38  0.85
}

// A free Y instead of a map of features: the second eigenvector of W⁺ parts the triangles.
func ExampleEigenmaps() {
	ctx := context.Background()
	g, _ := barbell()
	dw, err := coles.Contrast(ctx, g, coles.NegativeSampler{}, 0, 1, 1)
	check(err)
	y, lambda, err := coles.Eigenmaps(ctx, dw, 2)
	check(err)
	fmt.Printf("λ = %.2f\n", lambda)
	show(y.T())
	// Output:
	// λ = [1.00 0.80]
	//   0.38  0.38  0.46  0.46  0.38  0.38
	//   0.45  0.45  0.32 -0.32 -0.45 -0.45
}

// Columns are weighted by λ^γ, then all by one number; the factors found on some rows weight those
// that come later.
func ExampleScalingRule() {
	ctx := context.Background()
	e := mat.NewDense(4, 2, []float64{1, 1, 1, -1, -1, 1, -1, -1})
	s, err := coles.ScalingRule{Power: 0.5, Norm: 1}.Fit(ctx, e, []float64{1, 0.25})
	check(err)
	fmt.Printf("γ = %.1f, factors %.2f\n", s.Power, s.Factors)
	later, err := s.Apply(ctx, mat.NewDense(1, 2, []float64{2, 2}))
	check(err)
	show(later)
	// Output:
	// γ = 0.5, factors [0.89 0.45]
	//   1.79  0.89
}

// Six programs need six libraries each: what differs between the two is the end of the arcs that they are at.
func ExampleWithArcs() {
	var needs []coles.Edge
	for program := range 6 {
		for library := range 6 {
			needs = append(needs, coles.Edge{U: program, V: 6 + library})
		}
	}
	g, err := coles.NewGraph(12, needs, coles.WithArcs())
	check(err)
	m, err := coles.Fit(context.Background(), g, nil, coles.WithDim(4))
	check(err)
	roles := m.Parts()[1]
	fmt.Println(m.Report().Dim, "columns,", 2*len(roles.Scaling.Factors), "of roles, share", roles.Share)
	// Output:
	// 4 columns, 2 of roles, share 0.1
}
