package eval

import (
	"math"
	"testing"

	"coles"
	"coles/internal/matrix"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// checkSpectral compares with the definition: S^-½·K·S^-½·u = λu for u = S^½·y of length 1 and the
// largest λ that gonum finds for the dense matrix.
func checkSpectral(t *testing.T, similarity *mat.SymDense, y *mat.Dense) {
	t.Helper()
	n, k := y.Dims()
	root := make([]float64, n)
	for i := range n {
		root[i] = math.Sqrt(floats.Sum(mat.Row(nil, i, similarity)))
	}
	normalised := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			if s := similarity.At(i, j); s != 0 {
				normalised.SetSym(i, j, s/root[i]/root[j])
			}
		}
	}
	var dense mat.EigenSym
	if !dense.Factorize(normalised, false) {
		t.Fatal("no eigenvalues")
	}
	values := dense.Values(nil) // ascending
	for c := range k {
		u := mat.NewVecDense(n, nil)
		for i := range n {
			u.SetVec(i, y.At(i, c)*root[i])
		}
		if norm := u.Norm(2); math.Abs(norm-1) > 1e-10 {
			t.Errorf("column %d has norm %v", c, norm)
		}
		var residual mat.VecDense
		residual.MulVec(normalised, u)
		residual.AddScaledVec(&residual, -values[n-1-c], u)
		if r := residual.Norm(2); r > 1e-9 {
			t.Errorf("column %d: residual %g for eigenvalue %v", c, r, values[n-1-c])
		}
	}
}

func TestSpectralFeaturesSolveTheirProblem(t *testing.T) {
	x := normal(60, 9, 1, 75)
	x.Apply(func(i, _ int, v float64) float64 {
		if i == 17 {
			return 0
		}
		return max(0, v) // similarities are not negative, and many entries zero
	}, x)
	similarity := mat.NewSymDense(60, nil)
	similarity.SymOuterK(1, x)
	for _, given := range forms(x) {
		y := testkit.Must(SpectralFeatures(background, given, 5))
		checkSpectral(t, similarity, y)
		if row := y.RawRowView(17); matrix.Magnitude(row) != 0 {
			t.Errorf("a row without similarities is %v", row)
		}
	}
}

func TestSpectralGraphSolvesItsProblem(t *testing.T) {
	// Two parts and a node alone.
	var edges []coles.Edge
	for i := range 12 {
		edges = append(edges, coles.Edge{U: i, V: (i + 1) % 12}, coles.Edge{U: i, V: (i*i + 5) % 12})
		edges = append(edges, coles.Edge{U: 12 + i, V: 12 + (i*i+3)%11})
	}
	g := testkit.Must(coles.NewGraph(25, edges))
	adjacency := mat.NewSymDense(25, nil)
	g.CSR().DoNonZero(func(i, j int, v float64) { adjacency.SetSym(i, j, v) })
	y := testkit.Must(SpectralGraph(background, g, 4))
	checkSpectral(t, adjacency, y)
	if row := y.RawRowView(24); matrix.Magnitude(row) != 0 {
		t.Errorf("a node without edges is %v", row)
	}
}

// Nodes without edges take no part in the eigenvectors, not even in those of the eigenvalue 0.
func TestSpectralGraphLeavesOutNodesWithoutEdges(t *testing.T) {
	star := []coles.Edge{{U: 1, V: 2}, {U: 1, V: 4}, {U: 1, V: 5}} // eigenvalues 1, 0, 0, −1
	g := testkit.Must(coles.NewGraph(7, star))
	y := testkit.Must(SpectralGraph(background, g, 3))
	for i, degree := range g.Degrees() {
		row := y.RawRowView(i)
		if degree == 0 && matrix.Magnitude(row) != 0 {
			t.Errorf("node %d has no edges and is %v", i, row)
		}
		matrix.Scale(row, math.Sqrt(degree))
	}
	one := mat.NewDense(3, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1})
	testkit.WantClose(t, "the products of the columns", testkit.Product(y.T(), y), one, 1e-12)
	wide := testkit.Must(SpectralGraph(background, g, 6))
	if got := mat.Norm(wide.Slice(0, 7, 4, 6), 2); got != 0 {
		t.Errorf("columns beyond the nodes that have edges: norm %v", got)
	}
	if got := testkit.Must(SpectralGraph(background, testkit.Must(coles.NewGraph(3, nil)), 2)); mat.Norm(got, 2) != 0 {
		t.Errorf("a graph without edges has the embedding %v", got)
	}
}
