package eval

import (
	"math"
	"testing"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// Against the definition: S^-½·K·S^-½·u = λu for u = S^½·y of length 1 and the
// largest λ that gonum finds for the dense matrix.
func checkSpectral(t *testing.T, similarity *mat.SymDense, y *mat.Dense) {
	t.Helper()
	n, k := y.Dims()
	root := make([]float64, n)
	for i := range n {
		sum := 0.0
		for j := range n {
			sum += similarity.At(i, j)
		}
		root[i] = math.Sqrt(sum)
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
		lambda := values[n-1-c]
		var residual mat.VecDense
		residual.MulVec(normalised, u)
		residual.AddScaledVec(&residual, -lambda, u)
		if r := residual.Norm(2); r > 1e-9 {
			t.Errorf("column %d: residual %g for eigenvalue %v", c, r, lambda)
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
	kernel := mat.NewSymDense(60, nil)
	kernel.SymOuterK(1, x)
	for _, form := range []mat.Matrix{x, toCSR(x)} {
		y, err := SpectralFeatures(background, form, 5)
		if err != nil {
			t.Fatal(err)
		}
		checkSpectral(t, kernel, y)
		if row := y.RawRowView(17); norm2(row) != 0 {
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
	g, err := coles.NewGraph(25, edges)
	if err != nil {
		t.Fatal(err)
	}
	adjacency := mat.NewSymDense(25, nil)
	g.CSR().DoNonZero(func(i, j int, v float64) { adjacency.SetSym(i, j, v) })
	y, err := SpectralGraph(background, g, 4)
	if err != nil {
		t.Fatal(err)
	}
	checkSpectral(t, adjacency, y)
	if row := y.RawRowView(24); norm2(row) != 0 {
		t.Errorf("a node without edges is %v", row)
	}
}

// Nodes without edges take no part in the eigenvectors, not even in those of the eigenvalue 0.
func TestSpectralGraphLeavesOutNodesWithoutEdges(t *testing.T) {
	star := []coles.Edge{{U: 1, V: 2}, {U: 1, V: 4}, {U: 1, V: 5}} // eigenvalues 1, 0, 0, −1
	g := graphOf(7, star)
	y, err := SpectralGraph(background, g, 3)
	if err != nil {
		t.Fatal(err)
	}
	for i, degree := range g.Degrees() {
		row := y.RawRowView(i)
		for j := range row {
			if row[j] *= math.Sqrt(degree); degree == 0 && row[j] != 0 {
				t.Errorf("node %d has no edges and is %v", i, row)
			}
		}
	}
	var gram mat.Dense
	gram.Mul(y.T(), y)
	if one := mat.NewDense(3, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}); !mat.EqualApprox(&gram, one, 1e-12) {
		t.Errorf("the columns are not orthonormal: %v", mat.Formatted(&gram))
	}
	wide, err := SpectralGraph(background, g, 6)
	if err != nil {
		t.Fatal(err)
	}
	if got := mat.Norm(wide.Slice(0, 7, 4, 6), 2); got != 0 {
		t.Errorf("columns beyond the nodes that have edges: norm %v", got)
	}
}
