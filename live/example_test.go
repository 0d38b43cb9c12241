package live_test

import (
	"context"
	"fmt"
	"log"

	"coles"
	"coles/dataset"
	"coles/live"
	"coles/table"

	"gonum.org/v1/gonum/mat"
)

// karate is Zachary's club with one feature a member, who they are, and the model of it.
func karate() (*coles.Model, *coles.Graph, *mat.Dense) {
	g, err := coles.FromCSR(dataset.KarateClub().Adjacency)
	if err != nil {
		log.Fatal(err)
	}
	x := mat.NewDense(34, 34, nil)
	for i := range 34 {
		x.Set(i, i, 1)
	}
	m, err := coles.Fit(context.Background(), g, x, coles.WithDim(2), coles.WithFilter(coles.S2GCSum(2)))
	if err != nil {
		log.Fatal(err)
	}
	return m, g, x
}

// A club of 34 gains a member with two friends: whoever is within two steps of them moves. Then the
// model is fitted again.
func Example() {
	ctx := context.Background()
	m, g, x := karate()
	club, err := live.Follow(ctx, m, g, x)
	if err != nil {
		log.Fatal(err)
	}
	// The new one is described as a friend of members 24 and 25.
	like := mat.NewDense(1, 34, nil)
	like.Set(0, 24, 0.5)
	like.Set(0, 25, 0.5)
	update, err := club.Add(ctx, live.Change{Features: like, Edges: []coles.Edge{{U: 34, V: 24}, {U: 34, V: 25}}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("members", club.Nodes(), "with another vector", update.Moved)
	y, err := club.Embed(ctx, []int{34})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("the new one %.2f\n", mat.Formatted(y))
	grown, drift, err := club.Refit(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("fitted again to %v, P has turned by %.3f\n", grown.Report().Graph, drift)
	// Output:
	// members 35 with another vector [0 2 23 24 25 27 28 29 31 32 33 34]
	// the new one [-3.40  -3.79]
	// fitted again to 35 nodes, 80 edges, P has turned by 1.161
}

// A visitor is embedded at once, and nobody else is touched.
func ExampleFreeze() {
	ctx := context.Background()
	m, g, x := karate()
	club, err := live.Freeze(ctx, m, g, x)
	if err != nil {
		log.Fatal(err)
	}
	unknown := mat.NewDense(1, 34, nil)
	y, err := club.Embed(ctx, unknown, []coles.Edge{{U: 34, V: 0}, {U: 34, V: 1}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("among %d: %.1f\n", club.Nodes(), mat.Formatted(y))
	// Output: among 34: [0.9  1.2]
}

func ExamplePrincipalAngle() {
	plane := mat.NewDense(2, 3, []float64{1, 0, 0, 0, 1, 0})
	tilted := mat.NewDense(2, 3, []float64{1, 0, 0, 0, 0.8, 0.6})
	angle, err := live.PrincipalAngle(plane, tilted)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f\n", angle)
	// Output: 0.6435
}

// Rows of a table and no graph: each is joined to the two most like it, and a row that comes later too.
func ExampleFitRows() {
	ctx := context.Background()
	flats := table.New("rooms", "rent", "heating")
	for _, f := range []struct {
		rooms, rent int
		heating     string
	}{{1, 500, "gas"}, {2, 600, "gas"}, {1, 550, "gas"}, {5, 2100, "pump"}, {4, 1900, "pump"}, {6, 2500, "pump"}} {
		flats.Add("", f.rooms, f.rent, f.heating)
	}
	encoder, err := table.Fit(ctx, flats)
	if err != nil {
		log.Fatal(err)
	}
	x, err := encoder.Encode(ctx, flats)
	if err != nil {
		log.Fatal(err)
	}
	m, rows, err := live.FitRows(ctx, x, 2, coles.WithDim(2))
	if err != nil {
		log.Fatal(err)
	}
	later := table.New("rooms", "rent", "heating")
	later.Add("", 5, 2000, "pump")
	fresh, err := encoder.Encode(ctx, later)
	if err != nil {
		log.Fatal(err)
	}
	y, err := rows.Embed(ctx, fresh)
	if err != nil {
		log.Fatal(err)
	}
	apart := func(i int) float64 {
		var v mat.VecDense
		v.SubVec(y.RowView(0), m.Embedding().RowView(i))
		return mat.Norm(&v, 2)
	}
	fmt.Println(rows.Graph())
	fmt.Println("nearer to the fourth than to the first:", apart(3) < apart(0))
	// Output:
	// 6 nodes, 6 edges
	// nearer to the fourth than to the first: true
}

// Newcomers are rows of the table that the features were made of, and their cells are there to read.
func ExampleGraph_KeepCells() {
	cells := table.New("species", "weight")
	for i, id := range []string{"ann", "bob", "cy", "dan"} {
		cells.Add(id, []string{"cat", "dog"}[i/2], 4+3*i)
	}
	e, err := table.Fit(ctx, cells)
	if err != nil {
		log.Fatal(err)
	}
	x, err := e.Encode(ctx, cells)
	if err != nil {
		log.Fatal(err)
	}
	g, err := coles.NewGraph(4, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 3}}, coles.WithIDs(cells.IDs))
	if err != nil {
		log.Fatal(err)
	}
	m, err := coles.Fit(ctx, g, x)
	if err != nil {
		log.Fatal(err)
	}
	r, err := live.Follow(ctx, m, g, x)
	if err != nil {
		log.Fatal(err)
	}
	if err := r.KeepCells(ctx, e, cells); err != nil {
		log.Fatal(err)
	}
	eve := table.New("species", "weight")
	eve.Add("eve", "cat", 5.5)
	if _, err := r.Add(ctx, live.Change{Rows: eve, IDs: eve.IDs, Edges: []coles.Edge{{U: 4, V: 0}}}); err != nil {
		log.Fatal(err)
	}
	kept, err := r.Rows([]int{4})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range kept.Columns {
		fmt.Println(c.Name, c.Cells)
	}
	// Output:
	// species [cat]
	// weight [5.5]
}
