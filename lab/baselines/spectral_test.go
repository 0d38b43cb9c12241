package baselines

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
	values, scaled := dense.Values(nil), mat.NewDense(n, k, nil) // ascending
	scaled.Apply(func(i, _ int, v float64) float64 { return v * root[i] }, y)
	testkit.WantClose(t, "the products of the columns", testkit.Product(scaled.T(), scaled), testkit.Eye(k), 1e-10)
	for c := range k {
		var residual mat.VecDense
		residual.MulVec(normalised, scaled.ColView(c))
		residual.AddScaledVec(&residual, -values[n-1-c], scaled.ColView(c))
		if r := residual.Norm(2); r > 1e-9 {
			t.Errorf("column %d: residual %g for eigenvalue %v", c, r, values[n-1-c])
		}
	}
	for i, similar := range root {
		if row := y.RawRowView(i); similar == 0 && matrix.Magnitude(row) != 0 {
			t.Errorf("row %d without similarities is %v", i, row)
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
	for _, given := range []mat.Matrix{x, testkit.SparseOf(x)} {
		checkSpectral(t, similarity, testkit.Must(SpectralFeatures(background, given, 5)))
	}
}

// Nodes without edges take no part in the eigenvectors, not even of the eigenvalue 0.
func TestSpectralGraphSolvesItsProblem(t *testing.T) {
	var parts []coles.Edge // two, and a node alone
	for i := range 12 {
		parts = append(parts, coles.Edge{U: i, V: (i + 1) % 12}, coles.Edge{U: i, V: (i*i + 5) % 12})
		parts = append(parts, coles.Edge{U: 12 + i, V: 12 + (i*i+3)%11})
	}
	star := testkit.Must(coles.NewGraph(7, []coles.Edge{{U: 1, V: 2}, {U: 1, V: 4}, {U: 1, V: 5}})) // eigenvalues 1, 0, 0, −1
	for g, k := range map[*coles.Graph]int{testkit.Must(coles.NewGraph(25, parts)): 4, star: 3} {
		adjacency := mat.NewSymDense(g.Nodes(), nil)
		g.CSR().DoNonZero(func(i, j int, v float64) { adjacency.SetSym(i, j, v) })
		checkSpectral(t, adjacency, testkit.Must(SpectralGraph(background, g, k)))
	}
	wide := testkit.Must(SpectralGraph(background, star, 6))
	if got := mat.Norm(wide.Slice(0, 7, 4, 6), 2); got != 0 {
		t.Errorf("columns beyond the nodes that have edges: norm %v", got)
	}
	if got := testkit.Must(SpectralGraph(background, testkit.Must(coles.NewGraph(3, nil)), 2)); mat.Norm(got, 2) != 0 {
		t.Errorf("a graph without edges has the embedding %v", got)
	}
}
