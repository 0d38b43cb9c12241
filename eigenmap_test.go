package coles_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// checkEigenmap measures the columns of Y: residuals, orthonormality, order, signs, and
// eigenvalues against an oracle's, at the accuracy of an iterative solution.
func checkEigenmap(t *testing.T, dw *coles.DeltaW, y *mat.Dense, lambda []float64, dim int, want []float64) {
	t.Helper()
	n, d := y.Dims()
	if nodes, _ := dw.Dims(); n != nodes || d != dim || len(lambda) != dim {
		t.Fatalf("Y is %d × %d with %d eigenvalues, want %d × %d", n, d, len(lambda), nodes, dim)
	}
	// ‖ΔW‖ ≤ 2, and is at least the largest |λ| found; the package states 1e-6.
	product := testkit.Must(dw.Apply(ctx, y))
	for j, l := range lambda {
		var off mat.VecDense
		off.AddScaledVec(product.ColView(j), -l, y.ColView(j))
		if r := mat.Norm(&off, 2); !(r <= 1e-6*math.Max(math.Abs(lambda[0]), 1)) {
			t.Errorf("column %d, λ = %v: ‖ΔWy − λy‖ = %g", j, l, r)
		}
		if !(math.Abs(l-want[j]) <= 1e-6) {
			t.Errorf("λ_%d = %v, the oracle has %v", j, l, want[j])
		}
		if j > 0 && l > lambda[j-1] {
			t.Errorf("λ_%d = %v > λ_%d = %v", j, l, j-1, lambda[j-1])
		}
		if v := leadingEntry(mat.Col(nil, j, y)); v < 0 {
			t.Errorf("the largest entry of column %d is %v", j, v)
		}
	}
	if off := testkit.MaxDiff(testkit.Product(y.T(), y), testkit.Eye(dim)); !(off < 1e-13) {
		t.Errorf("max|YᵀY − I| = %g", off)
	}
}

func wantEigenmap(t *testing.T, dw *coles.DeltaW, dim int, want []float64) {
	t.Helper()
	y, lambda, err := coles.Eigenmaps(ctx, dw, dim)
	testkit.Check(t, err)
	checkEigenmap(t, dw, y, lambda, dim, want)
}

func TestEigenmapsEqualDenseOracle(t *testing.T) {
	rng := testkit.Random(61)
	var blocks []coles.Edge
	for i := 0; i+5 < 120; i += 5 { // blocks of five nodes, the last ones isolated
		for _, e := range testkit.RandomEdges(rng, 5, 0.6) {
			blocks = append(blocks, coles.Edge{U: i + e.U, V: i + e.V})
		}
	}
	for name, g := range map[string]*coles.Graph{
		"connected":               testkit.RandomGraph(62, 90, 0.1),
		"sparse, some components": testkit.RandomGraph(63, 150, 0.012),
		"many components":         testkit.Must(coles.NewGraph(120, blocks)),
		"bipartite":               starGraph(30),
	} {
		for _, s := range []struct {
			s     coles.NegativeSampler
			kappa int
			eta   float64
		}{
			{noNegatives, 0, 1},
			{coles.ExpectedUniformNegatives(), 1, 1},
			{coles.ExpectedDegreeNegatives(), 1, 1},
			{coles.ExpectedDegreeNegatives(), 1, 0.5},
			{coles.UniformNegatives(3), 2, 0.9},
		} {
			t.Run(fmt.Sprintf("%s, %v, η′ = %v", name, s.s, s.eta), func(t *testing.T) {
				n := g.Nodes()
				dw := testkit.Must(coles.Contrast(ctx, g, s.s, s.kappa, s.eta, 1))
				want, _ := oracle(testkit.Must(dw.Apply(ctx, testkit.Eye(n))))
				for _, dim := range []int{1, 9, min(40, n), n} {
					wantEigenmap(t, dw, dim, want)
				}
			})
		}
	}
}

// archipelago has 300 components of 2 to 9 nodes: paths, rings, stars and complete graphs in turn,
// and 40 isolated nodes. It also returns all eigenvalues of W⁺, from the oracle for one component
// at a time.
func archipelago() (g *coles.Graph, values []float64) {
	star := func(n int) *coles.Graph { return starGraph(n - 1) }
	var list []coles.Edge
	n := 0
	for c := range 300 {
		size := 2 + c%8
		own := []func(n int) *coles.Graph{pathGraph, ringGraph, star, completeGraph}[c%4](size)
		found, _ := oracle(own.Positive())
		values = append(values, found...)
		for e := range own.Edges() {
			list = append(list, coles.Edge{U: n + e.U, V: n + e.V})
		}
		n += size
	}
	values = append(values, make([]float64, 40)...)
	slices.Sort(values)
	slices.Reverse(values)
	return testkit.Must(coles.NewGraph(n+40, list)), values
}

func TestEigenmapsOfHundredsOfComponents(t *testing.T) {
	skipUnderRace(t)
	g, all := archipelago()
	t.Run("κ = 0", func(t *testing.T) {
		for _, dim := range []int{10, 300, 330} {
			wantEigenmap(t, contrast(g, noNegatives), dim, all)
		}
	})
	t.Run("degree expectation", func(t *testing.T) {
		// W⁺ − s·sᵀ takes one direction from the eigenspace of 1: 299 are left.
		without := slices.Concat(all[:299], all[300:])
		wantEigenmap(t, contrast(g, coles.ExpectedDegreeNegatives()), 310, without)
	})
}

// Cora has 78 components, Citeseer 438 of which 48 are isolated nodes: counted on the published
// graphs, and 1 is an eigenvalue of W⁺ as often as there are components with an edge.
func TestUnitEigenvaluesOfRealGraphs(t *testing.T) {
	for name, units := range map[string]int{"cora": 78, "citeseer": 390} {
		t.Run(name, func(t *testing.T) {
			skipUnderRace(t)
			_, g := openGraph(t, name)
			dw := contrast(g, noNegatives)
			y, lambda, err := coles.Eigenmaps(ctx, dw, units+6)
			testkit.Check(t, err)
			checkEigenmap(t, dw, y, lambda, units+6, lambda)
			for j, l := range lambda {
				if unit := math.Abs(l-1) < 1e-9; unit != (j < units) {
					t.Errorf("λ_%d = %v, want %d unit eigenvalues", j, l, units)
				}
			}
		})
	}
}

// A random graph has no gap at the edge of its spectrum: neighbours are some n^(-2/3) of its width
// apart. Every value is within its residual of an eigenvalue, and not above the one of its rank.
func TestEigenmapsOfARandomGraphWithoutGaps(t *testing.T) {
	skipUnderRace(t)
	n := testkit.Few(500, 700)
	g := sparseGraph(64, n, 10*n)
	for _, s := range []struct {
		s     coles.NegativeSampler
		kappa int
	}{{noNegatives, 0}, {coles.ExpectedDegreeNegatives(), 1}, {coles.ExpectedUniformNegatives(), 1}, {coles.UniformNegatives(3), 2}} {
		t.Run(fmt.Sprint(s.s), func(t *testing.T) {
			dw := testkit.Must(coles.Contrast(ctx, g, s.s, s.kappa, 1, 1))
			all := testkit.Must(dw.Apply(ctx, testkit.Eye(n)))
			want, _ := oracle(all)
			wantEigenmap(t, dw, 16, want)
		})
	}
}
