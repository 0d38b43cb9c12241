package coles_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// As many columns as a classifier or an index is to hold; there are at most as many as
// features.
func ExampleWithDim() {
	ctx := context.Background()
	g, x := karate()
	for _, dim := range []int{2, 16, 35} {
		m, err := coles.Fit(ctx, g, x, coles.WithDim(dim))
		if errors.Is(err, coles.ErrDim) {
			fmt.Println(dim, "is too many for 34 features")
			continue
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(m.Embedding().Dims())
	}
	// Output:
	// 34 2
	// 34 16
	// 35 is too many for 34 features
}

// With sampled negatives the seed chooses the sample: the same one gives the same bytes,
// another shows how much hangs on chance.
func ExampleWithSeed() {
	ctx := context.Background()
	g, x := karate()
	var fits []*mat.Dense
	for _, seed := range []uint64{7, 7, 8} {
		m, err := coles.Fit(ctx, g, x, coles.WithNegatives(coles.UniformNegatives(2)), coles.WithSeed(seed), coles.WithDim(2))
		if err != nil {
			log.Fatal(err)
		}
		fits = append(fits, m.Embedding())
	}
	fmt.Println(mat.Equal(fits[0], fits[1]), mat.Equal(fits[0], fits[2]))
	// Output: true false
}

// Counts are weighted as words would be. Where they are none, say so.
func ExampleWithFeatures() {
	ctx := context.Background()
	g, _ := barbell()
	counts := mat.NewDense(6, 4, nil)
	for i := range 6 {
		counts.Set(i, i/2, 3)
	}
	for _, p := range []coles.Preparation{coles.PrepareAuto, coles.PrepareStandardize} {
		m, err := coles.Fit(ctx, g, counts, coles.WithFeatures(p), coles.WithDim(2))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(p, "→", m.Report().Preparation)
	}
	// Output:
	// auto → tfidf
	// standardize → standardize
}

// The further a filter reaches, the closer neighbours come, beside any two members.
func ExampleWithFilter() {
	ctx := context.Background()
	g, x := karate()
	for _, f := range []coles.Filter{coles.Identity(), coles.S2GC(8, 0.05), coles.SGC(4)} {
		m, err := coles.Fit(ctx, g, x, coles.WithFilter(f), coles.WithDim(16))
		if err != nil {
			log.Fatal(err)
		}
		var ties, all, pairs float64
		for u := range 34 {
			for v := range u {
				var apart mat.VecDense
				apart.SubVec(m.Embedding().RowView(u), m.Embedding().RowView(v))
				far := mat.Norm(&apart, 2)
				all, pairs = all+far, pairs+1
				if g.CSR().At(u, v) != 0 {
					ties += far
				}
			}
		}
		fmt.Printf("%v: %.1f\n", f, ties/float64(g.Report().Edges)*pairs/all)
	}
	// Output:
	// Identity: 0.8
	// S2GC(8, 0.05): 0.6
	// SGC(4): 0.5
}

// Both ways find the same subspace. By itself Fit takes the one that is faster for the
// sizes at hand; one may want to insist on the direct one where eigenvalues lie close.
func ExampleWithSolver() {
	ctx := context.Background()
	g, x := karate()
	var found []*mat.Dense
	for _, s := range []coles.Solver{coles.SolverDirect, coles.SolverKrylov} {
		m, err := coles.Fit(ctx, g, x, coles.WithSolver(s), coles.WithDim(3))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(m.Report().Solver)
		found = append(found, m.Projection())
	}
	angle, err := coles.PrincipalAngle(found[0], found[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("same:", angle < 1e-6)
	// Output:
	// direct
	// krylov
	// same: true
}

// A setting kept by a team, and one change to it: what comes later counts.
func ExampleWithSettings() {
	g, x := karate()
	ours := coles.DefaultSettings()
	ours.Filter = coles.SGC(2)
	ours.Dim = 16
	m, err := coles.Fit(context.Background(), g, x, coles.WithSettings(ours), coles.WithDim(4))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Settings().Filter, m.Settings().Dim)
	// Output: SGC(2) 4
}

// Directions with a negative eigenvalue tie strangers together. Whoever asks for all 34
// columns may leave them out.
func ExampleWithTruncation() {
	g, x := karate()
	for _, opts := range [][]coles.Option{nil, {coles.WithTruncation()}} {
		m, err := coles.Fit(context.Background(), g, x, append(opts, coles.WithDim(34), coles.WithFilter(coles.Identity()))...)
		if err != nil {
			log.Fatal(err)
		}
		lambda := m.Lambda()
		fmt.Println("all 34 columns:", len(lambda) == 34, "some eigenvalue negative:", lambda[len(lambda)-1] < 0)
	}
	// Output:
	// all 34 columns: true some eigenvalue negative: true
	// all 34 columns: false some eigenvalue negative: false
}

// Half the memory, and a difference that no classifier sees.
func ExampleWithPrecision() {
	g, x := karate()
	var fits []*mat.Dense
	for _, p := range []coles.Precision{coles.Float64, coles.Float32} {
		m, err := coles.Fit(context.Background(), g, x, coles.WithPrecision(p), coles.WithDim(2))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(m.Report().Precision)
		fits = append(fits, m.Embedding())
	}
	var apart mat.Dense
	apart.Sub(fits[0], fits[1])
	fmt.Println("within 1e-4:", mat.Max(&apart) < 1e-4 && math.Abs(mat.Min(&apart)) < 1e-4)
	// Output:
	// float64
	// float32
	// within 1e-4: true
}

// A share c of the features' covariance. With a feature of its own for every node it moves
// each eigenvalue by c and no eigenvector; elsewhere it draws P to the directions in which
// the features vary most.
func ExampleWithCovarianceShare() {
	g, x := karate()
	for _, share := range []float64{0, 0.5} {
		m, err := coles.Fit(context.Background(), g, x, coles.WithCovarianceShare(share), coles.WithDim(3),
			coles.WithFeatures(coles.PrepareNone), coles.WithFilter(coles.Identity()))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.2f\n", m.Lambda())
	}
	// Output:
	// [0.87 0.71 0.61]
	// [1.37 1.21 1.11]
}

// The share is chosen by how smooth the graph is: a club of friends gets the most, and ties
// by chance, along which nothing is alike, get little.
func ExampleWithAutoCovarianceShare() {
	club, x := karate()
	rng := rand.New(rand.NewPCG(1, 1))
	var ties []coles.Edge
	for range 3000 {
		ties = append(ties, coles.Edge{U: rng.IntN(300), V: rng.IntN(300)})
	}
	chance, err := coles.NewGraph(300, ties)
	if err != nil {
		log.Fatal(err)
	}
	noise := mat.NewDense(300, 2, nil)
	noise.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, noise)
	for _, of := range []struct {
		g *coles.Graph
		x *mat.Dense
	}{{club, x}, {chance, noise}} {
		m, err := coles.Fit(context.Background(), of.g, of.x, coles.WithAutoCovarianceShare(), coles.WithDim(2))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.1f\n", m.Report().Share)
	}
	// Output:
	// 0.4
	// 0.2
}
